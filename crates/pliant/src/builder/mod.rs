//! Builds model and state from a scene: sampling, constraints, rest values, partitions, order.
//!
//! All order is fixed here, once. The same scene builds the same bytes on every machine.

pub mod assembly;
pub mod attach;
pub mod bending;
pub mod body;
pub mod cloth;
pub mod collider;
pub mod depenetrate;
pub mod drain_melt;
pub mod freeze;
pub mod generate;
pub mod grains;
mod immersion;
pub mod joint;
pub mod layout;
pub mod liquid;
pub mod nonnegative;
pub mod packing;
pub mod part;
pub mod placement;
pub mod rigid_body;
pub mod rope;
pub mod settings;
pub mod skinning;
pub mod soft;
pub mod surfaces;

use crate::builder::assembly::Assembly;
use crate::builder::layout::{History, Layout, NoHistory, PourChange, Source};
use crate::builder::part::Part;
use crate::collision::{CollisionGroups, ObjectContact};
pub use crate::constraints::group::Raw;
use crate::error::SceneError;
use crate::mesh::{TetMesh, TriMesh};
use crate::model::Model;
pub use crate::partition::Target;
use crate::scene::{Object, ObjectKind, Scene};
use crate::state::State;
use std::sync::Arc;

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
    build_with(scene, meshes, target, &NoHistory).map(|(model, state, _)| (model, state))
}

/// Builds a scene whose objects may have a past. State is for the caller to carry over, but for the positions that new
/// objects are placed beside.
pub fn build_with(
    scene: &Scene,
    meshes: &dyn MeshSource,
    target: &Target,
    history: &dyn History,
) -> Result<(Model, State, Layout), BuildError> {
    scene.validate()?;
    let mut all = Assembly::new(scene);
    for (i, c) in scene.collider.iter().enumerate() {
        let found = match history.collider(i) {
            Some(known) => known,
            None => {
                let start = history.start(Source::new(ObjectKind::Collider, i));
                collider::collider(i, c, start, meshes, &mut all.notes)?
            }
        };
        all.colliders.push(found);
    }
    // Solids precede liquids: backends distinguish them by index.
    for kind in ObjectKind::SOLIDS {
        for index in 0..scene.count(kind) {
            place(Source::new(kind, index), scene, meshes, history, &mut all)?;
        }
    }
    let moved = depenetrate::depenetrate(scene, &mut all, history);
    all.notes.extend(moved);
    let mut liquids = Vec::new();
    for (i, _) in scene.liquid.iter().enumerate().filter(|(_, l)| l.has_source()) {
        let source = Source::new(ObjectKind::Liquid, i);
        let part = match history.part(source) {
            Some(known) => known,
            None => part(source, scene, meshes, history.pour(source), &mut all.notes)?,
        };
        liquids.push((i, part));
    }
    freeze::freezes(scene, &liquids, history, &mut all)?;
    for (i, part) in liquids {
        place_part(Source::new(ObjectKind::Liquid, i), part, scene, history, &mut all)?;
    }
    freeze::fill(&mut all);
    drain_melt::melts(scene, history, &mut all)?;
    drain_melt::drains(scene, history, &mut all)?;
    attach::attach(scene, history, &mut all)?;
    if let Some(plan) = history.environments() {
        all.environments = plan.environments(&all.placed, all.rows.len());
        for placed in &all.placed {
            let bodies = &mut all.rigid_bodies[placed.rigid_bodies()];
            bodies.iter_mut().for_each(|(params, _)| params.environment = plan.of(placed.source));
        }
    }
    let layout = all.layout();
    all.contacts = object_contacts(scene, &layout);
    all.edited = history.edited();
    all.finish(scene, target).map(|(model, state)| (model, state, layout))
}

/// Collision groups and surfaces of the objects of a scene, where these are in a model; nothing where all are default.
pub(crate) fn object_contacts(scene: &Scene, layout: &Layout) -> (Vec<ObjectContact>, Vec<CollisionGroups>) {
    let mut objects = Vec::new();
    for placed in layout.placed.iter().filter(|p| !p.is_removed()) {
        let own = scene.contact_of(placed.source.kind, placed.source.index);
        if own != ObjectContact::default() {
            let range = placed.objects();
            objects.resize(range.end.max(objects.len()), ObjectContact::default());
            objects[range].fill(own);
        }
    }
    let groups = |index| scene.contact_of(ObjectKind::Collider, index).groups;
    (objects, (0..scene.collider.len()).map(groups).collect())
}

