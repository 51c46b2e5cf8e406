//! A running simulation: definition, model, state and backend.
//!
//! This file has its parts and hands out its state. `construct` builds it, `stepping` advances it; `edit`, `append` and
//! `carry` change its objects; `steer`, `motions` and `setters` change parameters; `objects`, `queries` and `spatial` read
//! results; `grips`, `events` and `snapshot` have one subject each.

mod append;
mod append_rigid;
mod archive;
mod backend;
mod batch;
mod carry;
mod construct;
mod contact_points;
mod contacts;
mod definition;
mod device;
#[cfg(feature = "gpu")]
mod device_append;
mod edit;
mod events;
mod forces;
mod grips;
mod host_copy;
mod joints;
mod materials;
mod measures;
mod mesh_cache;
mod motions;
mod objects;
mod overlap;
mod parameters;
mod queries;
mod requests;
mod rigid_bodies;
mod sensors;
mod setters;
mod sleeping;
mod snapshot;
mod snapshot_ring;
mod spatial;
mod steer;
mod stepping;
mod surfaces;

use crate::builder::layout::Layout;
use crate::error::StepError;
use crate::model::Model;
use crate::partition::Target;
use crate::rigid_body::body_grid::BodyGrid;
use crate::runtime::cpu::Isa;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuOptions;
use crate::schedule::stats::ContactPair;
use crate::solver::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::Gpu;
use crate::state::{State, StateLayout};
pub use crate::world::batch::{Batch, BatchObject, BatchOptions, OnDivergence};
pub use crate::world::contact_points::ContactPoint;
use crate::world::definition::Definition;
pub use crate::world::definition::Handle;
pub use crate::world::edit::{AddOptions, EditError, Overlap};
pub use crate::world::events::{Event, Events};
pub use crate::world::forces::PinForce;
use crate::world::grips::GripSlot;
pub use crate::world::grips::{GripHandle, GripOptions};
use crate::world::host_copy::HostCopy;
pub use crate::world::joints::JointForce;
pub use crate::world::measures::ObjectEnergy;
use crate::world::mesh_cache::MeshCache;
pub use crate::world::objects::Momentum;
use crate::world::overlap::SolidBounds;
use crate::world::parameters::Parameters;
pub use crate::world::queries::ConstraintView;
pub use crate::world::requests::{PositionRequest, VelocityRequest};
pub use crate::world::snapshot::Snapshot;
pub use crate::world::snapshot_ring::SnapshotRing;
use crate::world::spatial::SpatialIndex;
pub use crate::world::spatial::{Feature, Hit};
pub use crate::world::surfaces::ObjectSurface;
use std::sync::Arc;

/// Selects the backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Threads of the CPU.
    #[default]
    Cpu,
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(GpuOptions),
    /// The GPU if there is one and it is expected to be faster, else the CPU.
    Auto,
}

/// Run options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Backend; default the CPU.
    pub backend: Backend,
    /// Threads; 0 (default) means one per core. Results do not depend on it.
    pub threads: usize,
    /// SIMD width; default the widest the processor has. Results do not depend on it.
    pub isa: Isa,
    /// Target that the plan is made for, if not that of the backend: order, and so results, are those of this target on
    /// any backend. For comparing backends.
    pub target: Option<Target>,
}

impl Default for Options {
    fn default() -> Self {
        Self { backend: Backend::default(), threads: 0, isa: Isa::detect(), target: None }
    }
}

/// Data read back from a GPU with the state.
#[cfg(feature = "gpu")]
type Readback = crate::solver::gpu::Readback;
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Debug, Default)]
struct Readback {}

