//! Snapshots: everything that a world needs to go on with the same bits.

use crate::bytes::{FNV, Reader, SnapshotError, Writer, hash_bytes, hash_word};
use crate::error::StepError;
use crate::model::Model;
use crate::state::{MOST_SUBSTEPS, State};
use crate::world::World;
use std::sync::Arc;

/// First bytes of a snapshot.
const MAGIC: [u8; 8] = *b"PLIANT\x1aS";

/// Version of the format.
const VERSION: u32 = 1;

/// Parameters of the model that setters change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameters {
    /// Constraint parameters of each group.
    groups: Vec<Vec<f32>>,
    /// Pressure of each inflatable.
    pressures: Vec<f32>,
}

impl Parameters {
    fn of(model: &Model) -> Self {
        Self {
            groups: model.groups.iter().map(|g| g.params.clone()).collect(),
            pressures: model.inflatables.iter().map(|b| b.pressure).collect(),
        }
    }

    fn apply(&self, model: &mut Model) {
        model.groups.iter_mut().zip(&self.groups).for_each(|(group, params)| group.params.clone_from(params));
        model.inflatables.iter_mut().zip(&self.pressures).for_each(|(body, &pressure)| body.pressure = pressure);
    }

    fn write(&self, to: &mut Writer) {
        self.groups.iter().for_each(|list| to.list(list));
        to.list(&self.pressures);
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        for list in &mut self.groups {
            from.fill("constraint parameters", list)?;
        }
        from.fill("pressures of inflatables", &mut self.pressures)
    }
}

/// A moment of a [`World`], to return to.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// [`fingerprint`] of the world.
    world: u64,
    state: State,
    parameters: Arc<Parameters>,
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
        self.parameters.write(&mut to);
        self.state.write(&mut to);
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
        self.check_edits();
        self.refit_bodies();
        self.sync()?;
        let (world, parameters) = (self.fingerprint(), self.parameters());
        Ok(Snapshot { world, state: self.state().clone(), parameters })
    }

    /// Returns to a moment: steps go on from there with the same bits as they did then, with parameters as they were.
    /// A snapshot of another world is refused, and nothing is changed. Contacts between particles are those of the last
    /// substep that ran, until the next step.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        if snapshot.world != self.fingerprint() {
            return Err(SnapshotError::Foreign("its objects, solver or backend are others".into()));
        }
        if !Arc::ptr_eq(&self.parameters(), &snapshot.parameters) {
            snapshot.parameters.apply(&mut self.model);
            self.params_changed();
            self.parameters = Some(snapshot.parameters.clone());
        }
        self.edited = false;
        self.state.put(snapshot.state.clone());
        Ok(())
    }

    /// Reads [`Snapshot::to_bytes`] again. The bytes are not trusted: damaged ones, and those of another world, are
    /// refused.
    pub fn snapshot_from_bytes(&mut self, bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let world = self.fingerprint();
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
        if from.take::<u64>()? != world {
            return Err(SnapshotError::Foreign("its objects, solver or backend are others".into()));
        }
        let mut parameters = Parameters::of(&self.model);
        parameters.read(&mut from)?;
        let mut state = self.state().clone();
        state.read(&mut from)?;
        from.end()?;
        state.forget_bodies();
        self.check_indices(&state)?;
        // Shared with the world where they are the same, so that a restore has nothing to upload.
        let present = self.parameters();
        let parameters = if *present == parameters { present } else { Arc::new(parameters) };
        Ok(Snapshot { world, state, parameters })
    }

    /// [`fingerprint`] of the model, computed once.
    fn fingerprint(&mut self) -> u64 {
        *self.fingerprint.get_or_insert_with(|| fingerprint(&self.model))
    }

    /// The parameters of the model, copied once until a setter changes them.
    fn parameters(&mut self) -> Arc<Parameters> {
        self.parameters.get_or_insert_with(|| Arc::new(Parameters::of(&self.model))).clone()
    }

    /// Checks every index, count, radius and mass of a state from bytes. Positions and velocities may be anything: a step
    /// reports those that have diverged.
    fn check_indices(&self, state: &State) -> Result<(), SnapshotError> {
        let damaged = |what: &str| Err(SnapshotError::Damaged(format!("{what} out of range")));
        let model = &self.model;
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
}

/// Hash of what a state's numbers mean: objects, constraints, order, solver settings.
pub(crate) fn fingerprint(model: &Model) -> u64 {
    let text = |hash: u64, text: &str| hash_word(hash, hash_bytes(text.as_bytes()));
    let mut hash = text(FNV, &format!("{:?}", model.settings));
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
