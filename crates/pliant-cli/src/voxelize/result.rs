//! What both backends of `pliant voxelize` return.

use crate::failure::Failure;
use pliant::voxel::{Particles, VoxelError};

/// Result of a backend, with the times of all runs.
pub struct Voxelization {
    /// The particles.
    pub particles: Particles,
    /// Number of voxels inside the mesh.
    pub voxels: usize,
    /// Name of the GPU, if one ran.
    pub adapter: Option<String>,
    /// Times of voxelization, distances and merging [ms].
    pub stages: [Vec<f64>; 3],
    /// Host times before and after the GPU work [ms], if a GPU ran.
    pub host: Option<[Vec<f64>; 2]>,
}

/// An error of the voxelizer as a failure of the command.
pub fn voxel_failure(error: &VoxelError) -> Failure {
    let message = error.to_string();
    match error {
        VoxelError::TooLarge { .. } => Failure::resource(message).help("ask for fewer voxels: --grid 256"),
        VoxelError::Nothing => Failure::scene(message).help("ask for more voxels: --grid 100"),
        _ => Failure::scene(message),
    }
}
