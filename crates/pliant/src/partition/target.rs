//! What a plan is made for: how much fits, and how much runs side by side.

use crate::scene::Partition;

/// Measures of the processor that a model will run on. They decide which bodies are islands and how larger ones
/// are cut, so results depend on them; they do not depend on what else the machine has, such as its cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Rows that an island or a piece may hold.
    pub rows: usize,
    /// Most that an island holds, rows and constraints [bytes].
    pub island_bytes: usize,
    /// Constraints that run side by side within a patch.
    pub width: usize,
    /// Pieces that keep the whole device busy.
    pub pieces: usize,
    /// Constraints of a piece for each that a particle has: smaller ones keep nobody busy.
    pub crowd: usize,
    /// Constraints of a piece at most.
    pub most: usize,
    /// Patches that run side by side: with no more of them, the longest chain of colors in one decides how long they
    /// all take.
    pub few: usize,
    /// What [`Partition::Auto`] stands for.
    pub auto: Partition,
}

impl Target {
    /// Threads of a CPU, whatever their number. Patches are never far behind: bodies that fit a cache are one
    /// patch as they are with colors, larger ones run as fast on one core and scale better to several.
    pub const CPU: Self = Self {
        rows: usize::MAX,
        island_bytes: 768 << 10,
        width: 8,
        pieces: 32,
        crowd: 8,
        most: usize::MAX,
        few: 0,
        auto: Partition::Patch,
    };

    /// Workgroups that a large GPU runs at once, one to a processor.
    pub(crate) const SIDE_BY_SIDE: usize = 160;

    /// Workgroups of a GPU that keep their rows in `workgroup_bytes` of fast memory and have `threads` each.
    ///
    /// A pass over all constraints costs as much as a dozen colors within a workgroup, so that pieces of all
    /// kinds, which take one pass per iteration, come out ahead of patches, which take several per kind.
    pub fn gpu(workgroup_bytes: usize, threads: usize) -> Self {
        // An eighth is for the list of rounds.
        let for_rows = workgroup_bytes - workgroup_bytes / 8;
        Self {
            rows: for_rows / size_of::<crate::math::RowData>(),
            island_bytes: usize::MAX,
            width: threads,
            pieces: 128,
            crowd: 80,
            most: 24 * threads,
            few: Self::SIDE_BY_SIDE,
            auto: Partition::SharedVertexPatches,
        }
    }

    /// The same with islands and pieces of at most so many rows, where the user wishes.
    pub(crate) fn rows_within(&self, wish: Option<u32>) -> usize {
        wish.map_or(self.rows, |n| self.rows.min(n as usize))
    }
}
