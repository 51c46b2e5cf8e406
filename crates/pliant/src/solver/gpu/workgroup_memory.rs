//! Which data of a patch are in workgroup memory.

use crate::constraints::gpu::wgsl_codegen::packed_vectors;
use crate::constraints::group::{BLOCK, Batch, Group};
use crate::math::RowData;
use crate::partition::Target;

/// Threads of a workgroup at least, where the device allows.
pub const LEAST_THREADS: usize = 128;

/// Threads that a workgroup gets for what is done row by row: if they are enough, one for each row that is not just a copy
/// for one kind; otherwise fewer, with so many rows each.
const ONE_EACH: usize = 320;
const MORE_THREADS: usize = 256;
const ROWS_EACH: usize = 3;

/// A vector [bytes]: a row, a round, a step, a part of a packed constraint.
const VECTOR: usize = size_of::<RowData>();

/// Workgroup memory available, and the data of a patch in it; the rest stays in storage buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkgroupMemory {
    /// Threads.
    pub threads: usize,
    /// Rows.
    pub rows: Option<usize>,
    /// Rounds and steps.
    pub plan: Option<usize>,
    /// Multipliers.
    pub lambda: Option<usize>,
    /// Vectors of packed constraints: row numbers and parameters.
    pub packed: Option<usize>,
}

impl WorkgroupMemory {
    /// Memory [bytes].
    pub fn bytes(&self) -> usize {
        let vectors = [self.rows, self.plan, self.packed].into_iter().flatten().sum::<usize>();
        vectors * VECTOR + 4 * self.lambda.unwrap_or(0)
    }
}

/// Numbers that a patch needs.
#[derive(Default)]
pub struct Draft {
    /// Constraints of its largest color.
    pub width: usize,
    /// Rows.
    pub rows: Vec<u32>,
    /// How many of them are no copies for one kind of constraints only; they come first.
    pub real: usize,
    /// Rounds, ties and steps.
    pub plan: usize,
    /// Multipliers.
    pub lambda: usize,
    /// Vectors of packed constraints.
    pub packed: usize,
}

impl Draft {
    /// Adds a batch.
    pub fn add(&mut self, group: &Group, batch: &Batch, threads: usize) {
        // Rounds, if workgroups are as small as they may be.
        self.plan += batch.count.div_ceil(LEAST_THREADS.min(threads));
        self.width = self.width.max(batch.count);
        self.lambda += batch.blocks() * BLOCK * group.layout().multipliers;
        self.packed += batch.count * packed_vectors(group.kind);
    }
}

/// Threads and what the workgroups of these patches keep: rows before all else, which every round reads and writes;
/// then rounds and multipliers, which no cache keeps because they are written; then the rest.
pub fn fit(drafts: &[Draft], threads: usize, bytes: usize, multipliers: bool) -> WorkgroupMemory {
    let most = |of: fn(&Draft) -> usize| drafts.iter().map(of).max().unwrap_or(0);
    // Where there are more patches than a large device has processors, two should fit one.
    let crowded = drafts.len() > Target::SIDE_BY_SIDE;
    // A thread for every constraint of a color, and enough of them for what is done row by row.
    let rows = match most(|d| d.real) {
        _ if crowded => 0,
        real if real <= ONE_EACH => real,
        _ => most(|d| d.rows.len()).div_ceil(ROWS_EACH).min(MORE_THREADS),
    };
    let wanted = most(|d| d.width).max(rows).next_multiple_of(32).max(LEAST_THREADS);
    let mut memory = WorkgroupMemory { threads: wanted.min(threads), ..WorkgroupMemory::default() };
    let bytes = if crowded { bytes / 2 } else { bytes };
    let rows = most(|d| d.rows.len()) * VECTOR;
    let bytes = if rows > bytes { 2 * bytes } else { bytes };
    let steps: [&dyn Fn(&mut WorkgroupMemory); 4] = [
        &|r| r.rows = Some(most(|d| d.rows.len())),
        &|r| r.plan = Some(most(|d| d.plan)),
        &|r| r.lambda = multipliers.then(|| most(|d| d.lambda)),
        &|r| r.packed = Some(most(|d| d.packed)),
    ];
    for step in steps {
        let mut more = memory;
        step(&mut more);
        if more.bytes() > bytes {
            break;
        }
        memory = more;
    }
    memory
}
