// Lists that one thread did not complete, each by a whole workgroup: some only need a sort, others a search.

const THREADS: u32 = 256u;

@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> radii: array<f32>;
@group(0) @binding(6) var<storage, read> phases: array<u32>;
@group(0) @binding(7) var<storage, read> cells: Cells;
@group(0) @binding(8) var<storage, read> queue: array<u32>;

var<workgroup> next_shared: vec4<u32>;
var<workgroup> numbers: array<u32, LONG>;

@compute @workgroup_size(256)
fn finish(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    if t == 0u {
        next_shared.x = min(atomicLoad(&header.queued), query.particles);
    }
    let queued = workgroupUniformLoad(&next_shared).x;
    for (var q = group.x; q < queued; q += groups.x) {
        if t == 0u {
            let i = queue[q] & ~NEEDS_SEARCH;
            next_shared = vec4<u32>(i, queue[q] & NEEDS_SEARCH, ranges[i]);
        }
        let next = workgroupUniformLoad(&next_shared);
        if next.y == 0u {
            sort_list(t, next.z, next.w);
        } else {
            search_all(t, next.x);
        }
    }
}

fn fetch(i: u32) -> vec4<f32> {
    return vec4<f32>(rows[query.rows_at + i].xyz, radii[query.radii_at + i]);
}

fn label(i: u32) -> vec2<u32> {
    var phase = 0u;
    if query.phased == 1u {
        phase = phases[query.phases_at + i];
    }
    return vec2<u32>(i, phase);
}

// Whether particle `i`, with the given data, lists another.
fn is_neighbor(own: vec4<f32>, tag: vec2<u32>, other: u32) -> bool {
    if query.environments > 1u && cells.environments[tag.x] != cells.environments[other] {
        return false;
    }
    return near(own, fetch(other)) && lists(tag, label(other));
}

// Tests all particles by index, a range per thread: the result is sorted. A particle with thousands of neighbors is
// compared with all particles, which balances the threads.
fn search_all(t: u32, i: u32) {
    let own = fetch(i);
    let tag = label(i);
    let each = (query.particles + THREADS - 1u) / THREADS;
    let first = min(t * each, query.particles);
    let end = min(first + each, query.particles);
    var count = 0u;
    for (var j = first; j < end; j++) {
        if is_neighbor(own, tag, j) {
            count += 1u;
        }
    }
    let up_to = inclusive(t, count);
    if t == THREADS - 1u {
        let at = reserve(up_to);
        next_shared.x = at;
        ranges[i] = select(vec2<u32>(at, up_to), vec2<u32>(0u), at == NO_SPACE);
    }
    let at = workgroupUniformLoad(&next_shared).x;
    if at != NO_SPACE {
        var to = at + up_to - count;
        for (var j = first; j < end; j++) {
            if is_neighbor(own, tag, j) {
                indices[to] = j;
                to += 1u;
            }
        }
    }
}

// Sorts a list of at most LONG entries (Batcher's bitonic sort).
fn sort_list(t: u32, first: u32, length: u32) {
    // The next power of two; `length` is more than one.
    let size = 2u << (31u - countLeadingZeros(length - 1u));
    for (var k = t; k < size; k += THREADS) {
        // Padding is greater than any index.
        numbers[k] = 0xffffffffu;
        if k < length {
            numbers[k] = indices[first + k];
        }
    }
    for (var run = 2u; run <= size; run *= 2u) {
        for (var apart = run / 2u; apart > 0u; apart /= 2u) {
            workgroupBarrier();
            for (var k = t; k < size / 2u; k += THREADS) {
                // Pairs at distance `apart`, each once.
                let low = 2u * k - k % apart;
                let high = low + apart;
                let up = (low & run) == 0u;
                let a = numbers[low];
                let b = numbers[high];
                if (a > b) == up {
                    numbers[low] = b;
                    numbers[high] = a;
                }
            }
        }
    }
    workgroupBarrier();
    for (var k = t; k < length; k += THREADS) {
        indices[first + k] = numbers[k];
    }
    workgroupBarrier();
}
