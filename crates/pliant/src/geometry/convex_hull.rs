//! Convex polytope: half-spaces and the surface that bounds them.

use crate::geometry::triangle_surface::Surface;
use crate::memory::of;
use glam::{Vec3, Vec4};

/// A convex polytope in a collider's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Outward unit normal and offset of each face: n·p ≤ offset inside [m].
    planes: Vec<Vec4>,
    surface: Surface,
}

impl Hull {
    /// From its planes and its surface, which must match.
    pub fn new(planes: Vec<Vec4>, surface: Surface) -> Self {
        Self { planes, surface }
    }

    /// Memory on the host [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.planes) + self.surface.bytes()
    }

    /// Outward unit normals and offsets [m].
    pub fn planes(&self) -> &[Vec4] {
        &self.planes
    }

    /// Its surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Signed distance [m] and outward normal.
    ///
    /// Inside, the minimum translation out of a convex solid is along the plane with the largest signed distance.
    /// Outside that is only a lower bound, exact above faces; the nearest point of the surface is exact above edges
    /// and corners, too.
    pub fn signed_distance(&self, p: Vec3) -> (f32, Vec3) {
        let mut deepest = (f32::NEG_INFINITY, Vec3::Y);
        for plane in &self.planes {
            let normal = plane.truncate();
            let above = normal.dot(p) - plane.w;
            if above > deepest.0 {
                deepest = (above, normal);
            }
        }
        if deepest.0 <= 0.0 {
            return deepest;
        }
        match self.surface.nearest(p, f32::INFINITY) {
            // So close to the surface that the direction is rounding error, the plane's normal is better.
            Some(near) if near.distance > 1e-6 * p.length() => (near.distance, near.normal),
            _ => deepest,
        }
    }
}
