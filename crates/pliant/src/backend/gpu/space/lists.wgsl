// Neighbor lists from one search per particle: numbers are kept in order as they are found; then the workgroup
// reserves room for all of its lists. Who has found more than fit searches again, straight into its place.
//
// The module has `search(slot)`, which calls `found` for every particle to be listed.

const THREADS: u32 = 64u;
// Numbers that a thread keeps.
const KEEP: u32 = 32u;

struct Header {
    // Entries of all lists: low word, high word.
    wanted: atomic<u32>,
    wanted_high: atomic<u32>,
    capacity: u32,
    // 1 if they do not fit: then lists mean nothing, but stay within bounds.
    overflow: atomic<u32>,
    used: u32,
    places: u32,
    most: u32,
    missed: u32,
}

@group(0) @binding(1) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> tags: array<vec2<u32>>;
// By particle: first entry, number of entries.
@group(0) @binding(3) var<storage, read_write> ranges: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> indices: array<u32>;
@group(0) @binding(5) var<storage, read_write> header: Header;

var<private> kept: array<u32, KEEP>;
var<private> count: u32;
// Where to write, and how many: none at first.
var<private> room_at: u32;
var<private> room: u32;

var<workgroup> group_at: u32;
var<workgroup> group_high: atomic<u32>;

fn found(number: u32) {
    if room > 0u {
        if count < room {
            indices[room_at + count] = number;
        }
    } else if count < KEEP {
        var at = count;
        while at > 0u {
            let before = kept[at - 1u];
            if before < number {
                break;
            }
            kept[at] = before;
            at -= 1u;
        }
        kept[at] = number;
    }
    count += 1u;
}

// Sorts the entries of a long list where they are (heapsort: in place, and no list takes longer than it must).
fn ascend(first: u32, length: u32) {
    for (var k = length / 2u; k > 0u; k--) {
        sift(first, k - 1u, length);
    }
    for (var end = length; end > 1u; end--) {
        let largest = indices[first];
        indices[first] = indices[first + end - 1u];
        indices[first + end - 1u] = largest;
        sift(first, 0u, end - 1u);
    }
}

fn sift(first: u32, start: u32, end: u32) {
    let value = indices[first + start];
    var at = start;
    loop {
        var child = 2u * at + 1u;
        if child >= end {
            break;
        }
        var larger = indices[first + child];
        if child + 1u < end {
            let other = indices[first + child + 1u];
            if other > larger {
                larger = other;
                child += 1u;
            }
        }
        if larger <= value {
            break;
        }
        indices[first + at] = larger;
        at = child;
    }
    indices[first + at] = value;
}

@compute @workgroup_size(64)
fn list(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let slot = flat(group, groups) * THREADS + t;
    if t == 0u {
        atomicStore(&group_high, 0u);
    }
    count = 0u;
    room = 0u;
    if slot < ask.particles {
        search(slot);
    }
    let length = count;
    let up_to = inclusive(t, length);
    // 64 lists may have more than 2³² entries: those of 65,536 and more are counted by the 65,536 as well.
    if length > 0xffffu {
        atomicAdd(&group_high, length >> 16u);
    }
    workgroupBarrier();
    if t == THREADS - 1u {
        let high = atomicLoad(&group_high);
        // Fewer than 64 · 65,536, so that it is what modulo 2³² leaves.
        let low = up_to - (high << 16u);
        let over = (high + (low >> 16u)) >> 16u;
        let at = atomicAdd(&header.wanted, up_to);
        let carry = over + select(0u, 1u, at + up_to < at);
        if carry > 0u {
            atomicAdd(&header.wanted_high, carry);
        }
        let fits = carry == 0u && at + up_to <= ask.capacity;
        if !fits {
            atomicStore(&header.overflow, 1u);
        }
        group_at = select(0xffffffffu, at, fits);
    }
    workgroupBarrier();
    if slot >= ask.particles {
        return;
    }
    let i = tags[slot].x;
    if group_at == 0xffffffffu {
        ranges[i] = vec2<u32>(0u, 0u);
        return;
    }
    let at = group_at + up_to - length;
    ranges[i] = vec2<u32>(at, length);
    if length <= KEEP {
        for (var k = 0u; k < length; k++) {
            indices[at + k] = kept[k];
        }
    } else {
        room_at = at;
        room = length;
        count = 0u;
        search(slot);
        ascend(at, length);
    }
}
