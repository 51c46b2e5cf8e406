//! Shape matching on the GPU: tables, buffers of bodies and poses, shaders, passes.

pub(crate) mod bodies;
pub mod constants;
pub(crate) mod passes;
pub mod shaders;
pub(crate) mod tables;
pub mod uniforms;
