//! File formats of Pliant: reads surface and tetrahedral meshes, writes frames.
//!
//! Readers return meshes of `pliant::mesh` without repairing them; writers use `pliant::frame` only.
//!
//! Invariant: no input makes a reader panic or allocate more than a small multiple of the file's size, and no
//! writer leaves a half-written file under its final name.

#![forbid(unsafe_code)]

pub mod read;
pub mod write;

pub use read::{Caps, ReadError, read_tets, read_triangles};
pub use write::{
    CacheFormat, CacheWriter, FoamFrame, FrameFormat, FrameWriter, SurfaceFrame, WriteError, is_temporary,
    write_atomically, write_foam, write_surface,
};
