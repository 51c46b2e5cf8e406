//! Surface reconstruction of liquids: from particles to a closed triangle mesh.
//!
//! The surface is the isosurface of the smoothed particle volume, extracted by marching cubes (`splashsurf_lib`). The
//! crate does not depend on the engine: the caller passes positions and the particle radius.
//!
//! Invariants: every edge of a mesh belongs to exactly two triangles; the same particles give the same bytes for any
//! number of threads; memory grows with the number of particles, not with their distances.
//!
//! Modules: `components` splits particles into groups that are far apart, `threshold` is the isovalue, `reconstruct`
//! makes the mesh, `vertex_order` sorts it.
//!
//! ```
//! use glam::Vec3;
//! use pliant_surface::{SurfaceSettings, reconstruct_surface};
//!
//! let drop = [Vec3::ZERO, Vec3::new(0.04, 0.0, 0.0)];
//! let mesh = reconstruct_surface(&drop, &SurfaceSettings::new(0.02)).unwrap();
//! assert!(mesh.volume() > 0.0);
//! ```

#![forbid(unsafe_code)]

mod components;
mod error;
mod mesh;
mod reconstruct;
mod settings;
mod threshold;
mod vertex_order;

pub use error::SurfaceError;
pub use mesh::SurfaceMesh;
pub use reconstruct::reconstruct_surface;
pub use settings::SurfaceSettings;
