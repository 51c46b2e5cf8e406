//! Snapshots: everything that a world needs to go on with the same bits.

use crate::builder::build_with;
use crate::builder::layout::{Layout, Member};
use crate::builder::settings::settings;
use crate::bytes::{FNV, Reader, SnapshotError, Writer, hash_bytes, hash_word};
use crate::error::StepError;
use crate::model::Model;
use crate::schedule::stats::ContactPair;
use crate::settings::Settings;
use crate::state::{MOST_SUBSTEPS, State};
use crate::world::World;
use crate::world::archive::{Archive, ArchivedPast};
use crate::world::contacts::contact_table;
use crate::world::definition::Definition;
use crate::world::edit::{Next, change_softnesses};
use crate::world::grips::GripSlot;
use crate::world::mesh_cache::MeshCache;
use crate::world::parameters::Parameters;
use std::sync::Arc;

/// First bytes of a snapshot.
const MAGIC: [u8; 8] = *b"PLIANT\x1aS";

/// Version of the format.
const VERSION: u32 = 8;

/// A moment of a [`World`], to return to: its state, its parameters, and which objects it had.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// [`fingerprint`] of the world.
    world: u64,
    /// The same of the world when it began.
    origin: u64,
    state: State,
    parameters: Arc<Parameters>,
    definition: Arc<Definition>,
    layout: Arc<Layout>,
    /// Meshes that the objects are made from.
    meshes: Arc<MeshCache>,
    /// Grips, by slot; bytes do not have them.
    grips: Vec<GripSlot>,
    /// Contacts between particles, for queries: steps find them anew.
    pairs: Arc<Vec<ContactPair>>,
}

impl Snapshot {
    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Bytes for a file, with version and checksum. They are the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.put(MAGIC);
        to.put(VERSION);
        to.put(self.world);
        let archive = Archive::new(self.origin, &self.definition, &self.layout, &self.parameters, &self.meshes);
        to.list(&archive.to_bytes());
        self.parameters.write(&mut to);
        self.state.write(&mut to);
        to.put(self.pairs.len() as u64);
        for pair in self.pairs.iter() {
            to.put([pair.a, pair.b]);
            to.put(pair.force);
        }
        let sum = hash_bytes(&to.bytes);
        to.put(sum);
        to.bytes
    }

    /// Memory on the host [bytes].
    pub fn bytes(&self) -> u64 {
        self.state.bytes()
    }
}

impl World {
    /// Keeps the present moment. Waits for a GPU, and reads its state back.
    pub fn snapshot(&mut self) -> Result<Snapshot, StepError> {
        self.apply_edits_in_step()?;
        self.close_gaps()?;
        self.check_edits();
        self.refit_bodies();
        self.sync()?;
        let (world, origin, parameters) = (self.fingerprint(), self.origin(), self.parameters());
        let (definition, layout) = (self.definition.clone(), self.objects.clone());
        let (meshes, grips) = (self.meshes.clone(), self.grips.clone());
        let pairs = self.pairs.clone().unwrap_or_else(|| Arc::new(self.contact_pairs()));
        Ok(Snapshot {
            grips,
            pairs,
            world,
            origin,
            state: self.state().clone(),
            parameters,
            definition,
            layout,
            meshes,
        })
    }

