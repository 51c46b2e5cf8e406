//! What can be measured of single objects and at points: energies, forces on colliders, density of liquids.

use crate::math::position;
use crate::scene::ObjectKind;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::EditError;
use crate::world::steer::finite;
use glam::Vec3;

/// Energies of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectEnergy {
    /// Kinetic energy of its free particles or rigid bodies [J].
    pub kinetic: f64,
    /// Potential energy in the gravity of the world, 0 at the origin [J].
    pub potential: f64,
}

impl World {
    /// Energies of an object. A GPU reads back this object only.
    pub fn energy(&mut self, object: Handle) -> Result<ObjectEnergy, EditError> {
        let gravity = self.model.settings.gravity.as_dvec3();
        let bodies = self.rigid_bodies_of(object)?;
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for body in bodies.clone() {
            let own = self.rigid_momentum(body..body + 1)?;
            let spin = self.current_state()?.rigid_bodies.bodies[body].spin;
            kinetic += 0.5 * (own.linear.length_squared() / own.mass + spin.dot(own.angular));
            potential -= own.mass * gravity.dot(own.center);
        }
        if bodies.is_empty() {
            let range = self.particles_of(object)?;
            let state = self.read_rows(range.clone(), true)?;
            for i in range.filter(|&i| state.rows[i][3] > 0.0) {
                let (mass, v) = (1.0 / f64::from(state.rows[i][3]), position(state.velocities[i]).as_dvec3());
                kinetic += 0.5 * mass * v.length_squared();
                potential -= mass * gravity.dot(position(state.rows[i]).as_dvec3());
            }
        }
        Ok(ObjectEnergy { kinetic, potential })
    }

    /// Force of all particles and rigid bodies on a collider in the last substep [N], as [`Self::collider_forces`].
    pub fn collider_force(&mut self, collider: Handle) -> Result<Vec3, EditError> {
        let kind = self.source(collider)?.kind;
        if kind != ObjectKind::Collider {
            return Err(EditError::Unsuitable(format!("it is an object of kind {:?}, not a collider", kind.name())));
        }
        self.apply_edits()?;
        let index = self.source(collider)?.index;
        self.current_state()?;
        Ok(self.collider_forces()[index])
    }

    /// Density of the liquids at a point [kg/m³]: the sum of their particles with the kernel that pressure uses. Within half a
    /// kernel radius of a wall or a surface it is lower, as there is no liquid beyond.
    pub fn density_at(&mut self, point: Vec3) -> Result<f32, EditError> {
        finite("the point", point)?;
        self.apply_edits()?;
        let state = self.current_state()?;
        let Some(fluid) = &self.model.fluid else { return Ok(0.0) };
        let wet = |i: &usize| fluid.liquids[*i] > 0 && state.rows[*i][3] > 0.0;
        let share = |i: usize| {
            let square = position(state.rows[i]).distance_squared(point);
            let near = square < fluid.reach * fluid.reach;
            if near { f64::from(fluid.smoothing.at(fluid.reach, square).0) / f64::from(state.rows[i][3]) } else { 0.0 }
        };
        Ok((0..state.particles).filter(wet).map(share).sum::<f64>() as f32)
    }
}
