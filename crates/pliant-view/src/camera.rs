//! The eye: orbits a point, moves, comes nearer, and looks at things. Rays through pixels.

use crate::session::Ray;
use glam::{Mat4, Vec2, Vec3, Vec4};

/// Least and greatest angle above the horizontal [rad]: straight up and down have no sideways direction.
const PITCH: f32 = 1.55;

/// A camera that orbits a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point that is looked at [m].
    pub target: Vec3,
    /// Angle around the vertical axis [rad].
    pub yaw: f32,
    /// Angle above the horizontal [rad].
    pub pitch: f32,
    /// Distance to the point [m].
    pub distance: f32,
    /// Vertical field of view [rad].
    pub fov: f32,
    /// Size of the scene [m], which bounds the distance.
    pub size: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::ZERO, yaw: 0.5, pitch: 0.35, distance: 4.0, fov: 0.61, size: 1.0 }
    }
}

impl Camera {
    /// All of a box, in a view of this aspect ratio (width over height), from the present direction.
    pub fn show_all(&mut self, low: Vec3, high: Vec3, aspect: f32) {
        self.size = (high - low).length().max(1e-3);
        self.target = 0.5 * (low + high);
        // The smaller half angle of the view decides. Corners rather than the sphere around them: flat scenes fill the view.
        let tangent = (0.5 * self.fov).tan();
        let (right, up, forward) = (self.right(), self.up(), self.forward());
        let corner = |k: usize| Vec3::new([low.x, high.x][k & 1], [low.y, high.y][k >> 1 & 1], [low.z, high.z][k >> 2]);
        let needed = |corner: Vec3| {
            let at = corner - self.target;
            let wide = (at.dot(right).abs() / (tangent * aspect.max(0.1))).max(at.dot(up).abs() / tangent);
            wide - at.dot(forward)
        };
        self.distance = (0..8).map(|k| needed(corner(k))).fold(0.05 * self.size, f32::max) * 1.08;
    }

    /// The camera that a scene asks for; what it leaves open is chosen to show all of it.
    pub fn of_scene(wanted: &pliant::scene::Camera, low: Vec3, high: Vec3, aspect: f32) -> Self {
        let mut camera = Self { fov: wanted.fov.clamp(5.0, 120.0).to_radians(), ..Self::default() };
        camera.show_all(low, high, aspect);
        if let Some(target) = wanted.target {
            camera.target = Vec3::from(target);
        }
        if let Some(eye) = wanted.eye {
            camera.look_from(Vec3::from(eye));
        }
        camera
    }

    /// Puts the eye to a point; the target stays.
    pub fn look_from(&mut self, eye: Vec3) {
        let offset = eye - self.target;
        let distance = offset.length();
        if distance > 1e-6 && distance.is_finite() {
            self.distance = distance;
            self.yaw = offset.x.atan2(offset.z);
            self.pitch = (offset.y / distance).clamp(-1.0, 1.0).asin().clamp(-PITCH, PITCH);
        }
    }

