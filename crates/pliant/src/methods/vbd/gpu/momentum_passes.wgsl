// Passes that restore the momentum of all bodies, a thread for each vertex. Needs momentum.wgsl.

// First slot of the sums of momentum in a chunk.
const MOMENTUM_SLOT: u32 = 3u;

@compute @workgroup_size(SIZE)
fn momentum_sums(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums: array<vec4<f32>, MOMENTUM_SUMS>;
    if thread.local < chunk.count {
        add_momentum(chunk.first + thread.local, origin_of(chunk.body), &sums);
    }
    for (var k = 0u; k < MOMENTUM_SUMS; k++) {
        let sum = group_sum(thread.local, sums[k]);
        if thread.local == 0u {
            work[sums_at(group, MOMENTUM_SLOT + k)] = sum;
        }
    }
}

// Moves a body as a whole so that inner forces change neither its linear nor its angular momentum.
@compute @workgroup_size(SIZE)
fn restore_momentum(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    var sums: array<vec4<f32>, MOMENTUM_SUMS>;
    sums[1] = body_sum(thread.local, chunk.body, MOMENTUM_SLOT + 1u);
    if sums[1].w != 0.0 || !is_active(chunk.body) {
        return;
    }
    sums[0] = body_sum(thread.local, chunk.body, MOMENTUM_SLOT);
    for (var k = 2u; k < MOMENTUM_SUMS; k++) {
        sums[k] = body_sum(thread.local, chunk.body, MOMENTUM_SLOT + k);
    }
    if thread.local < chunk.count {
        let excess = excess_motion(sums, body_word(chunk.body, 4u) != 0u);
        remove_excess(chunk.first + thread.local, origin_of(chunk.body), excess);
    }
}

@compute @workgroup_size(SIZE)
fn write_rows(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local < chunk.count && is_active(chunk.body) {
        write_row(chunk.first + thread.local);
    }
}
