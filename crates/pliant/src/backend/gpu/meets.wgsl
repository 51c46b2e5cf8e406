// Contacts of particles with each other, the twin of backend/cpu/meet.rs. Every particle sums up its own contacts in
// the order of its list and writes only itself; each contact is computed twice, once from either side.
//
// In `work`, from `sub.meets` on: for each particle the contacts that it shares its mass among in even and in odd
// passes, its inverse mass in contacts, and how many contacts pushed it last; behind them the second position buffer.

// Where the list of each particle begins, and how long it is.
@group(1) @binding(0) var<storage, read_write> ranges: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read_write> near: array<u32>;
// By entry of the lists: friction and push of this substep [kg·m].
@group(1) @binding(2) var<storage, read_write> pushes: array<vec4<f32>>;

// Modes of the job: bit 0, positions at the start of the substep; bit 1, masses are shared by the second number.
const STARTS: u32 = 1u;
const ODD: u32 = 2u;

// Particles of an object that are nearer at rest than so many times the sum of their radii are held by it.
const AT_REST: f32 = 1.5;

fn place(i: u32) -> vec4<f32> {
    if (job.mode & STARTS) != 0u {
        return motion[previous_at(i)];
    }
    return rows[i];
}

fn radius_of(i: u32) -> f32 {
    return params[sub.radii + i] * job.scale;
}

fn share_of(i: u32) -> f32 {
    let both = work[sub.meets + i];
    return select(both.x, both.y, (job.mode & ODD) != 0u) * both.z;
}

// Contacts of each particle that push where it is.
@compute @workgroup_size(SIZE)
fn shares(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let own = place(i).xyz;
    let radius = radius_of(i);
    let list = ranges[i];
    var count = 0u;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        if overlaps(own, place(j).xyz, radius + radius_of(j)) {
            count++;
        }
    }
    work[sub.meets + i].x = f32(max(count, 1u));
}

// All contacts of each particle once, into the second position buffer.
@compute @workgroup_size(SIZE)
fn project(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let row = place(i);
    let weight = work[sub.meets + i].z;
    let own = Side(row.xyz, motion[previous_at(i)].xyz, radius_of(i), share_of(i), i);
    let list = ranges[i];
    var sum = vec3<f32>(0.0);
    var count = 0u;
    var pushing = 0u;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        var push = vec4<f32>(0.0);
        if job.fresh == 0u {
            push = pushes[e];
        }
        let there = place(j).xyz;
        let radius = radius_of(j);
        // Most of a list is near, but does not touch.
        if push.w == 0.0 && !overlaps(own.x, there, own.radius + radius) {
            if job.fresh != 0u {
                pushes[e] = push;
            }
            continue;
        }
        let other = Side(there, motion[previous_at(j)].xyz, radius, share_of(j), j);
        let met = meet(own, other, job.stick, job.slide, job.omega, push);
        pushes[e] = met.push;
        sum += met.impulse;
        count++;
        if met.push.w > 0.0 {
            pushing++;
        }
    }
    // Masses are shared as contacts were in the pass before; the other number is for the pass after.
    let shared_next = f32(max(count, 1u));
    if (job.mode & ODD) != 0u {
        work[sub.meets + i].x = shared_next;
    } else {
        work[sub.meets + i].y = shared_next;
    }
    work[sub.meets + i].w = f32(pushing);
    work[sub.nexts + i] = vec4<f32>(own.x + sum * weight, row.w);
}

// Leaves out of the lists who is held by its object: `job.params` has rest places and objects, loose ones below 0.
@compute @workgroup_size(SIZE)
fn sift(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles {
        return;
    }
    let list = ranges[i];
    let object = params[job.params + 4u * i + 3u];
    if object < 0.0 {
        return;
    }
    let rest = at_rest(i);
    var kept = 0u;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let reach = AT_REST * (params[sub.radii + i] + params[sub.radii + j]);
        if object != params[job.params + 4u * j + 3u] || !overlaps(rest, at_rest(j), reach) {
            near[list.x + kept] = j;
            kept++;
        }
    }
    ranges[i].y = kept;
}

fn at_rest(i: u32) -> vec3<f32> {
    let at = job.params + 4u * i;
    return vec3<f32>(params[at], params[at + 1u], params[at + 2u]);
}
