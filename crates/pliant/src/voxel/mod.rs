//! Closed meshes to solid particles: voxels, their distance to the surface, and particles of several sizes.
//!
//! Home of the geometry only. It knows no bodies, masses or constraints; those who make a body of the
//! [`Particles`] weigh them by their volumes. The steps, each a function of its own, in order:
//!
//! 1. [`Grid::fit`] lays a grid around the mesh, [`voxelize`] decides for every voxel whether its center is inside
//!    (S27; [`ray_cast`] is the baseline in floating point).
//! 2. [`Field::inside`] and, for all voxels, [`Field::new`] are the signed distance by an exact Euclidean distance transform (S28; [`fast_marching`] is the
//!    baseline).
//! 3. [`merge`] joins voxels deep inside into larger ones and makes particles of what is there (S29); [`thin`] says which of them
//!    have no shortest way out.
//!
//! Invariant: flat arrays and integers of at most 32 bits in memory; where 64 bits are needed on the way it says so,
//! because a GPU has to put them together from halves. The same mesh gives the same bits on every machine.
//!
//! Reference: D4, chapter 4, with the errata E24–E27.

pub mod bitset;
pub mod distance;
pub mod envelope;
pub mod fast_marching;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod grid;
pub mod merge;
pub mod ray_marching;
pub mod sites;
pub mod solid;
pub mod thin;

pub use crate::voxel::bitset::Voxels;
pub use crate::voxel::distance::Field;
pub use crate::voxel::fast_marching::fast_marching;
pub use crate::voxel::grid::{Grid, MOST_ALONG, MOST_VOXELS};
pub use crate::voxel::merge::{Particles, merge};
pub use crate::voxel::ray_marching::ray_cast;
pub use crate::voxel::sites::{EMPTY, INSIDE, Reach, SITE_DISTANCE, site_codes};
pub use crate::voxel::solid::{HalfOpen, snap, voxelize, voxelize_along};
pub use crate::voxel::thin::thin;

#[cfg(feature = "gpu")]
pub(crate) use crate::voxel::merge::{check_depth, merge_step, particle_radius, particle_volume};
#[cfg(feature = "gpu")]
pub(crate) use crate::voxel::solid::{leak_at, projection_axis};

use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::{MeshError, TriMesh};

/// Depth below the surface at which voxels begin to merge, unless another is asked for [voxels].
///
/// D4 gives no number; the counts of its box (T10) come out for all from 0.5 to less than 2.5.
pub const MERGE_DEPTH: f32 = 1.0;

/// Layers of empty voxels around the mesh, unless another number is asked for. One is enough for the distances; the
/// counts of D4's tables (T10) belong to two, as they decide where the blocks begin that voxels merge in.
pub const PADDING: u32 = 2;

/// How a mesh is filled with particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// Voxels along the longest side of the mesh.
    pub grid: u32,
    /// Layers of empty voxels on each side, 1 to 8.
    pub padding: u32,
    /// Depth below the surface at which voxels may merge [voxels]; nothing merges without it.
    pub merge: Option<f32>,
}

impl Filling {
    /// So many voxels along the longest side, padded as usual, none of them merged.
    pub fn new(grid: u32) -> Self {
        Self { grid, padding: PADDING, merge: None }
    }
}

/// Why a mesh cannot be turned into voxels.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VoxelError {
    /// A mesh without an inside, or with broken numbers.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A grid without voxels, or with too many in a row.
    #[error("a grid of {found} voxels along the longest side, but allowed are 1 to {most}")]
    Along {
        /// What was asked for.
        found: u32,
        /// How many are allowed with this padding.
        most: u32,
    },
    /// Too many voxels altogether.
    #[error("the grid would have {} x {} x {} voxels, {voxels} in all, but at most {MOST_VOXELS} are allowed", dims[0], dims[1], dims[2])]
    TooLarge {
        /// Voxels along each axis, padding included.
        dims: [u32; 3],
        /// Their product.
        voxels: u64,
    },
    /// A padding that leaves no empty layer, or wastes memory.
    #[error("padding of {0} voxels, but allowed are 1 to 8")]
    Padding(u32),
    /// A merge depth at which surface voxels would merge, or that is no number.
    #[error("voxels are to merge {0} voxels below the surface, but allowed is a depth of 0.5 or more")]
    Depth(f32),
    /// The mesh reaches out of the grid.
    #[error("vertex {0} lies outside of the grid")]
    Outside(usize),
    /// A ray that enters the mesh and does not come out again.
    #[error("the surface has a hole: the ray along {axis} through ({:.4} {:.4} {:.4}) crosses it an odd number of times", at[0], at[1], at[2])]
    Leak {
        /// Name of the axis.
        axis: char,
        /// Where the ray ends [m].
        at: [f64; 3],
    },
    /// No voxel center is inside.
    #[error("the mesh is so thin that no voxel center lies inside")]
    Nothing,
}

/// Fills a mesh with particles: all steps in one, after the mesh was checked and repaired.
///
/// Returns notes on what was repaired. Meshes that are open, that have edges with more than two triangles, or
/// whose sides cannot be told apart are refused.
pub fn fill(mesh: TriMesh, filling: &Filling) -> Result<(Particles, Vec<String>), VoxelError> {
    let (mesh, notes) = clean_surface(mesh, SurfaceNeed::Closed)?;
    let grid = Grid::fit(&mesh.positions, filling.grid, filling.padding)?;
    let voxels = voxelize(&mesh, &grid)?;
    if voxels.count() == 0 {
        return Err(VoxelError::Nothing);
    }
    let field = Field::inside(&voxels);
    Ok((merge(&grid, &voxels, &field, filling.merge)?, notes))
}
