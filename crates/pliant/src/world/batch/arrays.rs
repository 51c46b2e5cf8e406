//! Arrays over all copies: what is read, and what is steered.

use crate::builder::layout::Source;
use crate::contact::cpu::collider_contacts;
use crate::math::{Pose, RowData};
use crate::motion::Motion;
use crate::rigid_body::bodies::COLLIDER;
use crate::scene::ObjectKind;
use crate::state::State;
use crate::world::batch::{Batch, BatchObject};
use crate::world::edit::EditError;
use crate::world::objects::{Momentum, momentum};
use crate::world::steer::{checked, finite, put_velocity};
use glam::{DVec3, Quat, Vec3};
use std::ops::Range;

/// An array of the particles' state.
#[derive(Clone, Copy)]
enum Rows {
    Positions,
    Velocities,
}

impl Batch {
    /// Particles of an object in one copy.
    pub fn particles(&self, object: BatchObject) -> Result<usize, EditError> {
        Ok(self.range(object)?.len() / self.copies)
    }

    /// Positions of an object's particles in all copies, [copies, particles]: x, y, z [m] and inverse mass [1/kg]. Not copied
    /// on the CPU; from a GPU only these are read back.
    pub fn positions(&mut self, object: BatchObject) -> Result<&[RowData], EditError> {
        let range = self.range(object)?;
        self.rows(Rows::Positions, range)
    }

    /// Velocities of an object's particles in all copies, [copies, particles]: x, y, z [m/s] and 0. As
    /// [`Self::positions`].
    pub fn velocities(&mut self, object: BatchObject) -> Result<&[RowData], EditError> {
        let range = self.range(object)?;
        self.rows(Rows::Velocities, range)
    }

