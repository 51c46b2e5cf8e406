//! `pliant bench --neighbors`: the speed of the neighbor search on the CPU.

use super::neighbors_block::{Lcg, NeighborRow, ParticleBlock, pair_count, search_name};
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::statistics::median;
use crate::stdout;
use pliant::neighbors::{Box3, Finder, Grid, Neighbors, RadixSort, Search, Traversal, Tree};
use pliant::{Isa, Threads};
use std::time::Instant;

pub fn bench(particles: usize, args: &BenchArgs) -> Result<(), Failure> {
    let block = ParticleBlock::new(particles, args);
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

fn print(rows: &[NeighborRow], json: bool) -> Result<(), Failure> {
    if json { stdout::json(&rows) } else { stdout::text(&human(rows)) }
}

fn on_cpu(block: &ParticleBlock, threads: usize, args: &BenchArgs) -> Result<NeighborRow, Failure> {
    let threads = Threads::new(threads).map_err(|e| Failure::io("cannot start threads", &e))?;
    let (isa, cloud, margin) = (Isa::detect(), block.cloud(), block.margin());
    // Resolves `auto` to the search that the engine takes.
    let mut finder = Finder::new(block.search);
    finder.find(&threads, cloud, margin, block.pairs);
    let used = finder.used();
    let (mut grid, mut tree, mut lists) = (Grid::default(), Tree::<Box3>::default(), Neighbors::default());
    let mut sort = RadixSort::default();
    let mut samples: Vec<[f64; 3]> = Vec::new();
    for k in 0..args.warmup + args.repeat {
        let mut rng = Lcg(7);
        sort.keys.clear();
        sort.keys.extend((0..block.rows.len()).map(|_| rng.next()));
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
    Ok(NeighborRow {
        particles: block.rows.len(),
        backend: "cpu",
        adapter: None,
        threads: Some(threads.count()),
        search: search_name(used),
        spread: block.spread,
        bodies: block.bodies,
        sort_ms: of(0),
        build_ms: of(1),
        lists_ms: of(2),
        total_ms: median(samples.iter().map(|s| s[1] + s[2])) * 1e3,
        pairs: pair_count(entries, block.pairs),
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

fn human(rows: &[NeighborRow]) -> String {
    let head =
        ["where", "particles", "search", "sort ms", "build ms", "lists ms", "total ms", "pairs", "entries", "memory"];
    let mut table: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let ms = |value: f64| format!("{value:.4}");
        table.push(vec![
            formatting::device(row.adapter.as_deref(), row.threads),
            formatting::grouped(row.particles),
            row.search.to_owned(),
            ms(row.sort_ms),
            ms(row.build_ms),
            ms(row.lists_ms),
            ms(row.total_ms),
            formatting::grouped(row.pairs as usize),
            formatting::grouped(row.entries as usize),
            formatting::size(row.bytes),
        ]);
    }
    formatting::table(&table)
}
