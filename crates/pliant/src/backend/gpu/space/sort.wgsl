// Radix sort, least digit first: a pass counts the digits of every block, sums the counts up, and sends every pair to
// its place. Equal digits keep their order: it is stable, and the same on every device.
//
// The module has EACH, the keys of a thread, one after the other.

const THREADS: u32 = 128u;
// Threads whose keys are ranked at once, one bit each of a word.
const CREW: u32 = 32u;
const CREWS: u32 = THREADS / CREW;
const BLOCK: u32 = THREADS * EACH;
const DIGITS: u32 = 256u;
// Counts of a thread that sums up a row.
const COUNTS: u32 = 16u;

struct Job {
    // Pairs.
    count: u32,
    // The digit: so many bits up, and all that are in `last`.
    shift: u32,
    last: u32,
    blocks: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<u32>;
// Digit by digit: how often each block has it; after `rows`, how often the blocks before have.
@group(0) @binding(3) var<storage, read_write> table: array<u32>;
// How often all blocks have each digit.
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(6) var<storage, read_write> sorted_values: array<u32>;

// For each crew and digit: how often; then where the next key goes.
var<workgroup> next: array<atomic<u32>, CREWS * DIGITS>;
// For each crew and digit: which of its threads have it. Two of them, used by turns.
var<workgroup> having: array<atomic<u32>, 2u * CREWS * DIGITS>;

fn digit(key: u32) -> u32 {
    return key >> job.shift & job.last;
}

@compute @workgroup_size(128)
fn tally(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    for (var d = t; d < DIGITS; d += THREADS) {
        atomicStore(&next[d], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < EACH; k++) {
        let at = block * BLOCK + k * THREADS + t;
        if at < job.count {
            atomicAdd(&next[digit(keys[at])], 1u);
        }
    }
    workgroupBarrier();
    if block < job.blocks {
        for (var d = t; d < DIGITS; d += THREADS) {
            table[d * job.blocks + block] = atomicLoad(&next[d]);
        }
    }
}

// One workgroup for each digit: scans its row of the table.
@compute @workgroup_size(128)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.x * job.blocks;
    var before = 0u;
    for (var first = 0u; first < job.blocks; first += THREADS * COUNTS) {
        let own = first + t * COUNTS;
        var sum = 0u;
        for (var k = 0u; k < COUNTS; k++) {
            if own + k < job.blocks {
                sum += table[row + own + k];
            }
        }
        let up_to = inclusive(t, sum);
        if t == THREADS - 1u {
            carried = up_to;
        }
        var at = before + up_to - sum;
        for (var k = 0u; k < COUNTS; k++) {
            if own + k < job.blocks {
                let count = table[row + own + k];
                table[row + own + k] = at;
                at += count;
            }
        }
        workgroupBarrier();
        before += carried;
        workgroupBarrier();
    }
    if t == 0u {
        totals[group.x] = before;
    }
}

var<workgroup> carried: u32;

@compute @workgroup_size(128)
fn scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    if block >= job.blocks {
        return;
    }
    let crew = t / CREW;
    let lane = t % CREW;
    for (var k = t; k < CREWS * DIGITS; k += THREADS) {
        atomicStore(&next[k], 0u);
        atomicStore(&having[k], 0u);
        atomicStore(&having[CREWS * DIGITS + k], 0u);
    }
    workgroupBarrier();
    // A crew has EACH rounds of keys that follow each other: their order is crew, round, lane.
    let first = block * BLOCK + crew * CREW * EACH + lane;
    for (var k = 0u; k < EACH; k++) {
        let at = first + k * CREW;
        if at < job.count {
            atomicAdd(&next[crew * DIGITS + digit(keys[at])], 1u);
        }
    }
    // Every thread looks after two digits that follow each other.
    let d = 2u * t;
    let counts = vec2<u32>(totals[d], totals[d + 1u]);
    let below = inclusive(t, counts.x + counts.y) - counts.x - counts.y;
    for (var k = 0u; k < 2u; k++) {
        var to = below + select(0u, counts.x, k == 1u) + table[(d + k) * job.blocks + block];
        for (var c = 0u; c < CREWS; c++) {
            let count = atomicLoad(&next[c * DIGITS + d + k]);
            atomicStore(&next[c * DIGITS + d + k], to);
            to += count;
        }
    }
    workgroupBarrier();
    var side = 0u;
    // Fetched a round ahead: barriers would make everybody wait for them.
    var coming = vec2<u32>(0u);
    if first < job.count {
        coming = vec2<u32>(keys[first], values[first]);
    }
    for (var k = 0u; k < EACH; k++) {
        let at = first + k * CREW;
        let live = at < job.count;
        let key = coming.x;
        let value = coming.y;
        if k + 1u < EACH && at + CREW < job.count {
            coming = vec2<u32>(keys[at + CREW], values[at + CREW]);
        }
        var mine = 0u;
        if live {
            mine = crew * DIGITS + digit(key);
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
            // The first of those alike moves on for all of them, and leaves the word clean for the round after the next.
            if earlier == 0u {
                atomicStore(&next[mine], atomicLoad(&next[mine]) + countOneBits(alike));
                atomicStore(&having[side + mine], 0u);
            }
            sorted_keys[to] = key;
            sorted_values[to] = value;
        }
        side = CREWS * DIGITS - side;
    }
}
