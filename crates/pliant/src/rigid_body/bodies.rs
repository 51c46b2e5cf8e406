//! Rigid bodies: what is fixed ([`RigidBodyModel`]) and what moves ([`RigidBodies`]).

use crate::collision::ObjectContact;
use crate::geometry::bvh::Bvh;
use crate::geometry::{DistanceField, Surface};
use crate::memory::of;
use crate::rigid_body::anchor::{Anchor, AnchorState};
use crate::rigid_body::joint::{Drive, Joint, JointDrive, JointState};
use crate::rigid_body::manifold::POINTS;
use crate::rigid_body::mass::MassProperties;
use crate::rigid_body::shape::{Convex, Frame};
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// A convex piece of a body, relative to its center of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Where it is in the body.
    pub frame: Frame,
    /// Its shape.
    pub shape: Convex,
}

/// Convex pieces and mass properties of a body; shared by its copies.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// Convex pieces, relative to the center of mass and the body's axes.
    pub pieces: Vec<Piece>,
    /// Mass, inertia about the center of mass in the body's axes, and the center in the frame that the pieces came in.
    pub mass: MassProperties,
    /// Inverse of the inertia [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// Whether all moments of inertia are equal: such a body does not precess.
    pub isotropic: bool,
    /// Distance of the farthest point from the center of mass [m].
    pub reach: f64,
    /// Least thickness of a piece [m].
    pub thickness: f64,
    /// Sum of the volumes of the pieces [m³].
    pub volume: f64,
}

impl BodyShape {
    /// From pieces and their mass properties in a common frame; `None` without mass or extent.
    pub fn new(pieces: Vec<Piece>, mass: MassProperties) -> Option<Self> {
        let inverse_inertia = mass.inertia.inverse();
        let usable = mass.mass > 0.0 && mass.mass.is_finite() && inverse_inertia.is_finite();
        if !usable || mass.inertia.determinant() <= 0.0 {
            return None;
        }
        let center = mass.center;
        let pieces: Vec<Piece> = pieces
            .into_iter()
            .map(|p| Piece { frame: Frame { position: p.frame.position - center, ..p.frame }, ..p })
            .collect();
        let reach = pieces.iter().map(|p| p.frame.position.length() + p.shape.reach()).fold(0.0, f64::max);
        let thickness = pieces.iter().map(|p| p.shape.thickness()).fold(f64::INFINITY, f64::min);
        let volume = pieces.iter().map(|p| MassProperties::of_convex(&p.shape, 1.0).mass).sum();
        let i = mass.inertia;
        let mean = (i.x_axis.x + i.y_axis.y + i.z_axis.z) / 3.0;
        let isotropic = (i - DMat3::from_diagonal(DVec3::splat(mean))).abs_diff_eq(DMat3::ZERO, 1e-9 * mean);
        Some(Self { pieces, mass, inverse_inertia, isotropic, reach, thickness, volume })
    }
}

/// A body as the scene has it.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyParams {
    /// Shape and mass.
    pub shape: Arc<BodyShape>,
    /// Its object in the topology.
    pub object: u32,
    /// Environment of a batch.
    pub environment: u32,
    /// Its collision groups and surface.
    pub contact: ObjectContact,
}

/// Surface properties of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceLaw {
    /// Coefficient of static friction.
    pub static_friction: f64,
    /// Coefficient of kinetic friction.
    pub kinetic_friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Decay rate of rolling [1/s].
    pub rolling: f64,
}

impl SurfaceLaw {
    /// Of two bodies, where this is the law of the scene: see [`crate::collision`].
    pub fn between(&self, a: &ObjectContact, b: &ObjectContact) -> Self {
        if [a, b].iter().all(|o| o.friction.is_none() && o.restitution.is_none()) {
            return *self;
        }
        self.own(a).with(&self.own(b))
    }

    /// Of a body and a collider, where this is the law of the collider.
    pub fn against(&self, body: &ObjectContact) -> Self {
        self.own(body).with(self)
    }

