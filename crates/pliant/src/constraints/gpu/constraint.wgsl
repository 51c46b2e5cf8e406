// Passes over constraints of one kind with rows in their place. `wgsl_codegen.rs` adds `project` and `propose`.

struct ConstraintUniforms {
    // Number of constraints.
    count: u32,
    // First of their row numbers in `topology`, of their numbers in `params`, of their multipliers in `lambda`.
    indices: u32,
    params: u32,
    multipliers: u32,
    // First vector in `work` of their Jacobi corrections.
    corrections: u32,
    // 1 in the first iteration of a substep: multipliers start from zero.
    fresh: u32,
}

@group(0) @binding(9) var<uniform> args: ConstraintUniforms;

// A color: no row twice, so all at once.
@compute @workgroup_size(SIZE)
fn batch(thread: Thread) {
    let slot = number_of(thread);
    if slot < args.count {
        project(slot, scales(), args.fresh != 0u);
    }
}

// One after the other, as listed.
@compute @workgroup_size(1)
fn serial() {
    for (var slot = 0u; slot < args.count; slot++) {
        project(slot, scales(), args.fresh != 0u);
    }
}

// All at once from the same positions; `jacobi_apply` sums up.
@compute @workgroup_size(SIZE)
fn jacobi(thread: Thread) {
    let slot = number_of(thread);
    if slot < args.count {
        propose(slot, scales(), args.fresh != 0u);
    }
}

// Parts that a particle is split into: one per constraint under XPBD, so that the average equals the sum of
// the impulses (see `methods/jacobi`); 1 under PBD.
fn parts(i: u32) -> f32 {
    if sub.counts == NONE {
        return 1.0;
    }
    return params[sub.counts + i];
}
