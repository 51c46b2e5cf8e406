//! `pliant study convergence`: error against iterations and against time (D0 Fig 5, D2 Figs 6 and 9).

use super::output::{list_files, make_folder};
use super::solver_case::{SolverCase, mean_residual, note_rounding, passes_per_step, timed_step};
use crate::args::ConvergenceArgs;
use crate::failure::Failure;
use crate::formatting;
use crate::gpu;
use crate::plot::lines::{self, AxisScale, Panel, Series, SeriesStyle};
use crate::plot::save;
use crate::progress::Progress;
use crate::statistics::median;
use crate::stdout;
use pliant::World;
use pliant::model::partition_report::report;
use pliant::scene::MOST_ITERATIONS;
use pliant::schedule::stats::Residuals;
use serde::Serialize;
use std::fmt::Write as _;

/// The result; its fields are the keys of the JSON.
#[derive(Serialize)]
struct ConvergenceReport {
    scene: String,
    steps: u32,
    backend: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
    /// None on a GPU.
    threads: Option<usize>,
    budget_ms: Option<f64>,
    /// Largest final error of all solvers.
    equal_residual: f64,
    solvers: Vec<SolverRow>,
    csv: String,
    svg: String,
}

/// One solver.
#[derive(Serialize)]
struct SolverRow {
    solver: String,
    /// The partition that `auto` resolves to, else the solver without its number.
    partition: &'static str,
    /// Per substep.
    iterations: u32,
    iterations_per_step: u64,
    passes_per_iteration: usize,
    /// Mean time of the solve stage.
    solve_ms_per_step: f64,
    residual: f64,
    /// Displacement of the center of mass [m].
    drift: f64,
    /// Time of the solve stage after which the error stays at or below `equal_residual` [ms].
    ms_to_equal_residual: f64,
}

/// Result of one solver, with a point per step.
struct Curve {
    row: SolverRow,
    samples: Vec<CurvePoint>,
}

/// State after a step; iterations, passes and time are cumulative.
struct CurvePoint {
    iterations: u64,
    passes: u64,
    solve_ms: f64,
    residual: f64,
    kinds: Residuals,
    drift: f64,
}

pub fn convergence(args: &ConvergenceArgs) -> Result<(), Failure> {
    let mut cases = args
        .solvers
        .iter()
        .map(|solver| SolverCase::new(&args.scene, solver, &args.common))
        .collect::<Result<Vec<_>, _>>()?;
    let scene = cases.first().map(|e| e.loaded.name.clone()).unwrap_or_default();
    let folder = make_folder(args.out.as_deref(), &scene)?;
    let (csv, svg) = (folder.join("convergence.csv"), folder.join("convergence.svg"));
    let mut progress = Progress::on_terminal(cases.len() as u64 * u64::from(args.steps), "step");
    let mut curves = Vec::new();
    let (mut backend, mut adapter, mut threads) = ("cpu", None, None);
    for case in &mut cases {
        let iterations = match args.budget_ms {
            Some(budget) => calibrate(case, budget)?,
            None => case.iterations(),
        };
        let mut sim = case.build(iterations)?;
        (backend, adapter) = (sim.backend(), gpu::adapter(&sim));
        threads = adapter.is_none().then(|| sim.threads());
        let before = curves.len() as u64 * u64::from(args.steps);
        curves.push(run(case, &mut sim, args.steps, |step| progress.at(before + step))?);
    }
    progress.finish();
    let equal_residual = curves.iter().map(|c| c.row.residual).fold(0.0, f64::max);
    note_rounding(&scene, equal_residual);
    for curve in &mut curves {
        curve.row.ms_to_equal_residual = time_to(&curve.samples, equal_residual);
    }
    save(&csv, &table(&curves))?;
    save(&svg, &chart(&scene, args.budget_ms, &curves)?)?;
    let findings = ConvergenceReport {
        scene,
        steps: args.steps,
        backend,
        adapter,
        threads,
        budget_ms: args.budget_ms,
        equal_residual,
        solvers: curves.into_iter().map(|c| c.row).collect(),
        csv: csv.display().to_string(),
        svg: svg.display().to_string(),
    };
    if args.common.json {
        return stdout::json(&findings);
    }
    stdout::text(&(human(&findings) + &list_files(&[&svg, &csv])))
}

