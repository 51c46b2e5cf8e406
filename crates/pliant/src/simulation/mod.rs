//! A running simulation: model, state and the backend that moves it.
//!
//! Here is what moves it; `queries` is what can be seen of it, `setters` what can be changed besides the state.

mod host_copy;
mod queries;
mod setters;

use crate::builder::{BuildError, MeshSource, build};
use crate::error::StepError;
use crate::model::Model;
use crate::partition::Target;
use crate::runtime::cpu::Isa;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::{Device, GpuOptions};
use crate::scene::Scene;
use crate::simulation::host_copy::HostCopy;
pub use crate::simulation::queries::ConstraintView;
use crate::solver::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu;
#[cfg(feature = "gpu")]
use crate::solver::gpu::device_state::DeviceModel;
#[cfg(feature = "gpu")]
use crate::solver::gpu::{Gpu, Surface};
use crate::state::{State, StateLayout};
use crate::transitions;

/// Who runs the passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Threads of this machine.
    #[default]
    Cpu,
    /// A graphics processor.
    #[cfg(feature = "gpu")]
    Gpu(GpuOptions),
    /// The GPU where there is one and it is expected to be faster, else the CPU.
    Auto,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Who runs the passes; default the CPU.
    pub backend: Backend,
    /// Threads; 0 (default) means one per core. Results do not depend on it.
    pub threads: usize,
    /// Lane width; default the widest the processor has. Results do not depend on it.
    pub isa: Isa,
    /// What the plan is made for, if not for the backend: order, and so results, are those of this target
    /// whoever runs it. For comparing backends.
    pub target: Option<Target>,
}

impl Default for Options {
    fn default() -> Self {
        Self { backend: Backend::default(), threads: 0, isa: Isa::detect(), target: None }
    }
}

/// What comes back from a GPU with the state.
#[cfg(feature = "gpu")]
type Readback = crate::solver::gpu::Readback;
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Debug, Default)]
struct Readback {}

/// A running simulation.
pub struct Simulation {
    model: Model,
    state: HostCopy<Readback>,
    /// Whether the caller may have changed the state since the last step.
    edited: bool,
    /// What of the state no caller may change.
    layout: StateLayout,
    cpu: Cpu,
    #[cfg(feature = "gpu")]
    gpu: Option<Box<Gpu>>,
}

impl Simulation {
    /// Builds a scene.
    pub fn new(scene: &Scene, meshes: &dyn MeshSource, options: Options) -> Result<Self, BuildError> {
        match options.backend {
            Backend::Cpu => Self::on_cpu(scene, meshes, options),
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => Self::on_gpu(scene, meshes, options, Device::open(&gpu)?),
            #[cfg(feature = "gpu")]
            Backend::Auto => match Device::open(&GpuOptions::default()) {
                Ok(device) if !device.software => match Self::on_gpu(scene, meshes, options, device) {
                    Ok(fast) if fast.is_worth_it() => Ok(fast),
                    // Where the CPU is expected to win the scene is small, and built again in no time; and what the
                    // GPU cannot hold, the CPU may.
                    Ok(_) | Err(BuildError::Gpu(_)) => Self::on_cpu(scene, meshes, options),
                    refused => refused,
                },
                _ => Self::on_cpu(scene, meshes, options),
            },
            #[cfg(not(feature = "gpu"))]
            Backend::Auto => Self::on_cpu(scene, meshes, options),
        }
    }

