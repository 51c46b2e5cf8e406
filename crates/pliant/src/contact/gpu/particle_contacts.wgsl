// Particle contacts, WGSL version of contact/cpu/particle_contacts.rs. Each particle sums its own contacts in list
// order and writes only itself; each contact is computed twice, once from either side.

struct ParticleContactUniforms {
    // PARTS: positions at the start of the substep are parted; TOUCHES: then colliders are touched.
    mode: u32,
    // 1 in the first pass of a substep: impulses start from zero.
    fresh: u32,
    static_friction: f32,
    kinetic_friction: f32,
    // Over-relaxation.
    omega: f32,
    // Share of their last change that contacts of rigid bodies add again.
    momentum: f32,
    // First vectors in `work` of the packed particles, and of those for the next pass, or NONE.
    packed_in: u32,
    packed_out: u32,
    // First of the places at rest and objects in `params`, or NONE; in `topology`, what particles are attached to, or NONE.
    rest: u32,
    attachments: u32,
    // Distance by which overlapping particles may separate [m].
    recovery: f32,
}

@group(0) @binding(9) var<uniform> args: ParticleContactUniforms;

// Active contacts of each particle: its mass is split among them.
@compute @workgroup_size(SIZE)
fn count_contacts(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let own = work[args.packed_in + 2u * i];
    let list = list_of(i);
    var count = 0u;
    for (var n = 0u; n < list.count; n++) {
        let other = work[args.packed_in + 2u * near[list.first + n * list.step]];
        if overlaps(own.xyz, other.xyz, own.w + other.w) {
            count++;
        }
    }
    let share = f32(max(count, 1u));
    work[args.packed_in + 2u * i + 1u].w = work[sub.particle_contacts + i].z * share;
    if (args.mode & PARTS) == 0u && sub.mass_splitting != NONE {
        // For packing, once the counts of bodies are complete.
        work[sub.particle_contacts + i].x = share;
        if count > 0u && of_rigid(i) {
            atomicAdd(&flags[contact_count_at(i, CONTACTS_FIRST)], count);
        }
    }
}

// Constant false without rigid bodies.
fn of_rigid(i: u32) -> bool {
    if BODIES {
        return is_rigid(i);
    }
    return false;
}

fn side(i: u32, place: vec4<f32>) -> Side {
    let start = work[args.packed_in + 2u * i + 1u];
    var field = vec4<f32>(0.0);
    if BODIES && sub.fields != NONE {
        field = work[sub.fields + i];
    }
    return Side(place.xyz, start.xyz, place.w, start.w, i, field);
}