/// Builds an object of a scene by itself, pins included, to find what is wrong with it.
pub fn part_of(object: &Object, scene: &Scene, meshes: &dyn MeshSource) -> Result<Arc<Part>, BuildError> {
    let mut alone = Scene { solver: scene.solver.clone(), fluid: scene.fluid.clone(), ..Scene::default() };
    alone.world = scene.world.clone();
    let source = Source::new(object.kind(), alone.push(object.clone()));
    alone.validate()?;
    let mut all = Assembly::new(&alone);
    let part = part(source, &alone, meshes, None, &mut all.notes)?;
    place_part(source, part.clone(), &alone, &NoHistory, &mut all)?;
    Ok(part)
}

/// Adds all copies of an object.
fn place(
    source: Source,
    scene: &Scene,
    meshes: &dyn MeshSource,
    history: &dyn History,
    all: &mut Assembly,
) -> Result<(), BuildError> {
    let part = match history.part(source) {
        Some(known) => known,
        None => part(source, scene, meshes, history.pour(source), &mut all.notes)?,
    };
    place_part(source, part, scene, history, all)
}

/// Samples an object: particles, masses, constraints, rest values.
pub(crate) fn part(
    source: Source,
    scene: &Scene,
    meshes: &dyn MeshSource,
    pour: Option<PourChange>,
    notes: &mut Vec<String>,
) -> Result<Arc<Part>, BuildError> {
    let (air, i) = (scene.world.air_density, source.index);
    let at = format!("{}[{i}]", source.kind.name());
    let moved = placement::transformer;
    let part = match source.kind {
        ObjectKind::Cloth => {
            let c = &scene.cloth[i];
            cloth::cloth(c, air, moved(&c.transform), meshes, notes)?
        }
        ObjectKind::Rope => rope::rope(&scene.rope[i], moved(&scene.rope[i].transform)),
        ObjectKind::Soft => {
            let method = scene.solver.solution_method();
            soft::soft(&scene.soft[i], method, moved(&scene.soft[i].transform), meshes, notes)?
        }
        ObjectKind::Inflatable => {
            let b = &scene.inflatable[i];
            cloth::inflatable(b, air, moved(&b.transform), meshes, notes)?
        }
        ObjectKind::Grains => grains::grains(&at, &scene.grains[i], meshes, notes)?,
        ObjectKind::Body if scene.body[i].sensor && !rigid_body::is_rigid(scene, i) => {
            let what = "is given, but only rigid bodies with an exact shape, and colliders, are sensors";
            return Err(SceneError::new(format!("{at}.sensor"), what).into());
        }
        ObjectKind::Body if rigid_body::is_rigid(scene, i) => {
            rigid_body::rigid_body(&at, &scene.body[i], meshes, notes)?
        }
        ObjectKind::Body => body::body(&at, &scene.body[i], moved(&scene.body[i].transform), meshes, notes)?,
        ObjectKind::Liquid => liquid::liquid(&at, i, &scene.liquid[i], &scene.fluid, meshes, notes)?,
        other => unreachable!("{} has no particles", other.name()),
    };
    Ok(Arc::new(match pour {
        Some(change) => grains::continued(part, change),
        None => part,
    }))
}

fn place_part(
    source: Source,
    part: Arc<Part>,
    scene: &Scene,
    history: &dyn History,
    all: &mut Assembly,
) -> Result<(), BuildError> {
    let i = source.index;
    let (name, array, pins, color) = match source.kind {
        ObjectKind::Cloth => {
            let c = &scene.cloth[i];
            (&c.name, c.array.as_ref(), &c.pin[..], c.color)
        }
        ObjectKind::Rope => {
            let r = &scene.rope[i];
            (&r.name, r.array.as_ref(), &r.pin[..], r.color)
        }
        ObjectKind::Soft => {
            let s = &scene.soft[i];
            (&s.name, s.array.as_ref(), &s.pin[..], s.color)
        }
        ObjectKind::Inflatable => {
            let b = &scene.inflatable[i];
            (&b.name, b.array.as_ref(), &b.pin[..], b.color)
        }
        ObjectKind::Grains => (&scene.grains[i].name, scene.grains[i].array.as_ref(), &[][..], scene.grains[i].color),
        ObjectKind::Body => (&scene.body[i].name, scene.body[i].array.as_ref(), &[][..], scene.body[i].color),
        ObjectKind::Liquid => (&scene.liquid[i].name, scene.liquid[i].array.as_ref(), &[][..], scene.liquid[i].color),
        other => unreachable!("{} has no particles", other.name()),
    };
    let kind = source.kind.name();
    let before = all.counts();
    all.start = history.pour(source).map_or(history.start(source), |change| change.start);
    all.itself = scene.collides_with_itself(source.kind, i);
    all.place(&format!("{kind}[{i}]"), &named(name, kind, i), part, array, pins, color)?;
    all.record(source, before, history.rows(source));
    Ok(())
}

fn named(name: &str, kind: &str, number: usize) -> String {
    if name.is_empty() { format!("{kind} {number}") } else { name.to_owned() }
}
