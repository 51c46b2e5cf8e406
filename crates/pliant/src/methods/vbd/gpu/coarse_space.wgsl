// Passes over aggregates, a workgroup for each: their rotations, and the forces on their modes. WGSL version of coarse.rs;
// needs rotation.wgsl.

// Threads that share a mode.
const MODE_LANES: u32 = SIZE / 4u;

// Forces on the modes of an aggregate.
@compute @workgroup_size(SIZE)
fn restrict_forces(thread: Thread) {
    let a = group_of(thread);
    if a >= args.groups {
        return;
    }
    if is_solved_by_one_group(aggregate_word(a, 7u)) {
        return;
    }
    let mode = thread.local % 4u;
    var sum = vec3<f32>(0.0);
    let end = aggregate_word(a, 3u);
    for (var k = aggregate_word(a, 2u) + thread.local / 4u; k < end; k += MODE_LANES) {
        let v = topology[k];
        if mass_of(v) > 0.0 {
            sum += work[vector_at(ELASTIC_FORCE, v)].xyz * modes_at(v)[mode];
        }
    }
    sum_shared[thread.local] = vec4<f32>(sum, 0.0);
    workgroupBarrier();
    if thread.local >= min(4u, aggregate_word(a, 1u)) {
        return;
    }
    sum = vec3<f32>(0.0);
    for (var lane = 0u; lane < MODE_LANES; lane++) {
        sum += sum_shared[4u * lane + mode].xyz;
    }
    // Chains are solved in place.
    let chain = body_word(aggregate_word(a, 7u), 5u) == 0u;
    let at = unknown_at(aggregate_word(a, 0u)) + 3u * mode + select(COARSE_R * args.unknowns, 0u, chain);
    lambda[at] = sum.x;
    lambda[at + 1u] = sum.y;
    lambda[at + 2u] = sum.z;
}

@compute @workgroup_size(SIZE)
fn fit_rotations(thread: Thread) {
    let a = group_of(thread);
    if a >= args.groups {
        return;
    }
    let first = aggregate_word(a, 2u);
    let end = aggregate_word(a, 3u);
    var x = vec3<f32>(0.0);
    var rest = vec3<f32>(0.0);
    for (var k = first + thread.local; k < end; k += SIZE) {
        x += work[vector_at(ELASTIC_X, topology[k])].xyz;
        rest += rest_at(topology[k]);
    }
    x = group_sum(thread.local, vec4<f32>(x, 0.0)).xyz / f32(end - first);
    rest = group_sum(thread.local, vec4<f32>(rest, 0.0)).xyz / f32(end - first);
    var moment = mat3x3<f32>();
    for (var k = first + thread.local; k < end; k += SIZE) {
        moment += outer3(work[vector_at(ELASTIC_X, topology[k])].xyz - x, rest_at(topology[k]) - rest);
    }
    moment = mat3x3<f32>(
        group_sum(thread.local, vec4<f32>(moment[0], 0.0)).xyz,
        group_sum(thread.local, vec4<f32>(moment[1], 0.0)).xyz,
        group_sum(thread.local, vec4<f32>(moment[2], 0.0)).xyz,
    );
    if thread.local == 0u {
        let rotation = polar(moment);
        let at = rotation_at(a);
        for (var c = 0u; c < 3u; c++) {
            work[at + c] = vec4<f32>(rotation[c], 0.0);
        }
    }
}
