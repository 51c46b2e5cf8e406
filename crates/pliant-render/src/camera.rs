//! The perspective camera and automatic framing of a bounding box.

use glam::Vec3;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the camera [m].
    pub eye: Vec3,
    /// The point in the middle of the picture [m].
    pub target: Vec3,
    /// Up direction in the picture.
    pub up: Vec3,
    /// Vertical field of view [rad].
    pub fov_y: f32,
    /// Distance of the near plane [m].
    pub near: f32,
}

impl Camera {
    /// A camera at `eye` that looks at `target`, y up, with a mild 35° lens.
    pub fn look_at(eye: Vec3, target: Vec3) -> Self {
        let near = (1e-3 * eye.distance(target)).max(1e-4);
        Self { eye, target, up: Vec3::Y, fov_y: 35f32.to_radians(), near }
    }

    /// Frames the box `min..max` from a three-quarter view, for a picture `aspect` times as wide as high.
    pub fn frame_bounds(min: Vec3, max: Vec3, aspect: f32) -> Self {
        Self::frame_bounds_from(min, max, aspect, Vec3::new(0.55, 0.38, 1.0))
    }

    /// Frames the box `min..max` seen from `direction` (which points from the box to the camera).
    ///
    /// The distance is the smallest that keeps all eight corners inside 90 % of the picture: a corner
    /// at (x, y, z) in camera axes needs D ≥ z + |x|/(0.9·tan(fov_x/2)), and likewise for y.
    /// Boxes that are empty or not finite are framed as a cube of 1 m.
    pub fn frame_bounds_from(min: Vec3, max: Vec3, aspect: f32, direction: Vec3) -> Self {
        const MARGIN: f32 = 0.9;
        let valid = min.is_finite() && max.is_finite() && min.cmple(max).all();
        let (min, max) = if valid { (min, max) } else { (Vec3::splat(-0.5), Vec3::splat(0.5)) };
        let center = (min + max) * 0.5;
        let half = ((max - min) * 0.5).max(Vec3::splat(1e-3));
        let mut camera = Self::look_at(center + direction, center);
        let basis = Basis::new(&camera);
        let tan_y = (camera.fov_y * 0.5).tan() * MARGIN;
        let tan_x = tan_y * aspect;
        let mut distance = 0f32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let offset = half * Vec3::new(sign(0), sign(1), sign(2));
            let toward = -offset.dot(basis.forward);
            let side = offset.dot(basis.right).abs() / tan_x;
            let rise = offset.dot(basis.up).abs() / tan_y;
            distance = distance.max(toward + side.max(rise));
        }
        camera.eye = center - basis.forward * distance;
        camera.near = (distance * 1e-3).max(1e-4);
        camera
    }
}

/// Orthonormal camera axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
}

impl Basis {
    pub fn new(camera: &Camera) -> Self {
        let forward = (camera.target - camera.eye).normalize_or(Vec3::NEG_Z);
        let up = camera.up.normalize_or(Vec3::Y);
        // The roll is undefined along `up`; any perpendicular is valid.
        let right = forward.cross(up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        Self { right, up: right.cross(forward), forward }
    }
}

/// A camera bound to a picture size: world points to pixels and pixels to rays.
///
/// Homogeneous pixels are (X, Y, W) with screen position (X/W, Y/W), y down, and W the view depth [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub eye: Vec3,
    pub near: f32,
    pub width: f32,
    pub height: f32,
    /// Pixels per unit of x/z.
    pub focal: f32,
    pub basis: Basis,
}

impl View {
    pub fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let fov = camera.fov_y.clamp(0.01, 3.0);
        let (width, height) = (width as f32, height as f32);
        let focal = 0.5 * height / (0.5 * fov).tan();
        Self { eye: camera.eye, near: camera.near.max(1e-5), width, height, focal, basis: Basis::new(camera) }
    }

    /// World point in camera axes: right, up, ahead [m].
    pub fn local(&self, p: Vec3) -> Vec3 {
        let d = p - self.eye;
        Vec3::new(d.dot(self.basis.right), d.dot(self.basis.up), d.dot(self.basis.forward))
    }

    /// World point as homogeneous pixel.
    pub fn project(&self, p: Vec3) -> Vec3 {
        let v = self.local(p);
        Vec3::new(self.focal * v.x + 0.5 * self.width * v.z, -self.focal * v.y + 0.5 * self.height * v.z, v.z)
    }

    /// Ray through a pixel, scaled so that one step is one meter of view depth.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let across = (x - 0.5 * self.width) / self.focal;
        let down = (y - 0.5 * self.height) / self.focal;
        self.basis.forward + self.basis.right * across - self.basis.up * down
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framed_bounds_fill_the_picture_without_leaving_it() {
        let (min, max) = (Vec3::new(-1.0, 0.0, -0.2), Vec3::new(3.0, 2.0, 0.4));
        let view = View::new(&Camera::frame_bounds(min, max, 2.0), 800, 400);
        let mut reach = 0f32;
        for i in 0..8 {
            let pick = |bit: u32, lo: f32, hi: f32| if i >> bit & 1 == 0 { lo } else { hi };
            let corner = Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z));
            let p = view.project(corner);
            assert!(p.z > 0.0);
            reach = reach.max((p.x / p.z / 400.0 - 1.0).abs()).max((p.y / p.z / 200.0 - 1.0).abs());
        }
        // The tightest corner sits exactly on the 90 % margin.
        assert!((reach - 0.9).abs() < 1e-3, "reaches {reach}");
    }

    #[test]
    fn rays_go_through_the_points_they_were_cast_for() {
        let view = View::new(&Camera::look_at(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO), 640, 480);
        let p = Vec3::new(0.3, -0.2, 0.1);
        let h = view.project(p);
        let back = view.eye + view.ray(h.x / h.z, h.y / h.z) * h.z;
        assert!(back.distance(p) < 1e-5);
    }
}
