//! Numbers, vectors, matrices and poses shared by all kernels.

pub mod lane;
pub mod matrix;
pub mod pose;

use glam::Vec3;
pub use lane::{Lane, V3};
pub use pose::Pose;

/// Sixteen bytes of state: a particle's position [m] and inverse mass [1/kg], or an orientation (unit quaternion).
pub type RowData = [f32; 4];

/// First three components as a point.
#[inline]
pub fn position(row: RowData) -> Vec3 {
    Vec3::new(row[0], row[1], row[2])
}

/// First three components.
#[inline(always)]
pub fn vector(row: RowData) -> V3<f32> {
    V3::new(row[0], row[1], row[2])
}
