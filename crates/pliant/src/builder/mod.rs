//! Builds model and state from a scene: sampling, constraints, rest values, partitions, order.
//!
//! All order is fixed here, once. The same scene builds the same bytes on every machine.

pub mod assembly;
pub mod attach;
pub mod body;
pub mod cloth;
pub mod collider;
pub mod depenetrate;
pub mod drain_melt;
pub mod freeze;
pub mod generate;
pub mod grains;
pub mod liquid;
pub mod packing;
pub mod part;
pub mod placement;
pub mod rope;
pub mod settings;
pub mod skinning;
pub mod soft;
pub mod surfaces;

use crate::builder::assembly::Assembly;
pub use crate::constraints::group::Raw;
use crate::error::SceneError;
use crate::mesh::{TetMesh, TriMesh};
use crate::model::Model;
pub use crate::partition::Target;
use crate::scene::Scene;
use crate::state::State;

/// Source of mesh files. The engine itself reads no files.
pub trait MeshSource {
    /// A triangle mesh by its name in the scene; the error describes what is wrong with the file.
    fn triangles(&self, name: &str) -> Result<TriMesh, String>;
    /// A tetrahedral mesh by its name in the scene.
    fn tets(&self, name: &str) -> Result<TetMesh, String>;
}

/// For scenes without mesh files.
pub struct NoMeshes;

impl MeshSource for NoMeshes {
    fn triangles(&self, name: &str) -> Result<TriMesh, String> {
        Err(format!("{name}: this scene has no folder to read meshes from"))
    }
    fn tets(&self, name: &str) -> Result<TetMesh, String> {
        self.triangles(name).map(|_| TetMesh::default())
    }
}

/// Why a scene cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The scene is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh is missing or cannot be simulated.
    #[error("{0}")]
    Mesh(String),
    /// The scene exceeds 32-bit indices.
    #[error("the scene has {found} {what}, but at most {most} are possible")]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// Number found.
        found: usize,
        /// Maximum number.
        most: usize,
    },
    /// Threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The GPU cannot be used.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::runtime::gpu::GpuError),
}

impl BuildError {
    fn nothing(name: &str) -> Self {
        Self::Scene(SceneError::new(name, "has neither a generator nor a mesh"))
    }
}

/// Builds a scene for a target.
pub fn build(scene: &Scene, meshes: &dyn MeshSource, target: &Target) -> Result<(Model, State), BuildError> {
    scene.validate()?;
    let mut all = Assembly::new(scene);
    let air = scene.world.air_density;
    for (i, c) in scene.collider.iter().enumerate() {
        let found = collider::collider(i, c, meshes, &mut all.notes)?;
        all.colliders.push(found);
    }
    for (i, c) in scene.cloth.iter().enumerate() {
        let at = format!("cloth[{i}]");
        let part = cloth::cloth(c, air, placement::transformer(&c.transform), meshes, &mut all.notes)?;
        all.place(&at, &named(&c.name, "cloth", i), part, c.array.as_ref(), &c.pin, c.color)?;
    }
    for (i, r) in scene.rope.iter().enumerate() {
        let at = format!("rope[{i}]");
        let part = rope::rope(r, placement::transformer(&r.transform));
        all.place(&at, &named(&r.name, "rope", i), part, r.array.as_ref(), &r.pin, r.color)?;
    }
    for (i, s) in scene.soft.iter().enumerate() {
        let at = format!("soft[{i}]");
        let part = soft::soft(s, placement::transformer(&s.transform), meshes, &mut all.notes)?;
        all.place(&at, &named(&s.name, "soft", i), part, s.array.as_ref(), &s.pin, s.color)?;
    }
    for (i, b) in scene.inflatable.iter().enumerate() {
        let at = format!("inflatable[{i}]");
        let part = cloth::inflatable(b, air, placement::transformer(&b.transform), meshes, &mut all.notes)?;
        all.place(&at, &named(&b.name, "inflatable", i), part, b.array.as_ref(), &b.pin, b.color)?;
    }
    for (i, g) in scene.grains.iter().enumerate() {
        let at = format!("grains[{i}]");
        let part = grains::grains(&at, g, meshes, &mut all.notes)?;
        all.place(&at, &named(&g.name, "grains", i), part, g.array.as_ref(), &[], g.color)?;
    }
    for (i, b) in scene.body.iter().enumerate() {
        let at = format!("body[{i}]");
        let part = body::body(&at, b, placement::transformer(&b.transform), meshes, &mut all.notes)?;
        all.place(&at, &named(&b.name, "body", i), part, b.array.as_ref(), &[], b.color)?;
    }
    let moved = depenetrate::depenetrate(&mut all);
    all.notes.extend(moved);
    let mut liquids = Vec::new();
    for (i, l) in scene.liquid.iter().enumerate().filter(|(_, l)| l.has_source()) {
        let at = format!("liquid[{i}]");
        liquids.push((i, liquid::liquid(&at, i, l, &scene.fluid, meshes, &mut all.notes)?));
    }
    // Solids precede liquids: backends distinguish them by index.
    freeze::freezes(scene, &liquids, &mut all)?;
    for (i, part) in liquids {
        let l = &scene.liquid[i];
        all.place(&format!("liquid[{i}]"), &named(&l.name, "liquid", i), part, l.array.as_ref(), &[], l.color)?;
    }
    freeze::fill(&mut all);
    drain_melt::melts(scene, &mut all)?;
    drain_melt::drains(scene, &mut all)?;
    attach::attach(scene, &mut all)?;
    all.finish(scene, target)
}

fn named(name: &str, kind: &str, number: usize) -> String {
    if name.is_empty() { format!("{kind} {number}") } else { name.to_owned() }
}
