//! Numbers, vectors, matrices and poses used by all kernels.

pub mod lane;
pub mod matrix;
pub mod pose;
pub mod row_map;

use glam::Vec3;
pub use lane::{Lane, V3};
pub use pose::Pose;

/// One row of state, 16 bytes: a particle's position [m] and inverse mass [1/kg], or an orientation (unit quaternion).
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

/// Constraints are stored in blocks of this many, component by component, so that a lane of eight reads
/// each number with one load.
pub const BLOCK: usize = 8;

/// One row of the state: a particle (position [m], inverse mass [1/kg]) or an orientation (the vector
/// and scalar part of a unit quaternion).
#[derive(Clone, Copy, Debug)]
pub struct Row<F> {
    /// Position, or vector part.
    pub v: V3<F>,
    /// Inverse mass, or scalar part.
    pub w: F,
}
