// Bodies that are not chains. Of small ones the coarse matrix is inverted; in large ones conjugate gradients are
// preconditioned by inverse blocks of aggregates and by the inverse matrix of the second level. WGSL version of
// conjugate_gradients.rs.
//
// A pass takes its list from `args.chunks`: aggregates, regions or pairs of regions. Sums are written by aggregate or by
// region and added by whoever needs them, in order.

// Pivots smaller than this part of the diagonal are of rounding alone.
const DEPENDENT: f32 = 1e-6;
// Threads that share a row of a block.
const LANES: u32 = 10u;
const ROW_LANES: u32 = 5u;

var<workgroup> parts: array<f32, 144>;
var<workgroup> block: array<f32, 144>;
var<workgroup> pivots: array<f32, COARSE_WIDTH>;

fn coarse_at(array_number: u32, unknown: u32) -> u32 {
    return unknown_at(0u) + array_number * args.unknowns + unknown;
}

// Whether the body takes part in this iteration of descent, and still in this one of conjugate gradients.
fn solves(body: u32, iteration: u32) -> bool {
    return work[sums_at(body_word(body, 0u), 1u)].x != 0.0 && iteration <= body_word(body, 8u);
}

// Unknowns of the second level.
fn second_size(body: u32) -> u32 {
    return COARSE_WIDTH * body_word(body, 5u);
}

// One of its two matrices.
fn second_matrix(body: u32, number: u32) -> u32 {
    let size = second_size(body);
    return body_word(body, 7u) + (number & 1u) * size * size;
}

fn second_side(body: u32) -> u32 {
    return second_matrix(body, 1u) + second_size(body) * second_size(body);
}

fn second_diagonal(body: u32) -> u32 {
    return second_side(body) + second_size(body);
}

// r·z of a region before an iteration.
fn region_sum_at(body: u32, region: u32, iteration: u32) -> u32 {
    return second_diagonal(body) + second_size(body) + (iteration & 1u) * body_word(body, 5u) + region;
}

// r·z of the body before an iteration.
fn left_of(body: u32, iteration: u32) -> f32 {
    var sum = 0.0;
    for (var region = 0u; region < body_word(body, 5u); region++) {
        sum += lambda[region_sum_at(body, region, iteration)];
    }
    return sum;
}

// Replaces `block` by its inverse; rows that depend on others become 0. `pivots` has the diagonal of the whole matrix.
fn invert_block(local: u32) {
    let r = local / COARSE_WIDTH;
    let c = local % COARSE_WIDTH;
    for (var j = 0u; j < COARSE_WIDTH; j++) {
        let pivot = block[j * COARSE_WIDTH + j];
        let scale = select(0.0, 1.0 / pivot, pivot > DEPENDENT * pivots[j]);
        let row = block[j * COARSE_WIDTH + c];
        let column = block[r * COARSE_WIDTH + j];
        var next = block[local] - column * row * scale;
        if r == j {
            next = select(row * scale, scale, c == j);
        } else if c == j {
            next = -column * scale;
        }
        workgroupBarrier();
        block[local] = next;
        workgroupBarrier();
    }
}

// Inverse of the diagonal block of each aggregate.
@compute @workgroup_size(BLOCK_NUMBERS)
fn invert_diagonals(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let a = topology[args.chunks + group];
    let body = aggregate_word(a, 7u);
    let own = aggregate_word(a, 0u);
    var at = aggregate_word(a, 5u);
    let end = aggregate_word(a, 6u);
    while at + NEIGHBOR_WORDS < end && topology[at] != own {
        at += NEIGHBOR_WORDS;
    }
    block[thread.local] = lambda[topology[at + 1u] + thread.local];
    workgroupBarrier();
    if thread.local < COARSE_WIDTH {
        pivots[thread.local] = block[thread.local * (COARSE_WIDTH + 1u)];
    }
    workgroupBarrier();
    invert_block(thread.local);
    lambda[inverse_at(body, a) + thread.local] = block[thread.local];
}

fn inverse_at(body: u32, a: u32) -> u32 {
    return body_word(body, 6u) + AGGREGATE_NUMBERS * (a - body_word(body, 2u));
}

