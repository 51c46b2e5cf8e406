//! The GPU backend: encodes the list of passes for wgpu.

pub mod layout;
pub mod shader;

pub use wgpu;