    /// Returns to a moment: steps go on from there with the same bits as they did then, with objects and parameters as they
    /// were; handles of that time are valid again, later ones are not. A snapshot of another world is refused, and
    /// nothing is changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let own = self.definition.is_of(&snapshot.definition);
        if self.has_other_objects(snapshot) {
            if !own {
                return Err(SnapshotError::Foreign("its objects, solver or backend are others".into()));
            }
            let next = self.rebuilt(&snapshot.definition, &snapshot.layout.attachments, &snapshot.meshes)?;
            if fingerprint(&next.model) != snapshot.world {
                return Err(SnapshotError::Foreign("its objects cannot be built again as they were".into()));
            }
            let next = Next { state: snapshot.state.clone(), ..next };
            self.install(next).map_err(|e| SnapshotError::Foreign(e.to_string()))?;
        }
        if own {
            (self.definition, self.objects) = (snapshot.definition.clone(), snapshot.layout.clone());
            self.grips.clone_from(&snapshot.grips);
        }
        if !Arc::ptr_eq(&self.parameters(), &snapshot.parameters) {
            let bounced = self.model.has_restitution();
            let mut deep = snapshot.parameters.apply(&mut self.model);
            if self.model.has_restitution() != bounced {
                // There are other passes then.
                self.rebuild().map_err(|e| SnapshotError::Foreign(e.to_string()))?;
                deep |= snapshot.parameters.apply(&mut self.model);
            }
            self.params_changed();
            self.update_backend(deep).map_err(|e| SnapshotError::Foreign(e.to_string()))?;
            self.parameters = Some(snapshot.parameters.clone());
        }
        if snapshot.state.asleep.iter().any(|&asleep| asleep) {
            self.prepare_sleep().map_err(|e| SnapshotError::Foreign(e.to_string()))?;
        }
        (self.edited, self.bounds) = (false, None);
        self.changes += 1;
        self.state.put(snapshot.state.clone());
        self.pairs = Some(snapshot.pairs.clone());
        Ok(())
    }

    /// Whether objects were added, removed or changed since a snapshot.
    pub(super) fn has_other_objects(&mut self, snapshot: &Snapshot) -> bool {
        let same = self.definition.materials == snapshot.definition.materials;
        self.definition.changed || !same || snapshot.world != self.fingerprint()
    }

    /// Reads [`Snapshot::to_bytes`] again. The bytes are not trusted: damaged ones, and those of another world, are
    /// refused. Objects may be others than now, if the world began as the same scene.
    pub fn snapshot_from_bytes(&mut self, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let mut from = Reader::new(bytes);
        if from.take::<[u8; 8]>().ok() != Some(MAGIC) {
            return Err(SnapshotError::NotASnapshot);
        }
        let found = from.take::<u32>()?;
        if found != VERSION {
            return Err(SnapshotError::Version { found, expected: VERSION });
        }
        let Some((content, sum)) = bytes.split_last_chunk::<8>().filter(|(content, _)| content.len() >= 20) else {
            return Err(SnapshotError::Damaged("it ends too early".into()));
        };
        if hash_bytes(content) != u64::from_le_bytes(*sum) {
            return Err(SnapshotError::Damaged("its checksum is another".into()));
        }
        let mut from = Reader::new(&content[12..]);
        let world = from.take::<u64>()?;
        let archive = from.list::<u8>("bytes of an archive", content.len())?;
        let restored = Archive::read(&archive, self.origin(), &self.definition)?;
        let meshes = Arc::new(restored.meshes);
        let same = self.definition.materials == restored.definition.materials;
        let present = !self.definition.changed && same && world == self.fingerprint();
        let next = match present {
            true => None,
            false => Some(self.rebuilt(&restored.definition, &restored.attachments, &meshes)?),
        };
        let (model, mut state, layout) = match &next {
            Some(next) => (&next.model, next.state.clone(), Arc::new(next.layout.clone())),
            None => (&self.model, self.state().clone(), self.objects.clone()),
        };
        if next.is_some() && fingerprint(model) != world {
            return Err(SnapshotError::Foreign("its objects, solver or backend are others".into()));
        }
        let mut parameters = Parameters::of(model);
        if (restored.colliders.len(), restored.pins.len()) != (parameters.colliders.len(), parameters.pins.len()) {
            return Err(SnapshotError::Damaged("its motions are not those of its objects".into()));
        }
        parameters.settings = settings(&restored.definition.scene, &self.target());
        (parameters.settings.clock, parameters.settings.substeps) = (restored.clock, restored.substeps);
        // Bytes have no grips, and those of the present must not outlive their slots.
        parameters.grips.clear();
        (parameters.colliders, parameters.pins) = (restored.colliders, restored.pins);
        parameters.contacts = contact_table(&restored.definition.scene, &layout, model);
        parameters.read(&mut from)?;
        state.read(&mut from)?;
        let pairs = Arc::new(read_pairs(&mut from, state.particles)?);
        from.end()?;
        state.forget_bodies();
        check_indices(model, &state)?;
        let definition = Arc::new(restored.definition);
        // Shared with the world where they are the same, so that a restore has nothing to upload.
        let parameters = match next {
            None if *self.parameters() == parameters => self.parameters(),
            _ => Arc::new(parameters),
        };
        let origin = self.origin();
        let grips = Vec::new();
        Ok(Snapshot { world, origin, state, parameters, definition, layout, meshes, grips, pairs })
    }

    /// Builds the objects of a definition again.
    fn rebuilt(
        &self,
        definition: &Definition,
        attachments: &[Vec<[Member; 2]>],
        meshes: &MeshCache,
    ) -> Result<Next, SnapshotError> {
        let past = ArchivedPast { definition, attachments };
        let built = build_with(&definition.scene, meshes, &self.target(), &past);
        let (mut model, state, layout) = built.map_err(|e| SnapshotError::Damaged(e.to_string()))?;
        change_softnesses(definition, &mut model, &state, &layout);
        Ok(Next {
            definition: definition.clone(),
            model,
            state,
            layout,
            #[cfg(feature = "gpu")]
            carried: None,
        })
    }

    /// [`fingerprint`] of the model that the world began with. Must be asked before the first change.
    pub(super) fn origin(&mut self) -> u64 {
        let now = if self.origin.is_none() { self.fingerprint() } else { 0 };
        *self.origin.get_or_insert(now)
    }

    /// [`fingerprint`] of the model, computed once.
    fn fingerprint(&mut self) -> u64 {
        *self.fingerprint.get_or_insert_with(|| fingerprint(&self.model))
    }

    /// The parameters of the model, copied once until a setter changes them.
    pub(super) fn parameters(&mut self) -> Arc<Parameters> {
        self.parameters.get_or_insert_with(|| Arc::new(Parameters::of(&self.model))).clone()
    }
}