    fn rows(&mut self, rows: Rows, range: Range<usize>) -> Result<&[RowData], EditError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.world.gpu.as_ref().filter(|_| self.world.state.peek().is_none()) {
            gpu.wait(&self.world.model).map_err(crate::error::StepError::from)?;
            self.read.resize(range.len(), [0.0; 4]);
            let done = match rows {
                Rows::Positions => gpu.read_rows(range.start, &mut self.read),
                Rows::Velocities => gpu.read_velocity_rows(self.initial.velocities.len(), range.start, &mut self.read),
            };
            done.map_err(crate::error::StepError::from)?;
            return Ok(&self.read);
        }
        let state = self.world.current_state()?;
        Ok(match rows {
            Rows::Positions => &state.rows[range],
            Rows::Velocities => &state.velocities[range],
        })
    }

    /// Mass and momentum of an object in every copy.
    pub fn momenta(&mut self, object: BatchObject) -> Result<Vec<Momentum>, EditError> {
        if let Some(bodies) = self.rigid_bodies(object)? {
            let whole = bodies.into_iter().map(|own| self.world.rigid_momentum(own));
            return whole.collect();
        }
        let range = self.range(object)?;
        let each = range.len() / self.copies;
        let state = self.world.current_state()?;
        Ok((0..self.copies).map(|k| momentum(state, range.start + k * each..range.start + (k + 1) * each)).collect())
    }

    /// Rigid bodies of an object in every copy; `None` for objects of particles and for colliders.
    fn rigid_bodies(&self, object: BatchObject) -> Result<Option<Vec<Range<usize>>>, EditError> {
        self.check(object)?;
        let first = object.index * self.copies;
        let place = |index| self.world.objects.find(Source::new(object.kind, index));
        let all: Vec<_> = (first..first + self.copies).filter_map(|k| place(k).map(|p| p.rigid_bodies())).collect();
        Ok(Some(all).filter(|all| all.len() == self.copies && all.iter().all(|own| !own.is_empty())))
    }

    /// Velocity [m/s] and angular velocity [rad/s] of a rigid body in every copy.
    pub fn body_velocities(&mut self, object: BatchObject) -> Result<Vec<(Vec3, Vec3)>, EditError> {
        let single = |all: &Vec<Range<usize>>| all.iter().all(|own| own.len() == 1);
        let Some(bodies) = self.rigid_bodies(object)?.filter(single) else {
            return Err(EditError::Unsuitable("it is not a single rigid body".to_owned()));
        };
        let state = self.world.rigid_state()?;
        let motion = |own: &Range<usize>| {
            let body = &state.bodies[own.start];
            (body.velocity.as_vec3(), body.spin.as_vec3())
        };
        Ok(bodies.iter().map(motion).collect())
    }

    /// Pose of a collider, or of a body of one shape, in every copy. See [`crate::World::pose`].
    pub fn poses(&mut self, object: BatchObject) -> Result<Vec<Pose>, EditError> {
        self.check(object)?;
        if object.kind == ObjectKind::Collider {
            let time = self.time();
            let pose = |k| self.world.model.colliders[self.collider(object, k)].motion.pose(time);
            return Ok((0..self.copies).map(pose).collect());
        }
        if let Some(bodies) = self.rigid_bodies(object)?.filter(|all| all.iter().all(|own| own.len() == 1)) {
            return bodies.iter().map(|own| self.world.rigid_pose(own.start)).collect();
        }
        let first = object.index * self.copies;
        let place = |index| self.world.objects.find(Source::new(object.kind, index));
        let bodies = (first..first + self.copies).filter_map(|index| place(index).map(|p| p.bodies()));
        let bodies: Vec<Range<usize>> = bodies.filter(|bodies| bodies.len() == 1).collect();
        match &self.world.current_state()?.shapes {
            Some(shapes) if bodies.len() == self.copies => {
                let poses = bodies.iter().map(|bodies| &shapes.poses()[bodies.start]);
                let pose = |p: &crate::shape_matching::Pose| {
                    let [x, y, z, w] = p.rotation;
                    Pose { position: Vec3::from(p.center), rotation: Quat::from_xyzw(x, y, z, w) }
                };
                Ok(poses.map(pose).collect())
            }
            _ => Err(EditError::Unsuitable("only colliders and bodies of one shape have a pose".to_owned())),
        }
    }

    /// Force of each copy's particles and rigid bodies on a collider in the last substep [N], of shared colliders too, as
    /// [`World::collider_forces`]. A GPU reads all of the state back.
    pub fn collider_forces(&mut self, collider: BatchObject) -> Result<Vec<Vec3>, EditError> {
        self.check_collider(collider)?;
        let (mut forces, state) = (vec![Vec3::ZERO; self.copies], self.world.current_state()?);
        let (environments, bodies) = (&self.world.model.environments, &self.world.model.rigid_bodies.bodies);
        for contact in &state.rigid_bodies.contacts {
            let touched = contact.key.a.checked_sub(COLLIDER).map(|k| environments.slot(k as usize));
            if touched == Some(collider.index) {
                forces[bodies[contact.key.b as usize].environment as usize] -= contact.force().as_vec3();
            }
        }
        collider_contacts::each_force(&self.world.model.contact(), state, |contact, force| {
            if environments.slot(contact.collider as usize) == collider.index {
                forces[environments.of(contact.particle as usize)] += force;
            }
        });
        Ok(forces)
    }

    /// Applies an impulse [N·s] to an object in every copy, at its center of mass: all of its free particles change their
    /// velocity alike. A GPU reads back the velocities of this object only.
    pub fn apply_impulses(&mut self, object: BatchObject, impulses: &[Vec3]) -> Result<(), EditError> {
        self.check_length("impulses", impulses.len())?;
        impulses.iter().try_for_each(|&impulse| finite("the impulse", impulse))?;
        if let Some(bodies) = self.rigid_bodies(object)? {
            for (own, impulse) in bodies.into_iter().zip(impulses).filter(|(_, impulse)| **impulse != Vec3::ZERO) {
                self.world.push_rigid(own, impulse.as_dvec3(), DVec3::ZERO)?;
            }
            return Ok(());
        }
        let range = self.range(object)?;
        let each = range.len() / self.copies;
        let mass = |k: usize| {
            let rows = &self.initial.rows[range.start + k * each..][..each];
            rows.iter().filter(|row| row[3] > 0.0).map(|row| 1.0 / f64::from(row[3])).sum::<f64>()
        };
        let changes: Vec<Vec3> = (0..self.copies)
            .map(|k| impulses[k].as_dvec3() / mass(k))
            .map(|change| if change.is_finite() { change.as_vec3() } else { Vec3::ZERO })
            .collect();
        let now = self.velocities(object)?.to_vec();
        // A new velocity ends the history of a particle: copies without an impulse keep theirs.
        let pushed: Vec<usize> = (0..self.copies).filter(|&k| changes[k] != Vec3::ZERO).collect();
        for run in pushed.chunk_by(|a, b| a + 1 == *b) {
            let (first, end) = (run[0] * each, (run[run.len() - 1] + 1) * each);
            let velocity = |i: usize| Vec3::from_slice(&now[first + i][..3]) + changes[(first + i) / each];
            self.put_velocities(range.start + first..range.start + end, velocity)?;
        }
        Ok(())
    }

    /// Sets the velocity [m/s] of all free particles of an object in every copy. Without a read-back on a GPU.
    pub fn set_velocities(&mut self, object: BatchObject, velocities: &[Vec3]) -> Result<(), EditError> {
        self.check_length("velocities", velocities.len())?;
        velocities.iter().try_for_each(|&velocity| finite("the velocity", velocity))?;
        if let Some(bodies) = self.rigid_bodies(object)? {
            for (own, velocity) in bodies.into_iter().zip(velocities) {
                self.world.set_rigid_velocity(own, velocity.as_dvec3(), DVec3::ZERO)?;
            }
            return Ok(());
        }
        let range = self.range(object)?;
        let each = range.len() / self.copies;
        self.put_velocities(range, |i| velocities[i / each])
    }

    /// Sets the velocity of every free particle of an object, [copies, particles] [m/s]. Without a read-back on a GPU.
    pub fn set_particle_velocities(&mut self, object: BatchObject, velocities: &[Vec3]) -> Result<(), EditError> {
        let range = self.range(object)?;
        if velocities.len() != range.len() {
            let (found, each) = (velocities.len(), range.len() / self.copies);
            return Err(EditError::Value(format!(
                "there are {found} velocities, but {} copies of {each} particles",
                self.copies
            )));
        }
        velocities.iter().try_for_each(|&velocity| finite("the velocity", velocity))?;
        self.put_velocities(range, |i| velocities[i])
    }

    /// Sets the velocities of free particles, counted from the first of `range`.
    fn put_velocities(&mut self, range: Range<usize>, of: impl Fn(usize) -> Vec3) -> Result<(), EditError> {
        let put = |state: &mut State| {
            for i in range.clone().filter(|&i| state.rows[i][3] > 0.0).collect::<Vec<_>>() {
                put_velocity(state, i, of(i - range.start).as_dvec3());
            }
        };
        #[cfg(feature = "gpu")]
        if self.world.state.peek().is_none()
            && let Some(gpu) = &mut self.world.gpu
        {
            // Lists that were full would repeat substeps over the new velocities.
            if gpu.has_lists() {
                gpu.wait(&self.world.model).map_err(crate::error::StepError::from)?;
            }
            let initial = &self.initial;
            self.world.state.on_host(|state| {
                // What is not free keeps its velocity, which is that of the start.
                state.velocities[range.clone()].copy_from_slice(&initial.velocities[range.clone()]);
                for (row, first) in state.rows[range.clone()].iter_mut().zip(&initial.rows[range.clone()]) {
                    row[3] = first[3];
                }
                put(state);
                gpu.upload_velocities(state, range.clone());
            });
            return Ok(());
        }
        put(self.world.state_mut());
        Ok(())
    }

    /// Moves a collider to a pose in every copy during the next step, as [`crate::World::set_pose`]. It must be steered: see
    /// [`crate::BatchOptions::steered`].
    pub fn set_poses(&mut self, collider: BatchObject, poses: &[Pose]) -> Result<(), EditError> {
        self.check_length("poses", poses.len())?;
        self.check_collider(collider)?;
        if !self.world.model.environments.slots()[collider.index].separate {
            let name = &self.world.model.colliders[self.collider(collider, 0)].name;
            return Err(EditError::Unsuitable(format!(
                "the collider {name:?} is shared by all copies: name it in `BatchOptions::steered`"
            )));
        }
        let poses = poses.iter().map(|&pose| checked(pose)).collect::<Result<Vec<_>, _>>()?;
        let (time, dt) = (self.time(), f64::from(self.world.model.settings.dt));
        for (k, pose) in poses.into_iter().enumerate() {
            let index = self.collider(collider, k);
            let motion = &mut self.world.model.colliders[index].motion;
            *motion = Motion::between(motion.pose(time), pose, time, dt);
        }
        self.world.parameters = None;
        self.world.update_backend(false)
    }

    /// Index of a collider of a copy.
    pub(super) fn collider(&self, collider: BatchObject, copy: usize) -> usize {
        let slot = self.world.model.environments.slots()[collider.index];
        slot.first as usize + if slot.separate { copy } else { 0 }
    }

    fn check_collider(&self, object: BatchObject) -> Result<(), EditError> {
        self.check(object)?;
        if object.kind == ObjectKind::Collider {
            return Ok(());
        }
        Err(EditError::Unsuitable(format!("it is an object of kind {:?}, not a collider", object.kind.name())))
    }
}
