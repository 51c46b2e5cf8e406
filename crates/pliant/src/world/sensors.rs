//! Sensors: colliders and rigid bodies that push nothing, and report what overlaps them.

use crate::builder::layout::{Layout, Source};
use crate::builder::rigid_body::collider_geometry;
use crate::collision::CollisionGroups;
use crate::contact::collider_contact::signed_distance;
use crate::math::{Pose, position};
use crate::model::Model;
use crate::neighbors::INACTIVE;
use crate::rigid_body::bodies::{BodyState, ColliderGeometry};
use crate::rigid_body::manifold::ClipBuffers;
use crate::rigid_body::narrow_phase::{Placed, collide, collide_distance, collide_plane};
use crate::rigid_body::shape::Frame;
use crate::scene::ObjectKind;
use crate::state::State;
use crate::world::World;
use crate::world::definition::{Definition, Handle};
use crate::world::edit::EditError;
use glam::DVec3;
use std::collections::BTreeSet;

/// What overlaps are found from.
#[derive(Clone, Copy)]
pub(super) struct Scenery<'a> {
    pub definition: &'a Definition,
    pub layout: &'a Layout,
    pub model: &'a Model,
    pub state: &'a State,
}

/// Where a sensor is.
enum Sensor {
    Collider(usize, Box<ColliderGeometry>, Frame),
    Body(usize),
}

impl Scenery<'_> {
    /// Every sensor with the objects that overlap it, in the order of their handles.
    pub fn all(&self) -> Vec<(Handle, Vec<Handle>)> {
        let mut found = Vec::new();
        for kind in [ObjectKind::Body, ObjectKind::Collider] {
            for index in 0..self.definition.scene.count(kind) {
                let source = Source::new(kind, index);
                if let (Some(handle), Some(objects)) = (self.definition.handle_of(source), self.overlapping(source)) {
                    found.push((handle, objects));
                }
            }
        }
        found
    }

    /// Objects that overlap a sensor, in the order of their handles; `None` of what is no sensor.
    pub fn overlapping(&self, source: Source) -> Option<Vec<Handle>> {
        let groups = self.definition.scene.sensor_of(source.kind, source.index)?;
        let sensors: Vec<Sensor> = match source.kind {
            ObjectKind::Collider => {
                let collider = &self.model.colliders[source.index];
                let at = frame(collider.motion.pose(self.state.time));
                vec![Sensor::Collider(source.index, Box::new(collider_geometry(collider)), at)]
            }
            _ => self.layout.find(source)?.rigid_bodies().map(Sensor::Body).collect(),
        };
        let mut found = BTreeSet::new();
        for sensor in &sensors {
            self.bodies(sensor, groups, &mut found);
            self.particles(sensor, groups, &mut found);
            self.colliders(sensor, groups, &mut found);
        }
        Some(found.into_iter().collect())
    }

    fn bodies(&self, sensor: &Sensor, groups: CollisionGroups, found: &mut BTreeSet<Handle>) {
        let (model, mut clip) = (&self.model.rigid_bodies, ClipBuffers::default());
        for placed in self.layout.placed.iter().filter(|p| !p.rigid_bodies().is_empty() && !p.is_removed()) {
            if !self.detects(placed.source, groups) {
                continue;
            }
            let touches = placed.rigid_bodies().any(|k| {
                let (params, body) = (&model.bodies[k], &self.state.rigid_bodies.bodies[k]);
                params.shape.pieces.iter().any(|piece| {
                    let at = body.frame().then(&piece.frame);
                    self.touches_piece(sensor, (&piece.shape, &at), &mut clip)
                })
            });
            if let Some(object) = self.definition.handle_of(placed.source).filter(|_| touches) {
                found.insert(object);
            }
        }
    }

    fn touches_piece(&self, sensor: &Sensor, piece: Placed<'_>, clip: &mut ClipBuffers) -> bool {
        match sensor {
            Sensor::Collider(_, geometry, at) => touches(geometry, at, piece, clip),
            Sensor::Body(own) => self.pieces(*own, |shape| {
                let reach = shape.0.reach() + piece.0.reach();
                let near = shape.1.position.distance(piece.1.position) <= reach;
                near && collide(shape, piece, 0.0, clip).is_some_and(|m| m.points().iter().any(|p| p.separation <= 0.0))
            }),
        }
    }

    /// Whether something holds for a piece of a body.
    fn pieces(&self, body: usize, mut holds: impl FnMut(Placed<'_>) -> bool) -> bool {
        let state: &BodyState = &self.state.rigid_bodies.bodies[body];
        let mut pieces = self.model.rigid_bodies.bodies[body].shape.pieces.iter();
        pieces.any(|piece| holds((&piece.shape, &state.frame().then(&piece.frame))))
    }

    fn particles(&self, sensor: &Sensor, groups: CollisionGroups, found: &mut BTreeSet<Handle>) {
        let state = self.state;
        for placed in self.layout.placed.iter().filter(|p| !p.particles().is_empty() && !p.is_removed()) {
            if !self.detects(placed.source, groups) {
                continue;
            }
            let inside = |i: usize| {
                let (x, radius) = (position(state.rows[i]), state.radii[i]);
                match sensor {
                    Sensor::Collider(index, _, at) => {
                        let local = at.inward(x.as_dvec3()).as_vec3();
                        signed_distance(&self.model.colliders[*index].shape, local).0 <= radius
                    }
                    Sensor::Body(own) => self.pieces(*own, |(shape, at)| {
                        shape.signed_distance(at.inward(x.as_dvec3())).0 <= f64::from(radius)
                    }),
                }
            };
            let touches = placed.particles().any(|i| state.phases[i] != INACTIVE && inside(i));
            if let Some(object) = self.definition.handle_of(placed.source).filter(|_| touches) {
                found.insert(object);
            }
        }
    }

    fn colliders(&self, sensor: &Sensor, groups: CollisionGroups, found: &mut BTreeSet<Handle>) {
        let Sensor::Body(own) = sensor else { return };
        let mut clip = ClipBuffers::default();
        let geometries = self.model.rigid_bodies.colliders.iter().zip(&self.model.colliders).enumerate();
        for (index, (geometry, collider)) in geometries {
            let source = Source::new(ObjectKind::Collider, index);
            let at = frame(collider.motion.pose(self.state.time));
            if self.detects(source, groups) && self.pieces(*own, |piece| touches(geometry, &at, piece, &mut clip)) {
                found.extend(self.definition.handle_of(source));
            }
        }
    }

    /// Whether a sensor of these groups reports an object.
    fn detects(&self, source: Source, groups: CollisionGroups) -> bool {
        let scene = &self.definition.scene;
        let is_sensor = scene.sensor_of(source.kind, source.index).is_some();
        !is_sensor && groups.touches(scene.contact_of(source.kind, source.index).groups)
    }
}

