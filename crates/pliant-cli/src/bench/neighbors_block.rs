//! The particles that `pliant bench --neighbors` searches, and one row of its results.

use crate::args::BenchArgs;
use pliant::math::RowData;
use pliant::neighbors::{Cloud, Pairs, Search};
use serde::Serialize;

/// Radius of the smallest particles [m], as in the boxes of D4.
const RADIUS: f32 = 0.075;
/// Lattice spacing [m]: a volume fraction of 0.6, as in a random packing of spheres.
const SPACING: f32 = 1.911 * RADIUS;
/// Maximum offset from the lattice along each axis [m].
const JITTER: f32 = 0.25 * RADIUS;
/// Margin of the lists [m]: a tenth of the smallest radius, as in the engine.
const MARGIN: f32 = 0.1 * RADIUS;

/// One row of the table; its fields are the keys of the JSON.
#[derive(Debug, Serialize)]
pub struct NeighborRow {
    pub particles: usize,
    pub backend: &'static str,
    /// Name of the GPU, if one searches.
    pub adapter: Option<String>,
    /// None on a GPU.
    pub threads: Option<usize>,
    /// The search structure: grid or tree.
    pub search: &'static str,
    /// Ratio of the largest to the smallest radius.
    pub spread: u32,
    /// Particles along the edge of a rigid cube; none for loose particles.
    pub bodies: Option<u32>,
    /// Time to sort as many random key-value pairs [ms].
    pub sort_ms: f64,
    pub build_ms: f64,
    pub lists_ms: f64,
    pub total_ms: f64,
    pub pairs: u64,
    /// Total number of list entries.
    pub entries: u64,
    /// Memory of the search structure and the lists [bytes].
    pub bytes: u64,
    /// Sequential dispatches of a search; 0 on the CPU.
    pub dispatches: usize,
}

/// A block of particles.
pub struct ParticleBlock {
    pub rows: Vec<RowData>,
    pub radii: Vec<f32>,
    /// Empty for loose particles.
    pub phases: Vec<u32>,
    pub spread: u32,
    pub bodies: Option<u32>,
    pub pairs: Pairs,
    pub search: Search,
}

impl ParticleBlock {
    pub fn margin(&self) -> f32 {
        MARGIN
    }

    pub fn cloud(&self) -> Cloud<'_> {
        Cloud { rows: &self.rows, radii: &self.radii, phases: &self.phases }
    }

    pub fn new(particles: usize, args: &BenchArgs) -> Self {
        let (spread, bodies) = (args.neighbor_search.spread(), args.neighbor_search.bodies());
        let mut rng = Lcg(1);
        let side = (1..).find(|side: &usize| side.pow(3) >= particles).unwrap_or(1);
        let lattice = |i: usize| [i % side, i / side % side, i / side / side];
        let row = |i: usize, rng: &mut Lcg| {
            let [x, y, z] = lattice(i).map(|k| k as f32 * SPACING + (2.0 * rng.unit() - 1.0) * JITTER);
            [x, y, z, 1.0]
        };
        let mut rows: Vec<RowData> = (0..particles).map(|i| row(i, &mut rng)).collect();
        // Phases of cubes start at 1; loose particles have phase 0.
        let phase = |i: usize, edge: usize| {
            let cubes = side.div_ceil(edge);
            let [x, y, z] = lattice(i).map(|k| k / edge);
            ((z * cubes + y) * cubes + x) as u32 + 1
        };
        let mut phases: Vec<u32> =
            bodies.map_or_else(Vec::new, |edge| (0..particles).map(|i| phase(i, edge as usize)).collect());
        // Shuffled: particles of a simulation are not in spatial order.
        for i in (1..particles).rev() {
            let other = (rng.next() % (i as u64 + 1)) as usize;
            rows.swap(i, other);
            if bodies.is_some() {
                phases.swap(i, other);
            }
        }
        let radii = (0..particles).map(|_| radius(spread, &mut rng)).collect();
        Self {
            rows,
            radii,
            phases,
            spread,
            bodies,
            pairs: args.neighbor_search.pairs(),
            search: args.neighbor_search.search(),
        }
    }
}

fn radius(spread: u32, rng: &mut Lcg) -> f32 {
    let mut ratio = 1;
    while ratio * 2 <= spread && rng.unit() < 0.125 {
        ratio *= 2;
    }
    ratio as f32 * RADIUS
}

/// Linear congruential generator with a fixed seed.
pub struct Lcg(pub u64);

impl Lcg {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

/// Name of a search.
pub fn search_name(search: Search) -> &'static str {
    match search {
        Search::Grid => "grid",
        Search::Tree => "tree",
        Search::Auto => "auto",
    }
}

/// Number of pairs for a number of list entries.
pub fn pair_count(entries: u64, pairs: Pairs) -> u64 {
    if pairs == Pairs::Both { entries / 2 } else { entries }
}
