//! What can be measured of single objects and at points: energies, volumes, forces on colliders, density of liquids.

use crate::constraints::cpu::volume;
use crate::math::position;
use crate::runtime::cpu::Threads;
use crate::scene::ObjectKind;
use crate::solver::cpu::measure::elastic_energy;
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
    /// Elastic energy of its constraints and of its pressure [J]. Constraints without a compliance have none, nor has a
    /// PBD stiffness, shape matching or an attachment.
    pub elastic: f64,
}

impl World {
    /// Energies of an object. A GPU reads back this object only.
    pub fn energy(&mut self, object: Handle) -> Result<ObjectEnergy, EditError> {
        let gravity = self.model.settings.gravity.as_dvec3();
        let bodies = self.rigid_bodies_of(object)?;
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for body in bodies.clone() {
            let own = self.rigid_momentum(body..body + 1)?;
            let spin = self.rigid_state()?.bodies[body].spin;
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
        Ok(ObjectEnergy { kinetic, potential, elastic: self.elastic_energy(object)? })
    }

    /// Elastic energy of an object whose particles were read.
    fn elastic_energy(&mut self, object: Handle) -> Result<f64, EditError> {
        let placed = self.placed(object)?;
        if placed.particles().is_empty() {
            return Ok(0.0);
        }
        let first = self.state.memory().particles;
        let turns = placed.orientations().start + first..placed.orientations().end + first;
        let owns = |row: usize| placed.particles().contains(&row) || turns.contains(&row);
        self.read_scattered(turns.clone().map(|row| row as u32))?;
        let energy = self.look(|model, state| elastic_energy(model, &state.rows, owns, placed.objects()))?;
        Ok(energy)
    }

    /// Volume of an object [m³]: what the surface of an inflatable encloses, the sum over the tetrahedra of a soft
    /// body, the volume of rigid bodies, and of a liquid its mass over its rest density. A GPU reads back this object
    /// only.
    pub fn volume(&mut self, object: Handle) -> Result<f64, EditError> {
        let placed = self.placed(object)?;
        let source = self.source(object)?;
        let range = placed.particles();
        let scene = &self.definition.scene;
        match source.kind {
            ObjectKind::Liquid => {
                let density = f64::from(scene.liquid[source.index].density);
                // The host knows the masses of all particles, those on a GPU too.
                let rows = &self.state.memory().rows[range];
                let masses = rows.iter().filter(|row| row[3] > 0.0).map(|row| 1.0 / f64::from(row[3]));
                return Ok(masses.sum::<f64>() / density);
            }
            ObjectKind::Body if !placed.rigid_bodies().is_empty() => {
                let density = f64::from(scene.body[source.index].density);
                let bodies = &self.model.rigid_bodies.bodies[placed.rigid_bodies()];
                return Ok(bodies.iter().map(|body| body.shape.mass.mass).sum::<f64>() / density);
            }
            ObjectKind::Inflatable | ObjectKind::Soft => {}
            other => {
                let what = "inflatables, soft bodies, rigid bodies and liquids have a volume";
                return Err(EditError::Unsuitable(format!("only {what}, not an object of kind {:?}", other.name())));
            }
        }
        self.read_rows(range.clone(), false)?;
        self.look(|model, state| {
            let surfaces = model.inflatables.iter().filter(|b| placed.objects().contains(&(b.object as usize)));
            let enclosed: f64 = surfaces.map(|body| volume(&Threads::one(), body, &state.rows)).sum();
            let own = model.topology.tets.iter().filter(|t| range.contains(&(t[0] as usize)));
            let filled = own.map(|t| {
                let [a, b, c, d] = t.map(|i| position(state.rows[i as usize]).as_dvec3());
                (b - a).cross(c - a).dot(d - a) / 6.0
            });
            enclosed + filled.sum::<f64>()
        })
        .map_err(EditError::from)
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
