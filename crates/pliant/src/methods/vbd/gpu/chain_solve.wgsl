// Solves the factored matrix of a chain by one workgroup. The right side, in place of the unknowns, becomes the solution.

// Where the entry in column 0 of a row would be.
fn row_start(unknown: u32) -> u32 {
    return topology[args.matrix_rows + unknown];
}

// A block of the matrix: its first unknown, their number, and the rows below it.
struct BlockColumns { first: u32, count: u32, below: u32, end: u32 }

fn columns_of(a: u32) -> BlockColumns {
    return BlockColumns(aggregate_word(a, 0u), 3u * aggregate_word(a, 1u), aggregate_word(a, 5u), aggregate_word(a, 6u));
}

var<workgroup> known: array<f32, COARSE_WIDTH>;

fn solve_chain(local: u32, body: u32) {
    let first = body_word(body, 2u);
    let count = body_word(body, 3u);
    let y = unknown_at(0u);
    for (var a = first; a < first + count; a++) {
        let it = columns_of(a);
        var own = 0.0;
        if local < it.count {
            let at = row_start(it.first + local) + it.first;
            for (var k = 0u; k <= local; k++) {
                own += lambda[at + k] * lambda[y + it.first + k];
            }
            known[local] = own;
        }
        storageBarrier();
        workgroupBarrier();
        if local < it.count {
            lambda[y + it.first + local] = own;
        }
        for (var k = it.below + local; k < it.end; k += GROUP) {
            let row = topology[k];
            let at = row_start(row) + it.first;
            var sum = 0.0;
            for (var j = 0u; j < it.count; j++) {
                sum += lambda[at + j] * known[j];
            }
            lambda[y + row] -= sum;
        }
        storageBarrier();
        workgroupBarrier();
    }
    for (var back = 0u; back < count; back++) {
        let a = first + count - 1u - back;
        let it = columns_of(a);
        var own = 0.0;
        if local < it.count {
            for (var k = local; k < it.count; k++) {
                own += lambda[row_start(it.first + k) + it.first + local] * lambda[y + it.first + k];
            }
            known[local] = own;
        }
        storageBarrier();
        workgroupBarrier();
        if local < it.count {
            lambda[y + it.first + local] = own;
        }
        let left = aggregate_word(a, 4u);
        for (var column = left + local; column < it.first; column += GROUP) {
            var sum = 0.0;
            for (var j = 0u; j < it.count; j++) {
                sum += lambda[row_start(it.first + j) + column] * known[j];
            }
            lambda[y + column] -= sum;
        }
        storageBarrier();
        workgroupBarrier();
    }
}
