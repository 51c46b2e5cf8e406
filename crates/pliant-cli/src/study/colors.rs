//! `pliant study colors`: accuracy against the number of colors (D2 Fig 5).

use super::output::{list_files, make_folder};
use super::solver_case::{SolverCase, mean_residual, timed_step};
use crate::args::{ColorsArgs, SolverSpec};
use crate::failure::Failure;
use crate::formatting;
use crate::plot::lines::{self, AxisScale, Panel, Series, SeriesStyle};
use crate::plot::save;
use crate::progress::Progress;
use crate::statistics::median;
use crate::stdout;
use glam::DVec3;
use pliant::model::partition_report::report;
use pliant::scene::{MOST_ITERATIONS, Partition};
use serde::Serialize;
use std::fmt::Write as _;

/// Iterations of the reference over those of the scene.
const REFERENCE_FACTOR: u32 = 16;

/// The result; its fields are the keys of the JSON.
#[derive(Serialize)]
struct ColorsReport {
    scene: String,
    backend: &'static str,
    steps: u32,
    iterations: u32,
    reference_iterations: u32,
    plain: ColoringRow,
    phantom: Vec<ColoringRow>,
    csv: String,
    svg: String,
}

/// Result of one coloring.
#[derive(Clone, Debug, Serialize)]
struct ColoringRow {
    solver: String,
    /// Maximum number of colors of a kind.
    colors: usize,
    /// Distance from the reference, relative to its size.
    error: f64,
    /// Mean relative error of the constraints at the end.
    residual: f64,
    phantoms: usize,
    phantom_constraints: usize,
    passes_per_iteration: usize,
    solve_ms_per_step: f64,
}

pub fn colors(args: &ColorsArgs) -> Result<(), Failure> {
    let plain = SolverSpec { partition: Partition::Color, number: None };
    let mut case = SolverCase::new(&args.scene, &plain, &args.common)?;
    let scene = case.loaded.name.clone();
    let iterations = case.iterations();
    let first = case.build(iterations)?;
    let (backend, most) =
        (first.backend(), report(first.model()).groups.iter().map(|g| g.colors).max().unwrap_or(0) as u32);
    drop(first);
    let to = args.to.unwrap_or(most);
    if to < args.from {
        let message = format!("there is no number of colors from {} to {to}", args.from);
        return Err(Failure::new(message).help(format!("plain coloring of this scene takes {most}; see --from, --to")));
    }
    let folder = make_folder(args.out.as_deref(), &scene)?;
    let (csv, svg) = (folder.join("colors.csv"), folder.join("colors.svg"));

    let reference_iterations = iterations.saturating_mul(REFERENCE_FACTOR).min(MOST_ITERATIONS);
    // The reference counts by its number of iterations.
    let mut progress = Progress::on_terminal(u64::from(REFERENCE_FACTOR + 1 + (to - args.from + 1)), "run");
    let (reference, _) = run(&mut case, reference_iterations, args.steps)?;
    let size = diagonal(&reference);
    progress.at(u64::from(REFERENCE_FACTOR));
    let (positions, mut plain) = run(&mut case, iterations, args.steps)?;
    plain.error = distance(&positions, &reference) / size;
    let mut phantom = Vec::new();
    for q in args.from..=to {
        progress.at(u64::from(REFERENCE_FACTOR + 1 + (q - args.from)));
        let solver = SolverSpec { partition: Partition::Phantom, number: Some(q) };
        let mut case = SolverCase::new(&args.scene, &solver, &args.common)?;
        let (positions, mut row) = run(&mut case, iterations, args.steps)?;
        row.error = distance(&positions, &reference) / size;
        phantom.push((q, row));
    }
    progress.finish();
    save(&csv, &table(&plain, &phantom))?;
    save(&svg, &chart(&scene, &plain, &phantom)?)?;
    let findings = ColorsReport {
        scene,
        backend,
        steps: args.steps,
        iterations,
        reference_iterations,
        plain,
        phantom: phantom.into_iter().map(|(_, row)| row).collect(),
        csv: csv.display().to_string(),
        svg: svg.display().to_string(),
    };
    if args.common.json {
        return stdout::json(&findings);
    }
    stdout::text(&(human(&findings) + &list_files(&[&svg, &csv])))
}

