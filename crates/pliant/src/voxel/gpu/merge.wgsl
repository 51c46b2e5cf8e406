// Merges deep voxels into larger ones, and creates particles (S29; D4 4.36, 4.37, Alg 4.8 with
// E26 and E27): WGSL version of `voxel::merge` and of `Field::gradient`.
//
// Depths are stored without sign, as bits: positive floats sort like their bits, and 0 is no depth.

// Blocks of one level that a workgroup holds, and their gradient voxels.
var<workgroup> depths: array<u32, 64>;
var<workgroup> sources: array<u32, 64>;
var<workgroup> sums: array<u32, THREADS>;

fn index_of(at: vec3<u32>, dims: vec3<u32>) -> u32 {
    return (at.z * dims.y + at.y) * dims.x + at.x;
}

// Depth and gradient voxel of a child of a block; depth 0 if it cannot be merged.
fn child(level: u32, at: vec3<u32>) -> vec2<u32> {
    let dims = level_dims(level);
    // Beyond the grid nothing exists. Branchless: several loads overlap.
    let near = min(at, dims - 1u);
    let index = index_of(near, dims);
    var found: vec2<u32>;
    if level > 0u {
        found = blocks[level_number(level, 5u) + index];
    } else {
        let code = codes[index];
        found = vec2<u32>(select(0u, code & ~INSIDE, (code & INSIDE) != 0u), index);
    }
    return select(vec2<u32>(0u), found, all(at == near));
}

// Adds a child to a block: the minimum depth counts, ties to the first.
fn take(block: vec2<u32>, found: vec2<u32>) -> vec2<u32> {
    return select(block, found, found.x < block.x);
}

// The merged block, given its least deep child.
fn joined(least: vec2<u32>, level: u32) -> vec2<u32> {
    // E27: all eight, and all of them deeper than the threshold. D4 4.37: half a diagonal of a child deeper (E26).
    let step = bitcast<f32>(level_number(level, 7u));
    let depth = bitcast<u32>(bitcast<f32>(least.x) + step);
    return select(vec2<u32>(0u), vec2<u32>(depth, least.y), least.x > args.merge_depth);
}

fn keep(level: u32, at: vec3<u32>, block: vec2<u32>) {
    let dims = level_dims(level);
    if level <= args.levels && all(at < dims) {
        blocks[level_number(level, 5u) + index_of(at, dims)] = block;
    }
}

fn corner_of(k: u32) -> vec3<u32> {
    return vec3<u32>(k & 1u, k >> 1u & 1u, k >> 2u);
}

// Three levels at once: a workgroup owns 8 x 8 x 8 voxels or blocks of the level that it begins with.
@compute @workgroup_size(64)
fn join(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let below = args.level_below;
    let own = vec3<u32>(lane & 3u, lane >> 2u & 3u, lane >> 4u);
    let at = 4u * group + own;
    var least = vec2<u32>(0xffffffffu, 0u);
    for (var k = 0u; k < 8u; k++) {
        least = take(least, child(below, 2u * at + corner_of(k)));
    }
    let first = joined(least, below + 1u);
    keep(below + 1u, at, first);
    depths[lane] = first.x;
    sources[lane] = first.y;
    workgroupBarrier();
    var second = vec2<u32>(0u);
    if lane < 8u {
        let near = 2u * corner_of(lane);
        least = vec2<u32>(0xffffffffu, 0u);
        for (var k = 0u; k < 8u; k++) {
            let from_corner = near + corner_of(k);
            let slot = from_corner.x + 4u * from_corner.y + 16u * from_corner.z;
            least = take(least, vec2<u32>(depths[slot], sources[slot]));
        }
        second = joined(least, below + 2u);
        keep(below + 2u, 2u * group + corner_of(lane), second);
    }
    workgroupBarrier();
    if lane < 8u {
        depths[lane] = second.x;
        sources[lane] = second.y;
    }
    workgroupBarrier();
    if lane == 0u {
        least = vec2<u32>(0xffffffffu, 0u);
        for (var k = 0u; k < 8u; k++) {
            least = take(least, vec2<u32>(depths[k], sources[k]));
        }
        keep(below + 3u, group, joined(least, below + 3u));
    }
}

