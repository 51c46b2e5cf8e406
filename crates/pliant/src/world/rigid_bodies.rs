//! Rigid bodies with exact shapes, by handle.

use crate::builder::part::Part;
use crate::builder::placement::copies;
use crate::collision::CollisionGroups;
use crate::contact::cpu::collider_contacts::pose_of;
use crate::error::StepError;
use crate::math::Pose;
use crate::rigid_body::bodies::{BodyState, ColliderGeometry, RigidBodies};
use crate::rigid_body::body_grid::BodyGrid;
use crate::rigid_body::integrate::world_inverse_inertia;
use crate::rigid_body::manifold::ClipBuffers;
use crate::rigid_body::narrow_phase::{collide, collide_plane};
use crate::rigid_body::shape::Frame;
use crate::rigid_body::sleep::change_awake;
use crate::scene::Object;
use crate::solver::cpu::rigid_bodies::collider_motions;
use crate::world::World;
use crate::world::definition::Handle;
use crate::world::edit::{EditError, Overlap};
use crate::world::objects::Momentum;
use glam::{DMat3, DVec3, Vec3};
use std::ops::Range;

/// Overlap that is tolerated when a body is added, relative to its size.
const TOLERANCE: f64 = 1e-3;

/// Maximum translations that look for a free place.
const MAX_MOVES: usize = 64;

impl World {
    /// Rigid bodies of an object; empty for objects of particles.
    pub(super) fn rigid_bodies_of(&mut self, object: Handle) -> Result<Range<usize>, EditError> {
        Ok(self.placed(object)?.rigid_bodies())
    }

