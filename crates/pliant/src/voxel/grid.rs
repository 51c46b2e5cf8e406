//! Voxel grid: cubes around a mesh, and their fixed-point coordinates.

use crate::voxel::VoxelError;
use glam::{DVec3, Vec3};

/// Maximum voxels along an axis, padding included. Squared distances times four (see `sites`) then stay below 2²⁴,
/// and a voxel has at least 32 fixed-point steps.
pub const MOST_ALONG: u32 = 1024;

/// Maximum voxels of a grid, padding included: at eight bytes each, one gibibyte.
pub const MOST_VOXELS: u64 = 1 << 27;

/// Fixed-point coordinates lie between 0 and 2¹⁵, so that an edge function, twice the area of a triangle
/// within such a square, stays below 2³¹.
const FIXED_BITS: u32 = 15;

/// A grid of cubes; voxel (i, j, k) spans (i, j, k) to (i + 1, j + 1, k + 1) times the edge length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: DVec3,
    edge: f64,
    dims: [u32; 3],
    padding: u32,
}

impl Grid {
    /// The smallest grid that contains the points, with `along` voxels on the longest side of their box and as many as
    /// needed on the others, centered, with `padding` empty layers around (D4 §4.3.3, §4.4.2).
    pub fn fit(points: &[Vec3], along: u32, padding: u32) -> Result<Self, VoxelError> {
        if !(1..=8).contains(&padding) {
            return Err(VoxelError::Padding(padding));
        }
        let most = MOST_ALONG - 2 * padding;
        if !(1..=most).contains(&along) {
            return Err(VoxelError::Along { found: along, most });
        }
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = points.iter().map(|p| p.as_dvec3()).fold(start, |(l, h), p| (l.min(p), h.max(p)));
        let size = high - low;
        if !(size.is_finite() && size.max_element() > 0.0) {
            return Err(VoxelError::Nothing);
        }
        let edge = size.max_element() / f64::from(along);
        // A side that is a whole number of voxels up to rounding gets no additional voxel.
        let dims = (size / edge).to_array().map(|d| (d - 1e-5).ceil().max(1.0));
        let origin = (low + high) * 0.5 - (DVec3::from(dims) * 0.5 + f64::from(padding)) * edge;
        Self::new(origin, edge, dims.map(|d| d as u32), padding)
    }

    /// An explicit grid: the corner `origin` of its first padding voxel [m], the edge length of a voxel [m], and the
    /// number of voxels within the padding.
    pub fn new(origin: DVec3, edge: f64, inner: [u32; 3], padding: u32) -> Result<Self, VoxelError> {
        if !(1..=8).contains(&padding) {
            return Err(VoxelError::Padding(padding));
        }
        let most = MOST_ALONG - 2 * padding;
        if let Some(&found) = inner.iter().find(|d| !(1..=most).contains(*d)) {
            return Err(VoxelError::Along { found, most });
        }
        let dims = inner.map(|d| d + 2 * padding);
        let voxels = dims.iter().map(|&d| u64::from(d)).product();
        if voxels > MOST_VOXELS {
            return Err(VoxelError::TooLarge { dims, voxels });
        }
        if !(origin.is_finite() && edge.is_finite() && edge > 0.0) {
            return Err(VoxelError::Nothing);
        }
        Ok(Self { origin, edge, dims, padding })
    }

    /// Voxels along each axis, padding included.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// Empty layers on each side.
    pub fn padding(&self) -> u32 {
        self.padding
    }

    /// Edge length of a voxel [m].
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Corner of the first voxel, which is padding [m].
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Converts a position in voxels from the corner to world units [m]; centers of voxels end in one half.
    pub fn place(&self, at: DVec3) -> DVec3 {
        self.origin + at * self.edge
    }

    /// Volume of a voxel [m³].
    pub fn voxel_volume(&self) -> f64 {
        self.edge * self.edge * self.edge
    }

    /// Fraction bits of fixed-point coordinates, 5 to 12: as many as keep the longest axis within 2¹⁵.
    pub fn fraction_bits(&self) -> u32 {
        let longest = self.dims[0].max(self.dims[1]).max(self.dims[2]);
        FIXED_BITS - longest.next_power_of_two().trailing_zeros()
    }

    /// The nearest fixed-point position, or `None` outside of the grid.
    pub fn snap(&self, p: Vec3) -> Option<[i32; 3]> {
        let one = f64::from(1_u32 << self.fraction_bits());
        let at = ((p.as_dvec3() - self.origin) * (one / self.edge)).round().to_array();
        let inside = |k: usize| at[k] >= 0.0 && at[k] <= f64::from(self.dims[k]) * one;
        (0..3).all(inside).then(|| at.map(|c| c as i32))
    }
}