// Projects all contacts of each particle once. Neighbors read only the packed particles, which do not change in this
// pass.
@compute @workgroup_size(SIZE)
fn project_contacts(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let own = side(i, work[args.packed_in + 2u * i]);
    let list = list_of(i);
    var sum = vec3<f32>(0.0);
    var count = 0u;
    var pushing = 0u;
    let parts = (args.mode & PARTS) != 0u;
    let rigid = !parts && of_rigid(i);
    let half = arrayLength(&impulses) / 2u;
    // Beyond 32 entries there are no bits: all of those are kept.
    var kept_before = select(order[slot].y, 0u, args.fresh != 0u);
    var kept_now = 0u;
    // Prefetches the next contact and the index after it before this one is written: compilers cannot rule out
    // aliasing.
    var after_next = i;
    var next_j = i;
    var next_there = vec4<f32>(0.0);
    var next_push = vec4<f32>(0.0);
    if list.count > 0u {
        next_j = near[list.first];
        next_there = work[args.packed_in + 2u * next_j];
        if (kept_before & 1u) != 0u {
            next_push = impulses[list.first];
        }
        if list.count > 1u {
            after_next = near[list.first + list.step];
        }
    }
    for (var n = 0u; n < list.count; n++) {
        let e = list.first + n * list.step;
        let j = next_j;
        let there = next_there;
        let push = next_push;
        if n + 1u < list.count {
            next_j = after_next;
            if n + 2u < list.count {
                after_next = near[e + 2u * list.step];
            }
            next_there = work[args.packed_in + 2u * next_j];
            next_push = vec4<f32>(0.0);
            if n < 31u && (kept_before >> (n + 1u) & 1u) != 0u || n >= 31u && args.fresh == 0u {
                next_push = impulses[e + list.step];
            }
        }
        let reach = own.radius + there.w;
        var held = false;
        if COHESIVE && !parts {
            // Only particles that were in contact before the substep cohere.
            held = overlaps(own.start, work[args.packed_in + 2u * j + 1u].xyz, reach * COHESION_RANGE);
        }
        if push.w == 0.0 && !held && !overlaps(own.x, there.xyz, reach) {
            if n >= 32u && args.fresh != 0u {
                impulses[e] = push;
            }
            continue;
        }
        // Fluids are frictionless.
        let wet = max(i, j) >= sub.wet;
        var friction = vec2<f32>(args.static_friction, args.kinetic_friction);
        if !parts {
            friction = friction_between(i, j, friction);
        }
        let static_friction = select(friction.x, 0.0, wet);
        let kinetic_friction = select(friction.y, 0.0, wet);
        let other = side(j, there);
        var met: ContactUpdate;
        if COHESIVE && held {
            let pull = tensile_limit(sub.cohesion, own.radius, there.w);
            met = cohesive_project(own, other, static_friction, kinetic_friction, args.omega, pull, push);
        } else {
            met = particle_project(own, other, static_friction, kinetic_friction, args.omega, parts, args.recovery, push);
        }
        // Tension is not extrapolated.
        if rigid && !held && of_rigid(j) {
            let found = met.push;
            let last = select(vec4<f32>(0.0), impulses[half + e], push.w > 0.0);
            met.push = extrapolate(found, last, args.momentum);
            impulses[half + e] = found;
            met.impulse += normal_and_depth(own, other, parts).xyz * (met.push.w - found.w) + (met.push.xyz - found.xyz);
        }
        impulses[e] = met.push;
        if n < 32u {
            kept_now |= 1u << n;
        }
        sum += met.impulse;
        count++;
        if met.push.w > 0.0 {
            pushing++;
        }
    }
    order[slot].y = kept_now;
    let kept = work[sub.particle_contacts + i];
    // Masses are split by the contact counts of the previous pass.
    let share = f32(max(count, 1u));
    work[sub.particle_contacts + i] = vec4<f32>(share, 0.0, kept.z, f32(pushing));
    var x = own.x + sum * kept.z;
    let inverse_mass = rows[i].w;
    if parts {
        work[sub.predicted + i] = vec4<f32>(x, inverse_mass);
        return;
    }
    if rigid {
        if count > 0u {
            atomicAdd(&flags[contact_count_at(i, CONTACTS_NOW)], count);
        }
        if (args.mode & TOUCHES) != 0u {
            x += push_body(own.start, own.radius, i, own.x, args.fresh != 0u, args.momentum);
        }
    } else if (args.mode & TOUCHES) != 0u && inverse_mass != 0.0 {
        x = touch_from(own.start, own.radius, i, i, vec4<f32>(x, inverse_mass)).xyz;
    }
    rows[i] = vec4<f32>(x, inverse_mass);
    if args.packed_out != NONE {
        put_packed(args.packed_out, i, vec4<f32>(x, own.radius), vec4<f32>(own.start, kept.z * share));
    }
}

// Removes from the lists particles of the same object, particles attached to the other's object, and particles whose groups
// do not touch.
@compute @workgroup_size(SIZE)
fn filter_contacts(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let list = list_of(i);
    let object = object_at_rest(i);
    // Loose ones are held by nothing.
    if object < 0.0 && args.attachments == NONE && !OWN_CONTACTS {
        return;
    }
    let rest = at_rest(i);
    var kept = 0u;
    for (var n = 0u; n < list.count; n++) {
        let j = near[list.first + n * list.step];
        let theirs = object_at_rest(j);
        let reach = AT_REST * (params[sub.radii + i] + params[sub.radii + j]);
        let held = object >= 0.0 && object == theirs && overlaps(rest, at_rest(j), reach);
        if !held && !is_attached(i, theirs) && !is_attached(j, object) && particles_touch(i, j) {
            near[list.first + kept * list.step] = j;
            kept++;
        }
    }
    ranges[i].y = kept | (ranges[i].y & INTERLEAVED);
}

// Whether particle i is attached to an object; free particles have negative objects.
fn is_attached(i: u32, object: f32) -> bool {
    if args.attachments == NONE {
        return false;
    }
    let number = u32(select(object, -1.0 - object, object < 0.0));
    let first = args.attachments + sub.particles + 1u;
    for (var e = topology[args.attachments + i]; e < topology[args.attachments + i + 1u]; e++) {
        if topology[first + e] == number {
            return true;
        }
    }
    return false;
}

// Object of a particle, less than 0 for loose ones and where nothing is held.
fn object_at_rest(i: u32) -> f32 {
    if args.rest == NONE {
        return -1.0;
    }
    return params[args.rest + 4u * i + 3u];
}

fn at_rest(i: u32) -> vec3<f32> {
    if args.rest == NONE {
        return vec3<f32>(0.0);
    }
    let at = args.rest + 4u * i;
    return vec3<f32>(params[at], params[at + 1u], params[at + 2u]);
}
