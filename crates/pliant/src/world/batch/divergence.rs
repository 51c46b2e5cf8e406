//! What a batch does when a copy diverges: it stops, or returns that copy to its start and goes on.

use crate::error::{Diverged, StepError};
use crate::schedule::substep::{MAX_POSITION, MAX_SPEED};
use crate::world::batch::Batch;
use std::collections::BTreeSet;

/// What a batch does when a copy diverges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDivergence {
    /// The step is an error that names the copy, and the batch cannot go on. Steps keep nothing to return to.
    #[default]
    Stop,
    /// The copy returns to its start and takes the same steps from there; [`Batch::diverged`] has its number. All others
    /// move with the bits that they would have had without it. Every call of a step keeps the moment before it, and on a
    /// GPU waits for the steps.
    Reset,
}

impl Batch {
    /// Copies that diverged in the last call of [`Self::step`] or [`Self::step_many`] and were reset, in ascending order.
    pub fn diverged(&self) -> &[usize] {
        &self.diverged
    }

    /// Steps that do not end where copies diverge.
    pub(super) fn advance_or_reset(&mut self, steps: u32) -> Result<(), StepError> {
        self.before.clear();
        self.before.push(&mut self.world)?;
        let mut reset: BTreeSet<usize> = BTreeSet::new();
        let done = loop {
            match self.world.step_many(steps).and_then(|()| self.world.check_divergence()) {
                Err(StepError::Diverged(error)) => {
                    let found = self.diverged_copies(&error);
                    // One that diverges from its start, too, would do so again.
                    if found.is_empty() || found.iter().any(|copy| reset.contains(copy)) {
                        break Err(StepError::Diverged(error));
                    }
                    reset.extend(found);
                    let copies: Vec<usize> = reset.iter().copied().collect();
                    let back = self.before.restore(&mut self.world, 0).map_err(|e| e.to_string());
                    back.and_then(|()| self.reset_many(&copies).map_err(|e| e.to_string())).map_err(StepError::Edit)?;
                }
                done => break done,
            }
        };
        self.diverged = reset.into_iter().collect();
        done
    }

    /// Copies that an error is about: the first one, and all others that have no sound state left.
    fn diverged_copies(&self, error: &Diverged) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = error.copy.into_iter().collect();
        let model = &self.world.model;
        let state = self.world.state();
        let beyond = |v: &[f32; 4], most: f32| {
            // The comparison is false for NaN.
            let within = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= most * most;
            !within
        };
        let particles = state.rows.iter().zip(&state.velocities).take(state.particles);
        let lost = particles.enumerate().filter(|(_, (x, v))| beyond(x, MAX_POSITION) || beyond(v, MAX_SPEED));
        found.extend(lost.map(|(particle, _)| model.environments.of(particle)));
        for (body, spec) in state.rigid_bodies.bodies.iter().zip(&model.rigid_bodies.bodies) {
            let sound =
                body.position.length() <= f64::from(MAX_POSITION) && body.velocity.length() <= f64::from(MAX_SPEED);
            if !sound {
                found.insert(spec.environment as usize);
            }
        }
        found
    }
}
