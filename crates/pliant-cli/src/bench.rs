//! `pliant bench`: how fast scenes run, for each solver and number of threads.

use crate::args::{BenchArgs, SolverSpec};
use crate::load::{Loaded, Setting};
use crate::out;
use crate::process::{cpu_seconds, peak_bytes, reset_peak};
use crate::report::Failure;
use pliant::step::schedule::Stage;
use pliant::step::stats::{Counts, Residuals, Times};
use pliant::{Diverged, Simulation};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// One row of the table; its fields are the keys of the JSON.
#[derive(Debug, Serialize)]
struct Row {
    scene: String,
    backend: &'static str,
    solver: String,
    threads: usize,
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
    hash: String,
    peak_bytes: Option<u64>,
}

pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for spec in &args.scenes {
        let solvers = if args.solver.is_empty() { vec![None] } else { args.solver.iter().map(Some).collect() };
        for solver in solvers {
            let mut settings: Vec<Setting> = args.overrides.sets.iter().map(|s| Setting::set(s)).collect();
            settings.extend(solver.iter().flat_map(|s| s.settings("solver")));
            let loaded = Loaded::new(spec, &settings, args.overrides.models.as_deref())?;
            for &threads in &args.threads {
                rows.push(measure(&loaded, solver, threads, args)?);
            }
        }
    }
    if args.json { out::json(&rows) } else { out::text(&human(&rows)) }
}

fn measure(loaded: &Loaded, solver: Option<&SolverSpec>, threads: usize, args: &BenchArgs) -> Result<Row, Failure> {
    reset_peak();
    let start = Instant::now();
    let mut sim = loaded.simulation(threads)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let residual_before = sim.residuals();
    for _ in 0..args.warmup {
        sim.step()?;
    }
    let samples = (0..args.repeat).map(|_| sample(&mut sim)).collect::<Result<Vec<_>, _>>()?;
    let settings = sim.model().settings;
    let wall = median(samples.iter().map(|s| s.wall));
    let cpu = median(samples.iter().map(|s| s.cpu));
    let passes = f64::from(settings.iterations) * f64::from(settings.substeps);
    let rate = |constraints: usize, seconds: f64| constraints as f64 * passes / seconds.max(1e-12) * 1e-6;
    let stages = Stage::ALL.map(|s| (s.name(), median(samples.iter().map(|x| x.times.stage(s))) * 1e3));
    let mut by_kind = BTreeMap::new();
    for (kind, count) in kinds(&sim) {
        let of_kind = |s: &Sample| -> f64 {
            sim.model().groups.iter().zip(&s.times.groups).filter(|(g, _)| g.kind.name() == kind).map(|(_, t)| t).sum()
        };
        let seconds = median(samples.iter().map(of_kind));
        // Jacobi passes run all kinds at once, so there is no time of one kind.
        if seconds > 0.0 {
            by_kind.insert(kind, rate(count, seconds));
        }
    }
    Ok(Row {
        scene: loaded.name.clone(),
        backend: "cpu",
        // What "auto" came to; the user's word where it says more.
        solver: solver
            .filter(|s| s.number.is_some())
            .map_or_else(|| settings.partition.name().to_owned(), ToString::to_string),
        threads: sim.threads(),
        particles: sim.particles(),
        constraints: sim.counts(),
        iterations: settings.iterations,
        build_ms,
        partition_ms: sim.model().partition_seconds * 1e3,
        ms_per_step: wall * 1e3,
        cpu_ms_per_step: cpu * 1e3,
        msolves_per_s: rate(sim.model().constraints(), if sim.threads() == 1 { cpu } else { wall }),
        msolves_per_s_by_kind: by_kind,
        stages: stages.into_iter().collect(),
        residual: sim.residuals(),
        residual_before,
        hash: format!("{:016x}", sim.hash()),
        peak_bytes: peak_bytes(),
    })
}

/// Seconds of one step.
struct Sample {
    wall: f64,
    cpu: f64,
    times: Times,
}

fn sample(sim: &mut Simulation) -> Result<Sample, Diverged> {
    sim.take_times();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    sim.step()?;
    let (cpu, wall) = (cpu_seconds() - cpu, start.elapsed().as_secs_f64());
    Ok(Sample { wall, cpu, times: sim.take_times() })
}

/// Constraints by kind, of those that run in groups.
fn kinds(sim: &Simulation) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for group in &sim.model().groups {
        *counts.entry(group.kind.name()).or_default() += group.count;
    }
    counts
}

/// The middle value; the mean of the middle two of an even number, 0 of none.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    match all.len() {
        0 => 0.0,
        n if n % 2 == 1 => all[middle],
        _ => (all[middle - 1] + all[middle]) * 0.5,
    }
}

fn human(rows: &[Row]) -> String {
    let head =
        ["scene", "solver", "threads", "particles", "constraints", "iterations", "ms/step", "CPU ms", "Msolves/s"];
    let mut table =
        vec![head.iter().chain(&["residual", "before", "memory", "hash"]).map(|s| (*s).to_owned()).collect()];
    let mean = |r: &Residuals| r.values().map(|r| r.mean).fold(0.0, f64::max);
    for row in rows {
        table.push(vec![
            row.scene.clone(),
            row.solver.clone(),
            row.threads.to_string(),
            out::grouped(row.particles),
            out::grouped(row.constraints.values().sum()),
            row.iterations.to_string(),
            format!("{:.3}", row.ms_per_step),
            format!("{:.3}", row.cpu_ms_per_step),
            format!("{:.1}", row.msolves_per_s),
            format!("{:.1e}", mean(&row.residual)),
            format!("{:.1e}", mean(&row.residual_before)),
            row.peak_bytes.map_or_else(|| "?".into(), out::size),
            row.hash.clone(),
        ]);
    }
    let mut text = out::table(&table);
    text.push_str(
        "\nBuild (ms), stages (ms per step), and by kind (million solves per second; mean and greatest relative error)\n",
    );
    for row in rows {
        text.push_str(&format!("{}, {}, {}:", row.scene, row.solver, out::threads(row.threads)));
        text.push_str(&format!(" build {:.0} (partition {:.0}),", row.build_ms, row.partition_ms));
        for stage in Stage::ALL {
            let ms = row.stages.get(stage.name()).copied().unwrap_or_default();
            text.push_str(&format!(" {} {ms:.3}", stage.name()));
        }
        text.push('\n');
        for (kind, residual) in &row.residual {
            let rate = row.msolves_per_s_by_kind.get(kind).map_or_else(|| "-".into(), |r| format!("{r:.1}"));
            let before = row.residual_before.get(kind).copied().unwrap_or_default();
            text.push_str(&format!(
                "  {kind}: {rate} Msolves/s, error {:.2e} / {:.2e}, before {:.2e} / {:.2e}\n",
                residual.mean, residual.max, before.mean, before.max
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), 2.5);
        assert_eq!(median([].into_iter()), 0.0);
    }
}
