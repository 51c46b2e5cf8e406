//! Scanned models, which are not part of the project: skipped if the files are missing.

use crate::model_folder;
use pliant::mesh::TriMesh;
use pliant::mesh::repair::{SurfaceNeed, clean_surface};

/// Vertices and triangles of an OBJ file of the simplest kind.
pub fn read(name: &str) -> Option<TriMesh> {
    let text = std::fs::read_to_string(model_folder::find(name)?).unwrap();
    let mut mesh = TriMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f32> = words.take(3).map(|w| w.parse().unwrap()).collect();
                mesh.positions.push(glam::Vec3::from_slice(&c));
            }
            Some("f") => {
                let c: Vec<u32> = words.map(|w| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1).collect();
                mesh.triangles.push([c[0], c[1], c[2]]);
            }
            _ => {}
        }
    }
    Some(mesh)
}

/// A model that is closed.
pub fn load(name: &str) -> Option<TriMesh> {
    read(name).map(|mesh| clean_surface(mesh, SurfaceNeed::Closed).unwrap().0)
}
