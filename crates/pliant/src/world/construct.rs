//! A world from a scene: model, state and backend.

#[cfg(feature = "gpu")]
use crate::builder::attach::joins_rigid_body;
use crate::builder::layout::{History, Layout, NoHistory};
use crate::builder::{BuildError, MeshSource, NoMeshes, build_with};
use crate::model::Model;
use crate::partition::Target;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::{Device, GpuOptions};
use crate::scene::Scene;
use crate::solver::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::{self, Gpu};
use crate::state::State;
use crate::world::definition::Definition;
use crate::world::host_copy::HostCopy;
use crate::world::mesh_cache::{MeshCache, RecordedMeshes};
use crate::world::{Backend, Options, World};
use std::sync::Arc;

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

impl World {
    /// Builds a scene.
    pub fn from_scene(scene: &Scene, meshes: &dyn MeshSource, options: Options) -> Result<Self, BuildError> {
        Self::from_scene_with(scene, meshes, options, &NoHistory)
    }

    /// [`Self::from_scene`] with what is known of its objects.
    pub(super) fn from_scene_with(
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
    pub(super) fn on_gpu(
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
    pub(super) fn target(&self) -> Target {
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
}
