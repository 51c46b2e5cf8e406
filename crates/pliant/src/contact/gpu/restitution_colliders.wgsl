// The velocity pass after finalize, WGSL version of contact/cpu/restitution.rs: effect of collider contacts on
// velocities, after that of particle contacts (restitution_particles.wgsl).

// Saves the velocities before contacts.
@compute @workgroup_size(SIZE)
fn save_velocities(thread: Thread) {
    let i = number_of(thread);
    if i < sub.particles {
        work[args.velocities_before + i] = motion[velocity_at(i)];
    }
}

@compute @workgroup_size(SIZE)
fn restitution_colliders(thread: Thread) {
    let i = number_of(thread);
    // A frozen state is not changed.
    if i >= sub.particles || atomicLoad(&flags[FROZEN]) != 0u || has_diverged() {
        return;
    }
    var v = motion[velocity_at(i)].xyz;
    if (args.mode & BETWEEN) != 0u {
        v = work[args.velocities_after + i].xyz;
    }
    if (args.mode & AGAINST) != 0u && rows[i].w != 0.0 {
        v = off_colliders(i, v);
    }
    motion[velocity_at(i)] = vec4<f32>(v, 0.0);
}

fn off_colliders(i: u32, free: vec3<f32>) -> vec3<f32> {
    var slot = i;
    let seam = topology[sub.seam_of + i];
    if seam != NONE {
        slot = topology[sub.seams + TIE_WORDS * seam + 1u];
    }
    let x = rows[i].xyz;
    let radius = params[sub.radii + i];
    let before = work[args.velocities_before + i].xyz;
    var v = free;
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        var mask = atomicLoad(&flags[sub.masks + i * words + word]);
        while mask != 0u {
            let c = word * 32u + firstTrailingBit(mask);
            mask &= mask - 1u;
            let number = collider_number(i, c);
            let numbers = constant(args.collider_laws + number);
            let how = RestitutionLaw(restitution_with(i, number, numbers.x), numbers.y, numbers.z, sub.h);
            if work[sub.collider_impulses + slot * sub.colliders + c].w <= 0.0 || !law_acts(how) {
                continue;
            }
            let o = moving_collider(i, c);
            let normal = solid_depth(o, o.after, x, radius).normal;
            // Collider velocity at the contact point.
            let here = x - normal * radius;
            let own = (here - contact_outward(o.before, contact_inward(o.after, here))) * sub.inv_h;
            let gap = max(-solid_depth(o, o.before, motion[previous_at(i)].xyz, radius).inside, 0.0);
            v += restitution_change(how, normal, before - own, v - own, gap, sub.gravity);
        }
    }
    return v;
}
