// Restitution and rolling resistance of particle contacts, WGSL version of `particle_restitution` in
// contact/cpu/restitution.rs: all contacts at once, with masses split among contacts, so that momentum is conserved (as
// in particle_contacts.wgsl).

// Job fields: restitution, still and drag are `static_friction`, `kinetic_friction` and `scale`. In `work`, a vector
// per particle: from `slots` on its velocity before the substep, from `copies_in` on the number of contacts its mass is
// split among, from `copies_out` on its new velocity.

// Whether list entry `n` was active in the last contact pass.
fn is_pushing(list: List, n: u32, kept: u32) -> bool {
    return (n >= 32u || (kept >> n & 1u) != 0u) && pushes[list.first + n * list.step].w > 0.0;
}

// Change of the velocity of `i` relative to `j`.
fn change(i: u32, j: u32) -> vec3<f32> {
    let apart = rows[i].xyz - rows[j].xyz;
    let distance = sqrt(dot(apart, apart));
    var normal = vec3<f32>(0.0);
    if distance > 1e-12 {
        normal = apart * (1.0 / distance);
    }
    let before = work[job.slots + i].xyz - work[job.slots + j].xyz;
    let now = motion[velocity_at(i)].xyz - motion[velocity_at(j)].xyz;
    return rebound(RestitutionLaw(job.static_friction, job.kinetic_friction, job.scale), normal, before, now);
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
    work[job.copies_in + i] = vec4<f32>(f32(max(acting, 1u)));
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
    let share = own * work[job.copies_in + i].x;
    var sum = vec3<f32>(0.0);
    for (var n = 0u; n < list.count; n++) {
        if !is_pushing(list, n, order[slot].y) {
            continue;
        }
        let j = near[list.first + n * list.step];
        let weight = share + rows[j].w * work[job.copies_in + j].x;
        if weight > 0.0 {
            sum += change(i, j) * (1.0 / weight);
        }
    }
    work[job.copies_out + i] = vec4<f32>(motion[velocity_at(i)].xyz + sum * own, 0.0);
}
