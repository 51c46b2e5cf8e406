//! Sleeping of single objects.

use crate::error::StepError;
use crate::math::position;
use crate::rigid_body::bodies::RigidBodies;
use crate::rigid_body::sleep::{asleep, set_asleep};
use crate::solver::cpu::rigid_bodies::collider_motions;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::Vec3;

impl World {
    /// Puts a rigid body to sleep, with all bodies that press on it or are joined to it: they stop, and do not move until
    /// something touches them, a caller changes or wakes one of them, or objects, gravity or colliders change.
    pub fn sleep(&mut self, object: Handle) -> Result<(), EditError> {
        self.change_sleep(object, true)
    }

    /// Wakes a rigid body, with all bodies that press on it or are joined to it.
    pub fn wake(&mut self, object: Handle) -> Result<(), EditError> {
        self.change_sleep(object, false)
    }

    /// Whether all bodies of an object are asleep; of objects of particles, whether the world has a sleep speed and all of
    /// their free particles are at rest.
    pub fn is_asleep(&mut self, object: Handle) -> Result<bool, EditError> {
        let bodies = self.rigid_bodies_of(object)?;
        if !bodies.is_empty() {
            let all = self.sleeping_bodies()?;
            return Ok(bodies.into_iter().all(|k| all[k]));
        }
        if self.model.settings.sleep_speed == 0.0 {
            return Ok(false);
        }
        let range = self.particles_of(object)?;
        let state = self.read_rows(range.clone(), true)?;
        let mut free = range.filter(|&i| state.rows[i][3] > 0.0).peekable();
        Ok(free.peek().is_some() && free.all(|i| position(state.velocities[i]) == Vec3::ZERO))
    }

    fn sleeping_bodies(&self) -> Result<Vec<bool>, StepError> {
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        Ok(asleep(&self.model.rigid_bodies, self.rigid_state()?, (gravity, &colliders)))
    }

    fn change_sleep(&mut self, object: Handle, asleep: bool) -> Result<(), EditError> {
        let range = self.rigid_bodies_of(object)?;
        if range.is_empty() {
            let what = "only rigid bodies are put to sleep or woken; particles rest below the sleep speed";
            return Err(EditError::Unsuitable(what.to_owned()));
        }
        self.rigid_state()?;
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        let model = &self.model.rigid_bodies;
        let change = |bodies: &mut RigidBodies| set_asleep(model, bodies, (gravity, &colliders), range.clone(), asleep);
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            change(&mut gpu.rigid_bodies.state);
        }
        if let Some(state) = self.state.correct() {
            change(&mut state.rigid_bodies);
        }
        self.changes += 1;
        Ok(())
    }
}