/// Runs all steps; calls `done` after each.
fn run(case: &SolverCase, sim: &mut World, steps: u32, mut done: impl FnMut(u64)) -> Result<Curve, Failure> {
    let (settings, counts) = (sim.model().settings, sim.counts());
    let report = report(sim.model());
    let iterations_per_step = u64::from(settings.iterations) * u64::from(settings.substeps);
    let passes = passes_per_step(&report, &settings);
    let start = sim.probe().center;
    let mut samples: Vec<CurvePoint> = Vec::with_capacity(steps as usize);
    for step in 1..=u64::from(steps) {
        let time = timed_step(sim).map_err(|e| case.failure(e))?;
        let (kinds, center) = (sim.residuals(), sim.probe().center);
        let square: f64 = center.iter().zip(start).map(|(a, b)| (a - b) * (a - b)).sum();
        samples.push(CurvePoint {
            iterations: step * iterations_per_step,
            passes: step * passes,
            solve_ms: samples.last().map_or(0.0, |s| s.solve_ms) + time.solve,
            residual: mean_residual(&kinds, &counts),
            kinds,
            drift: square.sqrt(),
        });
        done(step);
    }
    let row = SolverRow {
        solver: case.solver.clone(),
        partition: report.solver,
        iterations: settings.iterations,
        iterations_per_step,
        passes_per_iteration: report.passes_per_iteration,
        solve_ms_per_step: samples.last().map_or(0.0, |s| s.solve_ms) / f64::from(steps),
        residual: samples.last().map_or(0.0, |s| s.residual),
        drift: samples.last().map_or(0.0, |s| s.drift),
        ms_to_equal_residual: 0.0,
    };
    Ok(Curve { row, samples })
}

/// Measured steps of a calibration, after one warmup step.
const MEASURED_STEPS: usize = 15;
/// Maximum calibration rounds: the cost per iteration depends on their number through caches.
const CALIBRATION_ROUNDS: usize = 4;

/// Iterations per substep whose solve stage takes about `budget` milliseconds per step; at least one.
fn calibrate(case: &mut SolverCase, budget: f64) -> Result<u32, Failure> {
    let mut iterations = case.iterations();
    for _ in 0..CALIBRATION_ROUNDS {
        let mut sim = case.build(iterations)?;
        let mut times = Vec::new();
        for _ in 0..=MEASURED_STEPS {
            times.push(timed_step(&mut sim).map_err(|e| case.failure(e))?.solve);
        }
        let wanted = iterations_for_budget(iterations, median(times.into_iter().skip(1)), budget);
        let close = wanted.abs_diff(iterations) * 20 <= iterations;
        iterations = wanted;
        if close {
            break;
        }
    }
    Ok(iterations)
}

/// Iterations that fit a budget [ms], from the time of a number of iterations [ms].
fn iterations_for_budget(iterations: u32, took: f64, budget: f64) -> u32 {
    (f64::from(iterations) * budget / took.max(1e-6)).round().clamp(1.0, f64::from(MOST_ITERATIONS)) as u32
}

/// Time after which the error stays at or below `wanted`, which it does at the end.
fn time_to(samples: &[CurvePoint], wanted: f64) -> f64 {
    let above = samples.iter().rposition(|s| s.residual > wanted);
    let first = above.map_or(0, |i| i + 1);
    samples.get(first).or(samples.last()).map_or(0.0, |s| s.solve_ms)
}

