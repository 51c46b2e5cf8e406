// Contacts of one particle with colliders.

// Number of the collider that a particle sees in slot `c`: without environments its own number.
fn collider_number(particle: u32, c: u32) -> u32 {
    if sub.environments == NONE {
        return c;
    }
    let slot = environment_word(sub.particles + c);
    if (slot & SEPARATE) == 0u {
        return slot;
    }
    return (slot & ~SEPARATE) + environment_word(particle);
}

// Word of the environment of each particle, then of the slots of colliders.
fn environment_word(at: u32) -> u32 {
    return constants[sub.environments + at / 4u][at % 4u];
}

// Whether the groups of a particle and of collider `c` touch.
fn touches_collider(particle: u32, c: u32) -> bool {
    if OWN_CONTACTS {
        return groups_touch(object_contact(particle).x, collider_contact_of(collider_number(particle, c)).x);
    }
    return true;
}

// Collider `c` of those that a particle may touch, with the friction between both.
fn moving_collider(particle: u32, c: u32) -> MovingCollider {
    let number = collider_number(particle, c);
    let at = sub.moving_colliders + COLLIDER_VECTORS * number;
    let last = constants[at + 5u];
    var friction = bitcast<vec2<f32>>(last.xy);
    if OWN_CONTACTS {
        let own = bitcast<vec2<f32>>(object_contact(particle).yz);
        let theirs = bitcast<vec2<f32>>(collider_contact_of(number).yz);
        if own.x >= 0.0 {
            friction = combined_friction(own, select(theirs, friction, theirs < vec2<f32>(0.0)));
        }
    }
    return MovingCollider(
        Pose(constant(at), constant(at + 1u)),
        Pose(constant(at + 2u), constant(at + 3u)),
        constant(at + 4u),
        friction.x, friction.y, last.z, last.w,
    );
}

// A vector of a collider's tables, as floats and as integers.
fn solid_vector(at: u32) -> vec4<f32> {
    return constant(at);
}

fn solid_words(at: u32) -> vec4<u32> {
    return constants[at];
}

// Words of a particle's contact mask.
fn mask_words() -> u32 {
    return (sub.colliders + 31u) / 32u;
}

// Contact mask of a particle, for its row `slot`.
fn mask_at(particle: u32, slot: u32) -> u32 {
    return sub.masks + select(particle, sub.particles + slot - sub.solid, is_shadow(slot)) * mask_words();
}

// Whether a particle may touch any collider in this substep.
fn is_near(particle: u32, slot: u32) -> bool {
    let words = mask_words();
    var any = 0u;
    for (var word = 0u; word < words; word++) {
        any |= atomicLoad(&flags[mask_at(particle, slot) + word]);
    }
    return any != 0u;
}

// Projects all collider contacts of a particle once. `slot` indexes their accumulated corrections: the particle's own
// index, or the row of one of its copies.
fn touch(particle: u32, slot: u32, row: vec4<f32>) -> vec4<f32> {
    return touch_from(motion[start_of(particle, slot)].xyz, params[sub.radii + particle], particle, slot, row);
}

// The same with known start position and radius.
fn touch_from(start: vec3<f32>, radius: f32, particle: u32, slot: u32, row: vec4<f32>) -> vec4<f32> {
    var touched = row;
    let words = mask_words();
    for (var word = 0u; word < words; word++) {
        let mask = atomicLoad(&flags[mask_at(particle, slot) + word]);
        touched = touch_these(start, radius, particle, slot, touched, word, mask);
    }
    return touched;
}

// Contacts with the colliders of one word of the mask.
fn touch_these(
    start: vec3<f32>, radius: f32, particle: u32, slot: u32, row: vec4<f32>, word: u32, these: u32,
) -> vec4<f32> {
    var x = row.xyz;
    var mask = these;
    while mask != 0u {
        let bit = firstTrailingBit(mask);
        mask &= mask - 1u;
        let c = word * 32u + bit;
        let at = sub.collider_impulses + slot * sub.colliders + c;
        var o = moving_collider(particle, c);
        if particle >= sub.wet {
            // Fluids are frictionless; viscosity slows them.
            o.static_friction = 0.0;
            o.kinetic_friction = 0.0;
        }
        let done = solid_project(o, radius, start, x, work[at]);
        x = done.x;
        work[at] = done.push;
    }
    return vec4<f32>(x, row.w);
}

