// Passes over the vertices of elastic bodies. WGSL version of cpu.rs; needs vertex_elements.wgsl and vertex_contact.wgsl.

fn near_colliders(row: u32) -> bool {
    return sub.colliders > 0u && !turns(row) && is_near(row, row);
}

// Masses, targets and where to start from.
@compute @workgroup_size(SIZE)
fn begin(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local >= chunk.count {
        return;
    }
    let v = chunk.first + thread.local;
    let row = row_of_vertex(v);
    var x = rows[row];
    work[vector_at(ELASTIC_TARGET, v)] = x;
    var mass = 0.0;
    if turns(row) {
        let inv_inertia = params[sub.spins + row - sub.particles];
        mass = select(0.0, 0.25 / inv_inertia, inv_inertia > 0.0);
    } else if x.w > 0.0 {
        mass = 1.0 / x.w;
    }
    lambda[args.numbers + v] = mass;
    let near = near_colliders(row);
    if near {
        for (var c = 0u; c < sub.colliders; c++) {
            work[sub.collider_impulses + row * sub.colliders + c] = vec4<f32>(0.0);
        }
    }
    if mass > 0.0 && !turns(row) {
        // Without gravity: in a body at rest forces balance it from the first residual on.
        var at = x.xyz - sub.gravity / sub.inv_h2;
        if near {
            at = out_of_colliders(row, at);
        }
        x = vec4<f32>(at, x.w);
    }
    work[vector_at(ELASTIC_X, v)] = x;
    var start = x;
    if mass > 0.0 {
        start = vec4<f32>(motion[previous_at(row)].xyz, x.w);
        if turns(row) {
            start = motion[previous_at(row)];
        }
    }
    work[vector_at(ELASTIC_TRIAL, v)] = start;
}

// Forces at a position array, inertia included.
fn total_force(array_number: u32, v: u32, turn: bool) -> vec3<f32> {
    let inertia = mass_of(v) * sub.inv_h2;
    if inertia == 0.0 {
        return vec3<f32>(0.0);
    }
    let way = toward(work[vector_at(array_number, v)], work[vector_at(ELASTIC_TARGET, v)], turn);
    return way * inertia + elastic_force(vector_at(array_number, 0u), v);
}

// Forces where the substep starts. With d the way there from the last positions, the objective was higher by
// r·d + ½dᵀHd, and H is at least the inertia.
@compute @workgroup_size(SIZE)
fn start_forces(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums = vec4<f32>(0.0);
    if thread.local < chunk.count {
        let v = chunk.first + thread.local;
        let row = row_of_vertex(v);
        let force = total_force(ELASTIC_X, v, turns(row));
        work[vector_at(ELASTIC_FORCE, v)] = vec4<f32>(force, 0.0);
        let way = toward(work[vector_at(ELASTIC_TRIAL, v)], work[vector_at(ELASTIC_X, v)], turns(row));
        sums.x = dot(force, way) + 0.5 * mass_of(v) * sub.inv_h2 * dot(way, way);
        sums.y = f32(near_colliders(row));
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 0u)] = sum;
    }
}

fn objective(array_number: u32, v: u32, turn: bool) -> f32 {
    let way = toward(work[vector_at(array_number, v)], work[vector_at(ELASTIC_TARGET, v)], turn);
    return 0.5 * mass_of(v) * sub.inv_h2 * dot(way, way) + elastic_energy(vector_at(array_number, 0u), v);
}

// Objectives at the start and at the last positions, where the first may be higher.
@compute @workgroup_size(SIZE)
fn start_energies(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let gain = body_sum(thread.local, chunk.body, 0u).x;
    var sums = vec4<f32>(0.0);
    if !(gain >= 0.0) && thread.local < chunk.count {
        let v = chunk.first + thread.local;
        let turn = turns(row_of_vertex(v));
        sums.x = objective(ELASTIC_X, v, turn);
        sums.y = objective(ELASTIC_TRIAL, v, turn);
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 1u)] = sum;
    }
}

// A body that was thrown or crushed may have a lower objective where it was: it starts there then.
@compute @workgroup_size(SIZE)
fn choose_start(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let first = body_sum(thread.local, chunk.body, 0u);
    let energies = body_sum(thread.local, chunk.body, 1u);
    let back = !(first.x >= 0.0) && !(energies.x <= energies.y);
    if back && thread.local < chunk.count {
        let v = chunk.first + thread.local;
        work[vector_at(ELASTIC_X, v)] = work[vector_at(ELASTIC_TRIAL, v)];
    }
    if thread.local == 0u && body_word(chunk.body, 0u) == group {
        // Length of the coarse step, vertices near colliders, active, start moved back.
        work[body_at(chunk.body)] = vec4<f32>(0.0, first.y, 1.0, f32(back));
    }
}