/// The CSV file.
fn table(curves: &[Curve]) -> String {
    let kinds: Vec<&str> =
        curves.first().and_then(|c| c.samples.first()).map_or_else(Vec::new, |s| s.kinds.keys().copied().collect());
    let mut text = "solver,step,iterations,passes,solve_ms,residual_mean".to_owned();
    for kind in &kinds {
        let _ = write!(text, ",residual_{kind}_mean,residual_{kind}_max");
    }
    text.push_str(",drift_m\n");
    for curve in curves {
        for (i, s) in curve.samples.iter().enumerate() {
            let _ = write!(text, "{},{},{},{}", curve.row.solver, i + 1, s.iterations, s.passes);
            let _ = write!(text, ",{:.4},{:.6e}", s.solve_ms, s.residual);
            for kind in &kinds {
                let r = s.kinds.get(kind).copied().unwrap_or_default();
                let _ = write!(text, ",{:.6e},{:.6e}", r.mean, r.max);
            }
            let _ = writeln!(text, ",{:.6e}", s.drift);
        }
    }
    text
}

fn chart(scene: &str, budget: Option<f64>, curves: &[Curve]) -> Result<String, Failure> {
    let panel = |x_label: &str, x: fn(&CurvePoint) -> f64| {
        let series = |c: &Curve| Series {
            label: name(&c.row),
            points: c.samples.iter().map(|s| (x(s), s.residual)).collect(),
            style: SeriesStyle::Line,
        };
        Panel {
            x_label: x_label.into(),
            y_label: "mean relative error".into(),
            x_scale: AxisScale::Linear,
            y_scale: AxisScale::Log,
            series: curves.iter().map(series).collect(),
        }
    };
    let budget = budget.map_or_else(String::new, |b| format!(" with {b} ms per step"));
    let title = format!("{scene}: convergence{budget}");
    let time = panel("time in the solve stage [ms]", |s| s.solve_ms);
    lines::draw(&title, &[panel("iterations", |s| s.iterations as f64), time])
}

/// "color", or "auto (color)".
fn name(row: &SolverRow) -> String {
    if row.solver == "auto" { format!("auto ({})", row.partition) } else { row.solver.clone() }
}

fn human(f: &ConvergenceReport) -> String {
    let mut text =
        format!("{}: {} steps on {}\n\n", f.scene, f.steps, formatting::device(f.adapter.as_deref(), f.threads));
    let equal = format!("ms to {:.2e}", f.equal_residual);
    let head = ["solver", "iterations/step", "passes/iteration", "solve ms/step", "residual", "drift [m]", &equal];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for row in &f.solvers {
        rows.push(vec![
            name(row),
            formatting::grouped(row.iterations_per_step as usize),
            formatting::grouped(row.passes_per_iteration),
            format!("{:.3}", row.solve_ms_per_step),
            format!("{:.3e}", row.residual),
            format!("{:.2e}", row.drift),
            format!("{:.2}", row.ms_to_equal_residual),
        ]);
    }
    text.push_str(&formatting::table(&rows));
    if let Some(budget) = f.budget_ms {
        let chosen = f.solvers.iter().map(|r| format!("{} {}", name(r), r.iterations)).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("\nIterations per substep chosen for {budget} ms per step: {chosen}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(residuals: &[f64]) -> Vec<CurvePoint> {
        let sample = |(i, r): (usize, &f64)| CurvePoint {
            iterations: 0,
            passes: 0,
            solve_ms: (i + 1) as f64,
            residual: *r,
            kinds: Residuals::new(),
            drift: 0.0,
        };
        residuals.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn a_residual_is_reached_where_it_stays() {
        // It dips below 0.3 at first, since nothing moves yet, and stays there from the fourth step on.
        assert_eq!(time_to(&samples(&[0.1, 0.5, 0.4, 0.3, 0.2]), 0.3), 4.0);
        assert_eq!(time_to(&samples(&[0.3, 0.2]), 0.3), 1.0);
    }

    #[test]
    fn a_budget_is_met_in_proportion_and_by_at_least_one_iteration() {
        assert_eq!(iterations_for_budget(8, 2.0, 5.0), 20);
        assert_eq!(iterations_for_budget(8, 100.0, 5.0), 1);
        assert_eq!(iterations_for_budget(8, 0.0, 1e6), MOST_ITERATIONS);
    }
}
