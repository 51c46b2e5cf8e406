// Passes over constraints of one kind with rows in their place. `glue.rs` adds `project` and `propose`.

// A color: no row twice, so all at once.
@compute @workgroup_size(SIZE)
fn batch(thread: Thread) {
    let slot = number_of(thread);
    if slot < job.count {
        project(slot, scales(), job.fresh != 0u);
    }
}

// One after the other, as listed.
@compute @workgroup_size(1)
fn serial() {
    for (var slot = 0u; slot < job.count; slot++) {
        project(slot, scales(), job.fresh != 0u);
    }
}

// All at once from the same positions; `jacobi_apply` sums up.
@compute @workgroup_size(SIZE)
fn jacobi(thread: Thread) {
    let slot = number_of(thread);
    if slot < job.count {
        propose(slot, scales(), job.fresh != 0u);
    }
}

// Parts that a particle is split into: one per constraint under XPBD, so that the average equals the sum of
// the impulses (see `backend::cpu::jacobi`); 1 under PBD.
fn parts(i: u32) -> f32 {
    if sub.counts == NONE {
        return 1.0;
    }
    return params[sub.counts + i];
}