// Displacements by other passes act as impulses: they move the target, too.
@compute @workgroup_size(SIZE)
fn take_impulses(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums = vec4<f32>(0.0);
    if thread.local < chunk.count {
        let v = chunk.first + thread.local;
        let row = row_of_vertex(v);
        let x = rows[row];
        let after = work[vector_at(ELASTIC_AFTER, v)];
        if any(x != after) {
            sums.x = 1.0;
            let target_at = vector_at(ELASTIC_TARGET, v);
            let way = toward(after, x, turns(row));
            work[target_at] = moved(work[target_at], way, turns(row));
            work[vector_at(ELASTIC_X, v)] = x;
        }
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 0u)] = sum;
    }
}

// Forces on all vertices, and how contacts hold them.
@compute @workgroup_size(SIZE)
fn find_forces(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let pushed = body_sum(thread.local, chunk.body, 0u).x;
    let body = work[body_at(chunk.body)];
    var active_now = true;
    if args.mode > 1u {
        let more = args.mode <= CYCLES && !(body.x >= GOOD_STEP && body.y == 0.0);
        active_now = pushed > 0.0 || more;
    }
    // All groups of the body have read its record before one of them writes it: the flag alone changes, after them.
    if thread.local < chunk.count && active_now {
        let v = chunk.first + thread.local;
        let row = row_of_vertex(v);
        let at = vector_at(ELASTIC_FORCE, v);
        var force = work[at].xyz;
        if args.mode > 1u || body.w != 0.0 {
            force = total_force(ELASTIC_X, v, turns(row));
        }
        if sub.colliders > 0u {
            force = hold(v, row, force);
        }
        work[at] = vec4<f32>(force, 0.0);
    }
    if thread.local == 0u {
        work[sums_at(group, 1u)] = vec4<f32>(f32(active_now), 0.0, 0.0, 0.0);
    }
}

// Notes how the first contact holds a vertex; the force that is left.
fn hold(v: u32, row: u32, force: vec3<f32>) -> vec3<f32> {
    var found = Hold(vec3<f32>(0.0), false, vec3<f32>(0.0), false);
    var stiffness = 0.0;
    if mass_of(v) > 0.0 && near_colliders(row) {
        let x = work[vector_at(ELASTIC_X, v)].xyz;
        for (var word = 0u; word < mask_words(); word++) {
            for (var mask = atomicLoad(&flags[mask_at(row, row) + word]); mask != 0u; mask &= mask - 1u) {
                if !found.holds {
                    found = hold_vertex(vertex_contact(row, word * 32u + firstTrailingBit(mask)), x, force);
                }
            }
        }
        if found.holds {
            let h = elastic_local(vector_at(ELASTIC_X, 0u), v).hessian;
            stiffness = h[0].x + h[1].y + h[2].z;
        }
    }
    work[vector_at(ELASTIC_HOLD, v)] = vec4<f32>(found.normal, f32(found.sticks));
    work[vector_at(ELASTIC_FRICTION, v)] = vec4<f32>(found.friction, stiffness);
    return masked(found.normal, found.sticks, found.friction, force);
}

// The force that moves a vertex which a contact holds.
fn masked(normal: vec3<f32>, sticks: bool, friction: vec3<f32>, force: vec3<f32>) -> vec3<f32> {
    if all(normal == vec3<f32>(0.0)) {
        return force;
    }
    return select(force - normal * dot(normal, force) + friction, vec3<f32>(0.0), sticks);
}

// Positions after the coarse step.
@compute @workgroup_size(SIZE)
fn try_step(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let active_now = work[sums_at(group, 1u)].x != 0.0;
    if thread.local == 0u && body_word(chunk.body, 0u) == group {
        work[body_at(chunk.body)].z = f32(active_now);
    }
    if thread.local >= chunk.count || !active_now {
        return;
    }
    let v = chunk.first + thread.local;
    let row = row_of_vertex(v);
    var step = vec3<f32>(0.0);
    if mass_of(v) > 0.0 {
        let a = aggregate_of(v);
        let modes = modes_at(v);
        let first = unknown_at(aggregate_word(a, 0u));
        for (var m = 0u; m < aggregate_word(a, 1u); m++) {
            let at = first + 3u * m;
            step += vec3<f32>(lambda[at], lambda[at + 1u], lambda[at + 2u]) * modes[m];
        }
        if sub.colliders > 0u {
            let held = work[vector_at(ELASTIC_HOLD, v)];
            step = select(step - held.xyz * dot(held.xyz, step), vec3<f32>(0.0), held.w != 0.0);
        }
    }
    work[vector_at(ELASTIC_STEP, v)] = vec4<f32>(step, 0.0);
    work[vector_at(ELASTIC_TRIAL, v)] = moved(work[vector_at(ELASTIC_X, v)], step, turns(row));
}

