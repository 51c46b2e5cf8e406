//! Forces at pins and attachments, by handle.

use crate::error::StepError;
use crate::math::position;
use crate::model::Model;
use crate::scene::ObjectKind;
#[cfg(feature = "gpu")]
use crate::solver::cpu::forces::ForceInputs;
use crate::solver::cpu::forces::{UnknownForce, attachment_force, constraint_forces};
use crate::state::State;
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
    /// With PBD there are no forces, and the answer is an error. Of a GPU's state only the rows that forces follow from are
    /// read back, and the multipliers where objects are projected (`method = "xpbd"`, inflatables, tethers).
    pub fn pin_force(&mut self, object: Handle) -> Result<PinForce, EditError> {
        let range = self.particles_of(object)?;
        // The host knows which particles are fixed.
        let rows = &self.state.memory().rows;
        let pinned: Vec<u32> = range.filter(|&i| rows[i][3] == 0.0).map(|i| i as u32).collect();
        #[cfg(feature = "gpu")]
        self.read_force_inputs(|model| ForceInputs::of(model, &pinned))?;
        self.look(|model, state| {
            let forces = constraint_forces(model, state, &pinned)?;
            let arm = |&p: &u32| position(state.rows[p as usize]).as_dvec3();
            let torque: DVec3 = pinned.iter().zip(&forces).map(|(p, force)| arm(p).cross(*force)).sum();
            let force: DVec3 = forces.iter().sum();
            Ok(PinForce { force: force.as_vec3(), torque: torque.as_vec3(), particles: pinned.len() })
        })?
        .map_err(unsuitable)
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
        let anchors = self.model.rigid_bodies.anchors.iter().zip(&self.rigid_state()?.anchors);
        let own: Vec<DVec3> =
            anchors.filter(|(a, _)| a.attachment as usize == index).map(|(_, own)| own.force).collect();
        if !own.is_empty() {
            let sum: DVec3 = own.iter().sum();
            let from = &self.definition.scene.attach[index].from.object;
            let particles = self.objects.attachments[index].first().and_then(|[a, _]| self.definition.entry(a.0));
            let of_particles = particles.is_some_and(|entry| entry.name == *from);
            return Ok((if of_particles { sum } else { -sum }).as_vec3());
        }
        let pairs: Vec<[u32; 2]> = self.objects.attachments[index]
            .iter()
            .filter_map(|&[a, b]| Some([self.objects.particle(a)?, self.objects.particle(b)?]))
            .collect();
        #[cfg(feature = "gpu")]
        self.read_force_inputs(|model| ForceInputs::of_attachment(model, &pairs))?;
        let force = self.look(|model, state| attachment_force(model, state, &pairs))?;
        Ok(force.map_err(unsuitable)?.as_vec3())
    }

    /// Looks at model and state; of one on a GPU only what was read before is current.
    pub(super) fn look<R>(&mut self, look: impl FnOnce(&Model, &State) -> R) -> Result<R, StepError> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() && self.state.peek().is_none() {
            return Ok(look(&self.model, self.state.memory()));
        }
        Ok(look(&self.model, self.current_state()?))
    }

    #[cfg(feature = "gpu")]
    fn read_force_inputs(&mut self, of: impl FnOnce(&Model) -> ForceInputs) -> Result<(), StepError> {
        if self.gpu.is_none() || self.state.peek().is_some() {
            return Ok(());
        }
        self.settle()?;
        let inputs = of(&self.model);
        if let Some(gpu) = &self.gpu {
            let rows: Vec<u32> = inputs.rows.into_iter().collect();
            gpu.read_some_rows(self.state.memory(), &rows, inputs.multipliers)?;
        }
        Ok(())
    }
}

fn unsuitable(why: UnknownForce) -> EditError {
    EditError::Unsuitable(why.to_string())
}
