//! Constraints of one kind, in blocks and batches, and the constraints of each row.

use crate::constraints::{ConstraintKind, Layout};
pub use crate::math::BLOCK;

/// Constraints of one kind: rows and parameters, constraint after constraint.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    /// Row numbers.
    pub rows: Vec<u32>,
    /// Parameters.
    pub params: Vec<f32>,
}

/// All constraints of one kind, ordered by batch.
#[derive(Clone, Debug)]
pub struct Group {
    /// Kind.
    pub kind: ConstraintKind,
    /// Number of constraints.
    pub count: usize,
    /// Sets that run one after the other. In a colored group no row appears twice within a batch.
    pub batches: Vec<Batch>,
    /// Row indices, `[block][row of the constraint][lane]`. Unused lanes of a batch's last block repeat
    /// its first lane: they may be read, never written.
    pub rows: Vec<u32>,
    /// Parameters, `[block][parameter][lane]`.
    pub params: Vec<f32>,
}

/// A range of blocks. Only the last block may be partly used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// First block.
    pub first: usize,
    /// Constraints in the batch.
    pub count: usize,
    /// Patch index; `u32::MAX` for batches outside patches.
    pub patch: u32,
    /// Color within the patch.
    pub color: u32,
}

impl Batch {
    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.count.div_ceil(BLOCK)
    }

    /// Block and lane of every constraint, in order.
    pub fn slots(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count).map(move |i| (self.first + i / BLOCK, i % BLOCK))
    }
}

impl Group {
    /// Sizes per constraint.
    pub fn layout(&self) -> Layout {
        self.kind.layout()
    }

    /// Number of blocks of all batches.
    pub fn blocks(&self) -> usize {
        self.rows.len() / (BLOCK * self.layout().rows)
    }

    /// Block and lane of every constraint, in storage order.
    pub fn slots(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.batches.iter().flat_map(|batch| batch.slots())
    }

    /// Row numbers of one constraint.
    pub fn rows_of(&self, block: usize, lane: usize) -> impl Iterator<Item = u32> + '_ {
        let n = self.layout().rows;
        (0..n).map(move |k| self.rows[(block * n + k) * BLOCK + lane])
    }

    /// Parameters of one constraint.
    pub fn params_of(&self, block: usize, lane: usize) -> impl Iterator<Item = f32> + '_ {
        let n = self.layout().params;
        (0..n).map(move |k| self.params[(block * n + k) * BLOCK + lane])
    }
}

/// Constraints of each row, for Jacobi passes.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    /// Start of each row's entries, plus the total at the end.
    pub offsets: Vec<u32>,
    /// Group, slot (block × 8 + lane) and position of the row in the constraint.
    pub entries: Vec<Entry>,
}

/// One row of one constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Group number.
    pub group: u16,
    /// Position of the row in the constraint.
    pub place: u16,
    /// Block × 8 + lane.
    pub slot: u32,
}