    /// Unit vector from the eye to the target.
    pub fn forward(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        -Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Unit vector to the right of the view.
    pub fn right(&self) -> Vec3 {
        Vec3::new(self.yaw.cos(), 0.0, -self.yaw.sin())
    }

    /// Unit vector up in the view.
    pub fn up(&self) -> Vec3 {
        self.right().cross(self.forward())
    }

    /// The eye [m].
    pub fn eye(&self) -> Vec3 {
        self.target - self.forward() * self.distance
    }

    /// Turns around the target by a motion of the pointer, in heights of the view.
    pub fn orbit(&mut self, by: Vec2) {
        self.yaw -= by.x * 3.5;
        self.pitch = (self.pitch + by.y * 3.5).clamp(-PITCH, PITCH);
    }

    /// Moves with the pointer: what is at the target's distance stays under it. `by` is in heights of the view.
    pub fn pan(&mut self, by: Vec2) {
        let scale = 2.0 * self.distance * (0.5 * self.fov).tan();
        self.target += (self.up() * by.y - self.right() * by.x) * scale;
    }

    /// Comes nearer by notches of the wheel, toward a point if there is one.
    pub fn zoom(&mut self, notches: f32, toward: Option<Vec3>) {
        let before = self.distance;
        let factor = 0.88f32.powf(notches);
        self.distance = (before * factor).clamp(1e-3 * self.size, 50.0 * self.size);
        if let Some(point) = toward {
            self.target += (point - self.target) * (1.0 - self.distance / before);
        }
    }

    /// Looks at a point from the present direction.
    pub fn focus(&mut self, on: Vec3, distance: Option<f32>) {
        self.target = on;
        if let Some(distance) = distance {
            self.distance = distance.clamp(1e-3 * self.size, 50.0 * self.size);
        }
    }

    /// Nearest and farthest depth that is drawn [m].
    pub fn depths(&self) -> (f32, f32) {
        let far = 60.0 * (self.distance + self.size);
        ((2e-3 * self.distance).max(1e-5 * far), far)
    }

    /// From the world to clip space; depth is 1 at the near plane and 0 far away.
    pub fn matrix(&self, aspect: f32) -> Mat4 {
        let (near, far) = self.depths();
        // Reversed depth keeps its precision far away.
        let scale = 1.0 / (0.5 * self.fov).tan();
        let lens = Mat4::from_cols(
            Vec4::new(scale / aspect.max(1e-3), 0.0, 0.0, 0.0),
            Vec4::new(0.0, scale, 0.0, 0.0),
            Vec4::new(0.0, 0.0, near / (far - near), -1.0),
            Vec4::new(0.0, 0.0, near * far / (far - near), 0.0),
        );
        lens * self.view()
    }

    /// From the world to the view.
    pub fn view(&self) -> Mat4 {
        let (r, u, f) = (self.right(), self.up(), self.forward());
        let eye = self.eye();
        Mat4::from_cols(
            Vec4::new(r.x, u.x, -f.x, 0.0),
            Vec4::new(r.y, u.y, -f.y, 0.0),
            Vec4::new(r.z, u.z, -f.z, 0.0),
            Vec4::new(-r.dot(eye), -u.dot(eye), f.dot(eye), 1.0),
        )
    }

    /// The ray through a point of the view: −1 to 1 from left to right and from bottom to top.
    pub fn ray(&self, at: Vec2, aspect: f32) -> Ray {
        let tangent = (0.5 * self.fov).tan();
        let way = self.forward() + self.right() * (at.x * tangent * aspect) + self.up() * (at.y * tangent);
        Ray { origin: self.eye(), direction: way.normalize() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_meet_what_the_matrix_projects() {
        let mut camera = Camera::default();
        camera.orbit(Vec2::new(0.3, -0.1));
        let (aspect, point) = (1.6, Vec3::new(0.4, -0.2, 0.7));
        let clip = camera.matrix(aspect).project_point3(point);
        assert!((0.0..1.0).contains(&clip.z), "{clip}");
        let ray = camera.ray(clip.truncate(), aspect);
        let along = (point - ray.origin).dot(ray.direction);
        assert!((ray.origin + ray.direction * along).distance(point) < 1e-4);
    }

    #[test]
    fn all_corners_of_a_box_are_seen() {
        for (low, high) in [(Vec3::ZERO, Vec3::ONE), (Vec3::new(-9.0, 0.0, -1.0), Vec3::new(9.0, 0.1, 1.0))] {
            for aspect in [0.4, 1.0, 2.5] {
                let mut camera = Camera::default();
                camera.show_all(low, high, aspect);
                for k in 0..8 {
                    let corner =
                        Vec3::new([low.x, high.x][k & 1], [low.y, high.y][k >> 1 & 1], [low.z, high.z][k >> 2]);
                    let clip = camera.matrix(aspect).project_point3(corner);
                    assert!(clip.x.abs() <= 1.0 && clip.y.abs() <= 1.0 && clip.z > 0.0, "{aspect}: {clip}");
                }
            }
        }
    }

    #[test]
    fn the_eye_of_a_scene_is_taken() {
        let wanted = pliant::scene::Camera { eye: Some([3.0, 4.0, 5.0]), target: Some([0.0, 1.0, 0.0]), fov: 35.0 };
        let camera = Camera::of_scene(&wanted, Vec3::ZERO, Vec3::ONE, 1.5);
        assert!(camera.eye().distance(Vec3::new(3.0, 4.0, 5.0)) < 1e-4);
    }

    #[test]
    fn zooming_toward_a_point_keeps_it_in_place() {
        let mut camera = Camera::default();
        let point = Vec3::new(0.5, 0.3, 0.2);
        // Exact for points in the plane of the target.
        let point = point - camera.forward() * (point - camera.target).dot(camera.forward());
        let before = camera.matrix(1.0).project_point3(point);
        camera.zoom(3.0, Some(point));
        let after = camera.matrix(1.0).project_point3(point);
        assert!(before.truncate().distance(after.truncate()) < 1e-4);
    }
}
