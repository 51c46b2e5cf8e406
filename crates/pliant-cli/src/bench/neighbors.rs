//! `pliant bench --neighbors`: how fast neighbors are found.

use super::median;
use crate::args::BenchArgs;
use crate::out;
use crate::failure::Failure;
use pliant::space::{Box3, Cloud, Finder, Grid, Neighbors, Pairs, RadixSort, Search, Traversal, Tree};
use pliant::state::RowData;
use pliant::{Isa, Threads};
use serde::Serialize;
use std::time::Instant;

/// Radius of the smallest particles [m]: that of D4's boxes.
const RADIUS: f32 = 0.075;
/// Distance of the places that particles start from [m]: six tenths of the block are matter, as in a pile of balls.
const SPACING: f32 = 1.911 * RADIUS;
/// How far particles are from there, along each axis and at most [m].
const JITTER: f32 = 0.25 * RADIUS;
/// As the engine has it: a tenth of the smallest radius [m].
const MARGIN: f32 = 0.1 * RADIUS;

/// One row of the table; its fields are the keys of the JSON.
#[derive(Debug, Serialize)]
pub struct Row {
    pub particles: usize,
    pub backend: &'static str,
    /// Name of the GPU, if one searches.
    pub adapter: Option<String>,
    /// None on a GPU.
    pub threads: Option<usize>,
    /// What searched: grid or tree.
    pub search: &'static str,
    /// Largest radius in terms of the smallest.
    pub spread: u32,
    /// Particles along the edge of a rigid cube, or none.
    pub bodies: Option<u32>,
    /// Milliseconds for a sort of as many random pairs of words.
    pub sort_ms: f64,
    pub build_ms: f64,
    pub lists_ms: f64,
    pub total_ms: f64,
    pub pairs: u64,
    /// Entries of all lists.
    pub entries: u64,
    /// Memory of search and lists.
    pub bytes: u64,
    /// Dispatches of a search, one after the other; 0 on the CPU.
    pub dispatches: usize,
}

/// A block of particles.
pub struct Block {
    pub rows: Vec<RowData>,
    pub radii: Vec<f32>,
    /// Empty if all are loose.
    pub phases: Vec<u32>,
    pub spread: u32,
    pub bodies: Option<u32>,
    pub pairs: Pairs,
    pub search: Search,
}

impl Block {
    pub fn margin(&self) -> f32 {
        MARGIN
    }

    pub fn cloud(&self) -> Cloud<'_> {
        Cloud { rows: &self.rows, radii: &self.radii, phases: &self.phases }
    }

    fn new(particles: usize, args: &BenchArgs) -> Self {
        let (spread, bodies) = (args.hunt.spread(), args.hunt.bodies());
        let mut dice = Dice(1);
        let side = (1..).find(|side: &usize| side.pow(3) >= particles).unwrap_or(1);
        let place = |i: usize| [i % side, i / side % side, i / side / side];
        let row = |i: usize, dice: &mut Dice| {
            let [x, y, z] = place(i).map(|k| k as f32 * SPACING + (2.0 * dice.roll() - 1.0) * JITTER);
            [x, y, z, 1.0]
        };
        let mut rows: Vec<RowData> = (0..particles).map(|i| row(i, &mut dice)).collect();
        // Those of cubes begin with 1: loose particles have phase 0.
        let phase = |i: usize, edge: usize| {
            let cubes = side.div_ceil(edge);
            let [x, y, z] = place(i).map(|k| k / edge);
            ((z * cubes + y) * cubes + x) as u32 + 1
        };
        let mut phases: Vec<u32> =
            bodies.map_or_else(Vec::new, |edge| (0..particles).map(|i| phase(i, edge as usize)).collect());
        // Particles of a simulation are not in the order of their places.
        for i in (1..particles).rev() {
            let other = (dice.next() % (i as u64 + 1)) as usize;
            rows.swap(i, other);
            if bodies.is_some() {
                phases.swap(i, other);
            }
        }
        let radii = (0..particles).map(|_| radius(spread, &mut dice)).collect();
        Self { rows, radii, phases, spread, bodies, pairs: args.hunt.pairs(), search: args.hunt.search() }
    }
}

fn radius(spread: u32, dice: &mut Dice) -> f32 {
    let mut ratio = 1;
    while ratio * 2 <= spread && dice.roll() < 0.125 {
        ratio *= 2;
    }
    ratio as f32 * RADIUS
}

