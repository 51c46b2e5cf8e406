//! Meshes as plain data, as returned by readers and generators.
//!
//! Independent of particles, masses and constraints. Topology is in [`topology`].

pub mod repair;
pub mod topology;

use glam::Vec3;

/// A triangle mesh; counter-clockwise from outside if it is closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex numbers of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Volume that a closed mesh encloses [m³], by the divergence theorem; negative if it is inverted.
    pub fn volume(&self) -> f64 {
        // Relative to a vertex of the mesh: far from the origin the terms would cancel.
        let Some(center) = self.positions.first().map(|p| p.as_dvec3()) else { return 0.0 };
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.positions[v as usize].as_dvec3() - center);
            a.cross(b).dot(c) / 6.0
        };
        self.triangles.iter().map(part).sum()
    }
}

/// A tetrahedral mesh; tets `a b c d` have `dot(cross(b-a, c-a), d-a) > 0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex numbers of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// Why a mesh cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct MeshError(pub String);
