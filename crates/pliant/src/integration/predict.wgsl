// Stages predict, contacts and stabilize: one thread per row, so that one dispatch runs all three.

@compute @workgroup_size(SIZE)
fn predict(thread: Thread) {
    let i = number_of(thread);
    // After a divergence in an earlier substep the state stays frozen. It also does if neighbor lists overflow, until
    // the host reallocates them.
    let crowded = atomicLoad(&marks[FROZEN]) == LISTS_FULL;
    let over = crowded || has_diverged();
    if i == 0u {
        if over {
            atomicMax(&marks[FROZEN], 1u);
        } else {
            atomicStore(&marks[SUBSTEPS], atomicLoad(&marks[SUBSTEPS]) + 1u);
        }
    }
    if i >= sub.solid {
        return;
    }
    if over {
        // The passes in between do not test for this; finalize restores the row.
        motion[previous_at(i)] = rows[i];
        return;
    }
    rows[i] = predicted(i, i, rows[i], motion[velocity_at(i)]);
    if i < sub.particles && sub.meets != NONE {
        let weight = weight_in_contacts(rows[i]);
        work[sub.meets + i] = vec4<f32>(1.0, 0.0, weight, 0.0);
        let start = motion[previous_at(i)].xyz;
        let place = select(rows[i].xyz, start, (job.mode & PARTS_NEXT) != 0u);
        let radius = params[sub.radii + i] * select(1.0, job.omega, (job.mode & PARTS_NEXT) != 0u);
        put_card(job.copies_out, i, vec4<f32>(place, radius), vec4<f32>(start, weight));
        return;
    }
    if i < sub.particles && sub.colliders > 0u {
        let seam = topology[sub.seam_of + i];
        if seam != NONE {
            clear_copies(i, seam);
        }
    }
}

// Inverse mass of a particle in contacts: its own, or scaled by height, lower is heavier (S22, D4 4.25, E22).
// `job.scale`: by how much.
fn weight_in_contacts(row: vec4<f32>) -> f32 {
    if job.scale == 0.0 {
        return row.w;
    }
    // Clamped at e^12, the limit of single precision.
    return row.w * exp(min(height(row.xyz) - unordered(atomicLoad(&marks[LOWEST])), 12.0));
}

fn height(x: vec3<f32>) -> f32 {
    let size = sqrt(dot(sub.gravity, sub.gravity));
    if size == 0.0 {
        return 0.0;
    }
    return -dot(x, sub.gravity) / size * job.scale;
}

// Order-preserving map from float to integer, and back.
fn ordered(v: f32) -> u32 {
    let bits = bitcast<u32>(v);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn unordered(bits: u32) -> f32 {
    return bitcast<f32>(select(~bits, bits & 0x7fffffffu, bits >= 0x80000000u));
}

// Predicted positions, for the neighbor search, before the state is changed.
@compute @workgroup_size(SIZE)
fn predict_positions(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let row = rows[i];
    var ahead = row.xyz;
    if row.w != 0.0 {
        var before = vec3<f32>(0.0);
        var oldest = vec3<f32>(0.0);
        if (sub.flags & KEEPS_HISTORY) != 0u {
            before = motion[older_velocity_at(i)].xyz;
            oldest = motion[previous_at(i)].xyz;
        }
        ahead = way_ahead(i, row, motion[velocity_at(i)].xyz, before, oldest).ahead + carried_over(i);
    }
    foreseen(i, vec4<f32>(ahead, row.w));
}

fn foreseen(i: u32, row: vec4<f32>) {
    work[sub.nexts + i] = row;
    if job.scale != 0.0 {
        atomicMin(&marks[LOWEST], ordered(height(row.xyz)));
    }
}

// Modes of `finish_stabilization`: bit 0, overlapping particles have been separated; bit 1, collider contacts are
// found; bit 2, also of `predict`, the next contact pass separates previous positions, with radii times `job.omega`.
const PARTED: u32 = 1u;
const COLLIDERS: u32 = 2u;
const PARTS_NEXT: u32 = 4u;

// Applies the displacement of previous positions by particle stabilization to the new ones too; then finds and
// stabilizes collider contacts.
@compute @workgroup_size(SIZE)
fn finish_stabilization(thread: Thread) {
    let i = number_of(thread);
    // A frozen state is restored to the start of the substep, which must not change.
    if i >= sub.particles || atomicLoad(&marks[FROZEN]) != 0u {
        return;
    }
    var row = rows[i];
    var start = motion[previous_at(i)];
    if (job.mode & PARTED) != 0u {
        let parted = work[sub.nexts + i];
        row = vec4<f32>(row.xyz + (parted.xyz - start.xyz), row.w);
        start = parted;
    }
    if (job.mode & COLLIDERS) != 0u && row.w != 0.0 {
        find(i, i, start.xyz, row.xyz);
        let out = vec4<f32>(stabilize(i, i, start.xyz), 0.0);
        start += out;
        row += out;
    }
    rows[i] = row;
    motion[previous_at(i)] = start;
    let again = (job.mode & PARTS_NEXT) != 0u;
    let radius = params[sub.radii + i] * select(1.0, job.omega, again);
    put_card(
        job.copies_out, i, vec4<f32>(select(row.xyz, start.xyz, again), radius),
        vec4<f32>(start.xyz, work[sub.meets + i].z),
    );
}

// Every copy of a seam particle has its own contact corrections, with equal results.
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

// Kinematic pins. `job.index` lists particle or orientation rows with the index of their pose; `job.first` is the start
// of their local positions in `fixtures`.
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
        rows[i] = pinned(at, place);
        return;
    }
    var q = quaternion_product(turned, place);
    q = q / sqrt(dot(q, q));
    // Of the two quaternions of this rotation, the one near the old one: rates are differences.
    rows[i] = select(q, -q, dot(q, rows[i]) < 0.0);
}

// The same for predicted positions.
@compute @workgroup_size(SIZE)
fn predict_pins(thread: Thread) {
    let k = number_of(thread);
    if k >= job.count {
        return;
    }
    let i = topology[job.index + 2u * k];
    if i < sub.particles {
        foreseen(i, pinned(sub.poses + 2u * topology[job.index + 2u * k + 1u], fixture(job.first + k)));
    }
}

fn pinned(pose: u32, place: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(fixture(pose).xyz + rotated(fixture(pose + 1u), place.xyz), 0.0);
}

fn rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn quaternion_product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
