// Patches in a pass that does one or more whole substeps: predict, solve and finalize without a global barrier. Every row
// is in a patch; particles shared by patches have a copy in each, which exchange positions at the seams. Nothing else is
// exchanged, and neighbors may be one iteration apart: so each copy has its own start position, velocity and contacts, and
// all of them compute the same values.

// Divergence found in this pass is reported at its end: other patches may not have begun.
const RUNAWAYS: u32 = RUNNING_PREDICT;

// Such a pass has no fluids.
fn pressure_carry() -> f32 {
    return 0.0;
}

fn turns() -> u32 {
    return args.substeps;
}

fn is_over() -> bool {
    return has_diverged();
}

// The substep of this thread, counted from the first of the pass.
var<private> at_turn: u32;

// Contact codes of this thread's rows for the next substep, as in `Near`, and the number of rows examined.
var<private> codes: u32;
var<private> seen: u32;

fn contact_pairs(it: Patch, t: u32) -> Near {
    var near = nothing_near(0u);
    near.codes = codes;
    codes = 0u;
    seen = 0u;
    return near;
}

// The minimum is the earliest substep, then the lowest particle index.
fn divergence_code(i: u32) -> u32 {
    return (at_turn << PARTICLE_BITS) | i;
}

// Whether it has diverged in this pass: then it stays in place, so that the host sees where that was.
fn is_gone(x: vec3<f32>, v: vec3<f32>) -> bool {
    return !(dot(x, x) <= MAX_POSITION * MAX_POSITION) || !(dot(v, v) <= MAX_SPEED * MAX_SPEED);
}

// A row as the patch sees it at its start.
fn entering(entry: vec4<u32>) -> vec4<f32> {
    at_turn = 0u;
    let i = particle_of(entry);
    if i == NONE {
        seen++;
        return vec4<f32>(0.0);
    }
    return ahead(entry, i, rows[i], motion[velocity_at(i)]);
}

// Particle or orientation of a row or of the original of a copy; NONE for copies for one constraint kind, which are written
// when they are needed.
fn particle_of(entry: vec4<u32>) -> u32 {
    return select(entry.y, entry.x, entry.y == NONE && entry.x < sub.solid);
}

fn ahead(entry: vec4<u32>, i: u32, row: vec4<f32>, latest: vec4<f32>) -> vec4<f32> {
    let k = seen;
    seen++;
    if at_turn > 0u && i < sub.particles && is_gone(row.xyz, latest.xyz) {
        motion[start_of(i, entry.x)] = row;
        return row;
    }
    var next = predicted(i, entry.x, row, latest);
    if k < KNOWN && sub.colliders > 0u && i < sub.particles {
        codes |= near_code(i, entry.x, found) << (4u * k);
    }
    // Copies share the particle's mass (E08).
    next.w *= f32(max(entry.w, 1u));
    return next;
}

// A row comes to rest; where another substep follows, returns where it starts there.
fn leaving(entry: vec4<u32>, row: vec4<f32>, turn: u32) -> vec4<f32> {
    let slot = entry.x;
    let i = particle_of(entry);
    if i == NONE {
        seen++;
        return row;
    }
    let free = motion[velocity_of(i, slot)];
    let start = motion[start_of(i, slot)];
    var store_finalized = Finalized(start, free);
    if turn == 0u || i >= sub.particles || !is_gone(start.xyz, free.xyz) {
        store_finalized = finish(i, slot, vec4<f32>(row.xyz, select(row.w, start.w, slot != i)), free);
    }
    if turn + 1u < turns() {
        at_turn = turn + 1u;
        return ahead(entry, i, store_finalized.row, store_finalized.velocity);
    }
    if slot != i && slot == entry.z {
        publish(i, slot);
    }
    return row;
}

// All copies are in one place; the first speaks for the particle.
fn publish(i: u32, slot: u32) {
    rows[i] = rows[slot];
    motion[previous_at(i)] = motion[start_of(i, slot)];
    motion[velocity_at(i)] = motion[velocity_of(i, slot)];
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        atomicStore(&flags[sub.masks + i * words + word], atomicLoad(&flags[mask_at(i, slot) + word]));
    }
}

// The last workgroup ends the pass.
fn done(t: u32) {
    patch_barrier();
    storageBarrier();
    if t != 0u || atomicAdd(&flags[FINISHED], 1u) != args.count - 1u {
        return;
    }
    atomicStore(&flags[FINISHED], 0u);
    let predict = atomicLoad(&flags[RUNNING_PREDICT]);
    let solve = atomicLoad(&flags[RUNNING_SOLVE]);
    let first = min(min(predict, solve) >> PARTICLE_BITS, args.substeps - 1u);
    atomicStore(&flags[SUBSTEPS], atomicLoad(&flags[SUBSTEPS]) + first + 1u);
    tell(DIVERGED_PREDICT, predict, first);
    tell(DIVERGED_SOLVE, solve, first);
}

fn tell(to: u32, word: u32, first: u32) {
    if word != NONE && word >> PARTICLE_BITS == first {
        atomicStore(&flags[to], word & ((1u << PARTICLE_BITS) - 1u));
    }
}
