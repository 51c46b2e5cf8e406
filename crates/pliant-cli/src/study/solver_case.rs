//! One solver on one scene: how it is built, what a step costs, and how large its residual is.

use crate::args::{SolverSpec, StudyOptions};
use crate::failure::Failure;
use crate::gpu;
use crate::scene_loader::{LoadedScene, Setting};
use crate::stderr;
use pliant::model::partition_report::Report;
use pliant::schedule::Stage;
use pliant::schedule::stats::{Counts, Residuals};
use pliant::settings::Settings;
use pliant::{Backend, StepError, World};

/// A scene with a solver, to be built with any number of iterations.
pub(super) struct SolverCase {
    /// The solver as the user named it.
    pub solver: String,
    pub loaded: LoadedScene,
    threads: usize,
    backend: Backend,
}

impl SolverCase {
    pub fn new(scene: &str, solver: &SolverSpec, common: &StudyOptions) -> Result<Self, Failure> {
        let mut settings: Vec<Setting> = common.overrides.sets.iter().map(|s| Setting::set(s)).collect();
        settings.extend(solver.settings("solvers"));
        let loaded = LoadedScene::new(scene, &settings, &common.overrides)?;
        let backend = common.processor.backend()?;
        Ok(Self { solver: solver.to_string(), loaded, threads: common.threads, backend })
    }

    /// Iterations per substep.
    pub fn iterations(&self) -> u32 {
        self.loaded.scene.solver.iterations
    }

    pub fn build(&mut self, iterations: u32) -> Result<World, Failure> {
        self.loaded.scene.solver.iterations = iterations;
        let mut sim = self.loaded.simulation(self.threads, self.backend)?;
        gpu::measure_stages(&mut sim)?;
        Ok(sim)
    }

    /// The failure for an error in a step of this case.
    pub fn failure(&self, error: StepError) -> Failure {
        let diverged = matches!(error, StepError::Diverged(_));
        let failure = Failure::from(error).at(format!("solver {}", self.solver));
        let help = "take a smaller step or more substeps: --set solver.dt=0.001, --set solver.substeps=4";
        if diverged { failure.help(help) } else { failure }
    }
}

/// Times of one step [ms]: wall time on the CPU, device time on a GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepTime {
    /// The solve stage.
    pub solve: f64,
    /// All stages.
    pub all: f64,
}

pub(super) fn timed_step(sim: &mut World) -> Result<StepTime, StepError> {
    sim.take_times();
    sim.step()?;
    sim.sync()?;
    let times = sim.take_times();
    Ok(StepTime { solve: times.stage(Stage::Solve) * 1e3, all: times.stages.iter().sum::<f64>() * 1e3 })
}

/// Mean relative error over the constraints of all kinds.
pub(super) fn mean_residual(residuals: &Residuals, counts: &Counts) -> f64 {
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0) as f64;
    let total: f64 = residuals.keys().map(|kind| count(kind)).sum();
    let sum: f64 = residuals.iter().map(|(kind, r)| r.mean * count(kind)).sum();
    sum / total.max(1.0)
}

/// Sequential passes of a whole step.
pub(super) fn passes_per_step(report: &Report, settings: &Settings) -> u64 {
    let (passes, iterations) = (report.passes_per_iteration as u64, u64::from(settings.iterations));
    // Islands run all iterations in one pass.
    let once = u64::from(settings.partition.is_patched() && report.islands > 0);
    ((passes - once.min(passes)) * iterations + once) * u64::from(settings.substeps)
}

/// Residuals below this are rounding errors and do not depend on the solver.
const ROUNDING_RESIDUAL: f64 = 1e-6;

/// Prints a note for residuals at the level of rounding.
pub(super) fn note_rounding(scene: &str, residual: f64) {
    if residual < ROUNDING_RESIDUAL {
        stderr::note(&format!(
            "note: {scene}: a mean error of {residual:.1e} is no more than rounding; run more steps for something to happen"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::schedule::stats::Residual;

    #[test]
    fn the_mean_residual_is_weighted_by_constraint_counts() {
        let residuals: Residuals =
            [("bend", Residual { mean: 0.4, max: 1.0 }), ("stretch", Residual { mean: 0.1, max: 1.0 })].into();
        let counts: Counts = [("bend", 1), ("stretch", 3)].into();
        // (1·0.4 + 3·0.1)/4.
        assert!((mean_residual(&residuals, &counts) - 0.175).abs() < 1e-12);
        assert_eq!(mean_residual(&Residuals::new(), &Counts::new()), 0.0);
    }
}
