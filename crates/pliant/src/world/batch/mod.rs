//! Batches: many copies of a scene in one world, for learning, search and design studies.
//!
//! The world has every object once per copy, one after the other, so that an array over all copies is a slice of its
//! state. Copies are environments of the model: searches and colliders keep them apart, wherever they are in space.
//! This file holds the type and its stepping; `scene` joins the copies, `arrays` reads and steers them, `reset` returns
//! some of them to their start, `divergence` those that have no sound state any more.

mod arrays;
mod divergence;
mod reset;
mod scene;

use crate::builder::{BuildError, MeshSource, NoMeshes};
use crate::bytes::SnapshotError;
use crate::error::StepError;
#[cfg(feature = "gpu")]
use crate::math::RowData;
use crate::motion::Motion;
use crate::scene::{ObjectKind, Scene, WindSpec};
use crate::state::State;
pub use crate::world::batch::divergence::OnDivergence;
use crate::world::batch::scene::Joined;
use crate::world::edit::EditError;
use crate::world::snapshot::Snapshot;
use crate::world::snapshot_ring::SnapshotRing;
use crate::world::{Options, World};
use std::ops::Range;
use std::sync::Arc;

/// Options of a [`Batch`].
#[derive(Clone, Copy)]
pub struct BatchOptions<'a> {
    /// Backend and threads.
    pub world: Options,
    /// Names of colliders that will be steered copy by copy. Others that are the same in all copies and have no motion
    /// are shared.
    pub steered: &'a [&'a str],
    /// Where mesh files come from; default none.
    pub meshes: &'a dyn MeshSource,
    /// What happens when a copy diverges; default the batch stops.
    pub on_divergence: OnDivergence,
}

impl Default for BatchOptions<'_> {
    fn default() -> Self {
        Self { world: Options::default(), steered: &[], meshes: &NoMeshes, on_divergence: OnDivergence::Stop }
    }
}

/// An object of a [`Batch`], in all of its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchObject {
    /// Number of the batch.
    batch: u64,
    kind: ObjectKind,
    /// Index in the scene of one copy.
    index: usize,
}

/// Many copies of a scene in one world. They never touch each other, also where they are at the same place.
pub struct Batch {
    world: World,
    copies: usize,
    number: u64,
    /// Names of the objects of a copy, with their kinds and indices.
    names: Vec<(String, ObjectKind, usize)>,
    /// State at the start.
    initial: State,
    /// Motions of colliders and pins at the start.
    motions: Motions,
    on_divergence: OnDivergence,
    /// The moment before the last steps, if diverged copies are reset.
    before: SnapshotRing,
    /// Copies that diverged in the last steps.
    diverged: Vec<usize>,
    /// Memory for what is read back from a GPU.
    #[cfg(feature = "gpu")]
    read: Vec<RowData>,
}

/// Motions of all colliders and pins.
struct Motions {
    colliders: Vec<Motion>,
    pins: Vec<Motion>,
}

impl Batch {
    /// Builds `copies` copies of a scene.
    pub fn new(scene: &Scene, copies: usize, options: &BatchOptions<'_>) -> Result<Self, BuildError> {
        let scene = Arc::new(scene.clone());
        Self::build(copies, options, |_| scene.clone())
    }

    /// Builds copies that may differ: `scene` returns the scene of each copy. Settings, and the number, names, kinds and
    /// topologies of objects must be the same; materials, sizes, places and velocities may be others.
    ///
    /// Emitters, drains, melting, freezing and `contact.stacking` are refused.
    pub fn with(
        copies: usize,
        options: &BatchOptions<'_>,
        mut scene: impl FnMut(usize) -> Scene,
    ) -> Result<Self, BuildError> {
        Self::build(copies, options, |k| Arc::new(scene(k)))
    }

    /// [`Self::new`] on an open GPU, instead of the backend of `options`. Batches on one device share compiled shaders.
    #[cfg(feature = "gpu")]
    pub fn on_device(
        scene: &Scene,
        copies: usize,
        options: &BatchOptions<'_>,
        device: &crate::runtime::gpu::Device,
    ) -> Result<Self, BuildError> {
        let scene = Arc::new(scene.clone());
        let joined = Joined::new(copies, options, |_| scene.clone())?;
        let world = World::on_gpu(&joined.scene, options.meshes, options.world, device.clone(), &joined)?;
        Ok(Self::assemble(world, copies, joined, options.on_divergence))
    }

