// Stages predict, contacts and stabilize: one thread sees to one row, so that one dispatch serves them all.

@compute @workgroup_size(SIZE)
fn predict(thread: Thread) {
    let i = number_of(thread);
    // Whoever ran away in an earlier substep: the state stays as it was then.
    let over = atomicLoad(&marks[RAN_AWAY_PREDICT]) != NOBODY || atomicLoad(&marks[RAN_AWAY_SOLVE]) != NOBODY;
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
    let row = rows[i];
    if over {
        // The passes in between do not ask; finalize puts back what they make of it.
        motion[previous_at(i)] = row;
        return;
    }
    let latest = motion[velocity_at(i)];
    var before = vec4<f32>(0.0);
    var oldest = vec3<f32>(0.0);
    if (sub.flags & KEEPS_HISTORY) != 0u {
        before = motion[older_velocity_at(i)];
        let old = motion[previous_at(i)];
        oldest = old.xyz;
        motion[older_at(i)] = old;
        motion[older_velocity_at(i)] = latest;
    }
    if i >= sub.particles {
        motion[previous_at(i)] = row;
        if params[sub.spins + i - sub.particles] > 0.0 {
            // Along the great circle: the four-dimensional straight line, back on the sphere.
            let next = row + latest * (sub.h * sub.keep);
            rows[i] = next / sqrt(dot(next, next));
        }
        return;
    }
    if row.w == 0.0 {
        motion[previous_at(i)] = row;
        return;
    }
    var a = sub.gravity;
    if (sub.flags & IN_THE_AIR) != 0u {
        a += motion[sub.forces + i].xyz * row.w;
    }
    let v = latest.xyz * sub.keep;
    var free: vec3<f32>;
    var ahead: vec3<f32>;
    let second = (sub.flags & SECOND_ORDER) != 0u && atomicLoad(&marks[sub.first_order + i]) == 0u;
    if second {
        free = free_velocity_bdf2(v, before.xyz * sub.keep, a, sub.h);
        ahead = predict_bdf2(row.xyz, oldest, free, sub.h);
    } else {
        free = free_velocity_bdf1(v, a, sub.h);
        ahead = predict_bdf1(row.xyz, free, sub.h);
    }
    // The fourth component tells finalize how this substep was predicted.
    motion[velocity_at(i)] = vec4<f32>(free, select(1.0, 0.0, second));
    var start = row.xyz;
    if sub.colliders > 0u {
        find(i, start, ahead);
        let out = stabilize(i, start);
        start += out;
        ahead += out;
    }
    motion[previous_at(i)] = vec4<f32>(start, row.w);
    rows[i] = vec4<f32>(ahead, row.w);
}

// Which colliders the particle may touch before the substep ends.
fn find(i: u32, start: vec3<f32>, x: vec3<f32>) {
    let radius = params[sub.radii + i];
    // A particle may go as far again as the prediction took it.
    let reach = sub.margin + length(x - start);
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = 0u;
        for (var c = word * 32u; c < min(sub.colliders, word * 32u + 32u); c++) {
            let o = obstacle(c);
            if contact_depth(o.shape, o.size, o.after, x, radius).inside > -reach {
                mask |= 1u << (c % 32u);
                work[sub.pushes + i * sub.colliders + c] = vec4<f32>(0.0);
            }
        }
        atomicStore(&marks[sub.masks + i * words + word], mask);
        let seam = topology[sub.seam_of + i];
        if seam != NOBODY && mask != 0u {
            clear_copies(seam, word, mask);
        }
    }
}

// Every copy of a seam particle keeps the pushes for itself, and all of them come to the same.
fn clear_copies(seam: u32, word: u32, all: u32) {
    let first = topology[sub.seams + 4u * seam + 1u];
    let count = topology[sub.seams + 4u * seam + 2u];
    for (var copy = first; copy < first + count; copy++) {
        var mask = all;
        while mask != 0u {
            let bit = firstTrailingBit(mask);
            mask &= mask - 1u;
            work[sub.pushes + copy * sub.colliders + word * 32u + bit] = vec4<f32>(0.0);
        }
    }
}

// Way out for a particle that was inside before the substep began: it goes for its old position too, so
// that the repair adds no velocity (S10).
fn stabilize(i: u32, start: vec3<f32>) -> vec3<f32> {
    let radius = params[sub.radii + i];
    let words = mask_words();
    var out = vec3<f32>(0.0);
    for (var turn = 0u; turn < sub.stabilization; turn++) {
        for (var word = 0u; word < words; word++) {
            var mask = atomicLoad(&marks[sub.masks + i * words + word]);
            while mask != 0u {
                let bit = firstTrailingBit(mask);
                mask &= mask - 1u;
                let o = obstacle(word * 32u + bit);
                let d = contact_depth(o.shape, o.size, o.before, start + out, radius);
                if d.inside > 0.0 {
                    out += d.normal * d.inside;
                }
            }
        }
    }
    return out;
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