fn frame(pose: Pose) -> Frame {
    Frame { position: pose.position.as_dvec3(), rotation: pose.rotation.as_dquat().normalize() }
}

/// Whether a convex shape overlaps a collider.
fn touches(geometry: &ColliderGeometry, at: &Frame, piece: Placed<'_>, clip: &mut ClipBuffers) -> bool {
    let found = match geometry {
        ColliderGeometry::Plane => {
            let normal = at.rotation * DVec3::Y;
            collide_plane(normal, normal.dot(at.position), piece, 0.0, clip)
        }
        ColliderGeometry::Convex(shape) => {
            let near = at.position.distance(piece.1.position) <= shape.reach() + piece.0.reach();
            if near { collide((shape, at), piece, 0.0, clip) } else { None }
        }
        ColliderGeometry::Triangles(set) => {
            return set.triangles.iter().any(|triangle| {
                collide((triangle, at), piece, 0.0, clip)
                    .is_some_and(|m| m.points().iter().any(|p| p.separation <= 0.0))
            });
        }
        ColliderGeometry::Field(field) => {
            let distance = |p: DVec3| {
                let (distance, normal) = field.signed_distance(at.inward(p).as_vec3());
                (f64::from(distance), at.rotation * normal.as_dvec3())
            };
            collide_distance(&distance, piece, 0.0, clip)
        }
    };
    found.is_some_and(|m| m.points().iter().any(|p| p.separation <= 0.0))
}

impl World {
    /// Objects that overlap a sensor now, in the order of their handles. Where a sensor is a surface, these are those that
    /// touch it. With a GPU the state is read back.
    pub fn overlapping(&mut self, sensor: Handle) -> Result<Vec<Handle>, EditError> {
        self.source(sensor)?;
        self.apply_edits()?;
        let source = self.source(sensor)?;
        let state = self.current_state()?;
        let scenery = Scenery { definition: &self.definition, layout: &self.objects, model: &self.model, state };
        scenery.overlapping(source).ok_or_else(|| EditError::Unsuitable("it is no sensor".to_owned()))
    }
}