    fn on_cpu(scene: &Scene, meshes: &dyn MeshSource, options: Options) -> Result<Self, BuildError> {
        // Only a model straight from `build` is run: its proofs are what the backends' `unsafe` rests on.
        let (model, state) = build(scene, meshes, &options.target.unwrap_or(Target::CPU))?;
        let cpu =
            Cpu::new(&model, &state, options.threads, options.isa).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self {
            model,
            layout: StateLayout::of(&state),
            state: HostCopy::new(state),
            edited: false,
            cpu,
            #[cfg(feature = "gpu")]
            gpu: None,
        })
    }

    #[cfg(feature = "gpu")]
    fn on_gpu(scene: &Scene, meshes: &dyn MeshSource, options: Options, device: Device) -> Result<Self, BuildError> {
        let (model, state) = build(scene, meshes, &options.target.unwrap_or_else(|| gpu::target(&device)))?;
        let gpu = Some(Box::new(Gpu::new(device, &model, &state)?));
        let cpu = Cpu::observer(options.threads).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self { model, layout: StateLayout::of(&state), state: HostCopy::new(state), edited: false, cpu, gpu })
    }

    /// Whether a GPU is expected to be faster than the threads it was given beside it.
    #[cfg(feature = "gpu")]
    fn is_worth_it(&self) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.wins(&self.model, self.threads()))
    }

    /// One step of dt.
    ///
    /// After an error the state holds what diverged, for inspection; it cannot go on. A GPU works on while the
    /// host goes on too, so a particle that ran away may be reported a few steps later, or by [`Self::sync`].
    pub fn step(&mut self) -> Result<(), StepError> {
        self.advance(1)
    }

    /// So many steps of dt. On a GPU they are submitted together and nobody waits for them.
    pub fn advance(&mut self, steps: u32) -> Result<(), StepError> {
        self.check_edits();
        self.weigh_bodies();
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            self.state.leave(|changed| gpu.upload(&self.model, changed));
            let mut left = steps;
            while left > 0 {
                // Where something happens between steps they go one by one, else all at once.
                let single = self.state.on_host(|state| before_on(gpu, &self.model, state)).transpose()?;
                let count = if single == Some(true) { 1 } else { left };
                if gpu.advance(&self.model, count)?.is_some() {
                    return self.sync();
                }
                self.state.on_host(|state| after_on(gpu, &self.model, state)).transpose()?;
                left -= count;
            }
            return Ok(());
        }
        if let Some(state) = self.state.get_mut() {
            for _ in 0..steps {
                transitions::before(&self.model.transitions(), state);
                self.cpu.step(&self.model, state)?;
                if transitions::after(&self.model.transitions(), state) {
                    self.cpu.forget_fixed(state);
                }
            }
        }
        Ok(())
    }

    /// Panics where the caller has changed what of the state must stay.
    fn check_edits(&self) {
        if self.edited {
            self.layout.check(self.state());
        }
    }

    /// Bodies keep the masses of their particles; what the caller has changed is taken over.
    fn weigh_bodies(&mut self) {
        if !std::mem::take(&mut self.edited) {
            return;
        }
        self.cpu.forget();
        if let Some(State { rows, shapes: Some(shapes), .. }) = self.state.get_mut() {
            shapes.set_masses(rows);
            shapes.look(rows);
        }
    }

    /// Waits for all steps and brings the state to the host. Does nothing on the CPU.
    ///
    /// [`Self::state`] and all that look at it do this by themselves, but can only panic if the GPU is lost.
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

    /// The state and what came with it.
    fn fetch(&self) -> Result<&(State, Readback), StepError> {
        self.state.get(|_state| {
            #[cfg(feature = "gpu")]
            if let Some(gpu) = &self.gpu {
                return Ok(gpu.download(&self.model, _state)?);
            }
            Ok(Readback::default())
        })
    }

    /// Waits until a GPU has done all steps submitted so far, without reading anything back.
    pub fn wait(&self) -> Result<(), StepError> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            gpu.wait(&self.model)?;
        }
        Ok(())
    }

    /// The GPU half, if it runs there.
    #[cfg(feature = "gpu")]
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_deref()
    }

    /// Whether a GPU takes the times of its stages from now on; false where it has no timestamps, and on the CPU, which
    /// always takes them.
    #[cfg(feature = "gpu")]
    pub fn set_profiling(&mut self, on: bool) -> bool {
        self.gpu.as_deref_mut().is_some_and(|gpu| gpu.set_profiling(on))
    }

    /// The surface in the buffers of the GPU, to be drawn from there, as it is after all steps and changes so far;
    /// nothing on the CPU. Nobody waits, and nothing is read back.
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

    /// The fixed half.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The moving half. From a GPU it is read back at the first look after a step.
    ///
    /// # Panics
    /// If the GPU is lost; [`Self::sync`] tells that as an error.
    pub fn state(&self) -> &State {
        match self.fetch() {
            Ok((state, _)) => state,
            Err(e) => panic!("{e}"),
        }
    }

    /// The moving half, to be changed between steps. Lengths of arrays and members of bodies must stay as they are: the
    /// next step panics otherwise, and says which have changed.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn state_mut(&mut self) -> &mut State {
        self.state();
        self.edited = true;
        self.state.get_mut().unwrap_or_else(|| unreachable!("it was just fetched"))
    }
}

/// Transitions before a step on a device; whether the step must be submitted by itself.
#[cfg(feature = "gpu")]
fn before_on(gpu: &mut Gpu, model: &Model, host: &mut State) -> Result<bool, GpuError> {
    transitions::before_on(&mut DeviceModel { gpu, model }, &model.transitions(), host)
}

/// Transitions after a step on a device.
#[cfg(feature = "gpu")]
fn after_on(gpu: &mut Gpu, model: &Model, host: &mut State) -> Result<(), GpuError> {
    transitions::after_on(&mut DeviceModel { gpu, model }, &model.transitions(), host)
}
