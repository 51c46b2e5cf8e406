// Descent of small bodies, a workgroup each: what takes a dispatch per step in large ones takes a barrier. Needs descent.wgsl,
// momentum.wgsl and chain_solve.wgsl; the passes of large bodies are in descent_passes.wgsl and momentum_passes.wgsl.

// The vertices of a body.
struct Vertices { first: u32, end: u32 }

fn vertices_of(body: u32) -> Vertices {
    let first = body_word(body, 10u);
    return Vertices(first, first + body_word(body, 11u));
}

// Most threads that share the elements of a vertex.
const MOST_LANES: u32 = 16u;

// Threads that share the elements of each of so many vertices: as many as the workgroup has, a power of two.
fn share_elements(local: u32, body: u32, count: u32) -> u32 {
    var lanes = 1u;
    while lanes < MOST_LANES && 2u * lanes * count <= GROUP {
        lanes *= 2u;
    }
    let vectors = body_word(body, 14u);
    shared_step = vectors * lanes;
    shared_offset = vectors * (local % lanes);
    return lanes;
}

// Sum over the threads that share a vertex, valid in the first of them.
fn lanes_sum(local: u32, lanes: u32, own: vec4<f32>) -> vec4<f32> {
    if lanes == 1u {
        return own;
    }
    sum_shared[local] = own;
    workgroupBarrier();
    var sum = own;
    if local % lanes == 0u {
        for (var k = 1u; k < lanes; k++) {
            sum += sum_shared[local + k];
        }
    }
    workgroupBarrier();
    return sum;
}

// Elastic force on a vertex, by the threads that share it; valid in the first of them. All threads of the workgroup call it.
fn shared_force(local: u32, lanes: u32, v: u32, end: u32, array_number: u32) -> vec3<f32> {
    var own = vec4<f32>(0.0);
    if v < end {
        own = vec4<f32>(elastic_force(vector_at(array_number, 0u), v), 0.0);
    }
    return lanes_sum(local, lanes, own).xyz;
}

// Forces where the substep starts; by how much the objective was higher at the last positions, and vertices near colliders.
fn sum_start_forces(local: u32, range: Vertices, lanes: u32) -> vec4<f32> {
    var sums = vec4<f32>(0.0);
    for (var base = range.first; base < range.end; base += GROUP / lanes) {
        let v = base + local / lanes;
        let elastic = shared_force(local, lanes, v, range.end, ELASTIC_X);
        if v < range.end && local % lanes == 0u {
            sums += start_force(v, elastic);
        }
    }
    return group_sum(local, sums);
}

// The objective at one of the arrays of positions.
fn objective(local: u32, range: Vertices, lanes: u32, array_number: u32) -> f32 {
    var sum = 0.0;
    for (var v = range.first + local / lanes; v < range.end; v += GROUP / lanes) {
        sum += elastic_energy(vector_at(array_number, 0u), v);
        if local % lanes == 0u {
            sum += inertia_energy(array_number, v);
        }
    }
    return group_sum(local, vec4<f32>(sum)).x;
}

// Everything before the coarse matrix: where to start from, and the forces there.
@compute @workgroup_size(GROUP)
fn start_bodies(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let local = thread.local;
    let body = topology[args.small_bodies + group];
    let range = vertices_of(body);
    for (var v = range.first + local; v < range.end; v += GROUP) {
        begin_vertex(v);
    }
    storageBarrier();
    workgroupBarrier();
    let lanes = share_elements(local, body, range.end - range.first);
    // Drivers compile a function wherever it is called: loops call the long ones in one place.
    var back = false;
    var found = vec4<f32>(0.0);
    for (var attempt = 0u; attempt < 2u; attempt++) {
        let sums = sum_start_forces(local, range, lanes);
        if attempt == 0u {
            found = sums;
        }
        if back || found.x >= 0.0 {
            break;
        }
        // At the start and at the last positions.
        var objectives = vec2<f32>(0.0);
        for (var place = 0u; place < 2u; place++) {
            objectives[place] = objective(local, range, lanes, select(ELASTIC_X, ELASTIC_TRIAL, place == 1u));
        }
        back = starts_back(found.x, objectives);
        if !back {
            break;
        }
        for (var v = range.first + local; v < range.end; v += GROUP) {
            work[vector_at(ELASTIC_X, v)] = work[vector_at(ELASTIC_TRIAL, v)];
        }
        storageBarrier();
        workgroupBarrier();
    }
    storageBarrier();
    workgroupBarrier();
    for (var base = range.first; base < range.end; base += GROUP / lanes) {
        let v = base + local / lanes;
        var stiffness = 0.0;
        if found.y > 0.0 {
            if v < range.end && may_be_held(v) {
                stiffness = trace_of(elastic_local(vector_at(ELASTIC_X, 0u), v).hessian);
            }
            stiffness = lanes_sum(local, lanes, vec4<f32>(stiffness)).x;
        }
        if v < range.end && local % lanes == 0u {
            put_force(v, work[vector_at(ELASTIC_FORCE, v)].xyz, stiffness);
        }
    }
    if local == 0u {
        // Length of the coarse step, vertices near colliders, active, start moved back.
        work[body_at(body)] = vec4<f32>(0.0, found.y, 1.0, f32(back));
    }
}

