//! Fluids on the GPU: tables, shaders, passes, neighbor lists.

pub(crate) mod neighbor_lists;
pub(crate) mod passes;
pub mod shaders;
pub(crate) mod tables;
pub mod uniforms;
