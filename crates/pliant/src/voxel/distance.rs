//! Signed distance of voxel centers from the surface of the solid, and its gradient (S28; D4 §4.4).

use crate::voxel::sites::{EMPTY, INSIDE, Reach, SITE_DISTANCE, site_codes};
use crate::voxel::{Grid, Voxels};
use glam::Vec3;

/// Signed distances at the centers of voxels, negative inside [voxels].
///
/// The distance is d + |φ_s| to the nearest site s (D4 Alg 4.7). It is never too small, but may be too large by a
/// fraction of a voxel, since a site slightly farther away may be nearer to the surface (E26).
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    dims: [u32; 3],
    phi: Vec<f32>,
}

impl Field {
    /// Distances of all voxels to the surface between inside and outside. +∞ if no voxel is
    /// inside.
    pub fn new(voxels: &Voxels) -> Self {
        Self::of(voxels, Reach::Everywhere)
    }

    /// The same for inside voxels and their neighbors only: sufficient for particles and their gradients, in a
    /// fraction of the time. The others are +∞.
    pub fn inside(voxels: &Voxels) -> Self {
        Self::of(voxels, Reach::Inside)
    }

    fn of(voxels: &Voxels, reach: Reach) -> Self {
        let phi = site_codes(voxels, reach).into_iter().map(distance).collect();
        Self { dims: voxels.dims(), phi }
    }

    /// From distances computed elsewhere; x fastest, one per voxel.
    pub(crate) fn from_parts(dims: [u32; 3], phi: Vec<f32>) -> Self {
        Self { dims, phi }
    }

    /// Voxels along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.dims
    }

    /// All distances [voxels], x fastest, then y, then z.
    pub fn phi(&self) -> &[f32] {
        &self.phi
    }

    /// Index of a voxel in [`Field::phi`].
    #[inline]
    pub fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        (z as usize * self.dims[1] as usize + y as usize) * self.dims[0] as usize + x as usize
    }

    /// Distance at a voxel's center [m].
    pub fn at(&self, grid: &Grid, voxel: [u32; 3]) -> f32 {
        self.phi[self.index(voxel)] * grid.edge() as f32
    }

    /// Unit vector of steepest ascent of the distance: the normal of contacts (D4 4.22).
    ///
    /// By central differences of the six neighbors, one-sided at the sides of the grid. Where they cancel, as in the
    /// middle of a plate, D4 allows any direction; here it is that of the neighbor nearest to the
    /// outside, ties in the order +x, −x, +y, −y, +z, −z.
    pub fn gradient(&self, voxel: [u32; 3]) -> Vec3 {
        let stride = [1, self.dims[0] as usize, self.dims[0] as usize * self.dims[1] as usize];
        let here = self.index(voxel);
        let mut slope = Vec3::ZERO;
        let mut out = (f32::NEG_INFINITY, Vec3::X);
        for axis in 0..3 {
            let (before, behind) = (voxel[axis] > 0, voxel[axis] + 1 < self.dims[axis]);
            let low = if before { here - stride[axis] } else { here };
            let high = if behind { here + stride[axis] } else { here };
            let steps = f32::from(u8::from(before)) + f32::from(u8::from(behind));
            slope[axis] = if steps > 0.0 { (self.phi[high] - self.phi[low]) / steps } else { 0.0 };
            for (exists, at, sign) in [(behind, high, 1.0), (before, low, -1.0)] {
                if exists && self.phi[at] > out.0 {
                    out = (self.phi[at], Vec3::AXES[axis] * sign);
                }
            }
        }
        let length = slope.length();
        // Distances are of the order of 1 with a relative error of 1e-7: smaller values are rounding.
        if length > 1e-4 && length.is_finite() { slope / length } else { out.1 }
    }
}

/// φ from the code of the nearest site (D4 Alg 4.7) [voxels].
#[inline]
fn distance(code: u32) -> f32 {
    let (side, code) = (code & INSIDE, code & !INSIDE);
    let beyond = match code & 3 {
        0 => SITE_DISTANCE[0],
        1 => SITE_DISTANCE[1],
        _ => SITE_DISTANCE[2],
    };
    // Squares are below 2²², so the conversion is exact, as is the signed one, which processors support natively.
    let magnitude = ((code >> 2) as i32 as f32).sqrt() + beyond;
    let magnitude = if code == EMPTY { f32::INFINITY } else { magnitude };
    // Both have the sign in the highest bit.
    f32::from_bits(magnitude.to_bits() | side)
}