/// A running simulation.
pub struct World {
    model: Model,
    state: HostCopy<Readback>,
    /// Whether the caller may have changed the state since the last step.
    edited: bool,
    /// Array lengths and body members, which callers must not change, once one of them may.
    state_layout: Option<StateLayout>,
    /// Inactive particles of removed bodies.
    gaps: usize,
    /// Whether bodies were appended since the model was built.
    appended: bool,
    /// Places of removed bodies whose rows another one may take, by index in the layout.
    free_slots: Vec<usize>,
    /// First row of bodies that came after the model was built.
    first_slot: usize,
    /// Bodies removed in place since the model was built.
    removals: usize,
    /// Scene and handles that the model was built from, with changes since.
    definition: Arc<Definition>,
    /// Where the objects are in model and state.
    objects: Arc<Layout>,
    /// Meshes that were loaded.
    meshes: Arc<MeshCache>,
    options: Options,
    /// Bounds of solid objects, once an object was added, until they move.
    bounds: Option<SolidBounds>,
    /// Rigid bodies in space, once one was added, and the time and the number of changes of which it is.
    rigid_places: Option<((u64, u64), BodyGrid)>,
    /// Triangles and particles in space, once a query asked for them.
    index: Option<SpatialIndex>,
    /// Changes of the state by callers so far.
    changes: u64,
    grips: Vec<GripSlot>,
    /// Contacts between particles at the moment that was restored, until the next step.
    pairs: Option<Arc<Vec<ContactPair>>>,
    /// Records events, if a caller wants them.
    recorder: Option<events::EventRecorder>,
    /// Hash of the model, once it was needed.
    fingerprint: Option<u64>,
    /// The same of the model that the world began with.
    origin: Option<u64>,
    /// Parameters as the last snapshot has them, unless changed since.
    parameters: Option<Arc<Parameters>>,
    cpu: Cpu,
    #[cfg(feature = "gpu")]
    gpu: Option<Box<Gpu>>,
}

impl World {
    /// Panics if the caller has changed array lengths or body members.
    fn check_edits(&self) {
        if self.edited {
            if let Some(layout) = &self.state_layout {
                layout.check(self.state());
            }
            assert!(self.model.holds_contacts(self.state()), "the state has contacts of another scene");
        }
    }

    /// Updates the bodies that the caller has changed.
    fn refit_bodies(&mut self) {
        if std::mem::take(&mut self.edited)
            && let Some(state) = self.state.get_mut()
        {
            state.refit_bodies();
        }
    }

    /// Waits for all steps and reads the state back. Does nothing on the CPU.
    ///
    /// [`Self::state`] and all queries do this implicitly, but can only panic if the GPU is lost.
    pub fn sync(&mut self) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            let (state, readback) = self.fetch()?;
            if let Some(found) = readback.divergence {
                return Err(gpu.diverged(&self.model, state, found).into());
            }
        }
        Ok(())
    }

    /// The state and the data read back with it.
    fn fetch(&self) -> Result<&(State, Readback), StepError> {
        self.state.get(|_state| {
            #[cfg(feature = "gpu")]
            if let Some(gpu) = &self.gpu {
                return Ok(gpu.download(&self.model, _state)?);
            }
            Ok(Readback::default())
        })
    }

    /// The state, read back if necessary.
    fn current_state(&self) -> Result<&State, StepError> {
        self.fetch().map(|(state, _)| state)
    }

    /// Constant data of the simulation.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// State of the simulation. From a GPU it is read back on the first access after a step.
    ///
    /// # Panics
    /// If the GPU is lost; [`Self::sync`] reports that as an error.
    pub fn state(&self) -> &State {
        match self.fetch() {
            Ok((state, _)) => {
                state.remember_bodies();
                state
            }
            Err(e) => panic!("{e}"),
        }
    }

    /// The moving half, to be changed between steps. Lengths of arrays and members of bodies must stay as they are: the
    /// next step panics otherwise and names the changed array.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn state_mut(&mut self) -> &mut State {
        self.state();
        self.edited = true;
        self.changes += 1;
        self.bounds = None;
        if self.state_layout.is_none() {
            self.state_layout = Some(StateLayout::of(self.state()));
        }
        self.state.get_mut().unwrap_or_else(|| unreachable!("it was just fetched"))
    }
}