    /// With the coefficients that a body has of its own.
    fn own(&self, body: &ObjectContact) -> Self {
        let mut law = *self;
        if let Some(friction) = body.friction {
            law.static_friction = f64::from(friction.static_friction);
            law.kinetic_friction = f64::from(friction.kinetic_friction);
        }
        law.restitution = body.restitution.map_or(law.restitution, f64::from);
        law
    }

    fn with(&self, other: &Self) -> Self {
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        Self {
            static_friction: mean(self.static_friction, other.static_friction),
            kinetic_friction: mean(self.kinetic_friction, other.kinetic_friction),
            restitution: self.restitution.max(other.restitution),
            ..*self
        }
    }
}

/// Shape of a collider as bodies see it.
#[derive(Clone, Debug)]
pub enum ColliderGeometry {
    /// Half-space below y = 0.
    Plane,
    /// A convex solid.
    Convex(Convex),
    /// Triangles, each a flat convex shape, in a tree.
    Triangles(Arc<TriangleSet>),
    /// A signed distance on a grid.
    Field(Arc<DistanceField>),
}

/// Triangles of a surface for body contact.
#[derive(Clone, Debug)]
pub struct TriangleSet {
    /// Each triangle as a convex shape.
    pub triangles: Vec<Convex>,
    /// Tree over them; leaves are numbers into `order`.
    pub tree: Bvh,
    /// Triangle of each leaf.
    pub order: Vec<u32>,
    /// Bounds [m].
    pub bounds: (DVec3, DVec3),
}

impl TriangleSet {
    /// Of a surface.
    pub fn new(surface: &Surface) -> Self {
        let corners = |t: &[u32; 3]| t.map(|k| surface.positions()[k as usize]);
        let boxes: Vec<_> = surface
            .triangles()
            .iter()
            .map(|t| {
                let [a, b, c] = corners(t);
                (a.min(b).min(c), a.max(b).max(c))
            })
            .collect();
        let (tree, order) = Bvh::new(&boxes);
        let flat = |t: &[u32; 3]| {
            let corners = corners(t).map(|p| p.as_dvec3());
            Convex::Hull(Arc::new(crate::rigid_body::polytope::Polytope::triangle(corners)))
        };
        let (low, high) = surface.bounds();
        let bounds = (low.as_dvec3(), high.as_dvec3());
        Self { triangles: surface.triangles().iter().map(flat).collect(), tree, order, bounds }
    }
}

/// The fixed half.
#[derive(Clone, Debug, Default)]
pub struct RigidBodyModel {
    /// Bodies.
    pub bodies: Vec<BodyParams>,
    /// Geometry of each collider of the scene.
    pub colliders: Vec<ColliderGeometry>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Pairs of bodies that do not collide, lower index first, sorted.
    pub separated: Vec<(u32, u32)>,
    /// Particles that are attached to bodies, in the order of attachments.
    pub anchors: Vec<Anchor>,
    /// Contact between bodies.
    pub between: SurfaceLaw,
    /// Whether bodies collide with each other.
    pub collide: bool,
}

impl RigidBodyModel {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.bodies) + of(&self.colliders) + of(&self.joints) + of(&self.anchors)
    }
}

/// A body as it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Center of mass [m].
    pub position: DVec3,
    /// Orientation.
    pub rotation: DQuat,
    /// Velocity of the center of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
    /// Impulse [N·s] and angular impulse [N·m·s] of liquids in the next substep.
    pub push: [DVec3; 2],
}

impl BodyState {
    /// Where it is.
    pub fn frame(&self) -> Frame {
        Frame { position: self.position, rotation: self.rotation }
    }
}

/// Impulses of a manifold, from which the next substep starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CachedManifold {
    /// First body or collider, second body, and pieces or triangle of both.
    pub key: ManifoldKey,
    /// Number of points.
    pub count: u32,
    /// Points relative to the second body, in its axes [m].
    pub anchors: [DVec3; POINTS],
    /// Unit normal from the first to the second.
    pub direction: DVec3,
    /// Normal force of each point in the last small step [N].
    pub normal: [f64; POINTS],
    /// Friction force [N].
    pub friction: DVec3,
    /// Friction torque about the normal [N·m].
    pub twist: f64,
    /// Normal force of each point, as a mean over the substep [N].
    pub mean: [f64; POINTS],
    /// Friction, as a mean over the substep [N].
    pub mean_friction: DVec3,
}

