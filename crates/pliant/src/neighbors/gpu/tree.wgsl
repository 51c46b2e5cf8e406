// Linear bounding volume hierarchy: Morton codes, and the radix tree over them after the sort (S31).

@group(0) @binding(1) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> codes: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> values: array<u32>;
@group(0) @binding(5) var<storage, read> cells: Cells;
@group(0) @binding(6) var<storage, read> slots: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> tags: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read> boxes: array<vec4<u32>>;
@group(0) @binding(9) var<storage, read_write> forks: array<vec4<u32>>;

// Inserts two zeros before each of ten bits.
fn spread(v: u32) -> u32 {
    var w = v & 0x3ffu;
    w = (w | w << 16u) & 0x030000ffu;
    w = (w | w << 8u) & 0x0300f00fu;
    w = (w | w << 4u) & 0x030c30c3u;
    return (w | w << 2u) & 0x09249249u;
}

fn interleave(v: vec3<u32>) -> u32 {
    return spread(v.x) | spread(v.y) << 1u | spread(v.z) << 2u;
}

// Morton code of 63 bits, low word first: pliant::neighbors::Quantizer. Positions that are not finite get an arbitrary
// code.
fn code(v: vec3<f32>) -> vec2<u32> {
    let scaled = (v - cells.low) * cells.scale;
    let above = select(vec3<f32>(0.0), scaled, scaled > vec3<f32>(0.0));
    let q = vec3<u32>(select(vec3<f32>(TOP_COORDINATE), above, above < vec3<f32>(TOP_COORDINATE)));
    // Ten bits of each axis, ten more, and the last.
    let middle = interleave(q >> vec3<u32>(10u));
    let high = interleave(q >> vec3<u32>(20u));
    return vec2<u32>(interleave(q) | middle << 30u, middle >> 2u | high << 28u);
}

// Codes of all particles, and keys for the first sort: the low words.
@compute @workgroup_size(256)
fn encode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let i = flat(group, groups) * 256u + t;
    if i < query.particles {
        let both = code(rows[query.rows_at + i].xyz);
        codes[i] = both;
        keys[i] = both.x;
        values[i] = i;
    }
}

// Keys for the second sort, which is stable: the high words.
@compute @workgroup_size(256)
fn high_keys(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let slot = flat(group, groups) * 256u + t;
    if slot < query.particles {
        keys[slot] = codes[values[slot]].y;
    }
}

// Length of the common prefix of the codes of two slots, −1 outside the array (E28). Equal codes continue with the bits
// of their slots.
fn prefix(i: i32, j: i32) -> i32 {
    if j < 0 || j >= i32(query.particles) {
        return -1;
    }
    let high = keys[i] ^ keys[j];
    if high != 0u {
        return i32(countLeadingZeros(high));
    }
    let low = codes[values[i]].x ^ codes[values[j]].x;
    if low != 0u {
        return 32 + i32(countLeadingZeros(low));
    }
    return 64 + i32(countLeadingZeros(u32(i) ^ u32(j)));
}

// First and last slot below inner node `i` (D4 Alg 5.1, lines 2–15, with E28).
fn range(i: i32) -> vec2<i32> {
    let d = select(-1, 1, prefix(i, i + 1) > prefix(i, i - 1));
    let least = prefix(i, i - d);
    var most = 2;
    while prefix(i, i + most * d) > least {
        most *= 2;
    }
    var length = 0;
    for (var t = most / 2; t > 0; t /= 2) {
        if prefix(i, i + (length + t) * d) > least {
            length += t;
        }
    }
    let j = i + length * d;
    return vec2<i32>(min(i, j), max(i, j));
}

// Last slot of the left child of a node that covers `first..=last` (D4 Alg 5.1, lines 17–23).
fn split(first: i32, last: i32) -> i32 {
    let least = prefix(first, last);
    var at = first;
    var step = last - first;
    while step > 1 {
        step = (step + 1) / 2;
        if at + step < last && prefix(first, at + step) > least {
            at += step;
        }
    }
    return at;
}

// Box and common phase of a run of slots: whole nodes of the pyramid, at most two per level.
fn cover(first: u32, last: u32) -> Box {
    var all = empty();
    var l = first;
    var r = last + 1u;
    var level = 0u;
    while l < r {
        if (l & 1u) == 1u {
            all = around(all, node(level, l));
            l += 1u;
        }
        if (r & 1u) == 1u {
            r -= 1u;
            all = around(all, node(level, r));
        }
        l /= 2u;
        r /= 2u;
        level += 1u;
    }
    return all;
}

fn node(level: u32, number: u32) -> Box {
    if level == 0u {
        return particle(slots[number], tags[number].y);
    }
    let at = 2u * (level_at(level) + number);
    return unpack(boxes[at], boxes[at + 1u]);
}

// Inner nodes of the radix tree, each independently. A left child has the index of its last slot, a right one of its
// first. Nodes with few slots are leaves and not split further; their own fork stays unused.
@compute @workgroup_size(64)
fn build_nodes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    let number = flat(group, groups) * 64u + t;
    if number + 1u >= query.particles {
        return;
    }
    let slots_below = range(i32(number));
    let first = u32(slots_below.x);
    let last = u32(slots_below.y);
    if last - first < MOST_IN_LEAF {
        return;
    }
    let middle = u32(split(slots_below.x, slots_below.y));
    attach(4u * number, first, middle, middle);
    attach(4u * number + 2u, middle + 1u, last, middle + 1u);
}

fn attach(at: u32, first: u32, last: u32, fork: u32) {
    let box = cover(first, last);
    let word = select(fork, bunch(first, last), last - first < MOST_IN_LEAF);
    forks[at] = vec4<u32>(bitcast<vec3<u32>>(box.low), word);
    forks[at + 1u] = vec4<u32>(bitcast<vec3<u32>>(box.high), box.phase);
}
