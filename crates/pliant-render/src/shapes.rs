//! Tessellation of capsules and boxes. Spheres are ray cast, see `spheres`.

use glam::{Quat, Vec3};

use crate::tessellation::TessellatedMesh;

const SIDES: u32 = 40;
const CAP_RINGS: u32 = 10;

/// TessellatedMesh of all points within `radius` of the segment from `a` to `b`.
pub(crate) fn capsule(a: Vec3, b: Vec3, radius: f32) -> TessellatedMesh {
    let axis = (b - a).normalize_or(Vec3::Y);
    let side = axis.any_orthonormal_vector();
    let other = axis.cross(side);
    let mut surface = TessellatedMesh::default();
    // Latitudes run from the pole behind `a` to the pole beyond `b`, with the equator in both ends.
    for ring in 0..2 * (CAP_RINGS + 1) {
        let (center, step) = if ring <= CAP_RINGS { (a, ring) } else { (b, ring - 1) };
        let latitude = (step as f32 / CAP_RINGS as f32 - 1.0) * std::f32::consts::FRAC_PI_2;
        let (sin, cos) = latitude.sin_cos();
        for k in 0..SIDES {
            let (s, c) = (k as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
            let normal = (side * c + other * s) * cos + axis * sin;
            surface.positions.push(center + normal * radius);
            surface.normals.push(normal);
        }
    }
    for ring in 0..2 * CAP_RINGS + 1 {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            let at = |r: u32, s: u32| (ring + r) * SIDES + s;
            surface.triangles.push([at(0, k), at(0, next), at(1, next)]);
            surface.triangles.push([at(0, k), at(1, next), at(1, k)]);
        }
    }
    surface
}

/// TessellatedMesh of an oriented box; each face has its own vertices, so its edges stay sharp.
pub(crate) fn oriented_box(center: Vec3, half: Vec3, rotation: Quat) -> TessellatedMesh {
    let mut surface = TessellatedMesh::default();
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let normal = Vec3::AXES[axis] * sign;
            let u = Vec3::AXES[(axis + 1) % 3] * sign;
            let v = Vec3::AXES[(axis + 2) % 3];
            let first = surface.positions.len() as u32;
            for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                surface.positions.push(center + rotation * ((normal + u * s + v * t) * half));
                surface.normals.push(rotation * normal);
            }
            surface.triangles.push([first, first + 1, first + 2]);
            surface.triangles.push([first, first + 2, first + 3]);
        }
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume enclosed by outward triangles, by the divergence theorem.
    fn volume(surface: &TessellatedMesh) -> f32 {
        let corner = |v: u32| surface.positions[v as usize];
        surface.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn a_box_encloses_its_volume() {
        let half = Vec3::new(0.5, 1.0, 2.0);
        let shape = oriented_box(Vec3::new(1.0, 2.0, 3.0), half, Quat::from_rotation_z(0.7));
        assert!((volume(&shape) - 8.0).abs() < 1e-3);
    }

    #[test]
    fn a_capsule_encloses_its_volume() {
        // πr²h + 4/3·πr³ with r = 0.5, h = 2; 40 sides inscribe about 0.6 % less.
        let shape = capsule(Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0), 0.5);
        let exact = std::f32::consts::PI * (0.25 * 2.0 + 4.0 / 3.0 * 0.125);
        assert!((volume(&shape) / exact - 0.993).abs() < 0.007, "{} of {exact}", volume(&shape));
    }
}
