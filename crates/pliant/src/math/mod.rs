//! Numbers, vectors, matrices and poses used by all kernels.

pub mod lane;
pub mod matrix;
pub mod pose;

pub use lane::{Lane, V3};
pub use pose::Pose;

/// One row of state, 16 bytes: a particle's position [m] and inverse mass [1/kg], or an orientation (unit quaternion).
pub type RowData = [f32; 4];