// The block of two regions: Σ CᵀAC over their aggregates.
@compute @workgroup_size(BLOCK_NUMBERS)
fn assemble_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let pair = args.chunks + REGION_PAIR_WORDS * group;
    let body = topology[pair];
    let end = topology[pair + 4u];
    let r = thread.local / COARSE_WIDTH;
    let c = thread.local % COARSE_WIDTH;
    var sum = 0.0;
    for (var at = topology[pair + 3u]; at < end; at += REGION_BLOCK_WORDS) {
        let first = topology[at] + (r % 3u) * COARSE_WIDTH + c % 3u;
        let left = topology[at + 1u];
        let right = topology[at + 2u];
        let column = vec4<f32>(
            constant(right)[c / 3u], constant(right + 1u)[c / 3u], constant(right + 2u)[c / 3u], constant(right + 3u)[c / 3u],
        );
        for (var m = 0u; m < 4u; m++) {
            let row = first + 3u * m * COARSE_WIDTH;
            let values = vec4<f32>(lambda[row], lambda[row + 3u], lambda[row + 6u], lambda[row + 9u]);
            sum += constant(left + m)[r / 3u] * dot(values, column);
        }
    }
    let size = second_size(body);
    let row = COARSE_WIDTH * topology[pair + 1u] + r;
    let column = COARSE_WIDTH * topology[pair + 2u] + c;
    let matrix = second_matrix(body, 0u);
    lambda[matrix + row * size + column] = sum;
    lambda[matrix + column * size + row] = sum;
    if row == column {
        lambda[second_diagonal(body) + row] = sum;
    }
}

// One step of Gauss and Jordan's inversion of the second level, from one of its matrices to the other; a workgroup per row
// of blocks.
@compute @workgroup_size(BLOCK_NUMBERS)
fn invert_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let region = args.chunks + REGION_WORDS * group;
    let body = topology[region];
    let regions = body_word(body, 5u);
    let step = args.mode;
    if step >= regions {
        return;
    }
    let size = second_size(body);
    let i = topology[region + 1u];
    let from_matrix = second_matrix(body, step);
    let to_matrix = second_matrix(body, step + 1u);
    let r = thread.local / COARSE_WIDTH;
    let c = thread.local % COARSE_WIDTH;
    let first = COARSE_WIDTH * step;
    block[thread.local] = lambda[from_matrix + (first + r) * size + first + c];
    if thread.local < COARSE_WIDTH {
        pivots[thread.local] = lambda[second_diagonal(body) + first + thread.local];
    }
    let row = COARSE_WIDTH * i + r;
    parts[thread.local] = lambda[from_matrix + row * size + first + c];
    workgroupBarrier();
    invert_block(thread.local);
    // Factors of the pivot rows: the inverse in their own, −A·inverse in others.
    var factors: array<f32, COARSE_WIDTH>;
    for (var m = 0u; m < COARSE_WIDTH; m++) {
        if i == step {
            factors[m] = block[r * COARSE_WIDTH + m];
        } else {
            var sum = 0.0;
            for (var k = 0u; k < COARSE_WIDTH; k++) {
                sum -= parts[r * COARSE_WIDTH + k] * block[k * COARSE_WIDTH + m];
            }
            factors[m] = sum;
        }
    }
    for (var j = 0u; j < regions; j++) {
        let column = COARSE_WIDTH * j + c;
        var next = 0.0;
        if j == step {
            next = factors[c];
        } else {
            if i != step {
                next = lambda[from_matrix + row * size + column];
            }
            for (var m = 0u; m < COARSE_WIDTH; m++) {
                next += factors[m] * lambda[from_matrix + (first + m) * size + column];
            }
        }
        lambda[to_matrix + row * size + column] = next;
    }
}

