//! `pliant study`: solvers compared on the same scene.
//!
//! What the studies share lives here: a scene with a solver, what one step costs, and how far constraints
//! are from holding.

mod colors;
mod convergence;
mod equal;
mod neighbors;

use crate::args::{Common, SolverSpec, Study, StudyArgs};
use crate::scene_loader::{Loaded, Setting};
use crate::failure::Failure;
use crate::{gpu, out};
use pliant::build::partition::report::Report;
use pliant::model::Settings;
use pliant::step::schedule::Stage;
use pliant::step::stats::{Counts, Residuals};
use pliant::{Backend, Simulation, StepError};
use std::fs;
use std::path::{Path, PathBuf};

pub fn study(args: &StudyArgs) -> Result<(), Failure> {
    match &args.study {
        Study::Convergence(args) => convergence::convergence(args),
        Study::Equal(args) => equal::equal(args),
        Study::Colors(args) => colors::colors(args),
        Study::Neighbors(args) => neighbors::neighbors(args),
    }
}

/// A scene with a solver, to be built with any number of iterations.
struct Entrant {
    /// The solver as the user named it.
    solver: String,
    loaded: Loaded,
    threads: usize,
    backend: Backend,
}

impl Entrant {
    fn new(scene: &str, solver: &SolverSpec, common: &Common) -> Result<Self, Failure> {
        let mut settings: Vec<Setting> = common.overrides.sets.iter().map(|s| Setting::set(s)).collect();
        settings.extend(solver.settings("solvers"));
        let loaded = Loaded::new(scene, &settings, common.overrides.models.as_deref())?;
        let backend = common.processor.backend()?;
        Ok(Self { solver: solver.to_string(), loaded, threads: common.threads, backend })
    }

    /// Iterations per substep.
    fn iterations(&self) -> u32 {
        self.loaded.scene.solver.iterations
    }

    fn build(&mut self, iterations: u32) -> Result<Simulation, Failure> {
        self.loaded.scene.solver.iterations = iterations;
        let mut sim = self.loaded.simulation(self.threads, self.backend)?;
        gpu::measure_stages(&mut sim)?;
        Ok(sim)
    }

    /// A run of it that diverged, or lost its GPU.
    fn failed(&self, error: StepError) -> Failure {
        let diverged = matches!(error, StepError::Diverged(_));
        let failure = Failure::from(error).at(format!("solver {}", self.solver));
        let help = "take a smaller step or more substeps: --set solver.dt=0.001, --set solver.substeps=4";
        if diverged { failure.help(help) } else { failure }
    }
}

/// Times of one step [ms]: wall times on the CPU, a GPU's own.
#[derive(Clone, Copy, Debug)]
struct StepTime {
    /// The solve stage.
    solve: f64,
    /// All stages.
    all: f64,
}

fn timed_step(sim: &mut Simulation) -> Result<StepTime, StepError> {
    sim.take_times();
    sim.step()?;
    sim.sync()?;
    let times = sim.take_times();
    Ok(StepTime { solve: times.stage(Stage::Solve) * 1e3, all: times.stages.iter().sum::<f64>() * 1e3 })
}

/// Mean relative error over all constraints, whatever their kind.
fn mean_residual(residuals: &Residuals, counts: &Counts) -> f64 {
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0) as f64;
    let total: f64 = residuals.keys().map(|kind| count(kind)).sum();
    let sum: f64 = residuals.iter().map(|(kind, r)| r.mean * count(kind)).sum();
    sum / total.max(1.0)
}

/// Passes of a whole step, one after the other.
fn passes_per_step(report: &Report, settings: &Settings) -> u64 {
    let (passes, iterations) = (report.passes_per_iteration as u64, u64::from(settings.iterations));
    // Islands of patches are one pass that does all iterations.
    let once = u64::from(settings.partition.is_patched() && report.islands > 0);
    ((passes - once.min(passes)) * iterations + once) * u64::from(settings.substeps)
}

/// Makes the output folder, before hours are spent on what could not be written.
fn make_folder(out: Option<&Path>, scene: &str) -> Result<PathBuf, Failure> {
    let folder = out.map_or_else(|| PathBuf::from("out").join(scene), Path::to_path_buf);
    fs::create_dir_all(&folder).map_err(|e| Failure::io(&format!("cannot make folder {}", folder.display()), &e))?;
    Ok(folder)
}

/// Errors below this are those of rounding, and say nothing about solvers.
const ROUNDING: f64 = 1e-6;

/// Warns where nothing has happened yet that solvers could differ in.
fn note_rounding(scene: &str, residual: f64) {
    if residual < ROUNDING {
        out::note(&format!(
            "note: {scene}: a mean error of {residual:.1e} is no more than rounding; run more steps for something to happen"
        ));
    }
}

/// What to look at, as the last lines for people.
fn look_at(files: &[&Path]) -> String {
    let lines: String = files.iter().map(|f| format!("  {}\n", f.display())).collect();
    format!("\nLook at:\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::step::stats::Residual;

    #[test]
    fn the_mean_error_weighs_kinds_by_their_number() {
        let residuals: Residuals =
            [("bend", Residual { mean: 0.4, max: 1.0 }), ("stretch", Residual { mean: 0.1, max: 1.0 })].into();
        let counts: Counts = [("bend", 1), ("stretch", 3)].into();
        // (1·0.4 + 3·0.1)/4.
        assert!((mean_residual(&residuals, &counts) - 0.175).abs() < 1e-12);
        assert_eq!(mean_residual(&Residuals::new(), &Counts::new()), 0.0);
    }
}
