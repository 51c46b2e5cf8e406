// Radix sort, least significant digit first: a pass moves every pair to its rank among those with smaller digits, with
// the same one in previous blocks, and in its own block. Stable, with the same order on every device.
//
// The module has EACH, the keys per thread, and `places`: sort_rows.wgsl or sort_single_group.wgsl.

const THREADS: u32 = 128u;
// Threads ranked at once, one bit each of a word.
const RANK_GROUP: u32 = 32u;
const RANK_GROUPS: u32 = THREADS / RANK_GROUP;
const BLOCK: u32 = THREADS * EACH;

struct SortUniforms {
    // Number of pairs.
    count: u32,
    // The digit: right shift, and the mask `last`.
    shift: u32,
    last: u32,
    blocks: u32,
}

@group(0) @binding(0) var<uniform> args: SortUniforms;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(6) var<storage, read_write> sorted_values: array<u32>;

// Per rank group and digit: the count; then the destination of the next key.
var<workgroup> next: array<atomic<u32>, RANK_GROUPS * DIGITS>;
// Per rank group and digit: mask of the threads that have it. Double-buffered.
var<workgroup> having: array<atomic<u32>, 2u * RANK_GROUPS * DIGITS>;

fn digit(key: u32) -> u32 {
    return key >> args.shift & args.last;
}

// Digit counts of a block, in the first row of `next`. Contains barriers: all threads must call it.
fn count_digits(block: u32, t: u32) {
    for (var d = t; d < DIGITS; d += THREADS) {
        atomicStore(&next[d], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < EACH; k++) {
        let at = block * BLOCK + k * THREADS + t;
        if at < args.count {
            atomicAdd(&next[digit(keys[at])], 1u);
        }
    }
    workgroupBarrier();
}

// Scatters the keys of a block, with their values.
@compute @workgroup_size(128)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    if block >= args.blocks {
        return;
    }
    let rank_group = t / RANK_GROUP;
    let lane = t % RANK_GROUP;
    for (var k = t; k < RANK_GROUPS * DIGITS; k += THREADS) {
        atomicStore(&next[k], 0u);
    }
    workgroupBarrier();
    // A rank group has EACH rounds of consecutive keys: their order is rank group, round, lane.
    let first = block * BLOCK + rank_group * RANK_GROUP * EACH + lane;
    // Loads all keys at once: loading one per round would add its latency before every barrier.
    var held: array<vec2<u32>, EACH>;
    for (var k = 0u; k < EACH; k++) {
        let at = first + k * RANK_GROUP;
        if at < args.count {
            held[k] = vec2<u32>(keys[at], values[at]);
        }
    }
    for (var k = 0u; k < EACH; k++) {
        if first + k * RANK_GROUP < args.count {
            atomicAdd(&next[rank_group * DIGITS + digit(held[k].x)], 1u);
        }
    }
    // Every thread handles two consecutive digits.
    let begin = places(block, t);
    let d = 2u * t;
    for (var k = 0u; k < 2u; k++) {
        var to = begin[k];
        for (var c = 0u; c < RANK_GROUPS; c++) {
            let count = atomicLoad(&next[c * DIGITS + d + k]);
            atomicStore(&next[c * DIGITS + d + k], to);
            to += count;
        }
    }
    for (var k = t; k < 2u * RANK_GROUPS * DIGITS; k += THREADS) {
        atomicStore(&having[k], 0u);
    }
    workgroupBarrier();
    var side = 0u;
    for (var k = 0u; k < EACH; k++) {
        let live = first + k * RANK_GROUP < args.count;
        let key = held[k].x;
        let value = held[k].y;
        var mine = 0u;
        if live {
            mine = rank_group * DIGITS + digit(key);
            atomicOr(&having[side + mine], 1u << lane);
        }
        workgroupBarrier();
        var alike = 0u;
        var earlier = 0u;
        var to = 0u;
        if live {
            alike = atomicLoad(&having[side + mine]);
            earlier = alike & ((1u << lane) - 1u);
            to = atomicLoad(&next[mine]) + countOneBits(earlier);
        }
        workgroupBarrier();
        if live {
            // The first thread of each digit advances for all of them, and clears the word for the round after the
            // next.
            if earlier == 0u {
                atomicStore(&next[mine], atomicLoad(&next[mine]) + countOneBits(alike));
                atomicStore(&having[side + mine], 0u);
            }
            sorted_keys[to] = key;
            sorted_values[to] = value;
        }
        side = RANK_GROUPS * DIGITS - side;
    }
}
