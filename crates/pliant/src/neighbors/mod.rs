//! Neighbor search among particles of any radii (S30–S32).
//!
//! Two structures give the same result: a uniform grid ([`Grid`]), best for similar radii, and a linear bounding volume
//! hierarchy ([`Tree`]), for different radii and uneven distributions. [`Finder`] selects one. The use of the pairs in
//! contacts is defined elsewhere.
//!
//! Invariants:
//! - A pair is near if [`near`] returns true; everything before that test only rejects pairs that it would reject. All
//!   bounds are rounded outward, so positions may be arbitrarily far from the origin.
//! - Lists are ascending by particle index, except with [`Finder::set_cells`]. They are the same for grid and tree, for
//!   every cell size, traversal and thread count, and so a GPU can reproduce them exactly.
//! - Arithmetic is f32 with the operations in the order they are written, without fused multiply-add.
//! - Buffers are kept: a steady frame allocates nothing.
//! - Work is distributed over the threads of [`Threads`]; call [`Grid`] and [`Tree`] inside [`Threads::enter`].
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

use crate::environments::Separation;
use crate::math::RowData;
use crate::runtime::cpu::{Isa, Threads};

/// Maximum number of particles: slot indices share a word with a leaf's size and a flag.
pub const MAX_PARTICLES: usize = 1 << 28;

/// Factor that widens bounds to cover the rounding error of their own arithmetic: 1 + 8 ε.
const OUTWARD: f32 = 1.0 + 8.0 * f32::EPSILON;

/// Particles to search, by particle index.
#[derive(Clone, Copy, Debug)]
pub struct Cloud<'a> {
    /// Positions [m]; the fourth component is ignored.
    pub rows: &'a [RowData],
    /// Radii [m], not negative; one per row.
    pub radii: &'a [f32],
    /// Phases; one per row, or empty for phase 0 throughout. Particles of one phase are not neighbors, except those of
    /// phase 0; particles of phase [`INACTIVE`] have no neighbors.
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

    /// Panics, naming the array, unless all have one length within the limit.
    fn check(&self) {
        let n = self.len();
        assert!(n < MAX_PARTICLES, "{n} particles: a neighbor search holds fewer than {MAX_PARTICLES}");
        assert_eq!(self.radii.len(), n, "one radius per row");
        assert!(self.phases.is_empty() || self.phases.len() == n, "one phase per row, or none: {}", self.phases.len());
    }
}

/// Whether two particles are near: |a − b| < r_a + r_b + margin. Equality is not near.
///
/// In f32: (dx·dx + dy·dy) + dz·dz < s·s with s = (r_a + r_b) + margin. Bitwise symmetric in (a, b).
#[inline(always)]
pub fn near(a: RowData, radius_a: f32, b: RowData, radius_b: f32, margin: f32) -> bool {
    let (dx, dy, dz) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    let reach = (radius_a + radius_b) + margin;
    dx * dx + dy * dy + dz * dz < reach * reach
}

/// Phase of inactive particles, which have no neighbors.
pub const INACTIVE: u32 = u32::MAX;

/// Phase of all fluid particles: they have no contacts with each other, only density constraints.
pub const LIQUID: u32 = INACTIVE - 1;

/// Whether two phases may be neighbors.
#[inline(always)]
pub fn phases_collide(a: u32, b: u32) -> bool {
    ((a == 0) | (a != b)) & (a != INACTIVE) & (b != INACTIVE)
}

/// Which particle of a pair lists the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairs {
    /// The one with the smaller index: every pair once.
    #[default]
    Once,
    /// Both.
    Both,
}

/// Search structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The grid while particles have few candidates, else the tree: depends on the distribution of particles and the
    /// largest radius.
    #[default]
    Auto,
    /// Grid: constant work per particle for similar radii.
    Grid,
    /// Tree: logarithmic work per particle for any radii.
    Tree,
}