impl CachedManifold {
    /// Force on the second body, as a mean over the substep [N].
    pub fn force(&self) -> DVec3 {
        self.direction * self.mean[..self.count as usize].iter().sum::<f64>() + self.mean_friction
    }
}

/// Which shapes a manifold is of. Ordered: colliders come after bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ManifoldKey {
    /// The second body, which always moves.
    pub b: u32,
    /// The first body, or [`COLLIDER`] plus the index of a collider.
    pub a: u32,
    /// Piece of the second body.
    pub piece_b: u32,
    /// Piece of the first body, or triangle of the collider.
    pub piece_a: u32,
}

/// First number of colliders among the first bodies of manifolds.
pub const COLLIDER: u32 = 1 << 31;

/// The moving half.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidBodies {
    /// Bodies, in the order of [`RigidBodyModel::bodies`].
    pub bodies: Vec<BodyState>,
    /// Contacts of the last substep, by key.
    pub contacts: Vec<CachedManifold>,
    /// Joints, in the order of [`RigidBodyModel::joints`].
    pub joints: Vec<JointState>,
    /// Limits, motors and friction of joints, as they are now, in the order of joints and axes.
    pub drives: Vec<JointDrive>,
    /// Attached particles, in the order of [`RigidBodyModel::anchors`].
    pub anchors: Vec<AnchorState>,
    /// How long each body has been at rest [s]; empty at the start.
    pub rest: Vec<f64>,
    /// Hash of gravity and colliders at the end of the last step.
    pub surroundings: u64,
}

impl RigidBodies {
    /// Wakes all bodies, of which a caller has changed some.
    pub fn wake(&mut self) {
        self.rest.clear();
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.bodies) + of(&self.contacts) + of(&self.joints) + of(&self.drives) + of(&self.anchors)
    }

    /// What acts along or about the axes of a joint.
    pub fn drives_of(&self, joint: u32) -> &[JointDrive] {
        let first = self.drives.partition_point(|d| d.joint < joint);
        let count = self.drives[first..].iter().take_while(|d| d.joint == joint).count();
        &self.drives[first..first + count]
    }

    /// What acts along or about an axis of a joint, to be changed.
    pub fn drive_mut(&mut self, joint: u32, axis: u32) -> &mut Drive {
        let place = self.drives.partition_point(|d| (d.joint, d.drive.axis) < (joint, axis));
        let known = self.drives.get(place).is_some_and(|d| (d.joint, d.drive.axis) == (joint, axis));
        if !known {
            let drive = Drive { axis, ..Drive::default() };
            self.drives.insert(place, JointDrive { joint, drive });
        }
        &mut self.drives[place].drive
    }

    /// Returns some bodies to another state, in which nothing touches them, with their joints. `held` has the second body
    /// of each joint.
    pub fn restore(&mut self, held: &[u32], from: &Self, own: std::ops::Range<usize>) {
        self.bodies[own.clone()].copy_from_slice(&from.bodies[own.clone()]);
        let theirs = |joint: u32| own.contains(&(held[joint as usize] as usize));
        for k in (0..self.joints.len()).filter(|&k| theirs(k as u32)) {
            self.joints[k] = from.joints[k];
        }
        self.drives.retain(|d| !theirs(d.joint));
        self.drives.extend(from.drives.iter().filter(|d| theirs(d.joint)));
        self.drives.sort_by_key(|d| (d.joint, d.drive.axis));
        self.wake_around(&own);
        let is_own = |body: u32| own.contains(&(body as usize));
        self.contacts.retain(|c| !is_own(c.key.a) && !is_own(c.key.b));
    }

    /// Drops the contacts of a body, which has been moved.
    pub fn forget_contacts(&mut self, body: usize) {
        let body = body as u32;
        self.contacts.retain(|c| c.key.a != body && c.key.b != body);
    }
}
