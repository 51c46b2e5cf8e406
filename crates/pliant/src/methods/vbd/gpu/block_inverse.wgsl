// Inverse matrices of bodies that are not chains: blocks of aggregates, and the matrix of regions, which in small bodies are
// the aggregates themselves. WGSL version of block_matrix.rs and second_level.rs.
//
// A pass takes its list from `args.chunks`: aggregates, regions or pairs of regions.


var<workgroup> parts: array<f32, REGION_THREADS>;
var<workgroup> block: array<f32, 144>;
var<workgroup> pivots: array<f32, COARSE_WIDTH>;

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

// The pivot of a step, which is replaced by its inverse, and the diagonal of the whole matrix there.
var<workgroup> pivot_panel: array<f32, PANEL_NUMBERS>;
var<workgroup> pivot_diagonal: array<f32, PANEL_WIDTH>;
// Rows of the region left of the pivot, and what the pivot rows are multiplied by.
var<workgroup> panel_rows: array<f32, PANEL_WIDTH * COARSE_WIDTH>;
var<workgroup> factors: array<f32, PANEL_WIDTH * COARSE_WIDTH>;

// Entries of the pivot by thread.
const PANEL_ENTRIES: u32 = (PANEL_NUMBERS + REGION_THREADS - 1u) / REGION_THREADS;

// Replaces the pivot by its inverse; rows that depend on others become 0.
fn invert_panel(local: u32, width: u32) {
    for (var j = 0u; j < width; j++) {
        let pivot = pivot_panel[j * PANEL_WIDTH + j];
        let scale = select(0.0, 1.0 / pivot, pivot > DEPENDENT_PIVOT * pivot_diagonal[j]);
        var next: array<f32, PANEL_ENTRIES>;
        for (var t = 0u; t < PANEL_ENTRIES; t++) {
            let k = min(local + t * REGION_THREADS, PANEL_NUMBERS - 1u);
            let r = k / PANEL_WIDTH;
            let c = k % PANEL_WIDTH;
            let row = pivot_panel[j * PANEL_WIDTH + c];
            let column = pivot_panel[r * PANEL_WIDTH + j];
            next[t] = pivot_panel[k] - column * row * scale;
            if r == j {
                next[t] = select(row * scale, scale, c == j);
            } else if c == j {
                next[t] = -column * scale;
            }
        }
        workgroupBarrier();
        for (var t = 0u; t < PANEL_ENTRIES; t++) {
            if local + t * REGION_THREADS < PANEL_NUMBERS {
                pivot_panel[local + t * REGION_THREADS] = next[t];
            }
        }
        workgroupBarrier();
    }
}

// Inverse pivot that a step of the inversion leaves to the next one: one of two, as other workgroups still read the last.
fn next_pivot_at(body: u32, step: u32) -> u32 {
    return second_diagonal(body) + second_size(body) + 2u * body_word(body, 5u) + (step & 1u) * PANEL_NUMBERS;
}

// Rows of the next pivot left of the pivot, and what the pivot rows are multiplied by in them.
var<workgroup> next_rows: array<f32, PANEL_NUMBERS>;
var<workgroup> next_factors: array<f32, PANEL_NUMBERS>;

// The inverse of the next step's pivot, which starts at unknown `next`; `pivot_panel` has that of this one, which it replaces.
fn invert_next(local: u32, body: u32, from_matrix: u32, first: u32, width: u32, next: u32) {
    let size = second_size(body);
    let next_width = min(PANEL_WIDTH, size - next);
    for (var k = local; k < PANEL_NUMBERS; k += REGION_THREADS) {
        let r = k / PANEL_WIDTH;
        let c = k % PANEL_WIDTH;
        next_rows[k] = 0.0;
        if r < next_width && c < width {
            next_rows[k] = lambda[from_matrix + (next + r) * size + first + c];
        }
    }
    workgroupBarrier();
    for (var k = local; k < PANEL_NUMBERS; k += REGION_THREADS) {
        let r = k / PANEL_WIDTH;
        let m = k % PANEL_WIDTH;
        var factor = 0.0;
        for (var c = 0u; c < PANEL_WIDTH; c++) {
            factor -= next_rows[r * PANEL_WIDTH + c] * pivot_panel[c * PANEL_WIDTH + m];
        }
        next_factors[k] = factor;
    }
    workgroupBarrier();
    for (var k = local; k < PANEL_NUMBERS; k += REGION_THREADS) {
        let r = k / PANEL_WIDTH;
        let c = k % PANEL_WIDTH;
        var value = 0.0;
        if max(r, c) < next_width {
            value = lambda[from_matrix + (next + r) * size + next + c];
            for (var m = 0u; m < width; m++) {
                value += next_factors[r * PANEL_WIDTH + m] * lambda[from_matrix + (first + m) * size + next + c];
            }
        }
        pivot_panel[k] = value;
    }
    if local < next_width {
        pivot_diagonal[local] = lambda[second_diagonal(body) + next + local];
    }
    workgroupBarrier();
    invert_panel(local, next_width);
}

