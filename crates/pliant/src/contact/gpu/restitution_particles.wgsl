// Rebound and rolling resistance of particles with each other, WGSL version of contact/cpu/restitution.rs: all contacts
// in parallel, with mass splitting, which conserves momentum (as in particle_contacts.wgsl).

// Whether list entry `n` was active in the last contact pass.
fn is_pushing(list: List, n: u32, kept: u32) -> bool {
    return (n >= 32u || (kept >> n & 1u) != 0u) && impulses[list.first + n * list.step].w > 0.0;
}

// Change of the velocity of `i` relative to `j`.
fn change(i: u32, j: u32) -> vec3<f32> {
    let apart = rows[i].xyz - rows[j].xyz;
    let distance = sqrt(dot(apart, apart));
    var normal = vec3<f32>(0.0);
    if distance > 1e-12 {
        normal = apart * (1.0 / distance);
    }
    let before = work[args.velocities_before + i].xyz - work[args.velocities_before + j].xyz;
    let now = motion[velocity_at(i)].xyz - motion[velocity_at(j)].xyz;
    // Gravity accelerates both.
    let how = RestitutionLaw(restitution_between(i, j, args.restitution), args.rest_speed, args.rolling_damping, sub.h);
    return restitution_change(how, normal, before, now, 0.0, vec3<f32>(0.0));
}

@compute @workgroup_size(SIZE)
fn count_restitution(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let list = list_of(i);
    var acting = 0u;
    for (var n = 0u; n < list.count; n++) {
        if is_pushing(list, n, order[slot].y) && any(change(i, near[list.first + n * list.step]) != vec3<f32>(0.0)) {
            acting++;
        }
    }
    work[args.shares + i] = vec4<f32>(f32(max(acting, 1u)));
}

@compute @workgroup_size(SIZE)
fn restitution_particles(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let list = list_of(i);
    let own = rows[i].w;
    let share = own * work[args.shares + i].x;
    var sum = vec3<f32>(0.0);
    for (var n = 0u; n < list.count; n++) {
        if !is_pushing(list, n, order[slot].y) {
            continue;
        }
        let j = near[list.first + n * list.step];
        let inv_mass = share + rows[j].w * work[args.shares + j].x;
        if inv_mass > 0.0 {
            sum += change(i, j) * (1.0 / inv_mass);
        }
    }
    work[args.velocities_after + i] = vec4<f32>(motion[velocity_at(i)].xyz + sum * own, 0.0);
}
