//! Vertex block descent on the GPU.
//!
//! Vertices of all bodies stand in one list, body after body and color after color; workgroups take chunks of it that lie
//! within one body. Sums over a body are written by chunk and added where they are needed, in the order of chunks. The
//! coarse matrix is assembled by a workgroup per block. That of chains is factored by one workgroup per body, that of small
//! bodies is inverted, and that of large ones is solved by conjugate gradients with a second level, which is inverted.

pub mod constants;
mod element_records;
pub mod passes;
pub mod shaders;
mod space;
pub mod tables;
mod two_level;
pub mod uniforms;
