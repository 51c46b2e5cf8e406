//! Target processor of a plan: capacities and concurrency.

use crate::scene::Partition;

/// Parameters of the target processor. They decide which bodies are islands and how larger ones are cut, so
/// results depend on them; results do not depend on other properties of the machine, such as its number of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Maximum rows of an island or a piece.
    pub rows: usize,
    /// Maximum size of an island, rows and constraints [bytes].
    pub island_bytes: usize,
    /// Constraints that run concurrently within a patch.
    pub width: usize,
    /// Number of pieces that occupies the whole device.
    pub pieces: usize,
    /// Minimum constraints of a piece per constraint of a particle: smaller pieces leave threads idle.
    pub min_constraints: usize,
    /// Maximum constraints of a piece.
    pub most: usize,
    /// Patches that run concurrently: with no more patches than this, the one with the most colors determines the
    /// time of all.
    pub few: usize,
    /// The partition that [`Partition::Auto`] selects.
    pub auto: Partition,
}

impl Target {
    /// CPU threads, any number. Patches are never much slower than colors: bodies that fit a cache are one
    /// patch, as with colors; larger ones run as fast on one core and scale better to several.
    pub const CPU: Self = Self {
        rows: usize::MAX,
        island_bytes: 768 << 10,
        width: 8,
        pieces: 32,
        min_constraints: 8,
        most: usize::MAX,
        few: 0,
        auto: Partition::Patch,
    };

    /// Whether it is no CPU.
    pub fn is_gpu(&self) -> bool {
        *self != Self::CPU
    }

    /// Workgroups that run concurrently on a large GPU, one per multiprocessor.
    pub(crate) const SIDE_BY_SIDE: usize = 160;

    /// GPU workgroups of `threads` threads that keep their rows in `workgroup_bytes` of workgroup memory.
    ///
    /// A pass over all constraints costs as much as a dozen colors within a workgroup, so pieces of all
    /// kinds, which take one pass per iteration, are faster than patches, which take several per kind.
    pub fn gpu(workgroup_bytes: usize, threads: usize) -> Self {
        // An eighth is reserved for the list of rounds.
        let for_rows = workgroup_bytes - workgroup_bytes / 8;
        Self {
            rows: for_rows / size_of::<crate::math::RowData>(),
            island_bytes: usize::MAX,
            width: threads,
            pieces: 128,
            min_constraints: 80,
            most: 24 * threads,
            few: Self::SIDE_BY_SIDE,
            auto: Partition::SharedVertexPatches,
        }
    }

    /// Maximum rows of islands and pieces, reduced to the user's limit if there is one.
    pub(crate) fn rows_within(&self, limit: Option<u32>) -> usize {
        limit.map_or(self.rows, |n| self.rows.min(n as usize))
    }
}
