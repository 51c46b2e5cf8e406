//! Returns copies to their start.

use crate::builder::layout::{Placed, Source};
use crate::environments::ColliderSlot;
use crate::motion::Motion;
use crate::state::State;
use crate::world::batch::Batch;
use crate::world::edit::EditError;
use std::ops::Range;

/// Parts of a state that belong to some copies.
struct Parts {
    particles: Vec<Range<usize>>,
    /// Orientations, as rows.
    orientations: Vec<Range<usize>>,
    bodies: Vec<Range<usize>>,
    rigid_bodies: Vec<Range<usize>>,
}

impl Batch {
    /// Returns a copy to its start: its particles, bodies, contacts, and the motions of its colliders and pins, which begin
    /// anew. Time goes on, and with it the gusts of the wind. From here the copy moves with the bits of a fresh start, if
    /// its motions do not depend on time and the integrator is "bdf1": under "bdf2" only the first substep of a batch has
    /// the compliances of first order.
    pub fn reset(&mut self, copy: usize) -> Result<(), EditError> {
        self.reset_many(&[copy])
    }

    /// [`Self::reset`] of some copies. Nothing is read back from a GPU.
    pub fn reset_many(&mut self, copies: &[usize]) -> Result<(), EditError> {
        if let Some(wrong) = copies.iter().find(|&&copy| copy >= self.copies) {
            return Err(EditError::Value(format!(
                "there is no copy {wrong}: they are numbered 0..={}",
                self.copies - 1
            )));
        }
        let mut chosen = vec![false; self.copies];
        copies.iter().for_each(|&copy| chosen[copy] = true);
        self.world.check_edits();
        self.world.refit_bodies();
        self.restart_motions(&chosen)?;
        let parts = self.parts(&chosen);
        let world = &mut self.world;
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut world.gpu {
            // Lists that were full would repeat substeps over the new state.
            if gpu.has_lists() {
                gpu.wait(&world.model).map_err(crate::error::StepError::from)?;
            }
            gpu.upload_parts(&world.model, &self.initial, &parts.particles, &parts.orientations, &parts.bodies);
        }
        // With a GPU this is the host's copy, where it is valid.
        if let Some(state) = world.state.correct() {
            put(state, &self.initial, &parts);
            state.drop_contacts(|particle| chosen[world.model.environments.of(particle)]);
            state.forget_bodies();
        }
        let initial = &self.initial.rigid_bodies;
        let held: Vec<u32> = world.model.rigid_bodies.joints.iter().map(|joint| joint.bodies[1]).collect();
        let own = &parts.rigid_bodies;
        // Each wakes its own copy.
        world.change_rigid(0..0, |bodies| own.iter().for_each(|own| bodies.restore(&held, initial, own.clone())));
        Ok(())
    }

    /// [`Self::reset`] of all copies.
    pub fn reset_all(&mut self) -> Result<(), EditError> {
        self.reset_many(&(0..self.copies).collect::<Vec<_>>())
    }

    fn parts(&self, chosen: &[bool]) -> Parts {
        let objects = self.world.objects.placed.iter();
        let chosen: Vec<&Placed> = objects.filter(|p| chosen[p.source.index % self.copies]).collect();
        let n = self.initial.particles;
        let list = |of: &dyn Fn(&Placed) -> Range<usize>| {
            // Adjacent ranges are joined: one write serves many copies.
            let mut all: Vec<Range<usize>> = Vec::new();
            for range in chosen.iter().map(|p| of(p)).filter(|range| !range.is_empty()) {
                match all.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => all.push(range),
                }
            }
            all
        };
        Parts {
            particles: list(&Placed::particles),
            orientations: list(&|p| p.orientations().start + n..p.orientations().end + n),
            bodies: list(&Placed::bodies),
            rigid_bodies: list(&Placed::rigid_bodies),
        }
    }

    /// Motions of colliders and pins of some copies begin now.
    fn restart_motions(&mut self, chosen: &[bool]) -> Result<(), EditError> {
        let time = self.time();
        let again = |motion: &Motion| Motion { start: motion.start + time, ..motion.clone() };
        let mut changed = false;
        let colliders = self.motions.colliders.len() as u32;
        let own = |slot: &ColliderSlot| slot.separate && slot.first < colliders;
        for slot in self.world.model.environments.slots().to_vec().into_iter().filter(own) {
            for copy in (0..self.copies).filter(|&copy| chosen[copy]) {
                let index = slot.first as usize + copy;
                let next = again(&self.motions.colliders[index]);
                let now = &mut self.world.model.colliders[index].motion;
                // Colliders at rest stay as they are, whatever time their rest began.
                if now.drive != next.drive || now.base != next.base || next.moves() {
                    (*now, changed) = (next, true);
                }
            }
        }
        for kind in crate::scene::ObjectKind::ALL {
            for copy in (0..self.copies).filter(|&copy| chosen[copy]) {
                let mut index = copy;
                while let Some(placed) = self.world.objects.find(Source::new(kind, index)) {
                    for pin in placed.from.pins..placed.to.pins {
                        if self.motions.pins[pin].moves() {
                            self.world.model.pins[pin].motion = again(&self.motions.pins[pin]);
                            changed = true;
                        }
                    }
                    index += self.copies;
                }
            }
        }
        if changed {
            self.world.parameters = None;
            self.world.update_backend(false)?;
        }
        Ok(())
    }
}

/// Copies parts of a state.
fn put(state: &mut State, from: &State, parts: &Parts) {
    for range in parts.particles.iter().chain(&parts.orientations) {
        let rows = [
            (&mut state.rows, &from.rows),
            (&mut state.previous, &from.previous),
            (&mut state.older, &from.older),
            (&mut state.velocities, &from.velocities),
            (&mut state.older_velocities, &from.older_velocities),
        ];
        for (to, from) in rows.into_iter().filter(|(to, _)| !to.is_empty()) {
            to[range.clone()].copy_from_slice(&from[range.clone()]);
        }
    }
    for range in &parts.particles {
        let r = || range.clone();
        state.radii[r()].copy_from_slice(&from.radii[r()]);
        state.phases[r()].copy_from_slice(&from.phases[r()]);
        if !state.first_order.is_empty() {
            // There is no history to extrapolate from.
            state.first_order[r()].fill(true);
        }
        if !state.pressures.is_empty() {
            state.pressures[r()].copy_from_slice(&from.pressures[r()]);
            state.carried[r()].copy_from_slice(&from.carried[r()]);
        }
    }
    if let (Some(shapes), Some(from)) = (&mut state.shapes, &from.shapes) {
        parts.bodies.iter().for_each(|bodies| shapes.restore(from, bodies.clone()));
    }
}
