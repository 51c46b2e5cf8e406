//! A step of a body in its coarse space, as long as the forces along it last.

use crate::math::{RowData, position};
use crate::methods::vbd::body_contacts::mask;
use crate::methods::vbd::coarse::Inputs;
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::row_steps::{add, dot, moved};
use crate::runtime::cpu::threads::Threads;

/// Longest step along a coarse correction, relative to its own length.
pub(super) const LONGEST_STEP: f64 = 1.5;

/// How far to go along a correction, from the forces along it at its start and its end: to where they vanish.
pub(super) fn step_length(start: f64, end: f64) -> f64 {
    match start > 0.0 {
        true if start > end => (start / (start - end)).min(LONGEST_STEP),
        true => LONGEST_STEP,
        false => 0.0,
    }
}

impl BodyState {
    /// One coarse correction. In the first iteration `forces` are known, and the matrix is built.
    pub(super) fn correct(&mut self, threads: &Threads, body: &ElasticBody, sub: &Substep<'_>, first: bool) {
        if !first {
            self.find_forces(threads, sub);
        }
        self.hold_forces(body, sub);
        if first {
            self.build_matrix(threads, body, sub);
        }
        let mut correction = std::mem::take(&mut self.correction);
        self.solve_coarse(threads, body, sub, &mut correction);
        self.correction = correction;
        self.try_correction(threads, sub);
        let [start, end] = self.forces_along(threads);
        self.share = step_length(start, end);
        if self.share > 0.0 {
            self.take_correction(self.share, body, sub);
        }
    }

    /// Forces at the present positions.
    pub(super) fn find_forces(&mut self, threads: &Threads, sub: &Substep<'_>) {
        let (mut forces, mut blocks) = (std::mem::take(&mut self.forces), std::mem::take(&mut self.blocks));
        self.residual(threads, sub, &self.x, false, &mut blocks, &mut forces);
        (self.forces, self.blocks) = (forces, blocks);
    }

    /// Finds the vertices that colliders hold, and takes away the forces that these contacts bear.
    pub(super) fn hold_forces(&mut self, body: &ElasticBody, sub: &Substep<'_>) {
        let mut forces = std::mem::take(&mut self.forces);
        self.find_holds(body, sub, &forces);
        for (v, hold, _) in &self.holds {
            mask(&mut forces[*v as usize], hold);
        }
        self.forces = forces;
    }

    /// Assembles the coarse matrix at the present positions.
    pub(super) fn build_matrix(&mut self, threads: &Threads, body: &ElasticBody, sub: &Substep<'_>) {
        let mut holds = std::mem::take(&mut self.holds);
        let own = holds.len();
        self.feature_holds(sub, &mut holds);
        let inputs = Inputs {
            groups: sub.groups,
            isa: sub.isa,
            x: &self.x,
            masses: &self.masses,
            inv_h2: sub.inv_h2,
            holds: &holds,
        };
        self.coarse.build(threads, body, &inputs);
        holds.truncate(own);
        self.holds = holds;
    }

    /// The coarse step for the forces.
    pub(super) fn solve_coarse(
        &mut self,
        threads: &Threads,
        body: &ElasticBody,
        sub: &Substep<'_>,
        step: &mut [RowData],
    ) {
        self.coarse.solve(sub.isa, threads, body, &self.masses, &self.forces, step);
        for (v, hold, _) in &self.holds {
            let way = hold.permit(position(step[*v as usize]));
            step[*v as usize] = [way.x, way.y, way.z, 0.0];
        }
    }

    /// Positions at the end of the correction.
    pub(super) fn move_trial(&mut self) {
        let mut trial = std::mem::take(&mut self.trial);
        trial.copy_from_slice(&self.x);
        self.advance(&mut trial, 1.0);
        self.trial = trial;
    }

    /// Forces at the end of the correction.
    pub(super) fn find_trial_forces(&mut self, threads: &Threads, sub: &Substep<'_>) {
        let (mut other, mut blocks) = (std::mem::take(&mut self.other), std::mem::take(&mut self.blocks));
        self.residual(threads, sub, &self.trial, false, &mut blocks, &mut other);
        for (v, hold, _) in &self.holds {
            mask(&mut other[*v as usize], hold);
        }
        (self.other, self.blocks) = (other, blocks);
    }

    fn try_correction(&mut self, threads: &Threads, sub: &Substep<'_>) {
        self.move_trial();
        self.find_trial_forces(threads, sub);
    }

    /// Forces along the correction at its start and its end.
    pub(super) fn forces_along(&self, threads: &Threads) -> [f64; 2] {
        [&self.forces, &self.other]
            .map(|forces| threads.sum(forces.len(), |range| dot(&forces[range.clone()], &self.correction[range])))
    }

    /// Moves the body by a part of the correction.
    pub(super) fn take_correction(&mut self, share: f64, body: &ElasticBody, sub: &Substep<'_>) {
        let mut x = std::mem::take(&mut self.x);
        self.advance(&mut x, share as f32);
        self.x = x;
        self.leave_colliders(sub, body);
    }

    /// Moves rows by a part of the correction.
    fn advance(&self, x: &mut [RowData], share: f32) {
        for (v, (x, step)) in x.iter_mut().zip(&self.correction).enumerate() {
            if self.any_turns {
                *x = moved(*x, position(*step) * share, self.turns[v]);
            } else {
                add(x, &step.map(|s| s * share));
            }
        }
    }
}