/// Numbers that are the same every time.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }

    /// In [0, 1).
    fn roll(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }
}

pub fn bench(particles: usize, args: &BenchArgs) -> Result<(), Failure> {
    let block = Block::new(particles, args);
    let backend = args.processor.backend()?;
    #[cfg(feature = "gpu")]
    if let Some(options) = super::neighbors_gpu::options(backend, particles) {
        return print(&[super::neighbors_gpu::measure(&block, &options, args.repeat)?], args.json);
    }
    #[cfg(not(feature = "gpu"))]
    let _ = backend;
    let on_cpu = |&threads: &usize| on_cpu(&block, threads, args);
    print(&args.threads.iter().map(on_cpu).collect::<Result<Vec<_>, _>>()?, args.json)
}

fn print(rows: &[Row], json: bool) -> Result<(), Failure> {
    if json { out::json(&rows) } else { out::text(&human(rows)) }
}

fn on_cpu(block: &Block, threads: usize, args: &BenchArgs) -> Result<Row, Failure> {
    let threads = Threads::new(threads).map_err(|e| Failure::io("cannot start threads", &e))?;
    let (isa, cloud, margin) = (Isa::detect(), block.cloud(), block.margin());
    // Decides for auto, and says where the search is certain.
    let mut finder = Finder::new(block.search);
    finder.find(&threads, cloud, margin, block.pairs);
    let used = finder.used();
    let (mut grid, mut tree, mut lists) = (Grid::default(), Tree::<Box3>::default(), Neighbors::default());
    let mut sort = RadixSort::default();
    let mut samples: Vec<[f64; 3]> = Vec::new();
    for k in 0..args.warmup + args.repeat {
        let mut dice = Dice(7);
        sort.keys.clear();
        sort.keys.extend((0..block.rows.len()).map(|_| dice.next()));
        sort.values.clear();
        sort.values.extend(0..block.rows.len() as u32);
        let sort_time = seconds(|| sort.sort());
        let (build, list) = threads.enter(|| {
            if used == Search::Tree {
                let build = seconds(|| tree.build(&threads, cloud));
                let how = Traversal::default();
                (build, seconds(|| tree.pairs(&threads, isa, how, margin, block.pairs, &mut lists)))
            } else {
                let build = seconds(|| grid.build(&threads, cloud, margin));
                (build, seconds(|| grid.pairs(&threads, isa, margin, block.pairs, &mut lists)))
            }
        });
        if k >= args.warmup {
            samples.push([sort_time, build, list]);
        }
    }
    let of = |k: usize| median(samples.iter().map(|s| s[k])) * 1e3;
    let bytes = lists.bytes() + if used == Search::Tree { tree.bytes() } else { grid.bytes() };
    let entries = lists.indices().len() as u64;
    Ok(Row {
        particles: block.rows.len(),
        backend: "cpu",
        adapter: None,
        threads: Some(threads.count()),
        search: name(used),
        spread: block.spread,
        bodies: block.bodies,
        sort_ms: of(0),
        build_ms: of(1),
        lists_ms: of(2),
        total_ms: median(samples.iter().map(|s| s[1] + s[2])) * 1e3,
        pairs: pairs(entries, block.pairs),
        entries,
        bytes,
        dispatches: 0,
    })
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// A search by name.
pub fn name(search: Search) -> &'static str {
    match search {
        Search::Grid => "grid",
        Search::Tree => "tree",
        Search::Auto => "auto",
    }
}

/// Pairs that so many entries are.
pub fn pairs(entries: u64, pairs: Pairs) -> u64 {
    if pairs == Pairs::Both { entries / 2 } else { entries }
}

fn human(rows: &[Row]) -> String {
    let head =
        ["where", "particles", "search", "sort ms", "build ms", "lists ms", "total ms", "pairs", "entries", "memory"];
    let mut table: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let ms = |value: f64| format!("{value:.4}");
        table.push(vec![
            out::place(row.adapter.as_deref(), row.threads),
            out::grouped(row.particles),
            row.search.to_owned(),
            ms(row.sort_ms),
            ms(row.build_ms),
            ms(row.lists_ms),
            ms(row.total_ms),
            out::grouped(row.pairs as usize),
            out::grouped(row.entries as usize),
            out::size(row.bytes),
        ]);
    }
    out::table(&table)
}
