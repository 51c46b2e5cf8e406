//! Neighbor search: which particles, of any radius, are near each other (S30–S32).
//!
//! Two structures answer the same question: a uniform grid ([`Grid`]), best where all radii are alike, and a
//! linear bounding volume hierarchy ([`Tree`]), for radii that differ and matter that is spread unevenly.
//! [`Finder`] picks one. What contacts do with the pairs is not decided here.
//!
//! Invariants:
//! - A pair is near when [`near`] says so; everything before that test only leaves out pairs that it would refuse.
//!   All bounds are rounded outward, so no position is too far from the origin.
//! - Lists are ascending by particle number, but for [`Finder::in_cells`]. They are the same for grid and tree, for every cell size,
//!   traversal and number of threads, and so a GPU can reproduce them exactly.
//! - Arithmetic is f32 with the operations in the order they are written, without fused multiply-add.
//! - Buffers are kept: a steady frame allocates nothing.
//! - Work is shared between the threads of [`Threads`]; who calls [`Grid`] or [`Tree`] does so inside of
//!   [`Threads::enter`].
//!
//! References: D4 chapter 5; Karras, *Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees*,
//! HPG 2012; Áfra & Szirmay-Kalos, *Stackless Multi-BVH Traversal*, CGF 2014.

pub mod bounding_volume;
pub mod cells;
pub mod filter;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod grid;
pub mod lists;
pub mod morton;
pub mod nearest;
pub mod radix_sort;
pub mod sorted_particles;
pub mod traversal;
pub mod tree;

pub use crate::neighbors::bounding_volume::{Ball, Box3, Query, Volume};
pub use crate::neighbors::cells::{Bounds, Cells};
pub use crate::neighbors::grid::{Construction, Grid};
pub use crate::neighbors::lists::Neighbors;
pub use crate::neighbors::morton::{AXIS_BITS, CODE_BITS, Quantizer, interleave};
pub use crate::neighbors::nearest::Near;
pub use crate::neighbors::radix_sort::RadixSort;
pub use crate::neighbors::traversal::{MAX_DEPTH, Start, Traversal, Walk};
pub use crate::neighbors::tree::{Fork, MAX_BUNCH, Node, Tree};

use crate::math::RowData;
use crate::runtime::cpu::{Isa, Threads};

/// Most particles that a search can hold: slot numbers share a word with a bunch's size and a flag.
pub const MAX_PARTICLES: usize = 1 << 28;

/// How much bounds are widened so that the rounding of their own arithmetic leaves out nobody: eight times the
/// distance from 1 to the next f32.
const OUTWARD: f32 = 1.0 + 8.0 * f32::EPSILON;

/// The particles to search, by particle number.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a> {
    /// Positions [m]; the fourth component is ignored.
    pub rows: &'a [RowData],
    /// Radii [m], not negative; one per row.
    pub radii: &'a [f32],
    /// Phases; one per row, or none at all, which means 0 for everybody. Particles of one phase are no
    /// neighbors of each other, except those of phase 0; those of phase [`ASLEEP`] are nobody's.
    pub phases: &'a [u32],
}

impl Cloud<'_> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Largest radius [m], 0 without particles.
    pub fn largest(&self) -> f32 {
        self.radii.iter().fold(0.0, |a: f32, &b| a.max(b))
    }

    /// Phase of a particle.
    pub fn phase(&self, i: usize) -> u32 {
        self.phases.get(i).copied().unwrap_or(0)
    }

    /// Panics, naming the array, unless all are of one length that the search can hold.
    fn check(&self) {
        let n = self.len();
        assert!(n < MAX_PARTICLES, "{n} particles: a neighbor search holds fewer than {MAX_PARTICLES}");
        assert_eq!(self.radii.len(), n, "one radius per row");
        assert!(self.phases.is_empty() || self.phases.len() == n, "one phase per row, or none: {}", self.phases.len());
    }
}

/// Whether two particles are near: |a − b| < r_a + r_b + margin. Those that just reach each other are not.
///
/// In f32: (dx·dx + dy·dy) + dz·dz < s·s with s = (r_a + r_b) + margin. The same bits for (a, b) as for (b, a).
#[inline(always)]
pub fn near(a: RowData, radius_a: f32, b: RowData, radius_b: f32, margin: f32) -> bool {
    let (dx, dy, dz) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    let reach = (radius_a + radius_b) + margin;
    dx * dx + dy * dy + dz * dz < reach * reach
}

