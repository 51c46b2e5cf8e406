//! Position and orientation of a frame.

use glam::{Quat, Vec3};

/// Pose of a collider.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pose {
    /// Origin of its frame [m].
    pub position: Vec3,
    /// Rotation of its frame.
    pub rotation: Quat,
}

impl Pose {
    /// Transforms from the collider's frame to the world's.
    #[inline]
    pub fn outward(&self, local: Vec3) -> Vec3 {
        self.rotation * local + self.position
    }
    /// Transforms from the world's frame to the collider's.
    #[inline]
    pub fn inward(&self, world: Vec3) -> Vec3 {
        self.rotation.conjugate() * (world - self.position)
    }
}