// A word of any level: its level and its first block.
struct Spot {
    level: u32,
    first: vec3<u32>,
}

fn spot_of(word: u32) -> Spot {
    var level = 0u;
    while level < args.levels && word >= level_number(level + 1u, 4u) {
        level++;
    }
    let local = word - level_number(level, 4u);
    let row = level_number(level, 3u);
    let ny = level_number(level, 1u);
    return Spot(level, vec3<u32>(32u * (local % row), local / row % ny, local / row / ny));
}

fn is_joined(level: u32, dims: vec3<u32>, at: vec3<u32>) -> bool {
    let near = min(at, dims - 1u);
    let depth = blocks[level_number(level, 5u) + index_of(near, dims)].x;
    return all(at == near) && depth != 0u;
}

// Bits of a word that exist and have not been merged into a larger block.
fn left_of(word: u32) -> u32 {
    let spot = spot_of(word);
    var mask = 0u;
    if spot.level == 0u {
        mask = words[STATUS + word];
    } else {
        let dims = level_dims(spot.level);
        for (var k = 0u; k < 32u; k++) {
            let there = is_joined(spot.level, dims, spot.first + vec3<u32>(k, 0u, 0u));
            mask |= select(0u, 1u << k, there);
        }
    }
    if mask != 0u && spot.level < args.levels {
        let dims = level_dims(spot.level + 1u);
        for (var k = 0u; k < 16u; k++) {
            let above = is_joined(spot.level + 1u, dims, spot.first / 2u + vec3<u32>(k, 0u, 0u));
            mask &= ~select(0u, 3u << (2u * k), above);
        }
    }
    return mask;
}

// Inclusive prefix sum over all threads.
fn add_up(lane: u32, value: u32) -> u32 {
    var sum = value;
    sums[lane] = sum;
    for (var reach = 1u; reach < THREADS; reach *= 2u) {
        workgroupBarrier();
        let before = select(0u, sums[max(lane, reach) - reach], lane >= reach);
        workgroupBarrier();
        sum += before;
        sums[lane] = sum;
    }
    workgroupBarrier();
    return sum;
}

// Masks of unmerged blocks, prefix counts within a workgroup's words, and the workgroup's total.
@compute @workgroup_size(THREADS)
fn count(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
         @builtin(local_invocation_index) lane: u32) {
    let number = number_of(group, groups);
    let word = number * THREADS + lane;
    let total = args.level_words;
    var mask = 0u;
    if word < total {
        mask = left_of(word);
        masks[STARTS + word] = mask;
    }
    let found = countOneBits(mask);
    let sum = add_up(lane, found);
    if word < total {
        masks[STARTS + total + word] = sum - found;
    }
    if lane == THREADS - 1u && number < args.count_groups {
        masks[STARTS + 2u * total + number] = sum;
    }
}

// Prefix counts over workgroups: one workgroup, each thread a range of them.
@compute @workgroup_size(THREADS)
fn add_groups(@builtin(local_invocation_index) lane: u32) {
    let base = STARTS + 2u * args.level_words;
    let share = (args.count_groups + THREADS - 1u) / THREADS;
    let first = min(lane * share, args.count_groups);
    let last = min(first + share, args.count_groups);
    var own = 0u;
    for (var k = first; k < last; k++) {
        own += masks[base + k];
    }
    let sum = add_up(lane, own);
    var before = sum - own;
    for (var k = first; k < last; k++) {
        let here = masks[base + k];
        masks[base + k] = before;
        before += here;
    }
    if lane == THREADS - 1u {
        masks[STARTS - 1u] = sum;
    }
}

