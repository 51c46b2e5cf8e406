// Stage finalize of one row: velocity, sleeping, and the divergence check.

// Position and velocity of a row.
struct Finalized { row: vec4<f32>, velocity: vec4<f32> }

// Finalizes row `i` at `row`. Contact corrections are at `slot`; `free` is its unconstrained velocity, with w = 1 if
// that is of first order.
fn finish(i: u32, slot: u32, row: vec4<f32>, free: vec4<f32>) -> Finalized {
    let before = motion[start_of(i, slot)];
    if i >= sub.particles {
        return store_finalized(i, slot, row, (row - before) * sub.inv_h);
    }
    var in_contact = false;
    if (sub.flags & KEEPS_HISTORY) != 0u {
        // Contact is not smooth: particles that were pushed fall back to BDF1, now and in the next prediction (E12).
        in_contact = was_pushed(i, slot, row.w);
        atomicStore(&flags[sub.first_order + i], select(0u, 1u, in_contact));
    }
    let x = row.xyz;
    let start = before.xyz;
    let moved = x - start;
    if row.w > 0.0 && dot(moved, moved) < sub.sleep * sub.sleep {
        return store_finalized(i, slot, before, vec4<f32>(0.0));
    }
    if row.w == 0.0 {
        check(i, x, vec3<f32>(0.0), start);
        return store_finalized(i, slot, row, vec4<f32>(moved * sub.inv_h, 0.0));
    }
    var v: vec3<f32>;
    if in_contact {
        v = moved * sub.inv_h;
    } else if (sub.flags & SECOND_ORDER) != 0u && free.w == 0.0 {
        v = velocity_bdf2(x, start, motion[older_at(i)].xyz, free.xyz, sub.h, sub.inv_h);
    } else {
        v = velocity_bdf1(x, start, free.xyz, sub.h, sub.inv_h);
    }
    check(i, x, v, start + free.xyz * sub.h);
    return store_finalized(i, slot, row, vec4<f32>(v, 0.0));
}

fn store_finalized(i: u32, slot: u32, row: vec4<f32>, velocity: vec4<f32>) -> Finalized {
    rows[row_of(i, slot)] = row;
    motion[velocity_of(i, slot)] = velocity;
    return Finalized(row, velocity);
}

// Whether colliders, other particles or fluid pressure have moved the particle.
fn was_pushed(i: u32, slot: u32, w: f32) -> bool {
    if sub.particle_contacts != NONE && work[sub.particle_contacts + i].w > 0.0 {
        return true;
    }
    if sub.carried != NONE && (i >= sub.wet || any(work[sub.carried + i].xyz != vec3<f32>(0.0))) {
        return true;
    }
    return sub.colliders > 0u && w != 0.0 && pushed(i, slot);
}

fn pushed(particle: u32, slot: u32) -> bool {
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = atomicLoad(&flags[mask_at(particle, slot) + word]);
        while mask != 0u {
            let bit = firstTrailingBit(mask);
            mask &= mask - 1u;
            if work[sub.collider_impulses + slot * sub.colliders + word * 32u + bit].w > 0.0 {
                return true;
            }
        }
    }
    return false;
}

// The comparisons are false for NaN, so NaN is caught too.
fn check(i: u32, x: vec3<f32>, v: vec3<f32>, ahead: vec3<f32>) {
    if !(dot(ahead, ahead) <= MAX_POSITION * MAX_POSITION) {
        atomicMin(&flags[RUNAWAYS], divergence_code(i));
    } else if !(dot(x, x) <= MAX_POSITION * MAX_POSITION) || !(dot(v, v) <= MAX_SPEED * MAX_SPEED) {
        atomicMin(&flags[RUNAWAYS + 1u], divergence_code(i));
    }
}
