// Stage finalize: joins seam particles, projects the last contacts, then finalizes each row.

struct FinalizeUniforms {
    // JOINS: seams are joined here; TOUCHES: contacts of particles outside islands are projected here; SEAMS: each
    // copy on a seam has its own contact corrections.
    mode: u32,
    // First row of the copies that are joined.
    copies: u32,
}

@group(0) @binding(9) var<uniform> args: FinalizeUniforms;

// Divergence found in this substep is visible at once: all readers run after this pass.
const RUNAWAYS: u32 = DIVERGED_PREDICT;

fn divergence_code(i: u32) -> u32 {
    return i;
}

@compute @workgroup_size(SIZE)
fn finalize(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.solid {
        return;
    }
    if i == 0u {
        atomicStore(&flags[LOWEST], NONE);
    }
    if atomicLoad(&flags[FROZEN]) != 0u {
        rows[i] = motion[previous_at(i)];
        return;
    }
    var row = rows[i];
    var slot = i;
    if i < sub.particles {
        if (args.mode & SEAMS) != 0u {
            let seam = topology[sub.seam_of + i];
            if seam != NONE {
                slot = topology[sub.seams + TIE_WORDS * seam + 1u];
                if (args.mode & JOINS) != 0u {
                    let count = topology[sub.seams + TIE_WORDS * seam + 2u];
                    row = vec4<f32>(mean_of(slot - sub.solid + args.copies, count), row.w);
                }
            }
        }
        if (args.mode & TOUCHES) != 0u && sub.colliders > 0u && row.w != 0.0 && !in_island(i) {
            row = touch(i, slot, row);
        }
    }
    finish(i, slot, row, motion[velocity_at(i)]);
}
