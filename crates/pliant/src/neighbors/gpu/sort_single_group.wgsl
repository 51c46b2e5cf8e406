// With few blocks, each sums the counts of all others itself: two dispatches per pass.

// Counts of a block: a vector for eight digits, two per word. A block has fewer keys than half a word counts.
const VECTORS: u32 = DIGITS / 8u;
// Blocks that a thread loads at once, to overlap latency.
const LOADS: u32 = 4u;

// By block; written by `tally`, read by `scatter`.
@group(0) @binding(3) var<storage, read_write> table: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> counts: array<vec4<u32>>;

@compute @workgroup_size(128)
fn tally(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    count_digits(group.x, t);
    if t < VECTORS {
        var all = vec4<u32>(0u);
        for (var k = 0u; k < 4u; k++) {
            let d = 8u * t + 2u * k;
            all[k] = atomicLoad(&next[d]) | atomicLoad(&next[d + 1u]) << 16u;
        }
        table[group.x * VECTORS + t] = all;
    }
}

// Destination of the first key of a block with digit 2·t, and 2·t + 1.
fn places(block: u32, t: u32) -> vec2<u32> {
    let rank_group = t / RANK_GROUP;
    let lane = t % RANK_GROUP;
    // Even and odd digits of 8·lane to 8·lane + 7: in blocks before, and in all. Rank groups alternate over blocks.
    var before_even = vec4<u32>(0u);
    var before_odd = vec4<u32>(0u);
    var even = vec4<u32>(0u);
    var odd = vec4<u32>(0u);
    for (var first = rank_group; first < args.blocks; first += LOADS * RANK_GROUPS) {
        var loaded: array<vec4<u32>, LOADS>;
        for (var k = 0u; k < LOADS; k++) {
            loaded[k] = counts[min(first + k * RANK_GROUPS, args.blocks - 1u) * VECTORS + lane];
        }
        for (var k = 0u; k < LOADS; k++) {
            let b = first + k * RANK_GROUPS;
            let there = select(0u, 1u, b < args.blocks);
            let earlier = select(0u, 1u, b < block);
            let low = loaded[k] & vec4<u32>(0xffffu);
            let high = loaded[k] >> vec4<u32>(16u);
            even += low * there;
            odd += high * there;
            before_even += low * earlier;
            before_odd += high * earlier;
        }
    }
    // `having` is not in use yet: holds the partial sums of each rank group.
    for (var k = 0u; k < 4u; k++) {
        let at = rank_group * DIGITS + 8u * lane + 2u * k;
        atomicStore(&having[at], before_even[k]);
        atomicStore(&having[at + 1u], before_odd[k]);
        atomicStore(&having[RANK_GROUPS * DIGITS + at], even[k]);
        atomicStore(&having[RANK_GROUPS * DIGITS + at + 1u], odd[k]);
    }
    workgroupBarrier();
    var before = vec2<u32>(0u);
    var all = vec2<u32>(0u);
    for (var c = 0u; c < RANK_GROUPS; c++) {
        let at = c * DIGITS + 2u * t;
        before += vec2<u32>(atomicLoad(&having[at]), atomicLoad(&having[at + 1u]));
        let whole = RANK_GROUPS * DIGITS + at;
        all += vec2<u32>(atomicLoad(&having[whole]), atomicLoad(&having[whole + 1u]));
    }
    let below = inclusive(t, all.x + all.y) - all.x - all.y;
    return vec2<u32>(below, below + all.x) + before;
}
