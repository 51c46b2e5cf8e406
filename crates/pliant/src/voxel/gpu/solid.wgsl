// Voxelization (S27; D4 4.26-4.35 with E24): WGSL version of `voxel::solid`, whose module comment shows that the
// numbers fit. Triangles flip bits in any order, since XOR is commutative.

// Columns of a triangle's box that a single thread processes.
const SMALL: u32 = 64u;

var<workgroup> corners: array<vec3<i32>, 192>;
var<workgroup> large: array<u32, 64>;
var<workgroup> sums: array<u32, THREADS>;
var<workgroup> inside: atomic<u32>;

// Clears all voxels and the status.
@compute @workgroup_size(THREADS)
fn wipe(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let at = number_of(group, groups) * THREADS + lane;
    if at < STATUS + args.row_words * args.dims.y * args.dims.z {
        atomicStore(&words[at], select(0u, 0xffffffffu, at == 0u));
    }
}

// A corner in projection order: two axes of the plane, then that of the columns.
fn corner(vertex: u32) -> vec3<i32> {
    let at = args.positions_at + 3u * vertex;
    return vec3<i32>(bitcast<i32>(mesh[at + args.axes.x]), bitcast<i32>(mesh[at + args.axes.y]),
        bitcast<i32>(mesh[at + args.axes.z]));
}

fn center(voxel: i32) -> i32 {
    return (voxel << args.fraction_bits) + (1 << (args.fraction_bits - 1u));
}

// First and last voxel whose center is within the box of the projected triangle, along both axes.
fn box_of(a: vec3<i32>, b: vec3<i32>, c: vec3<i32>) -> vec4<i32> {
    let one = 1 << args.fraction_bits;
    let half = one >> 1u;
    let low = min(a.xy, min(b.xy, c.xy)) - half + one - 1;
    let high = max(a.xy, max(b.xy, c.xy)) - half;
    let bits = vec2<u32>(args.fraction_bits);
    let last = vec2<i32>(i32(args.dims[args.axes.x]), i32(args.dims[args.axes.y])) - 1;
    return vec4<i32>(max(low >> bits, vec2<i32>(0)), min(high >> bits, last));
}

fn columns_of(span: vec4<i32>) -> u32 {
    let size = span.zw - span.xy + 1;
    return select(0u, u32(size.x) * u32(size.y), all(size > vec2<i32>(0)));
}

// Positions on an edge are inside if its function increases along the first axis on which it changes.
fn tie_of(side: vec2<i32>) -> i32 {
    return select(0, 1, side.x > 0 || (side.x == 0 && side.y > 0));
}

// The edge function of a side of a projected triangle, positive to the left (D4 4.27), plus one where ties are inside.
fn side_at(start: vec3<i32>, end: vec3<i32>, at: vec2<i32>) -> i32 {
    let slope = vec2<i32>(start.y - end.y, end.x - start.x);
    return slope.x * (at.x - start.x) + slope.y * (at.y - start.y) + tie_of(slope);
}

// Whether a center on the plane counts as behind it: the sign of the normal's first nonzero component in the order
// x, y, z. The component along the columns is positive.
fn tie_is_behind(normal: vec3<i32>) -> bool {
    switch args.axes.z {
        case 0u: { return true; }
        case 1u: { return normal.x >= 0; }
        default: { return normal.x > 0 || (normal.x == 0 && normal.y >= 0); }
    }
}

// Index of the first voxel of a column whose center is behind the plane (D4 4.32, but exact).
//
// The distance to the first center is a sum of products of 31 and 16 bits, stored as high * 2^15 + low: over the
// triangle it is within 2^45, so the high half fits, even if intermediate values wrap around.
fn first_behind(normal: vec3<i32>, through: vec3<i32>, at: vec2<i32>) -> u32 {
    let bits = args.fraction_bits;
    let way = through - vec3<i32>(at, 1 << (bits - 1u));
    var high = 0;
    var low = select(1, 0, tie_is_behind(normal));
    for (var k = 0; k < 3; k++) {
        let part = (normal[k] & 0x7fff) * way[k];
        high += (normal[k] >> 15u) * way[k] + (part >> 15u);
        low += part & 0x7fff;
    }
    high += low >> 15u;
    low &= 0x7fff;
    if high < 0 || (high == 0 && low == 0) {
        return 0u;
    }
    // Dividing by normal.z << bits equals dividing this by normal.z, rounded up.
    let tail = (low + (1 << bits) - 1) >> bits;
    let needed = (high << (15u - bits)) + tail;
    let about = f32(high) * f32(1 << (15u - bits)) + f32(tail);
    // At most 1024 with an error far below 1: the remainder is within 2^31, even if the product wraps.
    var steps = i32(about / f32(normal.z));
    var left = needed - steps * normal.z;
    while left > 0 {
        steps++;
        left -= normal.z;
    }
    while left <= -normal.z {
        steps--;
        left += normal.z;
    }
    return u32(steps);
}