// Threads that share an aggregate: four for each of its modes.
const AGGREGATE_LANES: u32 = 16u;

// Forces on the modes of all aggregates.
fn restrict_body(local: u32, body: u32) {
    let first = body_word(body, 2u);
    let count = body_word(body, 3u);
    let mode = local % 4u;
    let lane = local / 4u % 4u;
    let right_side = select(COARSE_R * args.unknowns, 0u, body_word(body, 5u) == 0u);
    for (var base = 0u; base < count; base += GROUP / AGGREGATE_LANES) {
        let number = base + local / AGGREGATE_LANES;
        let a = first + min(number, count - 1u);
        var sum = vec3<f32>(0.0);
        if number < count {
            let end = aggregate_word(a, 3u);
            for (var k = aggregate_word(a, 2u) + lane; k < end; k += 4u) {
                let v = topology[k];
                if mass_of(v) > 0.0 {
                    sum += work[vector_at(ELASTIC_FORCE, v)].xyz * modes_at(v)[mode];
                }
            }
        }
        sum_shared[local] = vec4<f32>(sum, 0.0);
        workgroupBarrier();
        if number < count && lane == 0u && mode < aggregate_word(a, 1u) {
            sum += sum_shared[local + 4u].xyz + sum_shared[local + 8u].xyz + sum_shared[local + 12u].xyz;
            let at = unknown_at(aggregate_word(a, 0u)) + 3u * mode + right_side;
            lambda[at] = sum.x;
            lambda[at + 1u] = sum.y;
            lambda[at + 2u] = sum.z;
        }
        workgroupBarrier();
    }
}

// The inverse matrix of a body times the forces.
fn solve_body(local: u32, body: u32) {
    let size = second_size(body);
    let matrix = second_inverse(body);
    let first = aggregate_word(body_word(body, 2u), 0u);
    let forces = coarse_at(COARSE_R, first);
    let width = min(size, GROUP);
    // Threads that share a row.
    let lanes = GROUP / width;
    let lane = local / width;
    for (var base = 0u; base < size; base += width) {
        let row = base + local % width;
        var sum = 0.0;
        if lane < lanes && row < size {
            // The matrix is symmetric: a column is read, so that neighbors in a workgroup are neighbors in memory.
            for (var k = lane; k < size; k += lanes) {
                sum += lambda[matrix + k * size + row] * lambda[forces + k];
            }
        }
        sum_shared[local].x = sum;
        workgroupBarrier();
        if lane == 0u && row < size {
            for (var other = 1u; other < lanes; other++) {
                sum += sum_shared[other * width + local].x;
            }
            lambda[unknown_at(first + row)] = sum;
        }
        workgroupBarrier();
    }
}

