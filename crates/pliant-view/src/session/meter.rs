//! Numbers over time: stage times, energies, residuals.

use pliant::World;
use pliant::schedule::stage::Stage;
use std::collections::VecDeque;

/// Samples that are kept.
pub const SAMPLES: usize = 400;

/// Names of the stages, in the order of [`Sample::stages`].
pub fn stage_names() -> [&'static str; 6] {
    Stage::ALL.map(Stage::name)
}

/// Numbers at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time [s].
    pub time: f64,
    /// Time of a step by stage [ms]; zero where a GPU does not measure it.
    pub stages: [f32; 6],
    /// Time of a step [ms].
    pub step: f32,
    /// Kinetic energy [J].
    pub kinetic: f32,
    /// Potential energy [J], 0 at the first sample.
    pub potential: f32,
    /// Elastic energy [J].
    pub elastic: f32,
    /// Largest mean relative error of a kind of constraint.
    pub residual: f32,
}

/// Collects samples.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    samples: VecDeque<Sample>,
    /// Potential energy that counts as 0 [J].
    zero: Option<f64>,
    steps: u32,
}

impl Meter {
    /// A step was made.
    pub fn stepped(&mut self) {
        self.steps += 1;
    }

    /// Takes a sample of the steps since the last one, if there were any.
    pub fn sample(&mut self, world: &mut World, step_seconds: f64) {
        let steps = std::mem::take(&mut self.steps);
        if steps == 0 {
            return;
        }
        let times = world.take_times();
        let probe = world.probe();
        let zero = *self.zero.get_or_insert(probe.gravitational);
        let residual = world.residuals().values().map(|r| r.mean).fold(0.0, f64::max);
        let per_step = |seconds: f64| (1e3 * seconds / f64::from(steps)) as f32;
        let time = world.time();
        // After a rewind samples of a future that is given up go.
        while self.samples.back().is_some_and(|last| last.time >= time) {
            self.samples.pop_back();
        }
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample {
            time,
            stages: times.stages.map(per_step),
            step: (1e3 * step_seconds) as f32,
            kinetic: probe.kinetic as f32,
            potential: (probe.gravitational - zero) as f32,
            elastic: probe.elastic as f32,
            residual: residual as f32,
        });
    }

    /// Forgets what was measured.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// All samples, the oldest first.
    pub fn samples(&self) -> Vec<Sample> {
        self.samples.iter().copied().collect()
    }
}
