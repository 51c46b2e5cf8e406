// Patches in a pass that is part of a substep.

fn turns() -> u32 {
    return 1u;
}

fn is_over() -> bool {
    // Other passes see to that.
    return false;
}

// A row as the patch sees it at its start.
fn entering(entry: vec4<u32>) -> vec4<f32> {
    let id = entry.x;
    if args.mode == PLAIN {
        return rows[id];
    }
    let owner = entry.y;
    if owner == NONE {
        // Copies for one kind only, which are spread when they are needed.
        return vec4<f32>(0.0);
    }
    let first = entry.z;
    let count = entry.w;
    var row = rows[owner];
    if args.mode == SEAMS_LATER || args.mode == SEAMS_BETWEEN {
        if count > 0u {
            row = vec4<f32>(mean_of(first - sub.solid + args.copies_in, count), row.w);
        }
        // The contact pass of the iteration before.
        if args.mode == SEAMS_LATER && sub.colliders > 0u && row.w != 0.0 {
            row = touch(owner, id, row);
        }
    }
    // Copies share the particle's mass (E08).
    row.w *= f32(max(count, 1u));
    return row;
}

// Puts a row back.
fn leaving(entry: vec4<u32>, row: vec4<f32>, turn: u32) -> vec4<f32> {
    let id = entry.x;
    if args.mode == PLAIN || id < sub.solid {
        rows[id] = row;
    } else if entry.y == NONE {
        return row;
    } else if args.mode != SEAMS_TOGETHER {
        rows[id - sub.solid + args.copies_out] = row;
    } else if entry.z == id {
        // All copies are at the same position; the first one writes the particle.
        let owner = entry.y;
        rows[owner] = vec4<f32>(row.xyz, rows[owner].w);
    }
    return row;
}

fn done(t: u32) {}

// Masks are those that predict has found.
fn contact_pairs(it: Patch, t: u32) -> Near {
    // Later passes of a substep do not know which contacts have pushed.
    var near = nothing_near(select(0xffffffffu, 0u, args.fresh != 0u));
    if sub.colliders > 0u {
        for (var k = 0u; k < KNOWN && t + k * THREADS < it.real; k++) {
            let entry = constants[it.list + t + k * THREADS];
            if entry.y != NONE {
                let mask = atomicLoad(&flags[mask_at(entry.y, entry.x)]);
                near.codes |= near_code(entry.y, entry.x, mask) << (4u * k);
            }
        }
    }
    return near;
}
