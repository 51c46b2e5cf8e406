//! `pliant bench`: the speed of scenes, by solver and number of threads.

#[cfg(feature = "gpu")]
mod gpu;
mod measurement;
mod neighbors;
mod neighbors_block;
#[cfg(feature = "gpu")]
mod neighbors_gpu;

use crate::args::{BenchArgs, SolverSpec};
use crate::failure::Failure;
use crate::formatting;
use crate::process::{cpu_seconds, peak_bytes, reset_peak};
use crate::scene_loader::{LoadedScene, Setting};
use crate::statistics::median;
use crate::stdout;
use measurement::{StepMeasurement, mean_residuals};
use pliant::model::Model;
use pliant::schedule::Stage;
use pliant::schedule::stats::{Counts, Residuals, Times};
use pliant::{StepError, World};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// One row of the table; its fields are the keys of the JSON.
#[derive(Debug, Serialize)]
struct SceneRow {
    scene: String,
    backend: &'static str,
    solver: String,
    /// None on a GPU.
    threads: Option<usize>,
    particles: usize,
    constraints: Counts,
    iterations: u32,
    build_ms: f64,
    partition_ms: f64,
    ms_per_step: f64,
    cpu_ms_per_step: f64,
    msolves_per_s: f64,
    msolves_per_s_by_kind: BTreeMap<&'static str, f64>,
    stages: BTreeMap<&'static str, f64>,
    residual: Residuals,
    residual_before: Residuals,
    moments: u32,
    hash: String,
    peak_bytes: Option<u64>,
    #[cfg(feature = "gpu")]
    #[serde(flatten)]
    gpu: Option<gpu::GpuFacts>,
}

impl SceneRow {
    /// Number of threads, or the name of a GPU.
    fn device(&self) -> String {
        #[cfg(feature = "gpu")]
        let adapter = self.gpu.as_ref().map(|facts| facts.adapter.as_str());
        #[cfg(not(feature = "gpu"))]
        let adapter = None;
        formatting::device(adapter, self.threads)
    }
}

pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    if let Some(particles) = args.neighbors {
        return neighbors::bench(particles as usize, args);
    }
    if let Some(option) = args.neighbor_search.given() {
        let message = format!("{option} applies to --neighbors, but scenes are to be measured");
        return Err(Failure::usage(message).help("give --neighbors N in place of scenes"));
    }
    let mut rows = Vec::new();
    for spec in &args.scenes {
        let solvers = if args.solver.is_empty() { vec![None] } else { args.solver.iter().map(Some).collect() };
        for solver in solvers {
            let mut settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
            settings.extend(solver.iter().flat_map(|s| s.settings("solver")));
            let loaded = LoadedScene::new(spec, &settings, &args.overrides)?;
            for &threads in &args.threads {
                let row = measure(&loaded, solver, threads, args)?;
                let on_gpu = row.threads.is_none();
                rows.push(row);
                if on_gpu {
                    // The number of threads does not matter on a GPU.
                    break;
                }
            }
        }
    }
    if args.json { stdout::json(&rows) } else { stdout::text(&human(&rows)) }
}

fn measure(
    loaded: &LoadedScene,
    solver: Option<&SolverSpec>,
    threads: usize,
    args: &BenchArgs,
) -> Result<SceneRow, Failure> {
    reset_peak();
    let start = Instant::now();
    let mut sim = loaded.simulation(threads, args.processor.backend()?)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let residual_before = sim.residuals();
    #[cfg(feature = "gpu")]
    let (measured, gpu) = match gpu::measure(&mut sim, args)? {
        Some((measured, facts)) => (measured, Some(facts)),
        None => (on_cpu(&mut sim, args)?, None),
    };
    #[cfg(not(feature = "gpu"))]
    let measured = on_cpu(&mut sim, args)?;
    let settings = sim.model().settings;
    let threads = (sim.backend() == "cpu").then(|| sim.threads());
    Ok(SceneRow {
        scene: loaded.name.clone(),
        backend: sim.backend(),
        // The partition that `auto` resolves to; the option where it has a number.
        solver: solver
            .filter(|s| s.number.is_some())
            .map_or_else(|| settings.partition.name().to_owned(), ToString::to_string),
        threads,
        particles: sim.particles(),
        constraints: sim.counts(),
        iterations: settings.iterations,
        build_ms,
        partition_ms: sim.model().partition_seconds * 1e3,
        ms_per_step: measured.wall * 1e3,
        cpu_ms_per_step: measured.cpu * 1e3,
        msolves_per_s: rate(
            sim.model(),
            sim.model().constraints(),
            if threads == Some(1) { measured.cpu } else { measured.wall },
        ),
        msolves_per_s_by_kind: measured.by_kind,
        stages: measured.stages,
        residual: measured.residual,
        residual_before,
        moments: args.moments,
        hash: format!("{:016x}", measured.hash),
        peak_bytes: peak_bytes(),
        #[cfg(feature = "gpu")]
        gpu,
    })
}