/// Contacts between particles of so many.
fn read_pairs(from: &mut Reader<'_>, particles: usize) -> Result<Vec<ContactPair>, SnapshotError> {
    let count = from.take::<u64>()?;
    let mut pairs = Vec::new();
    for _ in 0..count {
        let [a, b] = from.take::<[u32; 2]>()?;
        if a >= b || b as usize >= particles {
            return Err(SnapshotError::Damaged("a contact between particles is out of range".into()));
        }
        pairs.push(ContactPair { a, b, force: from.take()? });
    }
    Ok(pairs)
}

/// Checks every index, count, radius and mass of a state from bytes. Positions and velocities may be anything: a step
/// reports those that have diverged.
fn check_indices(model: &Model, state: &State) -> Result<(), SnapshotError> {
    let damaged = |what: &str| Err(SnapshotError::Damaged(format!("{what} out of range")));
    let emitters = model.emitters.iter().zip(&state.returned);
    if !emitters.clone().all(|(e, list)| list.iter().all(|&i| e.particles().contains(&(i as usize)))) {
        return damaged("a particle of an emitter is");
    }
    let fits = |(body, count, fields): (usize, usize, usize)| count <= body && fields <= body;
    let freezes = model.freezes.iter().zip(&state.frozen);
    if !freezes.map(|(f, now)| (f.body.len(), now.count, now.fields.len())).all(fits) {
        return damaged("the number of frozen particles is");
    }
    if !model.melts.iter().zip(&state.melted).all(|(melt, &count)| count <= melt.order.len()) {
        return damaged("the number of melted particles is");
    }
    if !state.asleep.is_empty() && state.asleep.len() != model.topology.object_names.len() {
        return damaged("the number of sleeping objects is");
    }
    if !model.holds_contacts(state) {
        return damaged("a contact is");
    }
    let masses = state.rows[..state.particles].iter().map(|row| row[3]);
    if !state.radii.iter().copied().chain(masses).all(|v| v >= 0.0 && v.is_finite()) {
        return damaged("a radius or a mass is");
    }
    let on_time = state.substeps <= MOST_SUBSTEPS && state.time.is_finite();
    if !on_time { damaged("the number of substeps is") } else { Ok(()) }
}

/// Hash of what a state's numbers mean: objects, constraints, order, solver settings.
pub(crate) fn fingerprint(model: &Model) -> u64 {
    let text = |hash: u64, text: &str| hash_word(hash, hash_bytes(text.as_bytes()));
    let Settings { method, integrator, partition, together, extraction, .. } = model.settings;
    let mut hash = text(FNV, &format!("{method:?} {integrator:?} {partition:?} {together} {extraction:?}"));
    hash = model.topology.object_names.iter().fold(hash, |hash, name| text(hash, name));
    for group in &model.groups {
        hash = text(hash, group.kind.name());
        hash = group.rows.iter().fold(hash, |hash, &row| hash_word(hash, u64::from(row)));
        for batch in &group.batches {
            hash = [batch.first as u64, batch.count as u64].into_iter().fold(hash, hash_word);
        }
    }
    for collider in &model.colliders {
        hash = text(hash, &collider.name);
    }
    // Names of removed bodies stay until the next build: bodies count by themselves.
    for body in &model.rigid_bodies.bodies {
        hash = hash_word(hash, u64::from(body.object));
    }
    for anchor in &model.rigid_bodies.anchors {
        hash = [anchor.particle, anchor.body].into_iter().fold(hash, |hash, n| hash_word(hash, u64::from(n)));
    }
    for joint in &model.rigid_bodies.joints {
        let [a, b] = joint.bodies.map(u64::from);
        hash = [a, b].into_iter().fold(text(hash, &format!("{:?}", joint.kind)), hash_word);
    }
    let sizes = [
        model.topology.objects.len(),
        model.inflatables.len(),
        model.phantoms.owners.len(),
        model.emitters.len(),
        model.melts.len(),
        model.freezes.len(),
    ];
    let runs = model.runs.iter().flat_map(|run| [run.start, run.end]);
    sizes.into_iter().chain(runs).fold(hash, |hash, n| hash_word(hash, n as u64))
}
