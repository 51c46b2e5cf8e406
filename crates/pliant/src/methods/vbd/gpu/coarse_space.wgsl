// Passes over aggregates: their rotations, and the forces on their modes. WGSL version of coarse.rs; needs rotation.wgsl.

// Force on one mode of an aggregate.
@compute @workgroup_size(SIZE)
fn restrict_forces(thread: Thread) {
    let number = number_of(thread);
    let a = number / 4u;
    let mode = number % 4u;
    if a >= args.aggregate_count || mode >= aggregate_word(a, 1u) {
        return;
    }
    var sum = vec3<f32>(0.0);
    let end = aggregate_word(a, 3u);
    for (var k = aggregate_word(a, 2u); k < end; k++) {
        let v = topology[k];
        if mass_of(v) > 0.0 {
            sum += work[vector_at(ELASTIC_FORCE, v)].xyz * modes_at(v)[mode];
        }
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
    let a = number_of(thread);
    if a >= args.aggregate_count {
        return;
    }
    let first = aggregate_word(a, 2u);
    let end = aggregate_word(a, 3u);
    var x = vec3<f32>(0.0);
    var rest = vec3<f32>(0.0);
    for (var k = first; k < end; k++) {
        x += work[vector_at(ELASTIC_X, topology[k])].xyz;
        rest += rest_at(topology[k]);
    }
    x /= f32(end - first);
    rest /= f32(end - first);
    var moment = mat3x3<f32>();
    for (var k = first; k < end; k++) {
        moment += outer3(work[vector_at(ELASTIC_X, topology[k])].xyz - x, rest_at(topology[k]) - rest);
    }
    let rotation = polar(moment);
    let at = rotation_at(a);
    for (var c = 0u; c < 3u; c++) {
        work[at + c] = vec4<f32>(rotation[c], 0.0);
    }
}
