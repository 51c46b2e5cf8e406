//! A collider of the scene: shape, material and prescribed motion.

use crate::contact::collider_contact::{Friction, Solid};
use crate::motion::Motion;

/// A solid of the environment.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name for messages.
    pub name: String,
    /// Topology in its own frame.
    pub solid: Solid,
    /// Friction with every particle.
    pub friction: Friction,
    /// Speed after a rebound over speed before.
    pub restitution: f32,
    /// Rate at which speed along it decays [1/s].
    pub rolling: f32,
    /// Where it stands at which time.
    pub motion: Motion,
}
