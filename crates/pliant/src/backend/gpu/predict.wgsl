// Stages predict, contacts and stabilize: one thread sees to one row, so that one dispatch serves them all.

@compute @workgroup_size(SIZE)
fn predict(thread: Thread) {
    let i = number_of(thread);
    // Whoever ran away in an earlier substep: the state stays as it was then.
    let over = ran_away();
    if i == 0u {
        if over {
            atomicStore(&marks[FROZEN], 1u);
        } else {
            atomicStore(&marks[SUBSTEPS], atomicLoad(&marks[SUBSTEPS]) + 1u);
        }
    }
    if i >= sub.solid {
        return;
    }
    if over {
        // The passes in between do not ask; finalize puts back what they make of it.
        motion[previous_at(i)] = rows[i];
        return;
    }
    rows[i] = predicted(i, i);
    if i < sub.particles && sub.colliders > 0u {
        let seam = topology[sub.seam_of + i];
        if seam != NOBODY {
            clear_copies(i, seam);
        }
    }
}

// Every copy of a seam particle keeps the pushes for itself, and all of them come to the same.
fn clear_copies(i: u32, seam: u32) {
    let first = topology[sub.seams + 4u * seam + 1u];
    let count = topology[sub.seams + 4u * seam + 2u];
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        let all = atomicLoad(&marks[sub.masks + i * words + word]);
        for (var copy = first; copy < first + count; copy++) {
            var mask = all;
            while mask != 0u {
                let bit = firstTrailingBit(mask);
                mask &= mask - 1u;
                work[sub.pushes + copy * sub.colliders + word * 32u + bit] = vec4<f32>(0.0);
            }
        }
    }
}

// Pins that follow a motion. `job.index` lists particle or orientation rows with the number of their pose;
// `job.first` is where their places relative to it stand in `fixtures`.
@compute @workgroup_size(SIZE)
fn pins(thread: Thread) {
    let k = number_of(thread);
    if k >= job.count {
        return;
    }
    let i = topology[job.index + 2u * k];
    let at = sub.poses + 2u * topology[job.index + 2u * k + 1u];
    let place = fixture(job.first + k);
    let turned = fixture(at + 1u);
    if i < sub.particles {
        rows[i] = vec4<f32>(fixture(at).xyz + rotated(turned, place.xyz), 0.0);
        return;
    }
    var q = quaternion_product(turned, place);
    q = q / sqrt(dot(q, q));
    // Of the two quaternions of this rotation the one near the old: rates are differences.
    rows[i] = select(q, -q, dot(q, rows[i]) < 0.0);
}

fn rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn quaternion_product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
