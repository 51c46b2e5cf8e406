// Stages predict, contacts and stabilize: one thread per row, so that one dispatch runs all three.

struct PredictUniforms {
    // PARTED: particles that overlapped have been separated; COLLIDERS: contacts with colliders are found and
    // stabilized; PARTS_NEXT: the next contact pass separates previous positions, with radii times `radius_scale`.
    mode: u32,
    // First vector in `work` of the packed particles for the next contact pass.
    packed: u32,
    radius_scale: f32,
    // Mass scaling by height, lower is heavier [1/m]; 0 for none.
    mass_scaling: f32,
    // Share of the last substep's pressure that this one starts with.
    carry: f32,
    // Kinematic rows: their number; in `topology`, each with the number of its pose; their places relative to the poses,
    // in `constants`.
    pin_count: u32,
    pin_rows: u32,
    pin_places: u32,
}

@group(0) @binding(9) var<uniform> args: PredictUniforms;

fn pressure_carry() -> f32 {
    return args.carry;
}

@compute @workgroup_size(SIZE)
fn predict(thread: Thread) {
    let i = number_of(thread);
    // After a divergence in an earlier substep the state stays frozen. It also does if neighbor lists overflow, until
    // the host reallocates them.
    let crowded = atomicLoad(&flags[FROZEN]) == LISTS_FULL;
    let over = crowded || has_diverged();
    if i == 0u {
        if over {
            atomicMax(&flags[FROZEN], 1u);
        } else {
            atomicStore(&flags[SUBSTEPS], atomicLoad(&flags[SUBSTEPS]) + 1u);
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
    if i < sub.particles && sub.particle_contacts != NONE {
        let inv_mass = inv_mass_in_contacts(rows[i]);
        work[sub.particle_contacts + i] = vec4<f32>(1.0, 0.0, inv_mass, 0.0);
        let start = motion[previous_at(i)].xyz;
        let place = select(rows[i].xyz, start, (args.mode & PARTS_NEXT) != 0u);
        let radius = params[sub.radii + i] * select(1.0, args.radius_scale, (args.mode & PARTS_NEXT) != 0u);
        put_packed(args.packed, i, vec4<f32>(place, radius), vec4<f32>(start, inv_mass));
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
fn inv_mass_in_contacts(row: vec4<f32>) -> f32 {
    if args.mass_scaling == 0.0 {
        return row.w;
    }
    // Clamped at e^12, the limit of single precision.
    return row.w * exp(min(height(row.xyz) - unordered(atomicLoad(&flags[LOWEST])), 12.0));
}

fn height(x: vec3<f32>) -> f32 {
    let size = sqrt(dot(sub.gravity, sub.gravity));
    if size == 0.0 {
        return 0.0;
    }
    return -dot(x, sub.gravity) / size * args.mass_scaling;
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
        ahead = predict_particle(i, row, motion[velocity_at(i)].xyz, before, oldest).ahead + carried_over(i);
    }
    store_predicted(i, vec4<f32>(ahead, row.w));
}

fn store_predicted(i: u32, row: vec4<f32>) {
    work[sub.predicted + i] = row;
    if args.mass_scaling != 0.0 {
        atomicMin(&flags[LOWEST], ordered(height(row.xyz)));
    }
}

// Applies the displacement of previous positions by particle stabilization to the new positions; then finds and
// stabilizes contacts with colliders.
@compute @workgroup_size(SIZE)
fn finish_stabilization(thread: Thread) {
    let i = number_of(thread);
    // A frozen state is restored to the start of the substep, which must not change.
    if i >= sub.particles || atomicLoad(&flags[FROZEN]) != 0u {
        return;
    }
    var row = rows[i];
    var start = motion[previous_at(i)];
    if (args.mode & PARTED) != 0u {
        let parted = work[sub.predicted + i];
        row = vec4<f32>(row.xyz + (parted.xyz - start.xyz), row.w);
        start = parted;
    }
    if (args.mode & COLLIDERS) != 0u && row.w != 0.0 {
        find(i, i, start.xyz, row.xyz);
        let shift = stabilize(i, i, start.xyz, row.xyz);
        start += vec4<f32>(shift.both, 0.0);
        row += vec4<f32>(shift.both + shift.ahead, 0.0);
    }
    rows[i] = row;
    motion[previous_at(i)] = start;
    let again = (args.mode & PARTS_NEXT) != 0u;
    let radius = params[sub.radii + i] * select(1.0, args.radius_scale, again);
    put_packed(
        args.packed, i, vec4<f32>(select(row.xyz, start.xyz, again), radius),
        vec4<f32>(start.xyz, work[sub.particle_contacts + i].z),
    );
}

// Every copy of a seam particle has its own contact corrections, with equal results.
fn clear_copies(i: u32, seam: u32) {
    let first = topology[sub.seams + TIE_WORDS * seam + 1u];
    let count = topology[sub.seams + TIE_WORDS * seam + 2u];
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        let all = atomicLoad(&flags[sub.masks + i * words + word]);
        for (var copy = first; copy < first + count; copy++) {
            var mask = all;
            while mask != 0u {
                let bit = firstTrailingBit(mask);
                mask &= mask - 1u;
                work[sub.collider_impulses + copy * sub.colliders + word * 32u + bit] = vec4<f32>(0.0);
            }
        }
    }
}

// Pins that follow a motion: particle or orientation rows.
@compute @workgroup_size(SIZE)
fn pins(thread: Thread) {
    let k = number_of(thread);
    if k >= args.pin_count {
        return;
    }
    let i = topology[args.pin_rows + 2u * k];
    let at = sub.poses + POSE_VECTORS * topology[args.pin_rows + 2u * k + 1u];
    let place = constant(args.pin_places + k);
    let turned = constant(at + 1u);
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
    if k >= args.pin_count {
        return;
    }
    let i = topology[args.pin_rows + 2u * k];
    if i < sub.particles {
        store_predicted(i, pinned(sub.poses + POSE_VECTORS * topology[args.pin_rows + 2u * k + 1u], constant(args.pin_places + k)));
    }
}

fn pinned(pose: u32, place: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(constant(pose).xyz + rotated(constant(pose + 1u), place.xyz), 0.0);
}

fn rotated(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn quaternion_product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}