// One step of Gauss and Jordan's inversion of the second level, from one of its matrices to the other: eliminates a panel of
// regions in the rows of one region, for the columns of one of `args.slices` workgroups. One workgroup of a body inverts the
// pivot of the next step; in the first step each inverts the pivot itself.
@compute @workgroup_size(REGION_THREADS)
fn invert_second(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let region = args.chunks + REGION_WORDS * (group / args.slices);
    let slice = group % args.slices;
    let body = topology[region];
    let regions = body_word(body, 5u);
    let size = second_size(body);
    let first_region = PANEL_REGIONS * args.mode;
    if first_region >= regions || slice * REGION_THREADS >= size {
        return;
    }
    let local = thread.local;
    let width = COARSE_WIDTH * min(PANEL_REGIONS, regions - first_region);
    let first = COARSE_WIDTH * first_region;
    let from_matrix = second_matrix(body, args.mode);
    let to_matrix = second_matrix(body, args.mode + 1u);
    let i = topology[region + 1u];
    let first_row = COARSE_WIDTH * i;
    for (var k = local; k < PANEL_NUMBERS; k += REGION_THREADS) {
        let r = k / PANEL_WIDTH;
        let c = k % PANEL_WIDTH;
        var value = 0.0;
        if args.mode > 0u {
            value = lambda[next_pivot_at(body, args.mode) + k];
        } else if max(r, c) < width {
            value = lambda[from_matrix + (first + r) * size + first + c];
        }
        pivot_panel[k] = value;
    }
    for (var k = local; k < PANEL_WIDTH * COARSE_WIDTH; k += REGION_THREADS) {
        var value = 0.0;
        if k % PANEL_WIDTH < width {
            value = lambda[from_matrix + (first_row + k / PANEL_WIDTH) * size + first + k % PANEL_WIDTH];
        }
        panel_rows[k] = value;
    }
    if local < width {
        pivot_diagonal[local] = lambda[second_diagonal(body) + first + local];
    }
    workgroupBarrier();
    if args.mode == 0u {
        invert_panel(local, width);
    }
    // The inverse in the pivot's own rows, −A·inverse in others.
    let own = first_row >= first && first_row < first + width;
    for (var k = local; k < PANEL_WIDTH * COARSE_WIDTH; k += REGION_THREADS) {
        let r = k / PANEL_WIDTH;
        let m = k % PANEL_WIDTH;
        var factor = 0.0;
        if own {
            factor = pivot_panel[(first_row - first + r) * PANEL_WIDTH + m];
        } else {
            for (var c = 0u; c < PANEL_WIDTH; c++) {
                factor -= panel_rows[r * PANEL_WIDTH + c] * pivot_panel[c * PANEL_WIDTH + m];
            }
        }
        factors[k] = factor;
    }
    workgroupBarrier();
    for (var column = slice * REGION_THREADS + local; column < size; column += args.slices * REGION_THREADS) {
        var pivots_of_column: array<f32, PANEL_WIDTH>;
        for (var m = 0u; m < PANEL_WIDTH; m++) {
            pivots_of_column[m] = 0.0;
            if m < width {
                pivots_of_column[m] = lambda[from_matrix + (first + m) * size + column];
            }
        }
        let inside = column >= first && column < first + width;
        for (var r = 0u; r < COARSE_WIDTH; r++) {
            let at = (first_row + r) * size + column;
            var next = 0.0;
            if inside {
                next = factors[r * PANEL_WIDTH + column - first];
            } else {
                if !own {
                    next = lambda[from_matrix + at];
                }
                for (var m = 0u; m < PANEL_WIDTH; m++) {
                    next += factors[r * PANEL_WIDTH + m] * pivots_of_column[m];
                }
            }
            lambda[to_matrix + at] = next;
        }
    }
    let next = first + width;
    if next < size && i == first_region + PANEL_REGIONS && slice == 0u {
        invert_next(local, body, from_matrix, first, width, next);
        for (var k = local; k < PANEL_NUMBERS; k += REGION_THREADS) {
            lambda[next_pivot_at(body, args.mode + 1u) + k] = pivot_panel[k];
        }
    }
}