// The next direction p = z + βp, and the matrix times it.
@compute @workgroup_size(SIZE)
fn multiply(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let a = topology[args.chunks + group];
    let body = aggregate_word(a, 7u);
    if !solves(body, args.mode + 1u) {
        return;
    }
    let iteration = args.mode;
    var keep = 0.0;
    if iteration > 0u {
        let last = left_of(body, iteration - 1u);
        keep = select(0.0, left_of(body, iteration) / last, last > 0.0);
    }
    let z = coarse_at(COARSE_Z, 0u);
    let old = coarse_at(COARSE_P + (iteration & 1u), 0u);
    let row = thread.local % COARSE_WIDTH;
    let lane = thread.local / COARSE_WIDTH;
    let own = aggregate_word(a, 0u) + row;
    var sum = 0.0;
    if lane < ROW_LANES {
        let end = aggregate_word(a, 6u);
        for (var at = aggregate_word(a, 5u) + NEIGHBOR_WORDS * lane; at < end; at += NEIGHBOR_WORDS * ROW_LANES) {
            let other = topology[at];
            let values = topology[at + 1u] + row * COARSE_WIDTH;
            for (var c = 0u; c < COARSE_WIDTH; c++) {
                var p = lambda[z + other + c];
                if iteration > 0u {
                    p += keep * lambda[old + other + c];
                }
                sum += lambda[values + c] * p;
            }
        }
    }
    parts[thread.local] = sum;
    workgroupBarrier();
    if lane == 0u {
        var w = 0.0;
        for (var k = 0u; k < ROW_LANES; k++) {
            w += parts[k * COARSE_WIDTH + row];
        }
        var p = lambda[z + own];
        if iteration > 0u {
            p += keep * lambda[old + own];
        }
        lambda[coarse_at(COARSE_P + ((iteration + 1u) & 1u), own)] = p;
        lambda[coarse_at(COARSE_W, own)] = w;
        block[row] = p * w;
    }
    workgroupBarrier();
    if thread.local == 0u {
        var product = 0.0;
        for (var k = 0u; k < COARSE_WIDTH; k++) {
            product += block[k];
        }
        lambda[inverse_at(body, a) + BLOCK_NUMBERS] = product;
    }
}

// Sum of `parts` over the workgroup of a region.
fn parts_sum(local: u32, own: f32) -> f32 {
    parts[local] = own;
    workgroupBarrier();
    for (var half = COARSE_THREADS / 2u; half > 0u; half /= 2u) {
        if local < half {
            parts[local] += parts[local + half];
        }
        workgroupBarrier();
    }
    let sum = parts[0];
    workgroupBarrier();
    return sum;
}

// Of a row that LANES threads have summed; valid in the threads of the first lane.
fn lanes_sum(local: u32, own: f32) -> f32 {
    parts[local] = own;
    workgroupBarrier();
    var sum = 0.0;
    if local < COARSE_WIDTH {
        for (var k = 0u; k < LANES; k++) {
            sum += parts[k * COARSE_WIDTH + local];
        }
    }
    workgroupBarrier();
    return sum;
}

// The inverse matrix of a small body times the forces; a workgroup per aggregate.
@compute @workgroup_size(COARSE_THREADS)
fn solve_dense(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let record = args.chunks + REGION_WORDS * group;
    let body = topology[record];
    if !solves(body, 0u) {
        return;
    }
    let size = second_size(body);
    let matrix = second_matrix(body, body_word(body, 5u)) + COARSE_WIDTH * topology[record + 1u];
    let forces = coarse_at(COARSE_R, aggregate_word(body_word(body, 2u), 0u));
    let row = thread.local % COARSE_WIDTH;
    let lane = thread.local / COARSE_WIDTH;
    var sum = 0.0;
    if lane < LANES {
        for (var k = lane; k < size; k += LANES) {
            sum += lambda[matrix + k * size + row] * lambda[forces + k];
        }
    }
    let found = lanes_sum(thread.local, sum);
    if thread.local < COARSE_WIDTH {
        lambda[unknown_at(aggregate_word(topology[record + 2u], 0u)) + row] = found;
    }
}

