// Particle contacts, WGSL version of contact/cpu/particle_contacts.rs. Each particle sums its own contacts in list
// order and writes only itself; each contact is computed twice, once from either side.

// Job modes: bit 0, positions at the start of the substep are separated too; bit 1, collider contacts follow.
const PARTS: u32 = 1u;
const TOUCHES: u32 = 2u;

// `job.scale`: Nesterov momentum of rigid-body contacts.

// Pairs of one object closer at rest than this multiple of the sum of their radii are skipped.
const AT_REST: f32 = 1.5;

// Active contacts of each particle: its mass is split among them.
@compute @workgroup_size(SIZE)
fn count_contacts(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let own = work[job.copies_in + 2u * i];
    let list = list_of(i);
    var count = 0u;
    for (var n = 0u; n < list.count; n++) {
        let other = work[job.copies_in + 2u * near[list.first + n * list.step]];
        if overlaps(own.xyz, other.xyz, own.w + other.w) {
            count++;
        }
    }
    let share = f32(max(count, 1u));
    work[job.copies_in + 2u * i + 1u].w = work[sub.meets + i].z * share;
    if (job.mode & PARTS) == 0u && sub.mass_splitting != NONE {
        // Read by the packing pass after bodies have summed their counts.
        work[sub.meets + i].x = share;
        if count > 0u && of_rigid(i) {
            atomicAdd(&marks[crowd_at(i, FIRST)], count);
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
    let start = work[job.copies_in + 2u * i + 1u];
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
    let own = side(i, work[job.copies_in + 2u * i]);
    let list = list_of(i);
    var sum = vec3<f32>(0.0);
    var count = 0u;
    var pushing = 0u;
    let parts = (job.mode & PARTS) != 0u;
    let rigid = !parts && of_rigid(i);
    let half = arrayLength(&pushes) / 2u;
    // Entries beyond 32 have no bits: all of them are stored.
    var kept_before = select(order[slot].y, 0u, job.fresh != 0u);
    var kept_now = 0u;
    // Prefetches the next contact and the index after it before this one is written: compilers cannot rule out
    // aliasing.
    var after_next = i;
    var next_j = i;
    var next_there = vec4<f32>(0.0);
    var next_push = vec4<f32>(0.0);
    if list.count > 0u {
        next_j = near[list.first];
        next_there = work[job.copies_in + 2u * next_j];
        if (kept_before & 1u) != 0u {
            next_push = pushes[list.first];
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
            next_there = work[job.copies_in + 2u * next_j];
            next_push = vec4<f32>(0.0);
            if n < 31u && (kept_before >> (n + 1u) & 1u) != 0u || n >= 31u && job.fresh == 0u {
                next_push = pushes[e + list.step];
            }
        }
        let reach = own.radius + there.w;
        var held = false;
        if COHESIVE && !parts {
            // Cohesion acts only between particles that touched before the substep.
            held = overlaps(own.start, work[job.copies_in + 2u * j + 1u].xyz, reach * RANGE);
        }
        if push.w == 0.0 && !held && !overlaps(own.x, there.xyz, reach) {
            if n >= 32u && job.fresh != 0u {
                pushes[e] = push;
            }
            continue;
        }
        // Fluids are frictionless.
        let wet = max(i, j) >= sub.wet;
        let static_friction = select(job.static_friction, 0.0, wet);
        let kinetic_friction = select(job.kinetic_friction, 0.0, wet);
        let other = side(j, there);
        var met: Met;
        if COHESIVE && held {
            let pull = hold(sub.cohesion, own.radius, there.w);
            met = cohere(own, other, static_friction, kinetic_friction, job.omega, pull, push);
        } else {
            met = meet(own, other, static_friction, kinetic_friction, job.omega, parts, push);
        }
        // Tension is not extrapolated.
        if rigid && !held && of_rigid(j) {
            let found = met.push;
            let last = select(vec4<f32>(0.0), pushes[half + e], push.w > 0.0);
            met.push = extrapolate(found, last, job.scale);
            pushes[half + e] = found;
            met.impulse += way_out(own, other, parts).xyz * (met.push.w - found.w) + (met.push.xyz - found.xyz);
        }
        pushes[e] = met.push;
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
    let kept = work[sub.meets + i];
    // Masses are split by the contact counts of the previous pass.
    let share = f32(max(count, 1u));
    work[sub.meets + i] = vec4<f32>(share, 0.0, kept.z, f32(pushing));
    var x = own.x + sum * kept.z;
    let inverse_mass = rows[i].w;
    if parts {
        work[sub.nexts + i] = vec4<f32>(x, inverse_mass);
        return;
    }
    if rigid {
        if count > 0u {
            atomicAdd(&marks[crowd_at(i, NOW)], count);
        }
        if (job.mode & TOUCHES) != 0u {
            x += push_body(own.start, own.radius, i, own.x);
        }
    } else if (job.mode & TOUCHES) != 0u && inverse_mass != 0.0 {
        x = touch_from(own.start, own.radius, i, i, vec4<f32>(x, inverse_mass)).xyz;
    }
    rows[i] = vec4<f32>(x, inverse_mass);
    if job.copies_out != NONE {
        put_card(job.copies_out, i, vec4<f32>(x, own.radius), vec4<f32>(own.start, kept.z * share));
    }
}

// Removes from the lists pairs close at rest and attached pairs: `job.params` has rest positions and objects,
// `job.slots` the attachments.
@compute @workgroup_size(SIZE)
fn filter_contacts(thread: Thread) {
    let slot = number_of(thread);
    if slot >= sub.particles {
        return;
    }
    let i = order[slot].x;
    let list = list_of(i);
    let object = params[job.params + 4u * i + 3u];
    // Free particles have no rest pairs.
    if object < 0.0 && job.slots == NONE {
        return;
    }
    let rest = at_rest(i);
    var kept = 0u;
    for (var n = 0u; n < list.count; n++) {
        let j = near[list.first + n * list.step];
        let theirs = params[job.params + 4u * j + 3u];
        let reach = AT_REST * (params[sub.radii + i] + params[sub.radii + j]);
        let held = object >= 0.0 && object == theirs && overlaps(rest, at_rest(j), reach);
        if !held && !is_attached(i, theirs) && !is_attached(j, object) {
            near[list.first + kept * list.step] = j;
            kept++;
        }
    }
    ranges[i].y = kept | (ranges[i].y & WOVEN);
}

// Whether particle i is attached to an object; free particles have negative objects.
fn is_attached(i: u32, object: f32) -> bool {
    if job.slots == NONE {
        return false;
    }
    let number = u32(select(object, -1.0 - object, object < 0.0));
    let first = job.slots + sub.particles + 1u;
    for (var e = topology[job.slots + i]; e < topology[job.slots + i + 1u]; e++) {
        if topology[first + e] == number {
            return true;
        }
    }
    return false;
}

fn at_rest(i: u32) -> vec3<f32> {
    let at = job.params + 4u * i;
    return vec3<f32>(params[at], params[at + 1u], params[at + 2u]);
}
