//! The reconstructed mesh.

use glam::{DVec3, Vec3};

/// A closed triangle mesh; empty without particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices [m].
    pub positions: Vec<Vec3>,
    /// Outward unit normal of each vertex.
    pub normals: Vec<Vec3>,
    /// Vertex numbers, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl SurfaceMesh {
    /// Enclosed volume [m³], by the divergence theorem.
    pub fn volume(&self) -> f64 {
        // Relative to the first vertex: far from the origin the products would cancel.
        let Some(start) = self.positions.first().map(|p| p.as_dvec3()) else { return 0.0 };
        let corner = |v: u32| self.positions[v as usize].as_dvec3() - start;
        self.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }
}

/// Area-weighted vertex normals; +y where the triangles have no area.
pub(crate) fn vertex_normals(positions: &[DVec3], triangles: &[[usize; 3]]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v]);
        let normal = (b - a).cross(c - a);
        t.iter().for_each(|&v| sums[v] += normal);
    }
    sums.into_iter().map(|n| n.normalize_or(DVec3::Y).as_vec3()).collect()
}