fn on_cpu(sim: &mut World, args: &BenchArgs) -> Result<StepMeasurement, Failure> {
    sim.advance(args.warmup)?;
    let samples = (0..args.repeat).map(|_| sample(sim)).collect::<Result<Vec<_>, _>>()?;
    let stages = Stage::ALL.map(|s| (s.name(), median(samples.iter().map(|x| x.times.stage(s))) * 1e3));
    let mut by_kind = BTreeMap::new();
    for (kind, count) in counts_by_kind(sim) {
        let of_kind = |s: &StepSample| -> f64 {
            sim.model().groups.iter().zip(&s.times.groups).filter(|(g, _)| g.kind.name() == kind).map(|(_, t)| t).sum()
        };
        let seconds = median(samples.iter().map(of_kind));
        // Jacobi passes run all kinds together, so kinds have no separate times.
        if seconds > 0.0 {
            by_kind.insert(kind, rate(sim.model(), count, seconds));
        }
    }
    let hash = sim.hash();
    Ok(StepMeasurement {
        wall: median(samples.iter().map(|s| s.wall)),
        cpu: median(samples.iter().map(|s| s.cpu)),
        stages: stages.into_iter().collect(),
        by_kind,
        residual: mean_residuals(sim, args.moments)?,
        hash,
    })
}

/// Million solves per second of a number of constraints that take `seconds` of a step.
fn rate(model: &Model, constraints: usize, seconds: f64) -> f64 {
    let sweeps = f64::from(model.settings.iterations) * f64::from(model.settings.substeps);
    constraints as f64 * sweeps / seconds.max(1e-12) * 1e-6
}

/// Times of one step [s].
struct StepSample {
    wall: f64,
    cpu: f64,
    times: Times,
}

fn sample(sim: &mut World) -> Result<StepSample, StepError> {
    sim.take_times();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    sim.step()?;
    let (cpu, wall) = (cpu_seconds() - cpu, start.elapsed().as_secs_f64());
    Ok(StepSample { wall, cpu, times: sim.take_times() })
}

/// Number of constraints by kind, of those in groups.
fn counts_by_kind(sim: &World) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for group in &sim.model().groups {
        *counts.entry(group.kind.name()).or_default() += group.count;
    }
    counts
}

fn human(rows: &[SceneRow]) -> String {
    let head =
        ["scene", "solver", "threads", "particles", "constraints", "iterations", "ms/step", "CPU ms", "Msolves/s"];
    let mut table =
        vec![head.iter().chain(&["residual", "before", "memory", "hash"]).map(|s| (*s).to_owned()).collect()];
    let mean = |r: &Residuals| r.values().map(|r| r.mean).fold(0.0, f64::max);
    for row in rows {
        table.push(vec![
            row.scene.clone(),
            row.solver.clone(),
            row.threads.map_or_else(|| "-".into(), |n| n.to_string()),
            formatting::grouped(row.particles),
            formatting::grouped(row.constraints.values().sum()),
            row.iterations.to_string(),
            format!("{:.3}", row.ms_per_step),
            format!("{:.3}", row.cpu_ms_per_step),
            format!("{:.1}", row.msolves_per_s),
            format!("{:.1e}", mean(&row.residual)),
            format!("{:.1e}", mean(&row.residual_before)),
            row.peak_bytes.map_or_else(|| "?".into(), formatting::size),
            row.hash.clone(),
        ]);
    }
    let mut text = formatting::table(&table);
    text.push_str(
        "\nBuild (ms), stages (ms per step), and by kind (million solves per second; mean and greatest relative error)\n",
    );
    for row in rows {
        text.push_str(&format!("{}, {}, {}:", row.scene, row.solver, row.device()));
        text.push_str(&format!(" build {:.0} (partition {:.0}),", row.build_ms, row.partition_ms));
        for stage in Stage::ALL {
            if let Some(ms) = row.stages.get(stage.name()) {
                text.push_str(&format!(" {} {ms:.3}", stage.name()));
            }
        }
        text.push('\n');
        #[cfg(feature = "gpu")]
        row.gpu.iter().for_each(|facts| text.push_str(&gpu::human(facts)));
        let color_row = rows.iter().find(|r| r.scene == row.scene && r.solver == "color" && row.solver != "color");
        for (kind, residual) in &row.residual {
            let beside = color_row.and_then(|r| r.residual.get(kind)).filter(|r| r.mean > 0.0);
            let beside = beside.map_or_else(String::new, |r| format!(" ({:.2} of color's)", residual.mean / r.mean));
            let rate = row.msolves_per_s_by_kind.get(kind).map_or_else(|| "-".into(), |r| format!("{r:.1}"));
            let before = row.residual_before.get(kind).copied().unwrap_or_default();
            text.push_str(&format!(
                "  {kind}: {rate} Msolves/s, error {:.2e}{beside} / {:.2e}, before {:.2e} / {:.2e}\n",
                residual.mean, residual.max, before.mean, before.max
            ));
        }
    }
    text
}