// Flips the first voxel behind the triangle in some columns of its box: number `first`, then every `step`-th.
fn cast_columns(a: vec3<i32>, b_given: vec3<i32>, c_given: vec3<i32>, first: u32, step: u32) {
    var b = b_given;
    var c = c_given;
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    // E24: edge-on.
    if area == 0 {
        return;
    }
    if area < 0 {
        b = c_given;
        c = b_given;
    }
    let p = b - a;
    let q = c - a;
    let normal = vec3<i32>(p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, abs(area));
    let span = box_of(a, b, c);
    let count = columns_of(span);
    let width = u32(span.z - span.x + 1);
    for (var k = first; k < count; k += step) {
        let i = span.x + i32(k % width);
        let j = span.y + i32(k / width);
        let at = vec2<i32>(center(i), center(j));
        if side_at(a, b, at) > 0 && side_at(b, c, at) > 0 && side_at(c, a, at) > 0 {
            let depth = first_behind(normal, a, at);
            if depth < args.dims[args.axes.z] {
                flip(u32(i), u32(j), depth);
            }
        }
    }
}

fn flip(i: u32, j: u32, depth: u32) {
    var at: vec3<u32>;
    at[args.axes.x] = i;
    at[args.axes.y] = j;
    at[args.axes.z] = depth;
    let word = (at.z * args.dims.y + at.y) * args.row_words + (at.x >> 5u);
    atomicXor(&words[STATUS + word], 1u << (at.x & 31u));
}

// A thread per triangle; large ones are processed by all threads of the workgroup, in several slices (z).
@compute @workgroup_size(CAST)
fn triangles(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
             @builtin(local_invocation_index) lane: u32) {
    let number = number_of(group, groups) * CAST + lane;
    var columns = 0u;
    if number < args.triangle_count {
        let at = args.triangles_at + 3u * number;
        let a = corner(mesh[at]);
        let b = corner(mesh[at + 1u]);
        let c = corner(mesh[at + 2u]);
        columns = columns_of(box_of(a, b, c));
        if columns > SMALL {
            corners[3u * lane] = a;
            corners[3u * lane + 1u] = b;
            corners[3u * lane + 2u] = c;
        } else if columns > 0u && group.z == 0u {
            cast_columns(a, b, c, 0u, 1u);
        }
    }
    large[lane] = select(0u, 1u, columns > SMALL);
    workgroupBarrier();
    for (var t = 0u; t < CAST; t++) {
        if large[t] == 1u {
            let first = group.z * CAST + lane;
            cast_columns(corners[3u * t], corners[3u * t + 1u], corners[3u * t + 2u], first, groups.z * CAST);
        }
    }
}

fn leaks(at: vec3<u32>) {
    atomicMin(&words[0], (at.z * args.dims.y + at.y) * args.dims.x + at.x);
}

// Prefix parity along y or z: 16 adjacent columns of words, each split among
// the available threads. A column that does not end outside leaks; the first such voxel is recorded.
@compute @workgroup_size(THREADS)
fn along_columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
                 @builtin(local_invocation_index) lane: u32) {
    let pieces = THREADS / 16u;
    let column = number_of(group, groups) * 16u + lane % 16u;
    let piece = lane / 16u;
    let row = args.row_words;
    let along_z = args.axes.z == 2u;
    let count = row * select(args.dims.z, args.dims.y, along_z);
    let length = select(args.dims.y, args.dims.z, along_z);
    let stride = select(row, row * args.dims.y, along_z);
    let base = STATUS + select(column / row * row * args.dims.y + column % row, column, along_z);
    let share = (length + pieces - 1u) / pieces;
    let first = min(piece * share, length);
    let last = select(first, min(first + share, length), column < count);
    var sum = 0u;
    for (var k = first; k < last; k++) {
        sum ^= atomicLoad(&words[base + k * stride]);
    }
    sums[lane] = sum;
    if lane == 0u {
        atomicStore(&inside, 0u);
    }
    workgroupBarrier();
    var word = 0u;
    for (var before = 0u; before < piece; before++) {
        word ^= sums[before * 16u + lane % 16u];
    }
    var found = 0u;
    for (var k = first; k < last; k++) {
        word ^= atomicLoad(&words[base + k * stride]);
        atomicStore(&words[base + k * stride], word);
        found += countOneBits(word);
    }
    if last == length && first < last && word != 0u {
        let x = 32u * (column % row) + firstTrailingBit(word);
        leaks(select(vec3<u32>(x, length - 1u, column / row), vec3<u32>(x, column / row, length - 1u), along_z));
    }
    atomicAdd(&inside, found);
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&words[1], atomicLoad(&inside));
    }
}

// The same along x, where a row is a few words: by doubling within words, by the last bit from word to word.
@compute @workgroup_size(THREADS)
fn along_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
              @builtin(local_invocation_index) lane: u32) {
    let line = number_of(group, groups) * THREADS + lane;
    if line >= args.dims.y * args.dims.z {
        return;
    }
    var before = 0u;
    var found = 0u;
    for (var k = 0u; k < args.row_words; k++) {
        var word = atomicLoad(&words[STATUS + line * args.row_words + k]);
        for (var shift = 1u; shift < 32u; shift *= 2u) {
            word ^= word << shift;
        }
        word ^= before;
        before = 0u - (word >> 31u);
        let used = args.dims.x - 32u * k;
        if used < 32u {
            // Parities extend beyond the end of a row that leaks.
            word &= (1u << used) - 1u;
        }
        if used <= 32u && (word >> (used - 1u) & 1u) == 1u {
            leaks(vec3<u32>(args.dims.x - 1u, line % args.dims.y, line / args.dims.y));
        }
        atomicStore(&words[STATUS + line * args.row_words + k], word);
        found += countOneBits(word);
    }
    atomicAdd(&words[1], found);
}