/// Number of candidates per particle above which [`Search::Auto`] selects the tree. With 216,000 particles on one core
/// the tree takes about 120 ms whatever the radii; the grid 25 ms for equal ones and 80 ms for 1:8, which is 1,300
/// candidates, and grows in proportion from there.
const MAX_GRID_CANDIDATES: f64 = 2000.0;

/// Search structure for the particles counted by a grid.
fn suits(grid: &Grid, margin: f32) -> Search {
    if grid.candidates(margin) > MAX_GRID_CANDIDATES { Search::Tree } else { Search::Grid }
}

/// Structure that [`Search::Auto`] selects.
#[cfg(feature = "gpu")]
pub(crate) fn choose(threads: &Threads, cloud: Cloud<'_>, margin: f32) -> Search {
    threads.enter(|| {
        let mut grid = Grid::default();
        grid.count(threads, cloud, Separation::default(), margin);
        suits(&grid, margin)
    })
}

/// Neighbor search with its buffers. A steady frame allocates nothing.
pub struct Finder {
    search: Search,
    isa: Isa,
    grid: Grid,
    tree: Tree<Box3>,
    neighbors: Neighbors,
    used: Search,
}

impl Finder {
    /// Searches with the widest instruction set of this processor.
    pub fn new(search: Search) -> Self {
        Self::with_isa(search, Isa::detect())
    }

    /// Searches with a given instruction set. Results are the same for all.
    pub fn with_isa(search: Search, isa: Isa) -> Self {
        let (grid, tree, neighbors) = (Grid::default(), Tree::default(), Neighbors::default());
        Self { search, isa, grid, tree, neighbors, used: search }
    }

    /// From now on with the grid, and lists in the order of cells and by index within them: without the cost of sorting long
    /// lists. Cells are a lattice through the origin for pairs within `reach` [m], so that particles out of reach do not
    /// change the order of a list; with a reach of 0 they are chosen for the particles.
    pub fn set_cells(&mut self, reach: f32) {
        self.search = Search::Grid;
        self.neighbors.as_found = true;
        self.grid.fixed_reach = reach;
    }

    /// Finds all pairs that are [`near`] with this margin [m], which must not be negative.
    pub fn find(&mut self, threads: &Threads, cloud: Cloud<'_>, margin: f32, pairs: Pairs) -> &Neighbors {
        self.find_within(threads, cloud, Separation::default(), margin, pairs)
    }

    /// The same for pairs of one environment. Each environment has a table of cells of its own, so that the work does not
    /// depend on where the others are. Lists are ascending, and the grid searches, if there is more than one.
    pub fn find_within(
        &mut self,
        threads: &Threads,
        cloud: Cloud<'_>,
        separation: Separation<'_>,
        margin: f32,
        pairs: Pairs,
    ) -> &Neighbors {
        assert!(margin >= 0.0, "the margin of a neighbor search is {margin} m, but must not be negative");
        if separation.acts() {
            // Cells depend on the bounds of all environments, and so must not decide the order of sums in one of them.
            (self.search, self.neighbors.as_found) = (Search::Grid, false);
            self.grid.fixed_reach = 0.0;
        }
        threads.enter(|| self.search(threads, cloud, separation, margin, pairs));
        &self.neighbors
    }

    fn search(&mut self, threads: &Threads, cloud: Cloud<'_>, separation: Separation<'_>, margin: f32, pairs: Pairs) {
        let Self { search, isa, grid, tree, neighbors, used } = self;
        if *search != Search::Tree {
            grid.count(threads, cloud, separation, margin);
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

    /// Keeps only the neighbors for which `keep` holds of both particles.
    pub fn retain(&mut self, keep: impl Fn(usize, usize) -> bool) {
        self.neighbors.retain(keep);
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        self.grid.bytes() + self.tree.bytes() + self.neighbors.bytes()
    }

    /// Lists of the last search.
    pub fn neighbors(&self) -> &Neighbors {
        &self.neighbors
    }

    /// Grid of the last search; empty if it used the tree.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Structure used by the last search: grid or tree.
    pub fn used(&self) -> Search {
        self.used
    }
}