// Forces along the coarse step, at its start and its end.
@compute @workgroup_size(SIZE)
fn find_trial_forces(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums = vec4<f32>(0.0);
    if thread.local < chunk.count && is_active(chunk.body) {
        let v = chunk.first + thread.local;
        var force = total_force(ELASTIC_TRIAL, v, turns(row_of_vertex(v)));
        if sub.colliders > 0u {
            let held = work[vector_at(ELASTIC_HOLD, v)];
            force = masked(held.xyz, held.w != 0.0, work[vector_at(ELASTIC_FRICTION, v)].xyz, force);
        }
        let step = work[vector_at(ELASTIC_STEP, v)].xyz;
        sums.x = dot(work[vector_at(ELASTIC_FORCE, v)].xyz, step);
        sums.y = dot(force, step);
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 2u)] = sum;
    }
}

// The coarse step, as long as to where the forces along it vanish.
@compute @workgroup_size(SIZE)
fn take_step(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let along = body_sum(thread.local, chunk.body, 2u);
    if !is_active(chunk.body) {
        return;
    }
    var share = 0.0;
    if along.x > 0.0 {
        share = LONGEST_STEP;
        if along.x > along.y {
            share = min(along.x / (along.x - along.y), LONGEST_STEP);
        }
    }
    if thread.local == 0u && body_word(chunk.body, 0u) == group {
        work[body_at(chunk.body)].x = share;
    }
    if thread.local >= chunk.count || share == 0.0 {
        return;
    }
    let v = chunk.first + thread.local;
    let row = row_of_vertex(v);
    let at = vector_at(ELASTIC_X, v);
    var x = moved(work[at], work[vector_at(ELASTIC_STEP, v)].xyz * share, turns(row));
    if mass_of(v) > 0.0 && near_colliders(row) {
        x = vec4<f32>(out_of_colliders(row, x.xyz), x.w);
    }
    work[at] = x;
}

fn inverse3(m: mat3x3<f32>) -> mat3x3<f32> {
    let a = cross(m[1], m[2]);
    let b = cross(m[2], m[0]);
    let c = cross(m[0], m[1]);
    return transpose(mat3x3<f32>(a, b, c)) * (1.0 / dot(m[0], a));
}

// A step of Newton's method leaves nothing to a sweep but contacts.
fn is_swept(body: u32) -> bool {
    return body_word(body, 9u) == 0u || work[body_at(body)].y > 0.0;
}

// Every vertex of a color, to the minimum of its own problem.
@compute @workgroup_size(SIZE)
fn sweep(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local >= chunk.count || !is_active(chunk.body) || !is_swept(chunk.body) {
        return;
    }
    let v = chunk.first + thread.local;
    let inertia = mass_of(v) * sub.inv_h2;
    if inertia == 0.0 {
        return;
    }
    let row = row_of_vertex(v);
    let at = vector_at(ELASTIC_X, v);
    let x = work[at];
    let elastic = elastic_local(vector_at(ELASTIC_X, 0u), v);
    let force = elastic.force + toward(x, work[vector_at(ELASTIC_TARGET, v)], turns(row)) * inertia;
    let hessian = elastic.hessian + mat3x3<f32>(inertia, 0.0, 0.0, 0.0, inertia, 0.0, 0.0, 0.0, inertia);
    let inverse = inverse3(hessian);
    var way = inverse * force;
    if near_colliders(row) {
        way = meet_colliders(v, row, x.xyz, force, hessian, inverse, way, inertia);
    }
    work[at] = moved(x, way, turns(row));
}

// The step of a vertex that may touch colliders; notes the forces of its contacts.
fn meet_colliders(
    v: u32, row: u32, x: vec3<f32>, force: vec3<f32>, hessian: mat3x3<f32>, inverse: mat3x3<f32>, free: vec3<f32>, inertia: f32,
) -> vec3<f32> {
    var way = free;
    var count = 0u;
    var pushes = 0.0;
    for (var word = 0u; word < mask_words(); word++) {
        for (var mask = atomicLoad(&flags[mask_at(row, row) + word]); mask != 0u; mask &= mask - 1u) {
            let c = word * 32u + firstTrailingBit(mask);
            let it = vertex_contact(row, c);
            let met = meet_collider(it, x, force, hessian, inverse, way);
            way = met.step;
            count += 1u;
            // As other contacts report it: the displacement of a free particle by the force.
            let normal = depth_at(it, x + way).normal;
            let along = dot(met.force, normal);
            var push = vec4<f32>(0.0);
            if along > 0.0 {
                push = vec4<f32>(met.force - normal * along, along) / inertia;
                pushes = 1.0;
            }
            work[sub.collider_impulses + row * sub.colliders + c] = push;
        }
    }
    if count > 1u {
        way = out_of_colliders(row, x + way) - x;
    }
    work[vector_at(ELASTIC_STEP, v)].w = pushes;
    return way;
}
