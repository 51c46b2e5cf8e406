//! Definition of a world as text, for snapshots in files: scene, handles, steering, meshes. It is not trusted when it is
//! read.

use crate::builder::layout::{Layout, Member, PourChange, Source};
use crate::bytes::SnapshotError;
use crate::constraints::{ConstraintKind, Softness};
use crate::mesh::{TetMesh, TriMesh};
use crate::motion::Motion;
use crate::scene::{ObjectKind, Scene};
use crate::settings::Clock;
use crate::world::definition::{Definition, SavedSlot};
use crate::world::mesh_cache::MeshCache;
use crate::world::parameters::{ColliderParameters, Parameters};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most substeps of a step, as in scenes.
const MOST_SUBSTEPS: u32 = 10_000;

/// Everything of a world but its state and its constraint parameters.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Archive {
    /// Fingerprint of the world when it began.
    origin: u64,
    scene: Scene,
    slots: Vec<SavedSlot>,
    softness: Vec<(u32, usize, ConstraintKind, f32)>,
    materials: u64,
    attachments: Vec<Vec<[Member; 2]>>,
    colliders: Vec<(Motion, [f32; 4])>,
    pins: Vec<Motion>,
    clock: Clock,
    /// Substeps of a step, which may follow from the objects.
    substeps: u32,
    triangles: BTreeMap<String, (Vec<Vec3>, Vec<[u32; 3]>)>,
    tets: BTreeMap<String, (Vec<Vec3>, Vec<[u32; 4]>)>,
}

/// What an archive was read into.
pub(crate) struct Restored {
    pub definition: Definition,
    pub attachments: Vec<Vec<[Member; 2]>>,
    pub colliders: Vec<ColliderParameters>,
    pub pins: Vec<Motion>,
    pub clock: Clock,
    /// Substeps of a step, which may follow from the objects.
    pub substeps: u32,
    pub meshes: MeshCache,
}

fn damaged(what: impl std::fmt::Display) -> SnapshotError {
    SnapshotError::Damaged(what.to_string())
}

impl Archive {
    pub fn new(
        origin: u64,
        definition: &Definition,
        layout: &Layout,
        parameters: &Parameters,
        meshes: &MeshCache,
    ) -> Self {
        let flat = |c: &ColliderParameters| {
            let friction = c.friction;
            let numbers = [friction.static_friction, friction.kinetic_friction, c.restitution, c.rolling];
            (c.motion.clone(), numbers)
        };
        let triangles = meshes.triangles.iter().map(|(k, m)| (k.clone(), (m.positions.clone(), m.triangles.clone())));
        let tets = meshes.tets.iter().map(|(k, m)| (k.clone(), (m.positions.clone(), m.tets.clone())));
        Self {
            origin,
            scene: definition.scene.clone(),
            slots: definition.saved_slots(),
            softness: definition.saved_softness(),
            materials: definition.materials,
            attachments: layout.attachments.clone(),
            colliders: parameters.colliders.iter().map(flat).collect(),
            pins: parameters.pins.clone(),
            clock: parameters.settings.clock,
            substeps: parameters.settings.substeps,
            triangles: triangles.collect(),
            tets: tets.collect(),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with names as keys, lists, finite numbers: none of it can fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads an archive for a world.
    pub fn read(bytes: &[u8], origin: u64, world: &Definition) -> Result<Restored, SnapshotError> {
        let this: Self = serde_json::from_slice(bytes).map_err(damaged)?;
        if this.origin != origin {
            return Err(SnapshotError::Foreign("its objects, solver or backend are others".into()));
        }
        this.scene.validate().map_err(damaged)?;
        let colliders = this.colliders.iter().map(|(motion, numbers)| ColliderParameters::new(motion, *numbers));
        let (colliders, pins) = (colliders.collect::<Vec<_>>(), this.pins);
        let motions = colliders.iter().map(|c| &c.motion).chain(&pins);
        let in_range = |c: &ColliderParameters| {
            let (f, unit) = (c.friction, 0.0..=1.0);
            let friction = f.kinetic_friction >= 0.0 && f.static_friction >= f.kinetic_friction;
            friction && f.static_friction <= 100.0 && unit.contains(&c.restitution) && (0.0..=1e6).contains(&c.rolling)
        };
        if !motions.into_iter().all(Motion::is_valid) || !colliders.iter().all(in_range) {
            return Err(damaged("a motion or a friction is out of range"));
        }
        if !(1..=MOST_SUBSTEPS).contains(&this.substeps) {
            return Err(damaged("its number of substeps is out of range"));
        }
        if colliders.len() != this.scene.count(ObjectKind::Collider) || !this.clock.time.is_finite() {
            return Err(damaged("its colliders are not those of its scene"));
        }
        let triangles = this.triangles.into_iter().map(|(name, (positions, triangles))| {
            let known = triangles.iter().flatten().all(|&v| (v as usize) < positions.len());
            known.then_some((name, TriMesh { positions, triangles }))
        });
        let tets = this.tets.into_iter().map(|(name, (positions, tets))| {
            let known = tets.iter().flatten().all(|&v| (v as usize) < positions.len());
            known.then_some((name, TetMesh { positions, tets }))
        });
        let meshes = MeshCache {
            triangles: triangles.collect::<Option<_>>().ok_or_else(|| damaged("a mesh names missing vertices"))?,
            tets: tets.collect::<Option<_>>().ok_or_else(|| damaged("a mesh names missing vertices"))?,
        };
        let mut definition =
            world.restored(this.scene, this.slots).ok_or_else(|| damaged("its handles are not those of its scene"))?;
        for (slot, copy, kind, softness) in this.softness {
            let softness = Softness::from_encoded(softness).ok_or_else(|| damaged("a softness is out of range"))?;
            definition.restore_softness(slot, copy, kind, softness);
        }
        definition.materials = this.materials;
        let attachments = this.attachments;
        if attachments.len() != definition.scene.attach.len() {
            return Err(damaged("its attachments are not those of its scene"));
        }
        let (clock, substeps) = (this.clock, this.substeps);
        Ok(Restored { definition, attachments, colliders, pins, clock, substeps, meshes })
    }
}

/// The past of objects that are built again from an archive, where they are for a caller to say.
pub(crate) struct ArchivedPast<'a> {
    pub definition: &'a Definition,
    pub attachments: &'a [Vec<[Member; 2]>],
}

impl crate::builder::layout::History for ArchivedPast<'_> {
    fn edited(&self) -> bool {
        true
    }

    fn start(&self, object: Source) -> f64 {
        self.definition.entry(object).map_or(0.0, |entry| entry.added)
    }

    fn pour(&self, object: Source) -> Option<PourChange> {
        self.definition.entry(object)?.pour
    }

    fn rows(&self, _object: Source) -> Option<&[crate::math::RowData]> {
        // Nothing is moved out of colliders; positions come with the state.
        Some(&[])
    }

    fn part(&self, object: Source) -> Option<std::sync::Arc<crate::builder::part::Part>> {
        self.definition.entry(object)?.part.clone()
    }

    fn attachment(&self, index: usize) -> Option<Vec<[Member; 2]>> {
        self.attachments.get(index).cloned()
    }
}
