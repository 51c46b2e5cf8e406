// Passes of descent over the vertices of all bodies, a thread each. Needs descent.wgsl.

@compute @workgroup_size(SIZE)
fn begin(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local < chunk.count {
        begin_vertex(chunk.first + thread.local);
    }
}

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
        sums = start_force(v, elastic_force(vector_at(ELASTIC_X, 0u), v));
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 0u)] = sum;
    }
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
        sums.x = inertia_energy(ELASTIC_X, v) + elastic_energy(vector_at(ELASTIC_X, 0u), v);
        sums.y = inertia_energy(ELASTIC_TRIAL, v) + elastic_energy(vector_at(ELASTIC_TRIAL, 0u), v);
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 1u)] = sum;
    }
}

@compute @workgroup_size(SIZE)
fn choose_start(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let first = body_sum(thread.local, chunk.body, 0u);
    let energies = body_sum(thread.local, chunk.body, 1u);
    let back = starts_back(first.x, energies.xy);
    if back && thread.local < chunk.count {
        let v = chunk.first + thread.local;
        work[vector_at(ELASTIC_X, v)] = work[vector_at(ELASTIC_TRIAL, v)];
    }
    if thread.local == 0u && body_word(chunk.body, 0u) == group {
        // Length of the coarse step, vertices near colliders, active, start moved back.
        work[body_at(chunk.body)] = vec4<f32>(0.0, first.y, 1.0, f32(back));
    }
}

@compute @workgroup_size(SIZE)
fn take_impulses(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums = vec4<f32>(0.0);
    if thread.local < chunk.count {
        sums.x = take_impulse(chunk.first + thread.local);
    }
    let sum = group_sum(thread.local, sums);
    if thread.local == 0u {
        work[sums_at(group, 0u)] = sum;
    }
}

@compute @workgroup_size(SIZE)
fn find_forces(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let pushed = body_sum(thread.local, chunk.body, 0u).x;
    let body = work[body_at(chunk.body)];
    let active_now = takes_part(args.mode, body, pushed);
    // All groups of the body have read its record before one of them writes it: the flag alone changes, after them.
    if thread.local < chunk.count && active_now {
        let v = chunk.first + thread.local;
        var force = work[vector_at(ELASTIC_FORCE, v)].xyz;
        // That where the substep started is known.
        if args.mode > 1u || body.w != 0.0 {
            force = total_force(ELASTIC_X, v, elastic_force(vector_at(ELASTIC_X, 0u), v));
        }
        var stiffness = 0.0;
        if args.mode == 1u && may_be_held(v) {
            stiffness = trace_of(elastic_local(vector_at(ELASTIC_X, 0u), v).hessian);
        }
        put_force(v, force, stiffness);
    }
    if thread.local == 0u {
        work[sums_at(group, 1u)] = vec4<f32>(f32(active_now), 0.0, 0.0, 0.0);
    }
}

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
    if thread.local < chunk.count && active_now {
        try_coarse_step(chunk.first + thread.local);
    }
}

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
        sums = trial_forces(v, elastic_force(vector_at(ELASTIC_TRIAL, 0u), v));
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
    let share = step_share(along.xy);
    if thread.local == 0u && body_word(chunk.body, 0u) == group {
        work[body_at(chunk.body)].x = share;
    }
    if thread.local < chunk.count && share > 0.0 {
        take_coarse_step(chunk.first + thread.local, share);
    }
}

// All vertices of a color.
@compute @workgroup_size(SIZE)
fn sweep(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local < chunk.count && is_active(chunk.body) && is_swept(chunk.body, work[body_at(chunk.body)].y) {
        let v = chunk.first + thread.local;
        sweep_vertex(v, elastic_local(vector_at(ELASTIC_X, 0u), v));
    }
}
