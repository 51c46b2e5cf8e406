// Inverse matrices of bodies that are not chains: blocks of aggregates, and the matrix of regions, which in small bodies are
// the aggregates themselves. WGSL version of block_matrix.rs and second_level.rs.
//
// A pass takes its list from `args.chunks`: aggregates, regions or pairs of regions.


var<workgroup> parts: array<f32, REGION_THREADS>;
var<workgroup> block: array<f32, 144>;
var<workgroup> pivots: array<f32, COARSE_WIDTH>;

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

// Replaces `block` by its inverse; rows that depend on others become 0. `pivots` has the diagonal of the whole matrix.
fn invert_block(local: u32) {
    let r = local / COARSE_WIDTH;
    let c = local % COARSE_WIDTH;
    for (var j = 0u; j < COARSE_WIDTH; j++) {
        let pivot = block[j * COARSE_WIDTH + j];
        let scale = select(0.0, 1.0 / pivot, pivot > DEPENDENT_PIVOT * pivots[j]);
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

// A slice of the block of two regions: Σ CᵀAC over some of their aggregates. `args.mode` is the first number of all slices.
@compute @workgroup_size(BLOCK_NUMBERS)
fn assemble_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let pair = args.chunks + REGION_PAIR_WORDS * (group / args.slices);
    let first_block = topology[pair + 3u] + REGION_BLOCK_WORDS * (group % args.slices);
    let end = topology[pair + 4u];
    let r = thread.local / COARSE_WIDTH;
    let c = thread.local % COARSE_WIDTH;
    var sum = 0.0;
    for (var at = first_block; at < end; at += REGION_BLOCK_WORDS * args.slices) {
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
    lambda[args.mode + BLOCK_NUMBERS * group + thread.local] = sum;
}

// The sum of the slices of the block of two regions.
@compute @workgroup_size(BLOCK_NUMBERS)
fn sum_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let pair = args.chunks + REGION_PAIR_WORDS * group;
    let body = topology[pair];
    var sum = 0.0;
    for (var slice = 0u; slice < args.slices; slice++) {
        sum += lambda[args.mode + BLOCK_NUMBERS * (args.slices * group + slice) + thread.local];
    }
    let size = second_size(body);
    let row = COARSE_WIDTH * topology[pair + 1u] + thread.local / COARSE_WIDTH;
    let column = COARSE_WIDTH * topology[pair + 2u] + thread.local % COARSE_WIDTH;
    // The block of a region with itself has every entry twice, with other rounding: one of the two threads writes both.
    if row < column {
        return;
    }
    let matrix = second_matrix(body, 0u);
    lambda[matrix + row * size + column] = sum;
    lambda[matrix + column * size + row] = sum;
    if row == column {
        lambda[second_diagonal(body) + row] = sum;
    }
}

// One step of Gauss and Jordan's inversion of the second level, from one of its matrices to the other. `args.slices`
// workgroups share a row of blocks; each of them inverts the pivot.
@compute @workgroup_size(BLOCK_NUMBERS)
fn invert_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let region = args.chunks + REGION_WORDS * (group / args.slices);
    let slice = group % args.slices;
    let body = topology[region];
    let regions = body_word(body, 5u);
    let step = args.mode;
    if step >= regions || slice >= regions {
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
    for (var j = slice; j < regions; j += args.slices) {
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

