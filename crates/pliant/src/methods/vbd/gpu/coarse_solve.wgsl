// Factors and solves the matrix of one chain by one workgroup: Cholesky by blocks of an aggregate. In place of the
// factor's diagonal blocks stand their inverses. Needs chain_solve.wgsl.

var<workgroup> diagonal: array<f32, COARSE_WIDTH * COARSE_WIDTH>;
var<workgroup> inverse: array<f32, COARSE_WIDTH * COARSE_WIDTH>;
var<workgroup> before: array<f32, COARSE_WIDTH>;
var<workgroup> scale: array<f32, COARSE_WIDTH>;
var<workgroup> panel: array<f32, PANEL_ROWS * COARSE_WIDTH>;

// Entry of the lower triangle of the block in workgroup memory.
fn entry_of(row: u32, column: u32) -> u32 {
    return row * COARSE_WIDTH + column;
}

// Loads the diagonal block, factors it and inverts the factor.
fn factor_diagonal(local: u32, it: BlockColumns) {
    for (var k = local; k < it.count * it.count; k += COARSE_THREADS) {
        let r = k / it.count;
        let c = k % it.count;
        if c <= r {
            diagonal[entry_of(r, c)] = lambda[row_start(it.first + r) + it.first + c];
        }
    }
    workgroupBarrier();
    if local < it.count {
        before[local] = diagonal[entry_of(local, local)];
    }
    workgroupBarrier();
    for (var j = 0u; j < it.count; j++) {
        let pivot = diagonal[entry_of(j, j)];
        let per_root = select(0.0, inverseSqrt(pivot), pivot > DEPENDENT_PIVOT * before[j]);
        workgroupBarrier();
        if local >= j && local < it.count {
            diagonal[entry_of(local, j)] *= per_root;
        }
        if local == 0u {
            scale[j] = per_root;
        }
        workgroupBarrier();
        for (var k = local; k < it.count * it.count; k += COARSE_THREADS) {
            let r = k / it.count;
            let c = k % it.count;
            if c > j && c <= r {
                diagonal[entry_of(r, c)] -= diagonal[entry_of(r, j)] * diagonal[entry_of(c, j)];
            }
        }
        workgroupBarrier();
    }
    // Columns of the inverse are independent of each other.
    if local < it.count {
        for (var r = 0u; r < it.count; r++) {
            var sum = select(0.0, 1.0, r == local);
            for (var k = local; k < r; k++) {
                sum -= diagonal[entry_of(r, k)] * inverse[entry_of(k, local)];
            }
            inverse[entry_of(r, local)] = select(0.0, sum * scale[r], r >= local);
        }
    }
    workgroupBarrier();
    for (var k = local; k < it.count * it.count; k += COARSE_THREADS) {
        let r = k / it.count;
        let c = k % it.count;
        if c <= r {
            lambda[row_start(it.first + r) + it.first + c] = inverse[entry_of(r, c)];
        }
    }
}

@compute @workgroup_size(COARSE_THREADS)
fn factor(thread: Thread) {
    let body = group_of(thread);
    if body >= args.groups {
        return;
    }
    // Bodies that are not chains are solved by conjugate_gradients.wgsl.
    if body_word(body, 5u) != 0u {
        return;
    }
    let first = body_word(body, 2u);
    let end = first + body_word(body, 3u);
    let local = thread.local;
    for (var a = first; a < end; a++) {
        let it = columns_of(a);
        factor_diagonal(local, it);
        let rows_below = it.end - it.below;
        // Rows below, times the inverse of the factor.
        for (var k = local; k < rows_below; k += COARSE_THREADS) {
            let at = row_start(topology[it.below + k]) + it.first;
            var own: array<f32, COARSE_WIDTH>;
            for (var c = 0u; c < it.count; c++) {
                own[c] = lambda[at + c];
            }
            for (var c = 0u; c < it.count; c++) {
                var sum = 0.0;
                for (var j = 0u; j <= c; j++) {
                    sum += own[j] * inverse[entry_of(c, j)];
                }
                lambda[at + c] = sum;
                if k < PANEL_ROWS {
                    panel[k * COARSE_WIDTH + c] = sum;
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
        // Their products are subtracted from the rest of the matrix.
        for (var k = local; k < rows_below * rows_below; k += COARSE_THREADS) {
            let r = k / rows_below;
            let c = k % rows_below;
            if c > r {
                continue;
            }
            let row = topology[it.below + r];
            let column = topology[it.below + c];
            var sum = 0.0;
            if r < PANEL_ROWS {
                for (var j = 0u; j < it.count; j++) {
                    sum += panel[r * COARSE_WIDTH + j] * panel[c * COARSE_WIDTH + j];
                }
            } else {
                let left = row_start(row) + it.first;
                let right = row_start(column) + it.first;
                for (var j = 0u; j < it.count; j++) {
                    sum += lambda[left + j] * lambda[right + j];
                }
            }
            lambda[row_start(row) + column] -= sum;
        }
        storageBarrier();
        workgroupBarrier();
    }
}

@compute @workgroup_size(COARSE_THREADS)
fn solve(thread: Thread) {
    let body = group_of(thread);
    if body >= args.groups {
        return;
    }
    if body_word(body, 5u) != 0u || is_solved_by_one_group(body) {
        return;
    }
    let takes_part = work[sums_at(body_word(body, 0u), 1u)].x != 0.0;
    if !takes_part {
        return;
    }
    solve_chain(thread.local, body);
}
