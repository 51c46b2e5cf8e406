//! A collider of the scene: shape, material and prescribed motion.

use crate::contact::collider_contact::{ColliderShape, Friction, MovingCollider};
use crate::math::Pose;
use crate::motion::Motion;

/// A convex piece of a rigid body, as particles see it: a collider that moves with the body.
#[derive(Clone, Debug)]
pub struct BodyCollider {
    /// Index of the rigid body.
    pub body: u32,
    /// Its object.
    pub object: u32,
    /// Where the piece is in the body: relative to its center of mass and axes.
    pub place: Pose,
    /// Shape of the piece.
    pub shape: ColliderShape,
    /// Friction with particles of objects without their own.
    pub friction: Friction,
    /// The same coefficient of restitution; `None` is that between particles.
    pub restitution: Option<f32>,
}

impl BodyCollider {
    /// The piece during a substep in which its body moves from one pose to another.
    pub fn moved(&self, before: Pose, after: Pose) -> MovingCollider {
        let placed = |p: Pose| Pose {
            position: p.outward(self.place.position),
            rotation: (p.rotation * self.place.rotation).normalize(),
        };
        MovingCollider {
            shape: self.shape.clone(),
            before: placed(before),
            after: placed(after),
            friction: self.friction,
        }
    }
}

/// A collider of the scene; infinite mass.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name for messages.
    pub name: String,
    /// Shape in its local frame.
    pub shape: ColliderShape,
    /// Friction with every particle.
    pub friction: Friction,
    /// Coefficient of restitution: speed after over speed before impact.
    pub restitution: f32,
    /// Rolling resistance: decay rate of tangential speed [1/s].
    pub rolling: f32,
    /// Pose over time.
    pub motion: Motion,
}
