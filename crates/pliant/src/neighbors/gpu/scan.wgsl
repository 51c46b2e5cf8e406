// Exclusive prefix sums: block sums, scan of those, and back (reduce, then scan). No workgroup waits for another,
// because concurrent execution is not guaranteed.

const THREADS: u32 = 256u;
const EACH: u32 = 8u;
const BLOCK: u32 = THREADS * EACH;

struct ScanUniforms {
    // Number of elements in `data`.
    count: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> args: ScanUniforms;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

// Sum of this thread's elements.
fn own_sum(first: u32) -> u32 {
    var sum = 0u;
    for (var k = 0u; k < EACH; k++) {
        if first + k < args.count {
            sum += data[first + k];
        }
    }
    return sum;
}

// Replaces each element by the sum of everything before it.
fn spread(first: u32, before: u32) {
    var sum = before;
    for (var k = 0u; k < EACH; k++) {
        if first + k < args.count {
            let value = data[first + k];
            data[first + k] = sum;
            sum += value;
        }
    }
}

// sums[b] becomes the sum of block b.
@compute @workgroup_size(256)
fn reduce(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    let sum = inclusive(t, own_sum(block * BLOCK + t * EACH));
    if t == THREADS - 1u && block * BLOCK < args.count {
        sums[block] = sum;
    }
}

// Scans every block, with the offset from `sums`.
@compute @workgroup_size(256)
fn scan(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let block = flat(group, groups);
    let first = block * BLOCK + t * EACH;
    let own = own_sum(first);
    let before = inclusive(t, own) - own;
    if first < args.count {
        spread(first, sums[block] + before);
    }
}

// Scans a single block.
@compute @workgroup_size(256)
fn scan_one(@builtin(local_invocation_index) t: u32) {
    let own = own_sum(t * EACH);
    spread(t * EACH, inclusive(t, own) - own);
}