// Steps along the direction, what is left of the right side, and that preconditioned by the blocks; a workgroup per region.
// Before the first iteration (`mode` 0) the solution starts from 0.
@compute @workgroup_size(COARSE_THREADS)
fn advance(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let record = args.chunks + REGION_WORDS * group;
    let body = topology[record];
    if !solves(body, args.mode) {
        return;
    }
    let local = thread.local;
    let first = topology[record + 2u];
    let count = (topology[record + 3u] - first) / MEMBER_WORDS;
    var step = 0.0;
    if args.mode > 0u {
        var own = 0.0;
        let base = body_word(body, 6u) + BLOCK_NUMBERS;
        for (var k = local; k < body_word(body, 3u); k += COARSE_THREADS) {
            own += lambda[base + AGGREGATE_NUMBERS * k];
        }
        let curvature = parts_sum(local, own);
        let left = left_of(body, args.mode - 1u);
        step = select(0.0, left / curvature, left > 0.0 && curvature > 0.0);
    }
    let p = coarse_at(COARSE_P + (args.mode & 1u), 0u);
    for (var task = local; task < count * COARSE_WIDTH; task += COARSE_THREADS) {
        let a = topology[first + MEMBER_WORDS * (task / COARSE_WIDTH)];
        let at = aggregate_word(a, 0u) + task % COARSE_WIDTH;
        if args.mode == 0u {
            lambda[unknown_at(at)] = 0.0;
        } else {
            lambda[unknown_at(at)] += step * lambda[p + at];
            lambda[coarse_at(COARSE_R, at)] -= step * lambda[coarse_at(COARSE_W, at)];
        }
    }
    storageBarrier();
    workgroupBarrier();
    for (var task = local; task < count * COARSE_WIDTH; task += COARSE_THREADS) {
        let a = topology[first + MEMBER_WORDS * (task / COARSE_WIDTH)];
        let row = task % COARSE_WIDTH;
        let unknown = aggregate_word(a, 0u);
        let values = inverse_at(body, a) + row * COARSE_WIDTH;
        var sum = 0.0;
        for (var c = 0u; c < COARSE_WIDTH; c++) {
            sum += lambda[values + c] * lambda[coarse_at(COARSE_R, unknown + c)];
        }
        lambda[coarse_at(COARSE_Z, unknown + row)] = sum;
    }
    let row = local % COARSE_WIDTH;
    let lane = local / COARSE_WIDTH;
    var sum = 0.0;
    if lane < LANES {
        for (var k = lane; k < count; k += LANES) {
            let member = first + MEMBER_WORDS * k;
            let unknown = aggregate_word(topology[member], 0u) + row % 3u;
            for (var m = 0u; m < 4u; m++) {
                sum += constant(topology[member + 1u] + m)[row / 3u] * lambda[coarse_at(COARSE_R, unknown + 3u * m)];
            }
        }
    }
    let side = lanes_sum(local, sum);
    if local < COARSE_WIDTH {
        lambda[second_side(body) + COARSE_WIDTH * topology[record + 1u] + local] = side;
    }
}

// Adds the second level to z, and sums r·z.
@compute @workgroup_size(COARSE_THREADS)
fn correct_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let record = args.chunks + REGION_WORDS * group;
    let body = topology[record];
    if !solves(body, args.mode + 1u) {
        return;
    }
    let local = thread.local;
    let number = topology[record + 1u];
    let first = topology[record + 2u];
    let count = (topology[record + 3u] - first) / MEMBER_WORDS;
    let size = second_size(body);
    let matrix = second_matrix(body, body_word(body, 5u));
    let side = second_side(body);
    let row = local % COARSE_WIDTH;
    let lane = local / COARSE_WIDTH;
    var sum = 0.0;
    if lane < LANES {
        // The matrix is symmetric: a column is read, so that neighbors in a workgroup are neighbors in memory.
        for (var k = lane; k < size; k += LANES) {
            sum += lambda[matrix + k * size + COARSE_WIDTH * number + row] * lambda[side + k];
        }
    }
    let found = lanes_sum(local, sum);
    if local < COARSE_WIDTH {
        pivots[local] = found;
    }
    workgroupBarrier();
    var product = 0.0;
    for (var task = local; task < count * COARSE_WIDTH; task += COARSE_THREADS) {
        let member = first + MEMBER_WORDS * (task / COARSE_WIDTH);
        let part = task % COARSE_WIDTH;
        let at = aggregate_word(topology[member], 0u) + part;
        let transfer = constant(topology[member + 1u] + part / 3u);
        let c = part % 3u;
        let z = lambda[coarse_at(COARSE_Z, at)]
            + dot(transfer, vec4<f32>(pivots[c], pivots[3u + c], pivots[6u + c], pivots[9u + c]));
        lambda[coarse_at(COARSE_Z, at)] = z;
        product += z * lambda[coarse_at(COARSE_R, at)];
    }
    let all = parts_sum(local, product);
    if local == 0u {
        lambda[region_sum_at(body, number, args.mode)] = all;
    }
}
