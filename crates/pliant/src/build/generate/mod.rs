//! Procedural meshes: grids, spheres, blocks, rings, balls, urchins and figures.

mod figure;
mod fit;
mod lattice;
mod solids;
mod surfaces;
mod urchin;

pub use figure::figure;
pub use solids::{ball, block, torus};
pub use surfaces::{bowl, grid, icosphere};
pub use urchin::urchin;

#[cfg(test)]
mod check;
