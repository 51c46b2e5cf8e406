//! Triangles of colliders.

use glam::Vec3;
use pliant::contact::collider_contact::ColliderShape;
use pliant::mesh::TriMesh;

/// Triangles of a collider in its own frame. Faces that meet at an edge share no vertices; a plane is a unit square.
pub fn solid_mesh(shape: &ColliderShape) -> TriMesh {
    match *shape {
        ColliderShape::Plane => TriMesh {
            positions: [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec(),
            triangles: vec![[0, 2, 1], [0, 3, 2]],
        },
        ColliderShape::Sphere { radius } => capsule(0.0, radius),
        ColliderShape::Capsule { half_length, radius } => capsule(half_length, radius),
        ColliderShape::Box { half } => cuboid(half),
        _ => shape.drawn().unwrap_or_default(),
    }
}

/// A capsule along y; with no length it is a sphere.
fn capsule(half_length: f32, radius: f32) -> TriMesh {
    const AROUND: u32 = 32;
    const RINGS: u32 = 16;
    let mut mesh = TriMesh::default();
    for ring in 0..=RINGS {
        let polar = std::f32::consts::PI * ring as f32 / RINGS as f32;
        let end = if ring * 2 < RINGS { half_length } else { -half_length };
        for k in 0..=AROUND {
            let angle = std::f32::consts::TAU * k as f32 / AROUND as f32;
            let side = radius * polar.sin();
            mesh.positions.push(Vec3::new(side * angle.cos(), end + radius * polar.cos(), side * angle.sin()));
        }
    }
    for ring in 0..RINGS {
        for k in 0..AROUND {
            let (a, b) = (ring * (AROUND + 1) + k, (ring + 1) * (AROUND + 1) + k);
            mesh.triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
        }
    }
    mesh
}

fn cuboid(half: Vec3) -> TriMesh {
    let mut mesh = TriMesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = mesh.positions.len() as u32;
            for (u, v) in [(-1.0, -1.0), (side, -side), (1.0, 1.0), (-side, side)] {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u, v);
                mesh.positions.push(Vec3::from(p) * half);
            }
            mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &TriMesh) -> f32 {
        let corner = |k: u32| mesh.positions[k as usize];
        mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
    }

    #[test]
    fn collider_meshes_enclose_their_volume_outward() {
        assert!((volume(&cuboid(Vec3::new(0.5, 1.0, 1.5))) - 6.0).abs() < 1e-5);
        let ball = 4.0 / 3.0 * std::f32::consts::PI;
        assert!((volume(&capsule(0.0, 1.0)) / ball - 1.0).abs() < 0.03);
        assert!((volume(&capsule(1.0, 1.0)) / (ball + std::f32::consts::TAU) - 1.0).abs() < 0.03);
    }
}
