//! `pliant study equal`: cost of each solver at equal error (D2 Table 2).

use super::solver_case::{SolverCase, mean_residual, note_rounding, passes_per_step, timed_step};
use crate::args::{EqualArgs, SolverSpec};
use crate::failure::Failure;
use crate::formatting;
use crate::progress::Progress;
use crate::statistics::median;
use crate::stdout;
use pliant::StepError;
use pliant::model::partition_report::report;
use serde::Serialize;
use std::collections::BTreeMap;

/// One solver on one scene; its fields are the keys of the JSON.
#[derive(Clone, Debug, Serialize)]
struct EqualErrorRow {
    scene: String,
    backend: &'static str,
    solver: String,
    /// The partition that `auto` resolves to, else the solver without its number.
    partition: &'static str,
    /// Whether the error is at most that of the first solver.
    reached: bool,
    /// Per substep; the maximum if the error was not reached.
    iterations: u32,
    /// Constraints of the scene.
    constraints: usize,
    /// Particles with copies; each adds one constraint.
    phantom_constraints: usize,
    /// Sum of both.
    all_constraints: usize,
    /// Copies of particles.
    phantoms: usize,
    passes_per_iteration: usize,
    passes_per_step: u64,
    /// Median time of all stages, and of the solve stage alone.
    ms_per_step: f64,
    solve_ms_per_step: f64,
    /// Mean relative error over the last half of the steps.
    residual: f64,
    /// Relative to jacobi if it reaches the error, else to the slowest solver.
    speed_up: Option<f64>,
}

pub fn equal(args: &EqualArgs) -> Result<(), Failure> {
    let mut progress = Progress::on_terminal((args.scenes.len() * args.solvers.len()) as u64, "solver");
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    for scene in &args.scenes {
        let mut of_scene: Vec<EqualErrorRow> = Vec::new();
        for solver in &args.solvers {
            of_scene.push(match_residual(scene, solver, args, of_scene.first().map(|first| first.residual))?);
            progress.at((rows.len() + of_scene.len()) as u64);
        }
        fill_speed_ups(&mut of_scene);
        notes.extend(of_scene.first().map(|first| (first.scene.clone(), first.residual)));
        rows.append(&mut of_scene);
    }
    progress.finish();
    notes.iter().for_each(|(scene, residual)| note_rounding(scene, *residual));
    if args.common.json { stdout::json(&rows) } else { stdout::text(&human(&rows)) }
}

/// Finds the iterations of one solver; the first solver has no residual to match.
fn match_residual(
    scene: &str,
    solver: &SolverSpec,
    args: &EqualArgs,
    wanted: Option<f64>,
) -> Result<EqualErrorRow, Failure> {
    let mut case = SolverCase::new(scene, solver, &args.common)?;
    let own = case.iterations();
    let mut trials = BTreeMap::new();
    let (iterations, reached) = match wanted {
        None => (own, true),
        Some(wanted) => {
            let reaches = |n: u32| -> Result<bool, Failure> {
                let trial = run_trial(&mut case, n, args.steps)?;
                trials.insert(n, trial);
                Ok(trial.residual <= wanted)
            };
            let found = min_iterations(own.min(args.most), args.most, reaches)?;
            (found.unwrap_or(args.most), found.is_some())
        }
    };
    let trial = match trials.get(&iterations) {
        Some(trial) => *trial,
        None => run_trial(&mut case, iterations, args.steps)?,
    };
    if wanted.is_none() && !trial.residual.is_finite() {
        let message = format!("{} diverges with the scene's {own} iterations, so there is nothing to match", solver);
        return Err(Failure::new(message).help("start with another solver, or set solver.substeps"));
    }
    let sim = case.build(iterations)?;
    let model = sim.model();
    let report = report(model);
    let phantom_constraints = report.groups.iter().map(|g| g.phantom_constraints).sum();
    Ok(EqualErrorRow {
        scene: case.loaded.name.clone(),
        backend: sim.backend(),
        solver: case.solver.clone(),
        partition: report.solver,
        reached,
        iterations,
        constraints: model.constraints(),
        phantom_constraints,
        all_constraints: model.constraints() + phantom_constraints,
        phantoms: report.groups.iter().map(|g| g.phantoms).sum(),
        passes_per_iteration: report.passes_per_iteration,
        passes_per_step: passes_per_step(&report, &model.settings),
        ms_per_step: trial.all,
        solve_ms_per_step: trial.solve,
        residual: trial.residual,
        speed_up: None,
    })
}