    /// Rigid bodies as they are now. With a GPU the host has them: nothing is read back.
    pub(super) fn rigid_state(&self) -> Result<&RigidBodies, StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.state.peek().is_none()) {
            return Ok(&gpu.rigid_bodies.state);
        }
        Ok(&self.current_state()?.rigid_bodies)
    }

    /// Changes some rigid bodies, with a GPU on its side and in the copy of the state, if there is one. They wake up, and what
    /// touches them.
    pub(super) fn change_rigid(&mut self, bodies: Range<usize>, change: impl Fn(&mut RigidBodies)) {
        let (gravity, colliders) = (self.model.settings.gravity.as_dvec3(), collider_motions(&self.model, self.time()));
        let change = |state: &mut RigidBodies| {
            change_awake(state, (gravity, &colliders), |state| {
                state.wake_around(&bodies);
                change(state);
            });
        };
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            change(&mut gpu.rigid_bodies.state);
        }
        if let Some(state) = self.state.correct() {
            change(&mut state.rigid_bodies);
        }
        (self.bounds, self.index) = (None, None);
        self.changes += 1;
    }

    /// Linear [m/s] and angular velocity [rad/s] of a rigid body that is a single one.
    pub fn body_velocity(&mut self, object: Handle) -> Result<(Vec3, Vec3), EditError> {
        let range = self.rigid_bodies_of(object)?;
        match &self.rigid_state()?.bodies[range] {
            [body] => Ok((body.velocity.as_vec3(), body.spin.as_vec3())),
            _ => Err(EditError::Unsuitable("it is not a single rigid body".to_owned())),
        }
    }

    /// Pose of a rigid body: its center of mass and axes.
    pub(super) fn rigid_pose(&self, body: usize) -> Result<Pose, EditError> {
        Ok(pose_of(&self.rigid_state()?.bodies[body]))
    }

    /// Puts a rigid body elsewhere. It keeps its velocity in its own frame.
    pub(super) fn teleport_rigid(&mut self, body: usize, pose: Pose) {
        let rotation = pose.rotation.as_dquat().normalize();
        self.change_rigid(body..body + 1, |bodies| {
            let own = &mut bodies.bodies[body];
            let turn = rotation * own.rotation.conjugate();
            *own = BodyState {
                position: pose.position.as_dvec3(),
                rotation,
                velocity: turn * own.velocity,
                spin: turn * own.spin,
                push: [DVec3::ZERO; 2],
            };
            bodies.forget_contacts(body);
        });
    }

    /// Mass and momentum of rigid bodies as a whole.
    pub(super) fn rigid_momentum(&self, range: Range<usize>) -> Result<Momentum, EditError> {
        let state = &self.rigid_state()?.bodies[range.clone()];
        let params = &self.model.rigid_bodies.bodies[range];
        let all = || params.iter().map(|p| &p.shape.mass).zip(state);
        let mass: f64 = all().map(|(m, _)| m.mass).sum();
        let center = all().map(|(m, b)| b.position * m.mass).sum::<DVec3>() / mass;
        let linear = all().map(|(m, b)| b.velocity * m.mass).sum();
        let angular = all()
            .map(|(m, b)| {
                let own = b.rotation * (m.inertia * (b.rotation.conjugate() * b.spin));
                own + (b.position - center).cross(b.velocity) * m.mass
            })
            .sum();
        Ok(Momentum { mass, center, linear, angular })
    }

    /// Box around rigid bodies [m].
    pub(super) fn rigid_bounds(&self, range: Range<usize>) -> Result<(Vec3, Vec3), EditError> {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let bodies = &self.rigid_state()?.bodies[range.clone()];
        for (params, body) in self.model.rigid_bodies.bodies[range].iter().zip(bodies) {
            for piece in &params.shape.pieces {
                let at = body.frame().then(&piece.frame);
                let (center, half) = piece.shape.extents(&DMat3::from_quat(at.rotation));
                low = low.min(at.position + center - half);
                high = high.max(at.position + center + half);
            }
        }
        Ok((low.as_vec3(), high.as_vec3()))
    }

    /// Changes the momentum of rigid bodies: all of them together as one.
    pub(super) fn push_rigid(&mut self, range: Range<usize>, linear: DVec3, angular: DVec3) -> Result<(), EditError> {
        let whole = self.rigid_momentum(range.clone())?;
        let params: Vec<_> = self.model.rigid_bodies.bodies[range.clone()].iter().map(|p| p.shape.clone()).collect();
        let state = &self.rigid_state()?.bodies[range.clone()];
        let mut inertia = DMat3::ZERO;
        for (shape, body) in params.iter().zip(state) {
            let r = DMat3::from_quat(body.rotation);
            let d = body.position - whole.center;
            let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            inertia += r * shape.mass.inertia * r.transpose();
            inertia += (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer) * shape.mass.mass;
        }
        let spin = match params.len() {
            1 => world_inverse_inertia(&params[0], state[0].rotation) * angular,
            _ => inertia.inverse() * angular,
        };
        self.change_rigid(range.clone(), |bodies| {
            for body in &mut bodies.bodies[range.clone()] {
                body.velocity += linear / whole.mass + spin.cross(body.position - whole.center);
                body.spin += spin;
            }
        });
        Ok(())
    }

    /// Sets velocities of rigid bodies as a whole.
    pub(super) fn set_rigid_velocity(
        &mut self,
        range: Range<usize>,
        linear: DVec3,
        angular: DVec3,
    ) -> Result<(), EditError> {
        let center = self.rigid_momentum(range.clone())?.center;
        self.change_rigid(range.clone(), |bodies| {
            for body in &mut bodies.bodies[range.clone()] {
                (body.velocity, body.spin) = (linear + angular.cross(body.position - center), angular);
            }
        });
        Ok(())
    }

    /// Translation after which a rigid body that is to be added overlaps no other one and no collider.
    pub(super) fn free_place(
        &mut self,
        name: &str,
        part: &Part,
        object: &Object,
        overlap: Overlap,
    ) -> Result<Vec3, EditError> {
        self.apply_edits()?;
        self.find_rigid_places()?;
        let (shifts, groups) = (copies(object.array()), object.contact().groups);
        let mut shift = Vec3::ZERO;
        for _ in 0..MAX_MOVES {
            let Some((depth, way, other)) = self.deepest_overlap(part, groups, &shifts, shift)? else {
                return Ok(shift);
            };
            if overlap == Overlap::Refuse {
                return Err(EditError::Overlap { name: name.to_owned(), other, depth: depth as f32 });
            }
            shift += (way * (1.01 * depth)).as_vec3();
        }
        let what = format!("{name:?} overlaps others, and there is no free place nearby");
        Err(EditError::Unsuitable(what))
    }

    /// Makes sure that it is known which rigid bodies are where.
    fn find_rigid_places(&mut self) -> Result<(), EditError> {
        let now = (self.time().to_bits(), self.changes);
        if self.rigid_places.as_ref().is_none_or(|(then, _)| *then != now) {
            let grid = BodyGrid::of(&self.model.rigid_bodies, &self.rigid_state()?.bodies);
            self.rigid_places = Some((now, grid));
        }
        Ok(())
    }

    /// Depth of the deepest overlap of a part, the way out of it, and what it overlaps.
    fn deepest_overlap(
        &self,
        part: &Part,
        groups: CollisionGroups,
        shifts: &[Vec3],
        shift: Vec3,
    ) -> Result<Option<(f64, DVec3, String)>, EditError> {
        let Some(rigid) = &part.rigid else { return Ok(None) };
        let (state, model, time) = (self.rigid_state()?, &self.model.rigid_bodies, self.time());
        let mut clip = ClipBuffers::default();
        let mut most: Option<(f64, DVec3, String)> = None;
        let tolerance = TOLERANCE * rigid.shape.reach;
        for &copy in shifts {
            let body = Frame { position: rigid.frame.position + (copy + shift).as_dvec3(), ..rigid.frame };
            for piece in &rigid.shape.pieces {
                let own = body.then(&piece.frame);
                let mut note = |found: Option<crate::rigid_body::manifold::Manifold>, other: &str| {
                    let Some(found) = found else { return };
                    let depth = found.points().iter().map(|p| -p.separation).fold(0.0, f64::max);
                    if depth > most.as_ref().map_or(tolerance, |m| m.0) {
                        most = Some((depth, found.normal, other.to_owned()));
                    }
                };
                let near = self.rigid_places.as_ref().map(|(_, grid)| grid.near(own.position, piece.shape.reach()));
                for k in near.unwrap_or_default() {
                    let (params, other) = (&model.bodies[k as usize], &state.bodies[k as usize]);
                    let reach = params.shape.reach + piece.shape.reach();
                    let meet = groups.touches(params.contact.groups);
                    if !meet || other.position.distance(own.position) > reach {
                        continue;
                    }
                    for theirs in &params.shape.pieces {
                        let at = other.frame().then(&theirs.frame);
                        let name = &self.model.topology.object_names[params.object as usize];
                        note(collide((&theirs.shape, &at), (&piece.shape, &own), 0.0, &mut clip), name);
                    }
                }
                let colliders = model.colliders.iter().zip(&self.model.colliders).enumerate();
                let table = &self.model.contact_table;
                for (_, (geometry, collider)) in colliders.filter(|(k, _)| groups.touches(table.collider(*k).groups)) {
                    let pose = collider.motion.pose(time);
                    let at =
                        Frame { position: pose.position.as_dvec3(), rotation: pose.rotation.as_dquat().normalize() };
                    let found = match geometry {
                        ColliderGeometry::Plane => {
                            let normal = at.rotation * DVec3::Y;
                            collide_plane(normal, normal.dot(at.position), (&piece.shape, &own), 0.0, &mut clip)
                        }
                        ColliderGeometry::Convex(shape) => collide((shape, &at), (&piece.shape, &own), 0.0, &mut clip),
                        ColliderGeometry::Triangles(_) | ColliderGeometry::Field(_) => None,
                    };
                    note(found, &collider.name);
                }
            }
        }
        Ok(most)
    }
}