// Way back of a particle that enters a piece of a rigid body in this substep, to beside the face that it came through (xyz), and
// its length: the nearest face may be another one when a body moves by more than a particle's radius.
fn stop_at_entry(o: MovingCollider, radius: f32, start: vec3<f32>, x: vec3<f32>) -> vec4<f32> {
    let first = contact_inward(o.before, start);
    let last = contact_inward(o.after, x);
    if solid_depth(o, o.after, x, radius).inside <= 0.0
        || solid_depth(o, o.after, contact_outward(o.after, first), radius).inside > 0.0 {
        return vec4<f32>(0.0);
    }
    var outside = 0.0;
    var inside = 1.0;
    for (var k = 0u; k < 16u; k++) {
        let middle = 0.5 * (outside + inside);
        let at = contact_outward(o.after, mix(first, last, middle));
        if solid_depth(o, o.after, at, radius).inside > 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    let entry = contact_outward(o.after, mix(first, last, outside));
    let normal = solid_depth(o, o.after, entry, radius).normal;
    let depth = dot(entry - x, normal);
    return select(vec4<f32>(0.0), vec4<f32>(normal * depth, depth), depth > 0.0);
}

// Mass splitting of rigid bodies, WGSL version of contact/cpu/rigid_mass_splitting.rs.

fn is_rigid(i: u32) -> bool {
    if sub.mass_splitting == NONE {
        return false;
    }
    let load = constant(sub.mass_splitting + i);
    if sub.surface_bodies == NONE {
        return load.x > 0.0;
    }
    // Bodies near triangle surfaces are not split: their particles are swept.
    return load.x > 0.0 && atomicLoad(&flags[sub.surface_bodies + bitcast<u32>(load.z)]) == 0u;
}

// Count `which` of the contacts of the body of particle `i`, in `flags`: CONTACTS_BEFORE, CONTACTS_NOW or CONTACTS_FIRST.
fn contact_count_at(i: u32, which: u32) -> u32 {
    return sub.contact_counts + CONTACT_COUNTS * bitcast<u32>(constant(sub.mass_splitting + i).z) + which;
}

// Number of contacts among which the mass of particle `i` is split: those of its body, weighted, or `own`, its own ones.
// `fresh`: use the counts of the first iteration.
fn share_of(i: u32, own: f32, fresh: bool) -> f32 {
    if is_rigid(i) {
        let load = constant(sub.mass_splitting + i);
        let count = f32(max(atomicLoad(&flags[contact_count_at(i, select(CONTACTS_BEFORE, CONTACTS_FIRST, fresh))]), 1u));
        if count * load.y < 1.0 {
            return count * load.x;
        }
    }
    return max(own, 1.0);
}

// Displacement of particle `i` of a rigid body by colliders. All contacts of a body see it at `x`, its position at the
// start of the iteration. `fresh`: first iteration of a substep.
fn push_body(start: vec3<f32>, radius: f32, i: u32, x: vec3<f32>, fresh: bool, momentum: f32) -> vec3<f32> {
    // A frozen state is not changed: corrections are kept for the next substep.
    if atomicLoad(&flags[FROZEN]) != 0u {
        return vec3<f32>(0.0);
    }
    let overpush = 1.0 / share_of(i, 1.0, fresh);
    let words = mask_words();
    var sum = vec3<f32>(0.0);
    var pushing = 0u;
    for (var word = 0u; word < words; word++) {
        var mask = atomicLoad(&flags[sub.masks + i * words + word]);
        while mask != 0u {
            let bit = firstTrailingBit(mask);
            mask &= mask - 1u;
            let c = word * 32u + bit;
            let o = moving_collider(i, c);
            let at = sub.collider_impulses + i * sub.colliders + c;
            let last_at = sub.last_impulses + i * sub.colliders + c;
            let push = work[at];
            // Bodies near surfaces, which are swept, are not treated as rigid.
            let depth = solid_depth(o, o.after, x, radius);
            let normal = depth.normal;
            if fresh && push.w > 0.0 {
                sum += normal * push.w + push.xyz;
                pushing++;
                continue;
            }
            let done = contact_push(o, depth, radius, start, x, push, overpush);
            let last = select(vec4<f32>(0.0), work[last_at], push.w > 0.0);
            let next = extrapolate(done.push, last, momentum);
            sum += (done.x - x) + (normal * (next.w - done.push.w) + (next.xyz - done.push.xyz));
            work[at] = next;
            work[last_at] = done.push;
            if next.w > 0.0 {
                pushing++;
            }
        }
    }
    if pushing > 0u {
        atomicAdd(&flags[contact_count_at(i, CONTACTS_NOW)], pushing);
    }
    return sum;
}
