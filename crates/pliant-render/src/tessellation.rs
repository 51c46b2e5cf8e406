//! Triangles of a closed surface, as tubes, capsules and boxes are tessellated.

use glam::Vec3;

/// Positions, outward normals and triangles of a closed surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct TessellatedMesh {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}
