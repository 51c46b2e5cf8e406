//! The state of a world on a GPU: changed there, and read by the object.

use crate::builder::BuildError;
#[cfg(feature = "gpu")]
use crate::builder::layout::Placed;
use crate::error::StepError;
#[cfg(feature = "gpu")]
use crate::math::Pose;
use crate::model::Model;
#[cfg(feature = "gpu")]
use crate::scene::ObjectKind;
#[cfg(feature = "gpu")]
use crate::solver::gpu::Gpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_carry::DeviceCarry;
#[cfg(feature = "gpu")]
use crate::solver::gpu::motion_change::MotionChange;
use crate::state::State;
use crate::world::World;
use crate::world::definition::Entry;
#[cfg(feature = "gpu")]
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use crate::world::overlap;
#[cfg(feature = "gpu")]
use crate::world::steer::{all_fixed, move_particles};
#[cfg(feature = "gpu")]
use glam::Vec3;
use std::ops::Range;

/// Particles from which on it is asked whether there is memory for them.
const LARGE: usize = 1_000_000;

/// Memory of a particle on the host at least, in model and state [bytes].
const HOST_BYTES: usize = 200;

/// Memory of a particle in the largest buffer of a device at least [bytes]: start of the substep and velocity.
#[cfg(feature = "gpu")]
const DEVICE_BYTES: u64 = 32;

impl World {
    /// Makes the backend run another model. Nothing has changed after an error. A GPU moves the state of objects from the
    /// model before it, where `carried` says so.
    #[cfg(feature = "gpu")]
    pub(super) fn replace_backend(
        &mut self,
        model: &Model,
        state: &State,
        carried: Option<&DeviceCarry>,
    ) -> Result<(), BuildError> {
        match (&mut self.gpu, carried) {
            (Some(gpu), Some(carried)) => **gpu = gpu.replaced(model, state, carried)?,
            (Some(gpu), None) => {
                let next = Gpu::new(gpu.device().clone(), model, state)?;
                **gpu = next.in_place_of(gpu);
            }
            (None, _) => self.cpu.replace_model(model, state),
        }
        Ok(())
    }

    #[cfg(not(feature = "gpu"))]
    pub(super) fn replace_backend(&mut self, model: &Model, state: &State) -> Result<(), BuildError> {
        self.cpu.replace_model(model, state);
        Ok(())
    }

    /// Uploads what the caller has changed, waits for all steps, and brings the host's memory of the state up to date in
    /// time and rigid bodies. Reads nothing of the state.
    #[cfg(feature = "gpu")]
    pub(super) fn settle(&mut self) -> Result<(), StepError> {
        if self.gpu.is_none() {
            return Ok(());
        }
        self.check_edits();
        self.refit_bodies();
        let Some(gpu) = &mut self.gpu else { return Ok(()) };
        self.state.share(|changed| gpu.upload(&self.model, changed));
        // What has diverged is found again by the next step, unless it is removed.
        let _ = gpu.settle(&self.model)?;
        let (substeps, time) = (gpu.substeps(), gpu.time());
        let memory = self.state.memory();
        (memory.substeps, memory.time) = (substeps, time);
        // The host moves these.
        memory.rigid_bodies.clone_from(&gpu.rigid_bodies.state);
        Ok(())
    }

