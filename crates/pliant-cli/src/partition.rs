//! `pliant partition`: the partition of the constraints of a scene, as numbers and as a plot.

use crate::args::PartitionArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::plot::bars::{self, BarFill, Bars};
use crate::plot::graph::{self, Graph, Link};
use crate::plot::{self, DrawResult};
use crate::scene_loader::{LoadedScene, Setting};
use crate::stdout;
use pliant::World;
use pliant::constraints::group::Group;
use pliant::model::partition_report::{GroupReport, Report, report};
use serde::Serialize;
use std::time::Instant;

/// Maximum number of constraints for which the graph is plotted.
const MAX_GRAPH_CONSTRAINTS: usize = 400;

/// The result; its fields are the keys of the JSON.
#[derive(Serialize)]
struct PartitionReport {
    scene: String,
    #[serde(flatten)]
    report: Report,
    /// Total build time, including the partition.
    build_ms: f64,
    partition_ms: f64,
}

pub fn partition(args: &PartitionArgs) -> Result<(), Failure> {
    let mut settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
    settings.extend(args.solver.iter().flat_map(|s| s.settings("solver")));
    let loaded = LoadedScene::new(&args.scene, &settings, &args.overrides)?;
    let start = Instant::now();
    let sim = loaded.simulation(1, args.processor.backend()?)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let findings = PartitionReport {
        scene: loaded.name.clone(),
        report: report(sim.model()),
        build_ms,
        partition_ms: sim.model().partition_seconds * 1e3,
    };
    if let Some(path) = &args.plot {
        plot::save(path, &draw(&findings, &sim)?)?;
    }
    if args.json { stdout::json(&findings) } else { stdout::text(&human(&findings, args)) }
}

fn human(f: &PartitionReport, args: &PartitionArgs) -> String {
    let r = &f.report;
    let mut text = format!("{}: solver {}\n\n", f.scene, r.solver);
    let head = ["kind", "constraints", "omega", "colors", "averaged", "largest", "smallest", "imbalance", "phantoms"];
    let mut table: Vec<Vec<String>> = vec![head.iter().chain(&["passes"]).map(|s| (*s).to_owned()).collect()];
    for g in &r.groups {
        let end = |n: Option<&usize>| formatting::grouped(n.copied().unwrap_or(0));
        table.push(vec![
            g.kind.into(),
            formatting::grouped(g.constraints),
            omega(g),
            g.colors.to_string(),
            formatting::grouped(g.averaged),
            end(g.sizes.iter().max()),
            end(g.sizes.iter().min()),
            format!("{:.2}", g.imbalance),
            formatting::grouped(g.phantoms),
            formatting::grouped(g.passes_per_iteration),
        ]);
    }
    if r.groups.is_empty() {
        text.push_str("There are no constraints to split\n");
    } else {
        text.push_str(&formatting::table(&table));
    }
    let tilings: Vec<String> = r.tilings.iter().map(|n| formatting::grouped(*n)).collect();
    let mut rows = vec![vec!["passes per iteration".to_owned(), formatting::grouped(r.passes_per_iteration)]];
    if r.patches > 0 {
        rows.push(vec!["patches".into(), formatting::grouped(r.patches)]);
        rows.push(vec!["of them islands".into(), formatting::grouped(r.islands)]);
    }
    if !tilings.is_empty() {
        rows.push(vec!["patches by tiling".into(), tilings.join(" + ")]);
    }
    if r.copies > 0 {
        rows.push(vec!["copies of particles".into(), formatting::grouped(r.copies)]);
        rows.push(vec!["particles with copies".into(), formatting::grouped(r.copied)]);
    }
    rows.push(vec!["partition made in".into(), duration(f.partition_ms)]);
    rows.push(vec!["whole build".into(), duration(f.build_ms)]);
    text.push('\n');
    text.push_str(&formatting::table(&rows));
    if let Some(path) = &args.plot {
        text.push_str(&format!("\nLook at: {}\n", path.display()));
    } else {
        let solver = args.solver.map_or_else(String::new, |s| format!(" --solver {s}"));
        text.push_str(&format!("\nNext: pliant partition {}{solver} --plot {}.svg\n", args.scene, f.scene));
    }
    text
}