/// Phase of particles that are nobody's neighbors.
pub const ASLEEP: u32 = u32::MAX;

/// Phase of all particles of liquids: they do not touch each other, but keep their density.
pub const LIQUID: u32 = ASLEEP - 1;

/// Whether two phases may be neighbors.
#[inline(always)]
pub fn phases_meet(a: u32, b: u32) -> bool {
    ((a == 0) | (a != b)) & (a != ASLEEP) & (b != ASLEEP)
}

/// Which of a pair lists the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairs {
    /// The one with the smaller number: every pair once.
    #[default]
    Once,
    /// Both.
    Both,
}

/// What to search with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The grid while a particle has few others to look at, else the tree: what is asked is where particles are
    /// and how far the largest reaches, not the radii as such.
    #[default]
    Auto,
    /// The grid: constant work per particle where radii are alike.
    Grid,
    /// The tree: logarithmic work per particle for any radii.
    Tree,
}

/// Others that a particle may have to look at before [`Search::Auto`] takes the tree. With 216,000 particles on one
/// core the tree takes about 120 ms whatever the radii; the grid 25 ms for equal ones and 80 ms for 1:8, which is
/// 1,300 to look at, and grows in proportion from there.
const LISTS_FULL: f64 = 2000.0;

/// What suits particles that a grid has counted.
fn suits(grid: &Grid, margin: f32) -> Search {
    if grid.candidates(margin) > LISTS_FULL { Search::Tree } else { Search::Grid }
}

/// What [`Search::Auto`] takes for a cloud.
#[cfg(feature = "gpu")]
pub(crate) fn choose(threads: &Threads, cloud: Cloud<'_>, margin: f32) -> Search {
    threads.enter(|| {
        let mut grid = Grid::default();
        grid.count(threads, cloud, margin);
        suits(&grid, margin)
    })
}

/// Neighbor search with its buffers. Owns everything, so that a steady frame allocates nothing.
pub struct Finder {
    search: Search,
    isa: Isa,
    grid: Grid,
    tree: Tree<Box3>,
    neighbors: Neighbors,
    used: Search,
}

impl Finder {
    /// Searches with the widest instructions of this processor.
    pub fn new(search: Search) -> Self {
        Self::with_isa(search, Isa::detect())
    }

    /// Searches with given instructions. Results are the same for all.
    pub fn with_isa(search: Search, isa: Isa) -> Self {
        let (grid, tree, neighbors) = (Grid::default(), Tree::default(), Neighbors::default());
        Self { search, isa, grid, tree, neighbors, used: search }
    }

    /// The same with lists in the order of the grid's cells, and of numbers within them: as certain, for whoever does not
    /// compare them with those of the tree, and without sorting lists of dozens.
    pub fn in_cells(mut self) -> Self {
        self.search = Search::Grid;
        self.neighbors.as_found = true;
        self
    }

    /// Finds all pairs of the cloud that are [`near`] with this margin [m], which is not negative.
    pub fn find(&mut self, threads: &Threads, cloud: Cloud<'_>, margin: f32, pairs: Pairs) -> &Neighbors {
        assert!(margin >= 0.0, "the margin of a neighbor search is {margin} m, but must not be negative");
        threads.enter(|| self.search(threads, cloud, margin, pairs));
        &self.neighbors
    }

    fn search(&mut self, threads: &Threads, cloud: Cloud<'_>, margin: f32, pairs: Pairs) {
        let Self { search, isa, grid, tree, neighbors, used } = self;
        if *search != Search::Tree {
            grid.count(threads, cloud, margin);
        }
        *used = match search {
            Search::Auto => suits(grid, margin),
            given => *given,
        };
        if *used == Search::Grid {
            grid.fill(threads, cloud);
            grid.pairs(threads, *isa, margin, pairs, neighbors);
        } else {
            tree.build(threads, cloud);
            tree.pairs(threads, *isa, Traversal::default(), margin, pairs, neighbors);
        }
    }

    /// Memory that it holds [bytes].
    pub fn bytes(&self) -> u64 {
        self.grid.bytes() + self.tree.bytes() + self.neighbors.bytes()
    }

    /// Lists of the last search.
    pub fn neighbors(&self) -> &Neighbors {
        &self.neighbors
    }

    /// The grid of the last search; empty where it used the tree.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What the last search used: grid or tree.
    pub fn used(&self) -> Search {
        self.used
    }
}
