//! Procedural meshes: grids, spheres, blocks, rings, balls, urchins and figures.

pub mod check;
pub mod figure;
pub mod fit;
pub mod lattice;
pub mod solids;
pub mod surfaces;
pub mod urchin;

pub use crate::builder::generate::figure::figure;
pub use crate::builder::generate::solids::{ball, block, torus};
pub use crate::builder::generate::surfaces::{bowl, grid, icosphere};
pub use crate::builder::generate::urchin::urchin;