/// Runs all steps; returns the final positions and a row with an error of 0.
fn run(case: &mut SolverCase, iterations: u32, steps: u32) -> Result<(Vec<DVec3>, ColoringRow), Failure> {
    let mut sim = case.build(iterations)?;
    let mut times = Vec::with_capacity(steps as usize);
    for _ in 0..steps {
        times.push(timed_step(&mut sim).map_err(|e| case.failure(e))?.solve);
    }
    let report = report(sim.model());
    let row = ColoringRow {
        solver: case.solver.clone(),
        colors: report.groups.iter().map(|g| g.colors).max().unwrap_or(0),
        error: 0.0,
        residual: mean_residual(&sim.residuals(), &sim.counts()),
        phantoms: report.groups.iter().map(|g| g.phantoms).sum(),
        phantom_constraints: report.groups.iter().map(|g| g.phantom_constraints).sum(),
        passes_per_iteration: report.passes_per_iteration,
        solve_ms_per_step: median(times.into_iter()),
    };
    let positions = (0..sim.particles()).map(|i| sim.position(i).as_dvec3()).collect();
    Ok((positions, row))
}

/// Root mean square distance of particles [m].
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    (sum / a.len().max(1) as f64).sqrt()
}

/// Diagonal of the bounding box [m]; 1 for a single point.
fn diagonal(points: &[DVec3]) -> f64 {
    let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let length = (most - least).length();
    if length > 0.0 && length.is_finite() { length } else { 1.0 }
}

/// The CSV file.
fn table(plain: &ColoringRow, phantom: &[(u32, ColoringRow)]) -> String {
    let mut text = "solver,colors,error,residual_mean,phantoms,phantom_constraints,passes_per_iteration,\
                    solve_ms_per_step\n"
        .to_owned();
    for row in std::iter::once(plain).chain(phantom.iter().map(|(_, row)| row)) {
        let _ = write!(text, "{},{},{:.6e},{:.6e}", row.solver, row.colors, row.error, row.residual);
        let _ = write!(text, ",{},{},{}", row.phantoms, row.phantom_constraints, row.passes_per_iteration);
        let _ = writeln!(text, ",{:.4}", row.solve_ms_per_step);
    }
    text
}

fn chart(scene: &str, plain: &ColoringRow, phantom: &[(u32, ColoringRow)]) -> Result<String, Failure> {
    let points = phantom.iter().map(|(q, row)| (f64::from(*q), row.error)).collect();
    let level = phantom.iter().take(1).map(|(q, _)| (f64::from(*q), plain.error)).collect();
    let series = vec![
        Series { label: "phantom particles".into(), points, style: SeriesStyle::Dots },
        Series { label: format!("plain coloring, {} colors", plain.colors), points: level, style: SeriesStyle::Level },
    ];
    let panel = Panel {
        x_label: "colors per kind at most".into(),
        y_label: "error relative to the size".into(),
        x_scale: AxisScale::Whole,
        y_scale: AxisScale::Linear,
        series,
    };
    lines::draw(&format!("{scene}: error against the number of colors"), &[panel])
}

fn human(f: &ColorsReport) -> String {
    let mut text = format!(
        "{}: {} steps of {} iterations, against a reference of {}\n\n",
        f.scene, f.steps, f.iterations, f.reference_iterations
    );
    let head = ["solver", "colors", "error", "residual", "phantoms", "passes/iteration", "solve ms/step"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for row in std::iter::once(&f.plain).chain(&f.phantom) {
        rows.push(vec![
            row.solver.clone(),
            row.colors.to_string(),
            format!("{:.3e}", row.error),
            format!("{:.3e}", row.residual),
            formatting::grouped(row.phantoms),
            formatting::grouped(row.passes_per_iteration),
            format!("{:.3}", row.solve_ms_per_step),
        ]);
    }
    text.push_str(&formatting::table(&rows));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_relative_to_the_diagonal() {
        let a = [DVec3::ZERO, DVec3::new(3.0, 4.0, 0.0)];
        let b = [DVec3::X, DVec3::new(3.0, 5.0, 0.0)];
        // Both particles are off by 1 m, the box is 3 by 4.
        assert_eq!(distance(&a, &b), 1.0);
        assert_eq!(diagonal(&a), 5.0);
        assert_eq!(diagonal(&[DVec3::ONE]), 1.0);
    }
}