    /// The state, of which these particles are current: only they are read back from a GPU, unless all of it was.
    pub(super) fn read_rows(&mut self, range: Range<usize>, velocities: bool) -> Result<&State, StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            gpu.wait(&self.model)?;
            let memory = self.state.memory();
            match velocities {
                true => gpu.read_particles(memory, range)?,
                false => gpu.read_places(memory, range)?,
            }
            return Ok(memory);
        }
        let _ = (range, velocities);
        self.current_state()
    }

    /// The state, of which some rows are current, as with [`Self::read_rows`].
    pub(super) fn read_scattered(&mut self, rows: impl IntoIterator<Item = u32>) -> Result<&State, StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            gpu.wait(&self.model)?;
            let rows: Vec<u32> = rows.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            let memory = self.state.memory();
            if !rows.is_empty() {
                gpu.read_some_rows(memory, &rows, false)?;
            }
            return Ok(memory);
        }
        let _ = rows;
        self.current_state()
    }

    /// Tells a GPU that settings, motions or materials of colliders have changed.
    pub(super) fn update_backend(&mut self, deep: bool) -> Result<(), EditError> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            if deep {
                self.settle()?;
                if let Some(gpu) = &mut self.gpu {
                    let state = self.state.memory();
                    let carried = DeviceCarry::identity(&self.model, state);
                    **gpu = gpu.replaced(&self.model, state, &carried).map_err(StepError::from)?;
                }
            } else if let Some(gpu) = &mut self.gpu {
                gpu.upload_records(&self.model);
            }
        }
        let _ = deep;
        Ok(())
    }

    /// Velocity that an impulse gives to some particles together [m/s]. The host knows their masses, also with a GPU.
    #[cfg(feature = "gpu")]
    pub(super) fn velocity_of_impulse(&mut self, range: Range<usize>, impulse: Vec3) -> Result<Vec3, EditError> {
        let free = self.state.memory().rows[range].iter().filter(|row| row[3] > 0.0);
        let mass: f64 = free.map(|row| 1.0 / f64::from(row[3])).sum();
        if mass == 0.0 {
            return Err(all_fixed());
        }
        Ok((impulse.as_dvec3() / mass).as_vec3())
    }

    /// Changes the velocities of some particles on a GPU. Nothing is read back, but steps before are done first: where lists
    /// of neighbors were full, they would be repeated with the new velocities.
    #[cfg(feature = "gpu")]
    pub(super) fn change_motion_on_device(
        &mut self,
        range: Range<usize>,
        change: MotionChange,
    ) -> Result<(), EditError> {
        self.settle()?;
        if let Some(gpu) = &self.gpu {
            gpu.change_motion(self.state.memory(), range, change).map_err(StepError::from)?;
        }
        self.state.invalidate();
        self.changes += 1;
        Ok(())
    }

    /// Moves a body of one shape on a GPU: only its own particles and pose are read back.
    #[cfg(feature = "gpu")]
    pub(super) fn teleport_on_device(&mut self, object: Handle, from: Pose, to: Pose) -> Result<(), EditError> {
        let placed = self.placed(object)?;
        let (range, body) = (placed.particles(), placed.from.bodies);
        self.settle()?;
        self.read_rows(range.clone(), true)?;
        let state = self.state.memory();
        state.previous[range.clone()].copy_from_slice(&state.rows[range.clone()]);
        move_particles(state, range.clone(), from, to);
        if let Some(pose) = state.shapes.as_mut().and_then(|shapes| shapes.poses_mut().get_mut(body)) {
            (pose.center, pose.rotation) = (to.position.to_array(), to.rotation.to_array());
        }
        if let Some(gpu) = &self.gpu {
            gpu.put_moved_body(&self.model, state, range, body);
        }
        self.state.invalidate();
        (self.bounds, self.index) = (None, None);
        self.changes += 1;
        Ok(())
    }

    /// Reads the positions of objects that are about to be attached: which of their particles are close is decided by them.
    #[cfg(feature = "gpu")]
    pub(super) fn read_attached(&mut self) -> Result<(), EditError> {
        for handle in self.definition.unbuilt() {
            let Some(entry) = self.definition.get(handle).filter(|e| e.source.kind == ObjectKind::Attach) else {
                continue;
            };
            let attach = &self.definition.scene.attach[entry.source.index];
            for name in [attach.from.object.clone(), attach.to.object.clone()] {
                let named = self.definition.find(&name).and_then(|handle| self.definition.get(handle));
                let placed = named.filter(|entry| entry.built).and_then(|entry| self.objects.find(entry.source));
                if let Some(range) = placed.map(Placed::particles) {
                    self.read_rows(range, false)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses particles for which there is no memory, before it is taken.
    pub(super) fn check_size(&self, more: usize) -> Result<(), EditError> {
        if more < LARGE {
            return Ok(());
        }
        let pending = self.definition.unbuilt().into_iter().filter_map(|handle| self.definition.get(handle));
        let of = |entry: &Entry| {
            let array = self.definition.scene.array(entry.source.kind, entry.source.index);
            entry.part.as_ref().map_or(0, |part| part.positions.len()) * overlap::copies_of(array)
        };
        let found = self.particles() + pending.map(of).sum::<usize>() + more;
        let most = self.most_particles(found);
        if found <= most {
            return Ok(());
        }
        Err(BuildError::TooLarge { what: "particles", found, most }.into())
    }

    /// Particles that fit the device, and the memory of the host: `wanted` if that many do.
    fn most_particles(&self, wanted: usize) -> usize {
        let mut most = wanted;
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            most = most.min((gpu.device().binding_bytes / DEVICE_BYTES) as usize);
        }
        // An allocation that is never written takes no memory, but is refused where there is not as much.
        while most > 0 && Vec::<u8>::new().try_reserve_exact(most.saturating_mul(HOST_BYTES)).is_err() {
            most /= 2;
        }
        most
    }
}