    fn build(
        copies: usize,
        options: &BatchOptions<'_>,
        scene: impl FnMut(usize) -> Arc<Scene>,
    ) -> Result<Self, BuildError> {
        let joined = Joined::new(copies, options, scene)?;
        let world = World::from_scene_with(&joined.scene, options.meshes, options.world, &joined)?;
        Ok(Self::assemble(world, copies, joined, options.on_divergence))
    }

    fn assemble(world: World, copies: usize, joined: Joined, on_divergence: OnDivergence) -> Self {
        let initial = world.state().clone();
        let motions = Motions {
            colliders: world.model.colliders.iter().map(|c| c.motion.clone()).collect(),
            pins: world.model.pins.iter().map(|p| p.motion.clone()).collect(),
        };
        let number = crate::world::definition::next_generation();
        Self {
            world,
            copies,
            number,
            names: joined.names,
            initial,
            motions,
            on_divergence,
            before: SnapshotRing::new(1),
            diverged: Vec::new(),
            #[cfg(feature = "gpu")]
            read: Vec::new(),
        }
    }

    /// Number of copies.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The world of all copies, for queries. Copy `k` of an object is called by its name, `#` and `k`.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The object of a name in the scene of a copy. Objects without a name are called by kind and number, as `cloth 0`.
    pub fn object(&self, name: &str) -> Result<BatchObject, EditError> {
        let found = self.names.iter().find(|(known, _, _)| known == name);
        let &(_, kind, index) = found.ok_or_else(|| EditError::Unknown(name.to_owned()))?;
        Ok(BatchObject { batch: self.number, kind, index })
    }

    /// One step of dt of all copies. See [`World::step`].
    pub fn step(&mut self) -> Result<(), StepError> {
        self.step_many(1)
    }

    /// Runs the given number of steps. See [`World::step_many`].
    pub fn step_many(&mut self, steps: u32) -> Result<(), StepError> {
        match self.on_divergence {
            OnDivergence::Stop => self.world.step_many(steps),
            OnDivergence::Reset => self.advance_or_reset(steps),
        }
    }

    /// Simulated time since the batch was built [s]. Resets do not change it.
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Acceleration of gravity in all copies [m/s²].
    pub fn set_gravity(&mut self, gravity: [f32; 3]) -> Result<(), EditError> {
        self.world.set_gravity(gravity)
    }

    /// Wind in all copies; `None` for still air.
    pub fn set_wind(&mut self, wind: Option<WindSpec>) -> Result<(), EditError> {
        self.world.set_wind(wind)
    }

    /// Keeps the present moment of all copies. See [`World::snapshot`].
    pub fn snapshot(&mut self) -> Result<Snapshot, StepError> {
        self.world.snapshot()
    }

    /// Returns all copies to a moment of this batch. See [`World::restore`].
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.world.restore(snapshot)
    }

    /// Particles of an object in all copies, [copies, particles].
    fn range(&self, object: BatchObject) -> Result<Range<usize>, EditError> {
        self.check(object)?;
        let last = (object.index + 1) * self.copies - 1;
        let place = |index| self.world.objects.find(crate::builder::layout::Source::new(object.kind, index));
        match (place(object.index * self.copies), place(last)) {
            (Some(first), Some(last)) => Ok(first.from.particles..last.to.particles),
            _ => Err(EditError::Unsuitable(format!("an object of kind {:?} has no particles", object.kind.name()))),
        }
    }

    fn check(&self, object: BatchObject) -> Result<(), EditError> {
        if object.batch == self.number { Ok(()) } else { Err(EditError::Stale) }
    }

    /// Refuses arrays of another length.
    fn check_length(&self, what: &str, found: usize) -> Result<(), EditError> {
        if found == self.copies {
            return Ok(());
        }
        Err(EditError::Value(format!("there are {found} {what}, but {} copies", self.copies)))
    }
}
