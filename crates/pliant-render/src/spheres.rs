//! Sphere setup: spheres are ray cast per sample instead of tessellated, so that they have no facets.

use glam::Vec3;

use crate::bins::Cells;
use crate::camera::View;
use crate::picture::SphereDraw;
use crate::raster_grid::{TILE_HEIGHT, TILE_WIDTH};

/// A sphere in view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenSphere {
    /// Center seen from the eye [m].
    pub center: Vec3,
    pub radius: f32,
    /// Screen bounds [px].
    pub x: [f32; 2],
    pub y: [f32; 2],
}

impl ScreenSphere {
    /// `None` outside the picture, or when the camera is inside the sphere.
    pub fn new(sphere: &SphereDraw, view: &View) -> Option<Self> {
        let local = view.local(sphere.center);
        if local.z + sphere.radius < view.near || local.length() <= sphere.radius {
            return None;
        }
        let (x, y) = if local.z - sphere.radius > view.near {
            let [left, right] = tangents(local.x, local.z, sphere.radius);
            let [bottom, top] = tangents(local.y, local.z, sphere.radius);
            let (cx, cy) = (0.5 * view.width, 0.5 * view.height);
            ([cx + view.focal * left, cx + view.focal * right], [cy - view.focal * top, cy - view.focal * bottom])
        } else {
            // Crosses the camera plane: its outline is unbounded.
            ([0.0, view.width], [0.0, view.height])
        };
        let visible = x[0] < view.width && x[1] >= 0.0 && y[0] < view.height && y[1] >= 0.0;
        visible.then_some(Self { center: sphere.center - view.eye, radius: sphere.radius, x, y })
    }

    /// Tiles within the bounds.
    pub fn tiles(&self, width: u32, height: u32) -> Cells {
        let range = |r: [f32; 2], size: u32, tile: u32| r.map(|v| v.clamp(0.0, size as f32 - 1.0) as u32 / tile);
        Cells { x: range(self.x, width, TILE_WIDTH), y: range(self.y, height, TILE_HEIGHT) }
    }

    /// Depth at which a ray from the eye enters the sphere, in units of the ray.
    pub fn hit(&self, ray: Vec3, near: f32) -> Option<f32> {
        let inverse = 1.0 / ray.length_squared();
        let middle = ray.dot(self.center) * inverse;
        // From the closest approach rather than from the quadratic formula: the difference of two big
        // squares would leave small far spheres ragged.
        let miss_squared = (self.center - ray * middle).length_squared();
        let half_chord_squared = self.radius * self.radius - miss_squared;
        if half_chord_squared < 0.0 {
            return None;
        }
        let depth = middle - (half_chord_squared * inverse).sqrt();
        (depth > near).then_some(depth)
    }
}

/// Slopes of the two lines from the origin that touch a circle at (x, z), z > r:
/// tan(θ ± φ) with tan θ = x/z and sin φ = r/√(x² + z²).
fn tangents(x: f32, z: f32, radius: f32) -> [f32; 2] {
    let t = (x * x + z * z - radius * radius).max(0.0).sqrt();
    [(x * t - radius * z) / (z * t + radius * x), (x * t + radius * z) / (z * t - radius * x)]
}
