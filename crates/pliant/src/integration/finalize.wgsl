// Stage finalize: joins seam particles, projects the last contacts, then finalizes each row.

// Job modes: bit 0, seams are joined here; bit 1, particles outside islands are projected here; bit 2, copies on seams
// have contact corrections of their own.
const JOINS: u32 = 1u;
const TOUCHES: u32 = 2u;
const SEAMS: u32 = 4u;

// Divergence found in this substep is visible at once: all readers run after this pass.
const RUNAWAYS: u32 = DIVERGED_PREDICT;

fn told(i: u32) -> u32 {
    return i;
}

@compute @workgroup_size(SIZE)
fn finalize(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    if i == 0u {
        atomicStore(&marks[LOWEST], NONE);
    }
    if atomicLoad(&marks[FROZEN]) != 0u {
        rows[i] = motion[previous_at(i)];
        return;
    }
    var row = rows[i];
    var slot = i;
    if i < sub.particles {
        if (job.mode & SEAMS) != 0u {
            let seam = topology[sub.seam_of + i];
            if seam != NONE {
                slot = topology[sub.seams + 4u * seam + 1u];
                if (job.mode & JOINS) != 0u {
                    let count = topology[sub.seams + 4u * seam + 2u];
                    row = vec4<f32>(mean_of(slot - sub.solid + job.copies_in, count), row.w);
                }
            }
        }
        if (job.mode & TOUCHES) != 0u && sub.colliders > 0u && row.w != 0.0 && !in_island(i) {
            row = touch(i, slot, row);
        }
    }
    finish(i, slot, row, motion[velocity_at(i)]);
}
