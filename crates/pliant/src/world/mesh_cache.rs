//! Meshes that a world has used, so that it can be built again without their files.

use crate::builder::MeshSource;
use crate::mesh::{TetMesh, TriMesh};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Meshes by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MeshCache {
    pub triangles: BTreeMap<String, TriMesh>,
    pub tets: BTreeMap<String, TetMesh>,
}

impl MeshCache {
    /// Adds what others have; known meshes stay.
    pub fn extend(&mut self, other: Self) {
        for (name, mesh) in other.triangles {
            self.triangles.entry(name).or_insert(mesh);
        }
        for (name, mesh) in other.tets {
            self.tets.entry(name).or_insert(mesh);
        }
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let triangles = self.triangles.values().map(|m| m.positions.len() + m.triangles.len()).sum::<usize>();
        let tets = self.tets.values().map(|m| 12 * m.positions.len() + 16 * m.tets.len()).sum::<usize>();
        (12 * triangles + tets) as u64
    }
}

impl MeshSource for MeshCache {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        self.triangles.get(name).cloned().ok_or_else(|| format!("{name}: the world has not loaded this mesh"))
    }

    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        self.tets.get(name).cloned().ok_or_else(|| format!("{name}: the world has not loaded this mesh"))
    }
}

/// Hands out meshes of a source and remembers them. Meshes that the cache has come from there.
pub(crate) struct RecordedMeshes<'a> {
    source: &'a dyn MeshSource,
    known: &'a MeshCache,
    found: RefCell<MeshCache>,
}

impl<'a> RecordedMeshes<'a> {
    pub fn new(source: &'a dyn MeshSource, known: &'a MeshCache) -> Self {
        Self { source, known, found: RefCell::default() }
    }

    /// The meshes that were asked for and not known.
    pub fn found(self) -> MeshCache {
        self.found.into_inner()
    }
}

impl MeshSource for RecordedMeshes<'_> {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        if let Ok(mesh) = self.known.triangles(name).or_else(|_| self.found.borrow().triangles(name)) {
            return Ok(mesh);
        }
        let mesh = self.source.triangles(name)?;
        self.found.borrow_mut().triangles.insert(name.to_owned(), mesh.clone());
        Ok(mesh)
    }

    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        if let Ok(mesh) = self.known.tets(name).or_else(|_| self.found.borrow().tets(name)) {
            return Ok(mesh);
        }
        let mesh = self.source.tets(name)?;
        self.found.borrow_mut().tets.insert(name.to_owned(), mesh.clone());
        Ok(mesh)
    }
}
