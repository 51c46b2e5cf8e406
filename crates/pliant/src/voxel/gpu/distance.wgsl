// Signed distances (S28; D4 Alg 4.1-4.7 with E25): WGSL version of `voxel::{sites, envelope, distance}`, with the
// same codes 4 d^2 + class of the nearest site.
//
// Along y and z each voxel searches outward until nothing farther away can be nearer, where the CPU builds the
// lower envelope of a column: the minimum of the same integers, so the same result. The steps are proportional to the
// depth of the voxel, but there is a thread per voxel, and neither lists nor order.

// Bitsets of the row's voxels with a neighbor on the other side across a face, an edge or a corner.
var<workgroup> sites: array<u32, 128>;
var<workgroup> faces: array<u32, 128>;
var<workgroup> edges: array<u32, 128>;

// Threads per row.
const ROW: u32 = 64u;
// Maximum words per row.
const MOST_WORDS: u32 = 32u;

// A word of the row at (y, z), 0 beyond the grid. Branchless, so that all 27 loads overlap.
fn word_at(word: i32, y: i32, z: i32) -> u32 {
    let dims = vec3<i32>(i32(args.row_words), i32(args.dims.y), i32(args.dims.z));
    let at = vec3<i32>(word, y, z);
    let near = clamp(at, vec3<i32>(0), dims - 1);
    let found = words[STATUS + u32((near.z * dims.y + near.y) * dims.x + near.x)];
    return select(0u, found, all(at == near));
}

// The word, and the neighbors at x - 1 and at x + 1 of its voxels.
fn three(word: i32, y: i32, z: i32) -> vec3<u32> {
    let own = word_at(word, y, z);
    return vec3<u32>(own, own << 1u | word_at(word - 1, y, z) >> 31u, own >> 1u | word_at(word + 1, y, z) << 31u);
}

fn class_of(at: u32, first: u32) -> u32 {
    let word = first + (at >> 5u);
    let bit = at & 31u;
    if (faces[word] >> bit & 1u) == 1u {
        return 0u;
    }
    return select(2u, 1u, (edges[word] >> bit & 1u) == 1u);
}

// First pass: sites of a row, and the nearest of them for every voxel (D4 Alg 4.1 and 4.2). 64 threads per row.
@compute @workgroup_size(THREADS)
fn rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let line = number_of(group, groups) * (THREADS / ROW) + lane / ROW;
    let own = lane % ROW;
    let first = lane / ROW * MOST_WORDS;
    let known = line < args.dims.y * args.dims.z;
    let row = args.row_words;
    if known && own < row {
        let word = i32(own);
        let y = i32(line % args.dims.y);
        let z = i32(line / args.dims.y);
        let here = three(word, y, z);
        let center = here.x;
        var face = (here.y ^ center) | (here.z ^ center);
        var edge = 0u;
        var corner = 0u;
        for (var k = -1; k <= 1; k += 2) {
            for (var near = 0; near < 2; near++) {
                let beside = three(word, y + select(0, k, near == 0), z + select(k, 0, near == 0));
                face |= beside.x ^ center;
                edge |= (beside.y ^ center) | (beside.z ^ center);
                let across = three(word, y + k, z + select(-1, 1, near == 0));
                edge |= across.x ^ center;
                corner |= (across.y ^ center) | (across.z ^ center);
            }
        }
        let used = args.dims.x - 32u * own;
        let mask = select(0xffffffffu, (1u << (used & 31u)) - 1u, used < 32u);
        sites[first + own] = (face | edge | corner) & mask;
        faces[first + own] = face;
        edges[first + own] = edge;
    }
    workgroupBarrier();
    if !known {
        return;
    }
    for (var x = own; x < args.dims.x; x += ROW) {
        let word = x >> 5u;
        let bit = x & 31u;
        let side = (words[STATUS + line * row + word] >> bit & 1u) << 31u;
        let mine = sites[first + word];
        var code = EMPTY;
        if (mine >> bit & 1u) == 1u {
            code = class_of(x, first) | side;
        } else if side != 0u || (args.wants & WANTS_ALL) != 0u {
            var before = mine & ((1u << bit) - 1u);
            var at = word;
            while before == 0u && at > 0u {
                at--;
                before = sites[first + at];
            }
            if before != 0u {
                let site = 32u * at + firstLeadingBit(before);
                code = 4u * (x - site) * (x - site) + class_of(site, first);
            }
            // The voxel's own bit is 0: the bits above need no separate mask.
            var behind = mine >> bit << bit;
            at = word;
            while behind == 0u && at + 1u < row {
                at++;
                behind = sites[first + at];
            }
            if behind != 0u {
                let site = 32u * at + firstTrailingBit(behind);
                code = min(code, 4u * (site - x) * (site - x) + class_of(site, first));
            }
            code |= side;
        }
        codes[line * args.dims.x + x] = code;
    }
}

// Distance from the code of the nearest site (D4 Alg 4.7) [voxels] (bits).
fn distance_of(code: u32, side: u32) -> u32 {
    if code == EMPTY {
        return 0x7f800000u | side;
    }
    let kind = code & 3u;
    var beyond = 0.5;
    if kind == 1u {
        beyond = 0.70710678;
    } else if kind == 2u {
        beyond = 0.8660254;
    }
    let square = code >> 2u;
    var way = 0.0;
    if square != 0u {
        // Squares are below 2^22: the conversion is exact.
        way = exact_sqrt(f32(square));
    }
    return bitcast<u32>(way + beyond) | side;
}

// Second and third pass: along a column, from `codes` to `others`.
@compute @workgroup_size(THREADS)
fn columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
           @builtin(local_invocation_index) lane: u32) {
    let index = number_of(group, groups) * THREADS + lane;
    if index >= args.dims.x * args.dims.y * args.dims.z {
        return;
    }
    let stride = args.column_stride;
    let at = index / stride % args.column_length;
    let behind = args.column_length - 1u - at;
    let most = max(at, behind);
    let side = codes[index] & INSIDE;
    var best = codes[index] & ~INSIDE;
    if side != 0u || (args.wants & WANTS_ALL) != 0u {
        // An entry farther away than the best is no better, whatever its code (E25: EMPTY is the largest).
        for (var k = 1u; k <= most && 4u * k * k < best; k++) {
            if k <= at {
                best = min(best, 4u * k * k + (codes[index - k * stride] & ~INSIDE));
            }
            if k <= behind {
                best = min(best, 4u * k * k + (codes[index + k * stride] & ~INSIDE));
            }
        }
    }
    others[index] = select(best | side, distance_of(best, side), (args.wants & WANTS_PHI) != 0u);
}
