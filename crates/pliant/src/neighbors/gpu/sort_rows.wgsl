// Digit counts by block, summed in separate dispatches: for any number of blocks, three dispatches per pass.

// Counts per thread when scanning a row.
const COUNTS: u32 = 16u;

// By digit: count of each block; after `rows`, count of the blocks before.
@group(0) @binding(3) var<storage, read_write> table: array<u32>;
// Total count of each digit.
@group(0) @binding(4) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(128)
fn tally(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    count_digits(block, t);
    if block < args.blocks {
        for (var d = t; d < DIGITS; d += THREADS) {
            table[d * args.blocks + block] = atomicLoad(&next[d]);
        }
    }
}

// One workgroup per digit: scans its row of the table.
@compute @workgroup_size(128)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let row = group.x * args.blocks;
    var before = 0u;
    for (var first = 0u; first < args.blocks; first += THREADS * COUNTS) {
        let own = first + t * COUNTS;
        var sum = 0u;
        for (var k = 0u; k < COUNTS; k++) {
            if own + k < args.blocks {
                sum += table[row + own + k];
            }
        }
        let up_to = inclusive(t, sum);
        if t == THREADS - 1u {
            carried = up_to;
        }
        var at = before + up_to - sum;
        for (var k = 0u; k < COUNTS; k++) {
            if own + k < args.blocks {
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

// Destination of the first key of a block with digit 2·t, and 2·t + 1.
fn places(block: u32, t: u32) -> vec2<u32> {
    let d = 2u * t;
    let counts = vec2<u32>(totals[d], totals[d + 1u]);
    let below = inclusive(t, counts.x + counts.y) - counts.x - counts.y;
    let before = vec2<u32>(table[d * args.blocks + block], table[(d + 1u) * args.blocks + block]);
    return vec2<u32>(below, below + counts.x) + before;
}
