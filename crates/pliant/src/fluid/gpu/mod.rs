//! Fluids on the GPU: tables, shaders, passes, neighbor lists.

pub mod body_coupling;
pub mod constants;
pub(crate) mod neighbor_lists;
pub(crate) mod passes;
pub(crate) mod projection_passes;
pub mod shaders;
pub(crate) mod tables;
pub mod uniforms;