fn phi(index: u32) -> f32 {
    return bitcast<f32>(codes[index]);
}

// Forces rounding here: no compiler can contract it with the next operation.
fn rounded(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ args.zero);
}

// Unit vector of steepest ascent of the distance (D4 4.22) (bits).
fn gradient(source: u32) -> vec3<u32> {
    let dims = args.dims;
    let at = vec3<u32>(source % dims.x, source / dims.x % dims.y, source / dims.x / dims.y);
    let stride = vec3<u32>(1u, dims.x, dims.x * dims.y);
    let here = phi(source);
    var slope = vec3<f32>(0.0);
    // The neighbor nearest to the outside, ties in the order +x, -x, +y, -y, +z, -z.
    var out_phi = 0.0;
    var out = 6u;
    for (var axis = 0u; axis < 3u; axis++) {
        var high = here;
        var low = here;
        var steps = 0u;
        if at[axis] + 1u < dims[axis] {
            high = phi(source + stride[axis]);
            steps++;
            if out == 6u || high > out_phi {
                out_phi = high;
                out = 2u * axis;
            }
        }
        if at[axis] > 0u {
            low = phi(source - stride[axis]);
            steps++;
            if out == 6u || low > out_phi {
                out_phi = low;
                out = 2u * axis + 1u;
            }
        }
        // A division by 1 or 2 is exact.
        slope[axis] = (high - low) * select(1.0, 0.5, steps == 2u);
    }
    let square = rounded(rounded(rounded(slope.x * slope.x) + rounded(slope.y * slope.y)) + rounded(slope.z * slope.z));
    if square > 0.0 {
        let length = exact_sqrt(square);
        // Distances are of the order of 1 with a relative error of 1e-7: smaller values are rounding.
        if length > 1e-4 {
            return vec3<u32>(bitcast<u32>(exact_quotient(slope.x, length)), bitcast<u32>(exact_quotient(slope.y, length)),
                bitcast<u32>(exact_quotient(slope.z, length)));
        }
    }
    // An axis times its sign: zeros are signed, too.
    let sign = (out & 1u) << 31u;
    var direction = vec3<u32>(sign);
    direction[out >> 1u] = sign | 0x3f800000u;
    return direction;
}

// Center of a block along an axis [m] (bits): centers are multiples of half a voxel.
fn half_place(axis: u32, at: u32) -> u32 {
    var first = args.half_positions_at;
    if axis > 0u {
        first += 2u * args.dims.x + 1u;
    }
    if axis > 1u {
        first += 2u * args.dims.y + 1u;
    }
    return mesh[first + at];
}

// Writes particles: a thread per bit of every word.
@compute @workgroup_size(THREADS)
fn emit(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let word = number_of(group, groups) * (THREADS / 32u) + lane / 32u;
    let bit = lane % 32u;
    let total = args.level_words;
    if word >= total {
        return;
    }
    let mask = masks[STARTS + word];
    // Workgroups of `count` process one word per thread.
    let before = masks[STARTS + 2u * total + word / THREADS] + masks[STARTS + total + word];
    let spot = spot_of(word);
    if bit == 0u && word == level_number(spot.level, 4u) {
        masks[spot.level] = before;
    }
    let rank = before + countOneBits(mask & ((1u << bit) - 1u));
    // If the capacity is exceeded, the host detects it from the total and grows the buffers.
    if (mask >> bit & 1u) == 0u || rank >= args.capacity {
        return;
    }
    let at = spot.first + vec3<u32>(bit, 0u, 0u);
    let block = child(spot.level, at);
    let half = (2u * at + 1u) << vec3<u32>(spot.level);
    places[rank] = vec4<u32>(half_place(0u, half.x), half_place(1u, half.y), half_place(2u, half.z),
        level_number(spot.level, 6u));
    let distance = -bitcast<f32>(block.x) * args.edge;
    shapes[rank] = vec4<u32>(gradient(block.y), bitcast<u32>(distance));
}
