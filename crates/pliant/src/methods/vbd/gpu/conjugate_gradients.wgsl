// Solution of bodies that are not chains: by the inverse coarse matrix of small ones, by conjugate gradients in large ones,
// preconditioned by inverse blocks of aggregates and by the inverse matrix of regions. WGSL version of
// conjugate_gradients.rs; needs block_inverse.wgsl.
//
// A pass takes its list from `args.chunks`: aggregates or regions. Sums are written by aggregate or by region and added by
// the workgroups that need them, in order.

// Threads that share a row of a block.
const LANES: u32 = REGION_THREADS / COARSE_WIDTH;
const ROW_LANES: u32 = 5u;

// Whether the body takes part in this iteration of descent, and still in this one of conjugate gradients.
fn solves(body: u32, iteration: u32) -> bool {
    return work[sums_at(body_word(body, 0u), 1u)].x != 0.0 && iteration <= body_word(body, 8u);
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
    for (var half = REGION_THREADS / 2u; half > 0u; half /= 2u) {
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
@compute @workgroup_size(REGION_THREADS)
fn solve_dense(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let record = args.chunks + REGION_WORDS * group;
    let body = topology[record];
    if is_solved_by_one_group(body) || !solves(body, 0u) {
        return;
    }
    let size = second_size(body);
    let matrix = second_inverse(body) + COARSE_WIDTH * topology[record + 1u];
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
@compute @workgroup_size(REGION_THREADS)
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
        for (var k = local; k < body_word(body, 3u); k += REGION_THREADS) {
            own += lambda[base + AGGREGATE_NUMBERS * k];
        }
        let curvature = parts_sum(local, own);
        let left = left_of(body, args.mode - 1u);
        step = select(0.0, left / curvature, left > 0.0 && curvature > 0.0);
    }
    let p = coarse_at(COARSE_P + (args.mode & 1u), 0u);
    for (var task = local; task < count * COARSE_WIDTH; task += REGION_THREADS) {
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
    for (var task = local; task < count * COARSE_WIDTH; task += REGION_THREADS) {
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
@compute @workgroup_size(REGION_THREADS)
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
    let matrix = second_inverse(body);
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
    for (var task = local; task < count * COARSE_WIDTH; task += REGION_THREADS) {
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
