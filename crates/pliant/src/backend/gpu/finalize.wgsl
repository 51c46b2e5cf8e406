// Stage finalize: seam particles joined, last contacts, velocities, sleeping, and a check that nothing has
// run away.

// Beyond this a single-precision position resolves less than a decimeter [m], as on the CPU.
const FARTHEST: f32 = 1e6;
const FASTEST: f32 = 1e4;

// Modes of the job: bit 0, seams are joined here; bit 1, particles outside islands are touched here; bit 2, copies
// on seams have their pushes to themselves.
const JOINS: u32 = 1u;
const TOUCHES: u32 = 2u;
const SEAMS: u32 = 4u;

@compute @workgroup_size(SIZE)
fn finalize(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    if atomicLoad(&marks[FROZEN]) != 0u {
        rows[i] = motion[previous_at(i)];
        return;
    }
    var row = rows[i];
    let before = motion[previous_at(i)];
    if i >= sub.particles {
        motion[velocity_at(i)] = (row - before) * sub.inv_h;
        return;
    }
    var slot = i;
    if (job.mode & SEAMS) != 0u {
        let seam = topology[sub.seam_of + i];
        if seam != NOBODY {
            slot = topology[sub.seams + 4u * seam + 1u];
            if (job.mode & JOINS) != 0u {
                let count = topology[sub.seams + 4u * seam + 2u];
                row = vec4<f32>(mean_of(slot - sub.solid + job.copies_in, count), row.w);
                rows[i] = row;
            }
        }
    }
    var touching = false;
    if sub.colliders > 0u && row.w != 0.0 {
        if (job.mode & TOUCHES) != 0u && !in_island(i) {
            row = touch(i, slot, row);
            rows[i] = row;
        }
        touching = pushed(i, slot);
    }
    if (sub.flags & KEEPS_HISTORY) != 0u {
        // Contact is not smooth: whoever was pushed falls back to BDF1, now and in the next prediction (E12).
        atomicStore(&marks[sub.first_order + i], select(0u, 1u, touching));
    }
    let x = row.xyz;
    let start = before.xyz;
    let moved = x - start;
    if row.w > 0.0 && dot(moved, moved) < sub.sleep * sub.sleep {
        rows[i] = before;
        motion[velocity_at(i)] = vec4<f32>(0.0);
        return;
    }
    if row.w == 0.0 {
        check(i, x, vec3<f32>(0.0), start);
        motion[velocity_at(i)] = vec4<f32>(moved * sub.inv_h, 0.0);
        return;
    }
    let free = motion[velocity_at(i)].xyz;
    var v: vec3<f32>;
    if (sub.flags & KEEPS_HISTORY) != 0u && touching {
        v = moved * sub.inv_h;
    } else if (sub.flags & SECOND_ORDER) != 0u && !first_order_before(i) {
        v = velocity_bdf2(x, start, motion[older_at(i)].xyz, free, sub.h, sub.inv_h);
    } else {
        v = velocity_bdf1(x, start, free, sub.h, sub.inv_h);
    }
    check(i, x, v, start + free * sub.h);
    motion[velocity_at(i)] = vec4<f32>(v, 0.0);
}

// Whether the prediction of this substep was of first order; kept in the fourth component of the velocity
// meanwhile, because the mark itself already speaks of the next substep.
fn first_order_before(i: u32) -> bool {
    return motion[velocity_at(i)].w != 0.0;
}

fn pushed(particle: u32, slot: u32) -> bool {
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = atomicLoad(&marks[sub.masks + particle * words + word]);
        while mask != 0u {
            let bit = firstTrailingBit(mask);
            mask &= mask - 1u;
            if work[sub.pushes + slot * sub.colliders + word * 32u + bit].w > 0.0 {
                return true;
            }
        }
    }
    return false;
}

// The comparisons are false for NaN, so NaN is caught too.
fn check(i: u32, x: vec3<f32>, v: vec3<f32>, ahead: vec3<f32>) {
    if !(dot(ahead, ahead) <= FARTHEST * FARTHEST) {
        atomicMin(&marks[RAN_AWAY_PREDICT], i);
    } else if !(dot(x, x) <= FARTHEST * FARTHEST) || !(dot(v, v) <= FASTEST * FASTEST) {
        atomicMin(&marks[RAN_AWAY_SOLVE], i);
    }
}
