//! Steps of a world, with and without events.

use crate::contact::force_scale::ForceScale;
use crate::error::StepError;
use crate::model::Model;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::schedule::stats::ContactPair;
#[cfg(feature = "gpu")]
use crate::solver::gpu::Gpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_state::DeviceModel;
use crate::state::State;
use crate::transitions;
use crate::transitions::drain_step::Taken;
use crate::world::World;
use crate::world::events;

impl World {
    /// One step of dt.
    ///
    /// After an error the state holds the diverged values, for inspection; it cannot continue. A GPU runs
    /// asynchronously, so divergence may be reported a few steps later, or by [`Self::sync`].
    pub fn step(&mut self) -> Result<(), StepError> {
        self.advance(1)
    }

    /// Runs the given number of steps. On a GPU they are submitted together, without waiting.
    pub fn step_many(&mut self, steps: u32) -> Result<(), StepError> {
        self.advance(steps)
    }

    /// [`Self::step_many`] under its older name.
    pub fn advance(&mut self, steps: u32) -> Result<(), StepError> {
        self.apply_edits_in_step()?;
        self.check_edits();
        self.refit_bodies();
        (self.bounds, self.pairs) = (None, None);
        if self.recorder.is_some() {
            return self.advance_recorded(steps);
        }
        self.advance_quietly(steps)
    }

    /// Whether a step has diverged: waits for those of a GPU. On the CPU steps say so themselves.
    pub(super) fn check_divergence(&mut self) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu
            && gpu.regrow_lists(&self.model)?.is_some()
        {
            return self.sync();
        }
        Ok(())
    }

    /// Steps without events.
    fn advance_quietly(&mut self, steps: u32) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            self.state.leave(|changed| gpu.upload(&self.model, changed));
            let mut left = steps;
            while left > 0 {
                // With transitions between them steps are submitted one by one, else together.
                let single = self.state.on_host(|state| before_on(gpu, &self.model, state)).transpose()?;
                let count = if single == Some(true) { 1 } else { left };
                if gpu.advance(&self.model, count)?.is_some() {
                    return self.sync();
                }
                self.state.on_host(|state| after_on(gpu, &self.model, state)).transpose()?;
                left -= count;
            }
            return Ok(());
        }
        if let Some(state) = self.state.get_mut() {
            state.forget_bodies();
            for _ in 0..steps {
                transitions::before(&self.model.transitions(), state);
                self.cpu.step(&self.model, state)?;
                drain(&self.model, state);
            }
        }
        Ok(())
    }

    /// Steps one by one, and records events.
    fn advance_recorded(&mut self, steps: u32) -> Result<(), StepError> {
        let Some(mut recorder) = self.recorder.take() else { return Ok(()) };
        let mut done = Ok(());
        for _ in 0..steps {
            done = self.step_recorded(&mut recorder);
            if let Err(e) = &done {
                if let StepError::Diverged(diverged) = e {
                    recorder.diverged(diverged.time, self.object_of(diverged.particle).map(|o| o.0));
                }
                break;
            }
        }
        self.recorder = Some(recorder);
        done
    }

    fn step_recorded(&mut self, recorder: &mut events::EventRecorder) -> Result<(), StepError> {
        let before = events::Before::of(self.current_state()?);
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return self.step_recorded_on_gpu(recorder, &before);
        }
        let owners = events::Owners { definition: &self.definition, layout: &self.objects };
        let (model, cpu) = (&self.model, &mut self.cpu);
        if let Some(state) = self.state.get_mut() {
            state.forget_bodies();
            transitions::before(&model.transitions(), state);
            cpu.step_observed(
                model,
                state,
                Some(&mut |state: &State, pairs: &mut dyn Iterator<Item = ContactPair>| {
                    let scale = ForceScale::new(&model.contact(), state);
                    recorder.substep(owners, model, state, pairs.map(|pair| scale.pair(pair)));
                }),
            )?;
            let taken = drain(model, state);
            recorder.step(owners, model, state, &before, &taken);
        }
        Ok(())
    }

    /// A step on a device, read back after each substep: a contact may last no longer than one.
    #[cfg(feature = "gpu")]
    fn step_recorded_on_gpu(
        &mut self,
        recorder: &mut events::EventRecorder,
        before: &events::Before,
    ) -> Result<(), StepError> {
        let substeps = self.model.settings.substeps;
        let mut taken = Vec::new();
        for substep in 0..substeps {
            let Some(gpu) = &mut self.gpu else { break };
            self.state.leave(|changed| gpu.upload(&self.model, changed));
            if substep == 0 {
                self.state.on_host(|state| before_on(gpu, &self.model, state)).transpose()?;
            }
            gpu.advance_substeps(&self.model, 1)?;
            if substep + 1 == substeps {
                taken = self.state.on_host(|state| after_on(gpu, &self.model, state)).transpose()?.unwrap_or_default();
            }
            self.sync()?;
            let pairs = self.contact_pairs();
            let owners = events::Owners { definition: &self.definition, layout: &self.objects };
            recorder.substep(owners, &self.model, self.current_state()?, pairs.into_iter());
        }
        let owners = events::Owners { definition: &self.definition, layout: &self.objects };
        recorder.step(owners, &self.model, self.current_state()?, before, &taken);
        Ok(())
    }
}

/// Transitions after a step on the CPU; returns what drains have taken.
fn drain(model: &Model, state: &mut State) -> Vec<Taken> {
    let taken = transitions::after(&model.transitions(), state);
    if !taken.is_empty() {
        let rows = std::mem::take(&mut state.rows);
        state.drop_contacts(|particle| rows[particle][3] == 0.0);
        state.rows = rows;
    }
    taken
}

/// Transitions before a step on a device; whether the step must be submitted by itself.
#[cfg(feature = "gpu")]
fn before_on(gpu: &mut Gpu, model: &Model, host: &mut State) -> Result<bool, GpuError> {
    transitions::before_on(&mut DeviceModel { gpu, model }, &model.transitions(), host)
}

/// Transitions after a step on a device; returns what drains have taken.
#[cfg(feature = "gpu")]
fn after_on(gpu: &mut Gpu, model: &Model, host: &mut State) -> Result<Vec<Taken>, GpuError> {
    transitions::after_on(&mut DeviceModel { gpu, model }, &model.transitions(), host)
}
