//! The GPU backend: encodes the list of passes for wgpu.

pub use wgpu;
