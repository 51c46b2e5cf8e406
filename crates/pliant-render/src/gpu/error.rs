//! Errors of the GPU renderer.

use pliant::runtime::gpu::GpuError;
use thiserror::Error;

/// A picture that the GPU cannot draw.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GpuRenderError {
    /// The image would be empty, or larger than the adapter's textures.
    #[error("picture size {width}x{height} is outside 1x1..={most}x{most}")]
    Size {
        /// Requested width [px].
        width: u32,
        /// Requested height [px].
        height: u32,
        /// Largest side [px].
        most: u32,
    },
    /// Materials are assigned per particle, so they belong to one simulation.
    #[error("the surface has {found} particles, but materials are assigned to {expected}")]
    Particles {
        /// Particles of the surface.
        found: u32,
        /// Particles with an assigned material.
        expected: u32,
    },
    /// The device or its driver reported an error.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
