//! Forces at pins and attachments, by handle.

use crate::math::position;
use crate::scene::ObjectKind;
use crate::solver::cpu::forces::{UnknownForce, attachment_force, constraint_forces};
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use glam::{DVec3, Vec3};

/// What an object does to its pins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinForce {
    /// Sum of its forces on pinned particles [N].
    pub force: Vec3,
    /// Their torque about the origin [N·m].
    pub torque: Vec3,
    /// Number of pinned particles.
    pub particles: usize,
}

impl World {
    /// Force with which an object pulls at its pinned particles, by its constraints, in the last substep. A cloth at rest
    /// that hangs from pins pulls with the weight of its free particles. Contacts at pinned particles are not part of it.
    ///
    /// Elastic objects have it on both backends. Objects that are projected (`method = "xpbd"`, inflatables, tethers) have it
    /// on the CPU; with PBD there are no forces, and the answer is an error.
    pub fn pin_force(&mut self, object: Handle) -> Result<PinForce, EditError> {
        let range = self.particles_of(object)?;
        let on_device = self.is_on_device();
        let state = self.current_state()?;
        let pinned: Vec<u32> = range.filter(|&i| state.rows[i][3] == 0.0).map(|i| i as u32).collect();
        let forces = constraint_forces(&self.model, state, &pinned, on_device).map_err(unsuitable)?;
        let arm = |&p: &u32| position(state.rows[p as usize]).as_dvec3();
        let torque: DVec3 = pinned.iter().zip(&forces).map(|(p, force)| arm(p).cross(*force)).sum();
        let force: DVec3 = forces.iter().sum();
        Ok(PinForce { force: force.as_vec3(), torque: torque.as_vec3(), particles: pinned.len() })
    }

    /// Force of an attachment on the particles of its `from` object in the last substep [N]; those of the other one have the
    /// opposite. Where and how it is known is as for [`Self::pin_force`].
    pub fn attachment_force(&mut self, attachment: Handle) -> Result<Vec3, EditError> {
        let kind = self.source(attachment)?.kind;
        if kind != ObjectKind::Attach {
            let message = format!("it is an object of kind {:?}, not an attachment", kind.name());
            return Err(EditError::Unsuitable(message));
        }
        self.apply_edits()?;
        let index = self.source(attachment)?.index;
        let on_device = self.is_on_device();
        let pairs: Vec<[u32; 2]> = self.objects.attachments[index]
            .iter()
            .filter_map(|&[a, b]| Some([self.objects.particle(a)?, self.objects.particle(b)?]))
            .collect();
        let state = self.current_state()?;
        Ok(attachment_force(&self.model, state, &pairs, on_device).map_err(unsuitable)?.as_vec3())
    }

    fn is_on_device(&self) -> bool {
        #[cfg(feature = "gpu")]
        return self.gpu.is_some();
        #[cfg(not(feature = "gpu"))]
        false
    }
}

fn unsuitable(why: UnknownForce) -> EditError {
    EditError::Unsuitable(why.to_string())
}