/// Result of a number of iterations.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// Mean relative error over the last half of the steps; infinite if it diverged.
    residual: f64,
    /// Median times of a step [ms].
    solve: f64,
    all: f64,
}

fn run_trial(case: &mut SolverCase, iterations: u32, steps: u32) -> Result<Trial, Failure> {
    let mut sim = case.build(iterations)?;
    let counts = sim.counts();
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    for step in 0..steps {
        match timed_step(&mut sim) {
            Ok(time) => times.push(time),
            // Too few iterations may diverge where more do not.
            Err(StepError::Diverged(_)) => return Ok(Trial { residual: f64::INFINITY, solve: 0.0, all: 0.0 }),
            Err(e) => return Err(case.failure(e)),
        }
        if step >= steps / 2 {
            errors.push(mean_residual(&sim.residuals(), &counts));
        }
    }
    Ok(Trial {
        residual: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        solve: median(times.iter().map(|t| t.solve)),
        all: median(times.iter().map(|t| t.all)),
    })
}

/// The smallest number of iterations from 1 to `most` for which the monotonic predicate `reaches` is true; `None` if it is
/// false for `most`. Exponential search from `start`, then bisection.
fn min_iterations<E>(start: u32, most: u32, mut reaches: impl FnMut(u32) -> Result<bool, E>) -> Result<Option<u32>, E> {
    let (mut low, mut high) = (0, start);
    if reaches(start)? {
        while low < high / 2 {
            if reaches(high / 2)? {
                high /= 2;
            } else {
                low = high / 2;
            }
        }
    } else {
        loop {
            low = high;
            if low >= most {
                return Ok(None);
            }
            high = high.saturating_mul(2).min(most);
            if reaches(high)? {
                break;
            }
        }
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if reaches(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(high))
}

/// Sets the speed-ups of the rows of one scene.
fn fill_speed_ups(rows: &mut [EqualErrorRow]) {
    let reached = || rows.iter().filter(|r| r.reached);
    let jacobi = reached().find(|r| r.partition.starts_with("jacobi")).map(|r| r.ms_per_step);
    let slowest = reached().map(|r| r.ms_per_step).fold(0.0, f64::max);
    let base = jacobi.unwrap_or(slowest);
    for row in rows.iter_mut().filter(|r| r.reached && r.ms_per_step > 0.0) {
        row.speed_up = Some(base / row.ms_per_step);
    }
}

fn human(rows: &[EqualErrorRow]) -> String {
    let head = ["scene", "solver", "iterations", "constraints", "phantoms", "passes/step", "ms/step", "solve ms"];
    let mut table: Vec<Vec<String>> =
        vec![head.iter().chain(&["residual", "speed-up"]).map(|s| (*s).to_owned()).collect()];
    for row in rows {
        let more = if row.phantom_constraints > 0 {
            format!("{} + {}", formatting::grouped(row.constraints), formatting::grouped(row.phantom_constraints))
        } else {
            formatting::grouped(row.constraints)
        };
        table.push(vec![
            row.scene.clone(),
            if row.solver == "auto" { format!("auto ({})", row.partition) } else { row.solver.clone() },
            if row.reached { row.iterations.to_string() } else { format!("not reached in {}", row.iterations) },
            more,
            formatting::grouped(row.phantoms),
            formatting::grouped(row.passes_per_step as usize),
            format!("{:.3}", row.ms_per_step),
            format!("{:.3}", row.solve_ms_per_step),
            format!("{:.3e}", row.residual),
            row.speed_up.map_or_else(|| "-".into(), |s| format!("{s:.2}x")),
        ]);
    }
    let mut text = formatting::table(&table);
    text.push_str("\nConstraints: those of the scene + particles with copies. Residual: mean over the last half.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_found_from_any_start() {
        for wanted in 1..=70 {
            for start in [1, 2, 7, 16, 64] {
                let mut asked = 0;
                let found = min_iterations(start, 64, |n| {
                    assert!((1..=64).contains(&n));
                    asked += 1;
                    Ok::<bool, ()>(n >= wanted)
                });
                assert_eq!(found.unwrap(), (wanted <= 64).then_some(wanted), "from {start}");
                assert!(asked <= 13, "{asked} attempts for {wanted} from {start}");
            }
        }
    }
}