// Moves a body as a whole so that inner forces change neither its linear nor its angular momentum.
fn restore_body(local: u32, body: u32, range: Vertices) {
    let origin = origin_of(body);
    var sums: array<vec4<f32>, MOMENTUM_SUMS>;
    for (var v = range.first + local; v < range.end; v += GROUP) {
        add_momentum(v, origin, &sums);
    }
    sums[1] = group_sum(local, sums[1]);
    if sums[1].w != 0.0 {
        return;
    }
    sums[0] = group_sum(local, sums[0]);
    for (var k = 2u; k < MOMENTUM_SUMS; k++) {
        sums[k] = group_sum(local, sums[k]);
    }
    let excess = excess_motion(sums, body_word(body, 4u) != 0u);
    for (var v = range.first + local; v < range.end; v += GROUP) {
        remove_excess(v, origin, excess);
    }
}

fn put_forces(local: u32, range: Vertices, lanes: u32) {
    for (var base = range.first; base < range.end; base += GROUP / lanes) {
        let v = base + local / lanes;
        let elastic = shared_force(local, lanes, v, range.end, ELASTIC_X);
        if v < range.end && local % lanes == 0u {
            put_force(v, total_force(ELASTIC_X, v, elastic), 0.0);
        }
    }
}

// Forces along the coarse step, at its start and its end.
fn forces_along(local: u32, range: Vertices, lanes: u32) -> vec4<f32> {
    var sums = vec4<f32>(0.0);
    for (var base = range.first; base < range.end; base += GROUP / lanes) {
        let v = base + local / lanes;
        let elastic = shared_force(local, lanes, v, range.end, ELASTIC_TRIAL);
        if v < range.end && local % lanes == 0u {
            sums += trial_forces(v, elastic);
        }
    }
    return group_sum(local, sums);
}

// A sweep, color after color.
fn sweep_colors(local: u32, body: u32) {
    let colors = body_word(body, 12u);
    let count = body_word(body, 13u);
    for (var color = 0u; color < count; color++) {
        let first = topology[colors + color];
        let end = topology[colors + color + 1u];
        let lanes = share_elements(local, body, end - first);
        for (var base = first; base < end; base += GROUP / lanes) {
            let v = base + local / lanes;
            var elastic = Local(vec3<f32>(0.0), mat3x3<f32>());
            if v < end {
                elastic = elastic_local(vector_at(ELASTIC_X, 0u), v);
            }
            elastic.force = lanes_sum(local, lanes, vec4<f32>(elastic.force, 0.0)).xyz;
            for (var k = 0u; k < 3u; k++) {
                elastic.hessian[k] = lanes_sum(local, lanes, vec4<f32>(elastic.hessian[k], 0.0)).xyz;
            }
            if v < end && local % lanes == 0u {
                sweep_vertex(v, elastic);
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
}

// An iteration; the first goes on after the coarse matrix has been made.
@compute @workgroup_size(GROUP)
fn descend(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let local = thread.local;
    let body = topology[args.small_bodies + group];
    let range = vertices_of(body);
    let record = work[body_at(body)];
    let lanes = share_elements(local, body, range.end - range.first);
    if args.mode > 1u {
        var pushed = 0.0;
        for (var v = range.first + local; v < range.end; v += GROUP) {
            pushed += take_impulse(v);
        }
        let active_now = takes_part(args.mode, record, group_sum(local, vec4<f32>(pushed)).x);
        if !active_now {
            return;
        }
        storageBarrier();
        workgroupBarrier();
        put_forces(local, range, lanes);
        storageBarrier();
        workgroupBarrier();
    }
    restrict_body(local, body);
    storageBarrier();
    workgroupBarrier();
    if body_word(body, 5u) == 0u {
        solve_chain(local, body);
    } else {
        solve_body(local, body);
    }
    storageBarrier();
    workgroupBarrier();
    for (var v = range.first + local; v < range.end; v += GROUP) {
        try_coarse_step(v);
    }
    storageBarrier();
    workgroupBarrier();
    let share = step_share(forces_along(local, range, lanes).xy);
    if share > 0.0 {
        for (var v = range.first + local; v < range.end; v += GROUP) {
            take_coarse_step(v, share);
        }
    }
    if local == 0u {
        work[body_at(body)].x = share;
    }
    storageBarrier();
    workgroupBarrier();
    if is_swept(body, record.y) {
        sweep_colors(local, body);
    }
    restore_body(local, body, range);
    storageBarrier();
    workgroupBarrier();
    restore_body(local, body, range);
    for (var v = range.first + local; v < range.end; v += GROUP) {
        write_row(v);
    }
}
