//! Fills closed meshes with particles: voxels, their distance to the surface, and particles of several sizes.
//!
//! Geometry only: independent of bodies, masses and constraints; masses follow from the volumes of the
//! [`Particles`]. The steps, each a separate function, in order:
//!
//! 1. [`Grid::fit`] fits a grid to the mesh, [`voxelize`] decides for every voxel whether its center is inside
//!    (S27; [`ray_cast`] is the floating-point baseline).
//! 2. [`Field::inside`] and, for all voxels, [`Field::new`] compute the signed distance by an exact Euclidean distance
//!    transform (S28; [`fast_marching`] is the baseline).
//! 3. [`merge`] merges deep voxels into larger ones and creates particles (S29); [`thin`] finds particles without a
//!    unique nearest surface point.
//!
//! Invariant: flat arrays and integers of at most 32 bits in memory; intermediate 64-bit values are documented,
//! because a GPU has to emulate them. The same mesh gives the same bits on every machine.
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

/// Default depth below the surface from which voxels merge [voxels].
///
/// D4 gives no number; the counts of its box (T10) result for all values from 0.5 to less than 2.5.
pub const MERGE_DEPTH: f32 = 1.0;

/// Default number of empty voxel layers around the mesh. One is enough for the distances; the
/// counts of D4's tables (T10) need two, since the padding determines the alignment of merged blocks.
pub const PADDING: u32 = 2;

/// Parameters for filling a mesh with particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filling {
    /// Voxels along the longest side of the mesh.
    pub grid: u32,
    /// Layers of empty voxels on each side, 1 to 8.
    pub padding: u32,
    /// Depth below the surface from which voxels merge [voxels]; `None` disables merging.
    pub merge: Option<f32>,
}

impl Filling {
    /// With `grid` voxels along the longest side, default padding, and no merging.
    pub fn new(grid: u32) -> Self {
        Self { grid, padding: PADDING, merge: None }
    }
}

/// Why a mesh cannot be voxelized.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VoxelError {
    /// A mesh without an inside, or with invalid coordinates.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A grid without voxels, or with too many along an axis.
    #[error("a grid of {found} voxels along the longest side, but allowed are 1 to {most}")]
    Along {
        /// Requested number.
        found: u32,
        /// Maximum number with this padding.
        most: u32,
    },
    /// Too many voxels in total.
    #[error("the grid would have {} x {} x {} voxels, {voxels} in all, but at most {MOST_VOXELS} are allowed", dims[0], dims[1], dims[2])]
    TooLarge {
        /// Voxels along each axis, padding included.
        dims: [u32; 3],
        /// Their product.
        voxels: u64,
    },
    /// A padding without an empty layer, or one that wastes memory.
    #[error("padding of {0} voxels, but allowed are 1 to 8")]
    Padding(u32),
    /// A merge depth at which surface voxels would merge, or that is not a number.
    #[error("merge depth is {0} voxels below the surface, but must be at least 0.5")]
    Depth(f32),
    /// The mesh extends beyond the grid.
    #[error("vertex {0} lies outside of the grid")]
    Outside(usize),
    /// A ray that enters the mesh and does not exit.
    #[error("the surface has a hole: the ray along {axis} through ({:.4} {:.4} {:.4}) crosses it an odd number of times", at[0], at[1], at[2])]
    Leak {
        /// Name of the axis.
        axis: char,
        /// End of the ray [m].
        at: [f64; 3],
    },
    /// No voxel center is inside.
    #[error("the mesh is so thin that no voxel center lies inside")]
    Nothing,
}

/// Checks and repairs a mesh, then fills it with particles.
///
/// Returns notes on repairs. Meshes that are open, that have edges with more than two triangles, or
/// that cannot be oriented are rejected.
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
