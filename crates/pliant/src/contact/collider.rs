//! A collider of the scene: shape, material and prescribed motion.

use crate::contact::collider_contact::{ColliderShape, Friction};
use crate::motion::Motion;

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
