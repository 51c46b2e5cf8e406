//! The uniforms of a picture.

use crate::camera::Camera;
use crate::scene_draw::geometry::Geometry;
use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};

/// As `Picture` in `common.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct PictureUniforms {
    view_projection: [[f32; 4]; 4],
    light: [[f32; 4]; 4],
    eye: [f32; 4],
    right: [f32; 4],
    up: [f32; 4],
    forward: [f32; 4],
    sun: [f32; 4],
    ground: [f32; 4],
    place: [f32; 4],
}

/// Toward the sun.
fn sun() -> Vec3 {
    Vec3::new(-0.55, 0.95, 0.45).normalize()
}

/// Width of a square of the ground [m]: 1, 2 or 5 times a power of ten, about an eighth of the scene.
pub fn ground_spacing(size: f32) -> f32 {
    let wanted = 0.12 * size;
    let power = 10f32.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|s| s * power).into_iter().find(|s| *s >= wanted).unwrap_or(wanted)
}

/// From the world to the shadow map: looks along the sun at all of a box.
fn light(low: Vec3, high: Vec3) -> (Mat4, f32) {
    let (center, reach) = (0.5 * (low + high), (0.5 * (high - low).length()).max(1e-3));
    let z = sun();
    let x = Vec3::Y.cross(z).normalize();
    let y = z.cross(x);
    let rows = [x / reach, y / reach, -z / (4.0 * reach)];
    let offset = Vec3::new(rows[0].dot(center), rows[1].dot(center), rows[2].dot(center) - 0.5);
    let matrix = Mat4::from_cols(
        Vec4::new(rows[0].x, rows[1].x, rows[2].x, 0.0),
        Vec4::new(rows[0].y, rows[1].y, rows[2].y, 0.0),
        Vec4::new(rows[0].z, rows[1].z, rows[2].z, 0.0),
        Vec4::new(-offset.x, -offset.y, -offset.z, 1.0),
    );
    (matrix, reach)
}

impl PictureUniforms {
    /// Of a camera and what it sees. `ground` is its height; `pixels` the size of the picture.
    pub fn new(camera: &Camera, geometry: &Geometry, ground: Option<f32>, pixels: (u32, u32), shadow: u32) -> Self {
        let aspect = pixels.0 as f32 / pixels.1 as f32;
        let tangent = (0.5 * camera.fov).tan();
        let (light, reach) = light(geometry.low, geometry.high);
        let fade = 6.0 * camera.size + 4.0 * camera.distance;
        let (near, far) = camera.depths();
        let half = 0.9 * far.min(8.0 * fade);
        let place = Vec3::new(camera.target.x, 0.0, camera.target.z);
        Self {
            view_projection: camera.matrix(aspect).to_cols_array_2d(),
            light: light.to_cols_array_2d(),
            eye: camera.eye().extend(1.0).to_array(),
            right: (camera.right() * tangent * aspect).extend(near).to_array(),
            up: (camera.up() * tangent).extend(far).to_array(),
            forward: camera.forward().extend(geometry.liquid_radius).to_array(),
            sun: sun().extend(2.0 * reach / shadow as f32).to_array(),
            ground: [ground.unwrap_or(0.0), ground_spacing(camera.size), fade, half],
            place: place.extend(2.0 * tangent / pixels.1 as f32).to_array(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_sees_all_of_the_box() {
        let (low, high) = (Vec3::new(-3.0, 1.0, 2.0), Vec3::new(1.0, 2.0, 9.0));
        let (matrix, _) = light(low, high);
        for k in 0..8 {
            let corner = Vec3::new([low.x, high.x][k & 1], [low.y, high.y][k >> 1 & 1], [low.z, high.z][k >> 2]);
            let at = matrix.project_point3(corner);
            assert!(at.truncate().abs().max_element() <= 1.0 && (0.0..1.0).contains(&at.z), "{at}");
            // Nearer to the sun is a smaller depth.
            assert!(matrix.project_point3(corner + sun()).z < at.z);
        }
    }

    #[test]
    fn squares_of_the_ground_have_round_sizes() {
        for (size, spacing) in [(1.0, 0.2), (4.0, 0.5), (8.0, 1.0), (0.05, 0.01)] {
            assert!((ground_spacing(size) / spacing - 1.0).abs() < 1e-4, "{size}: {}", ground_spacing(size));
        }
    }
}