/// "1.5 ms", "23.0 s".
fn duration(ms: f64) -> String {
    if ms < 1000.0 { format!("{ms:.1} ms") } else { format!("{:.1} s", ms * 1e-3) }
}

/// "12", or "at least 12" for a lower bound.
fn omega(group: &GroupReport) -> String {
    if group.omega_exact { group.omega.to_string() } else { format!("at least {}", group.omega) }
}

/// Width of a histogram, and of a graph, in the picture.
const WIDTH: u32 = 600;
/// Height of the title of the picture.
const TITLE: u32 = 44;

/// One histogram per kind, and the graph next to it for small scenes.
fn draw(f: &PartitionReport, sim: &World) -> Result<String, Failure> {
    let groups = &sim.model().groups;
    let small = groups.iter().map(|g| g.count).sum::<usize>() <= MAX_GRAPH_CONSTRAINTS;
    let drawings: Vec<(Bars, Option<Graph>)> = f
        .report
        .groups
        .iter()
        .zip(groups)
        .map(|(r, g)| {
            let graph = small.then(|| graph(sim, g, r)).filter(|g| !g.links.is_empty());
            (histogram(r, if graph.is_some() { BarFill::ByClass } else { BarFill::One }), graph)
        })
        .collect();
    let columns = if drawings.iter().any(|(_, graph)| graph.is_some()) { 2 } else { 1 };
    let height = if columns == 2 { 440 } else { 340 };
    let size = (WIDTH * columns, TITLE + height * drawings.len().max(1) as u32);
    plot::svg(size, |area| -> DrawResult {
        let title = format!("{}: constraints of each color, solver {}", f.scene, f.report.solver);
        plot::title(area, &title)?;
        let (_, rest) = area.split_vertically(TITLE);
        for ((bars, graph), row) in drawings.iter().zip(rest.split_evenly((drawings.len().max(1), 1))) {
            let (left, right) = row.split_horizontally(WIDTH);
            bars::draw(&left, bars)?;
            graph.iter().try_for_each(|graph| graph::draw(&right, graph))?;
        }
        Ok(())
    })
}

fn histogram(r: &GroupReport, fill: BarFill) -> Bars {
    let sign = if r.omega_exact { "=" } else { "≥" };
    let mut subtitle = format!("ω {sign} {}, imbalance {:.2}", r.omega, r.imbalance);
    if r.averaged > 0 {
        subtitle.push_str(&format!(", {} averaged (gray)", formatting::grouped(r.averaged)));
    }
    if r.phantoms > 0 {
        let rings = if fill == BarFill::ByClass { " (ringed)" } else { "" };
        subtitle.push_str(&format!(", {} phantoms{rings}", formatting::grouped(r.phantoms)));
    }
    let colors = match r.colors {
        0 => "no colors".into(),
        1 => "1 color".into(),
        n => format!("{n} colors"),
    };
    Bars {
        title: format!("{}: {} constraints in {colors}", r.kind, formatting::grouped(r.constraints)),
        subtitle,
        sizes: r.sizes.clone(),
        last_averaged: r.averaged > 0,
        fill,
    }
}

/// The constraint graph of one group at the initial positions.
fn graph(sim: &World, group: &Group, r: &GroupReport) -> Graph {
    let (model, particles) = (sim.model(), sim.particles());
    let positions: Vec<[f64; 3]> = (0..particles).map(|i| sim.position(i).as_dvec3().to_array()).collect();
    let mut links = Vec::new();
    let mut copied = Vec::new();
    for batch in &group.batches {
        let averaged = r.averaged > 0 && batch.color as usize >= r.colors;
        for (block, lane) in batch.slots() {
            let rows: Vec<u32> = group.rows_of(block, lane).collect();
            let particle = |row: u32| model.phantoms.seen(row) as usize;
            // Orientations of rods have no position.
            let points: Vec<usize> = rows.iter().map(|&r| particle(r)).filter(|&p| p < particles).collect();
            copied.extend(rows.iter().filter(|&&r| r as usize >= model.phantoms.first).map(|&r| particle(r)));
            if points.len() > 1 {
                links.push(Link { points, class: (!averaged).then_some(batch.color as usize) });
            }
        }
    }
    copied.sort_unstable();
    copied.dedup();
    Graph { points: graph::project(&positions), links, copied }
}
