//! Meshes skinned to particles, and their topology for output (S20).

use crate::builder::BuildError;
use crate::builder::part;
use crate::frame::Topology;
use crate::mesh::TriMesh;
use crate::model::{Carrier, SkinnedMesh, SkinnedMeshes};
use std::sync::Arc;

/// Skinned surfaces of all copies of all objects so far.
#[derive(Default)]
pub struct SkinnedMeshBuilder {
    all: Vec<SkinnedMesh>,
    /// Index of the object of each surface.
    objects: Vec<u32>,
    /// Triangles, indexing the vertices of all surfaces.
    triangles: Vec<[u32; 3]>,
    vertices: usize,
}

impl SkinnedMeshBuilder {
    /// Adds a surface to the object whose particles begin at `first`.
    pub fn add(&mut self, skinned_surface: &part::SkinnedSurface, first: usize, object: u32) {
        let base = self.vertices as u32;
        self.triangles.extend(skinned_surface.triangles.iter().map(|t| t.map(|v| v.wrapping_add(base))));
        self.vertices += skinned_surface.skin.len();
        let carrier = Carrier::Particles { skin: skinned_surface.skin.clone(), first };
        self.all.push(SkinnedMesh { carrier });
        self.objects.push(object);
    }

    /// Adds the surface of a rigid body.
    pub fn add_rigid(&mut self, surface: &Arc<TriMesh>, body: usize, object: u32) {
        let base = self.vertices as u32;
        self.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| v.wrapping_add(base))));
        self.vertices += surface.positions.len();
        self.all.push(SkinnedMesh { carrier: Carrier::Body { surface: surface.clone(), body } });
        self.objects.push(object);
    }

    /// Output topology, vertices numbered after the particles of `shape`; `None` without skinned meshes. `most`:
    /// maximum number of points.
    pub fn finish(self, shape: &Topology, most: usize) -> Result<Option<SkinnedMeshes>, BuildError> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let particles = shape.objects.len();
        let points = particles + self.vertices;
        if points > most {
            return Err(BuildError::TooLarge { what: "particles and vertices", found: points, most });
        }
        let mut shape = shape.clone();
        shape.is_skinned = vec![false; shape.object_names.len()];
        for (skinned_surface, &object) in self.all.iter().zip(&self.objects) {
            shape.objects.resize(shape.objects.len() + skinned_surface.vertices(), object);
            shape.is_skinned[object as usize] = true;
        }
        // The skin is drawn, not the triangles of the tetrahedra that it is embedded in.
        let Topology { triangles, objects, is_skinned, .. } = &mut shape;
        triangles.retain(|t| !is_skinned[objects[t[0] as usize] as usize]);
        shape.radii.resize(points, 0.0);
        shape.triangles.extend(self.triangles.iter().map(|t| t.map(|v| v + particles as u32)));
        Ok(Some(SkinnedMeshes { topology: shape, all: self.all }))
    }
}
