//! A running simulation: definition, model, state and backend.
//!
//! This file builds it and hands out its state. `stepping` advances it; `edit`, `append` and `carry` change its objects;
//! `steer`, `motions` and `setters` change parameters; `objects`, `queries` and `spatial` read results; `grips`,
//! `events` and `snapshot` have one subject each.

mod append;
mod append_rigid;
mod archive;
mod batch;
mod carry;
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

#[cfg(feature = "gpu")]
use crate::builder::attach::joins_rigid_body;
use crate::builder::layout::{History, Layout, NoHistory};
use crate::builder::{BuildError, MeshSource, NoMeshes, build_with};
use crate::error::StepError;
use crate::model::Model;
use crate::partition::Target;
use crate::rigid_body::body_grid::BodyGrid;
use crate::runtime::cpu::Isa;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::{Device, GpuOptions};
use crate::scene::Scene;
use crate::schedule::stats::ContactPair;
use crate::solver::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::{Gpu, SubmissionMode, Surface};
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
use crate::world::mesh_cache::{MeshCache, RecordedMeshes};
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
    /// Builds a scene.
    pub fn from_scene(scene: &Scene, meshes: &dyn MeshSource, options: Options) -> Result<Self, BuildError> {
        Self::from_scene_with(scene, meshes, options, &NoHistory)
    }

    /// [`Self::from_scene`] with what is known of its objects.
    fn from_scene_with(
        scene: &Scene,
        meshes: &dyn MeshSource,
        options: Options,
        known: &dyn History,
    ) -> Result<Self, BuildError> {
        match options.backend {
            Backend::Cpu => Self::on_cpu(scene, meshes, options, known),
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => Self::on_gpu(scene, meshes, options, Device::open(&gpu)?, known),
            #[cfg(feature = "gpu")]
            Backend::Auto if joins_rigid_body(scene) => Self::on_cpu(scene, meshes, options, known),
            #[cfg(feature = "gpu")]
            Backend::Auto => match Device::open(&GpuOptions::default()) {
                Ok(device) if !device.software => match Self::on_gpu(scene, meshes, options, device, known) {
                    Ok(fast) if fast.is_gpu_faster() => Ok(fast),
                    // If the CPU is expected to be faster the scene is small, and rebuilding is cheap; a scene that
                    // exceeds the GPU may fit the CPU.
                    Ok(_) | Err(BuildError::Gpu(_)) => Self::on_cpu(scene, meshes, options, known),
                    refused => refused,
                },
                _ => Self::on_cpu(scene, meshes, options, known),
            },
            #[cfg(not(feature = "gpu"))]
            Backend::Auto => Self::on_cpu(scene, meshes, options, known),
        }
    }

    /// Builds a scene on an open GPU, instead of the backend of `options`. Worlds on one device share compiled shaders.
    #[cfg(feature = "gpu")]
    pub fn on_device(
        scene: &Scene,
        meshes: &dyn MeshSource,
        options: Options,
        device: &Device,
    ) -> Result<Self, BuildError> {
        Self::on_gpu(scene, meshes, options, device.clone(), &NoHistory)
    }

    /// A world without objects, to be filled by [`Self::add`].
    pub fn new(options: Options) -> Result<Self, BuildError> {
        Self::from_scene(&Scene::default(), &NoMeshes, options)
    }

    fn on_cpu(
        scene: &Scene,
        meshes: &dyn MeshSource,
        options: Options,
        known: &dyn History,
    ) -> Result<Self, BuildError> {
        // Only a model straight from `build_with` is run: the backends' `unsafe` code relies on its validation.
        let built = Built::new(scene, meshes, &options.target.unwrap_or(Target::CPU), known)?;
        let (threads, isa) = (options.threads, options.isa);
        let cpu = Cpu::new(&built.model, &built.state, threads, isa).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self::assemble(scene, built, options, cpu))
    }

    fn assemble(scene: &Scene, built: Built, options: Options, cpu: Cpu) -> Self {
        let Built { model, state, layout, meshes } = built;
        Self {
            model,
            state_layout: None,
            gaps: 0,
            appended: false,
            free_slots: Vec::new(),
            first_slot: usize::MAX,
            removals: 0,
            state: HostCopy::new(state),
            edited: false,
            definition: Arc::new(Definition::new(scene)),
            objects: Arc::new(layout),
            meshes: Arc::new(meshes),
            options,
            bounds: None,
            rigid_places: None,
            index: None,
            changes: 0,
            grips: Vec::new(),
            pairs: None,
            recorder: None,
            fingerprint: None,
            origin: None,
            parameters: None,
            cpu,
            #[cfg(feature = "gpu")]
            gpu: None,
        }
    }

    #[cfg(feature = "gpu")]
    fn on_gpu(
        scene: &Scene,
        meshes: &dyn MeshSource,
        options: Options,
        device: Device,
        known: &dyn History,
    ) -> Result<Self, BuildError> {
        let built = Built::new(scene, meshes, &options.target.unwrap_or_else(|| gpu::target(&device)), known)?;
        let gpu = Some(Box::new(Gpu::new(device, &built.model, &built.state)?));
        let cpu = Cpu::observer(options.threads).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self { gpu, ..Self::assemble(scene, built, options, cpu) })
    }

    /// Limits that plans must respect.
    fn target(&self) -> Target {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            return self.options.target.unwrap_or_else(|| gpu.target());
        }
        self.options.target.unwrap_or(Target::CPU)
    }

    /// Whether the GPU is expected to be faster than the given number of threads.
    #[cfg(feature = "gpu")]
    fn is_gpu_faster(&self) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.wins(&self.model, self.threads()))
    }

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

    /// Waits until a GPU has done all steps submitted so far, without reading anything back.
    pub fn wait(&self) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.wait(&self.model)?;
        }
        Ok(())
    }

    /// The GPU backend, if in use.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_deref()
    }

    /// Enables stage timing on a GPU. Returns whether it is available: false without timestamps, and on the CPU, which
    /// always measures.
    #[cfg(feature = "gpu")]
    pub fn set_profiling(&mut self, on: bool) -> bool {
        self.gpu.as_deref_mut().is_some_and(|gpu| gpu.set_profiling(on))
    }

    /// How far the host may be ahead of a GPU; no effect on the CPU. Results are the same.
    #[cfg(feature = "gpu")]
    pub fn set_submission_mode(&mut self, mode: SubmissionMode) {
        if let Some(gpu) = &mut self.gpu {
            gpu.submission_mode = mode;
        }
    }

    /// Surface in GPU buffers for rendering, after all steps and changes so far; `None` on the CPU. Does not wait or
    /// read back.
    #[cfg(feature = "gpu")]
    pub fn surface(&mut self) -> Result<Option<Surface<'_>>, StepError> {
        self.check_edits();
        let Some(gpu) = &mut self.gpu else { return Ok(None) };
        self.state.share(|changed| gpu.upload(&self.model, changed));
        Ok(Some(gpu.surface(&self.model)?))
    }

    /// "cpu" or "gpu".
    pub fn backend(&self) -> &'static str {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return "gpu";
        }
        "cpu"
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

/// A scene that was built, and the meshes that it has asked for.
struct Built {
    model: Model,
    state: State,
    layout: Layout,
    meshes: MeshCache,
}

impl Built {
    fn new(scene: &Scene, meshes: &dyn MeshSource, target: &Target, history: &dyn History) -> Result<Self, BuildError> {
        let known = MeshCache::default();
        let recorder = RecordedMeshes::new(meshes, &known);
        let (model, state, layout) = build_with(scene, &recorder, target, history)?;
        Ok(Self { model, state, layout, meshes: recorder.found() })
    }
}
