//! A running simulation: model, state and the backend that moves it.

use crate::backend::cpu::{Cpu, Isa};
use crate::build::{BuildError, MeshSource, Target, build};
use crate::error::StepError;
use crate::frame::{Frame, Shape};
#[cfg(feature = "gpu")]
use crate::gpu::{Device, Gpu, GpuError, GpuOptions, Surface};
use crate::kernels::{Kind, Softness};
use crate::memory;
use crate::mirror::Mirror;
use crate::model::{BLOCK, Model};
use crate::scene::Scene;
use crate::state::State;
use crate::step::stats::{Counts, INFLATE, LiquidProbe, Probe, Residuals, Times, Touching};
use crate::{drain, freeze, melt, pour};
use glam::Vec3;

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

/// One constraint as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintView {
    /// Rows it joins: particle numbers, then orientations (from the number of particles on).
    pub rows: Vec<u32>,
    /// Its parameters, as its kernel documents them.
    pub params: Vec<f32>,
    /// Its multipliers λ after the last substep. The constraint force is λ/h²·∇C under XPBD (9λ/(4h²)·∇C with BDF2,
    /// E12). PBD does not read them, and there a GPU keeps none.
    pub multipliers: Vec<f32>,
}

/// What comes back from a GPU with the state.
#[cfg(feature = "gpu")]
type Seen = crate::gpu::Harvest;
#[cfg(not(feature = "gpu"))]
#[derive(Clone, Debug, Default)]
struct Seen {}

/// A running simulation.
pub struct Simulation {
    model: Model,
    state: Mirror<Seen>,
    /// Whether the caller may have changed masses since the last step.
    edited: bool,
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
            state: Mirror::new(state),
            edited: false,
            cpu,
            #[cfg(feature = "gpu")]
            gpu: None,
        })
    }

    #[cfg(feature = "gpu")]
    fn on_gpu(scene: &Scene, meshes: &dyn MeshSource, options: Options, device: Device) -> Result<Self, BuildError> {
        let (model, state) = build(scene, meshes, &options.target.unwrap_or_else(|| device.target()))?;
        let gpu = Some(Box::new(Gpu::new(device, &model, &state)?));
        let cpu = Cpu::observer(options.threads).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self { model, state: Mirror::new(state), edited: false, cpu, gpu })
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
        self.weigh_bodies();
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            self.state.leave(|changed| gpu.upload(&self.model, changed));
            let mut left = steps;
            while left > 0 {
                // Between two steps something may come out, melt, freeze or leave; afterwards all go at once.
                let change = |state: &mut State| -> Result<bool, GpuError> {
                    let open = pour::pour_on(gpu, &self.model, state)?;
                    let open = melt::melt_on(gpu, &self.model, state)? || open;
                    Ok(freeze::freeze_on(gpu, &self.model, state)? || open || !self.model.drains.is_empty())
                };
                let open = self.state.aside(change).transpose()?;
                let count = if open == Some(true) { 1 } else { left };
                if gpu.advance(&self.model, count)?.is_some() {
                    return self.sync();
                }
                self.state.aside(|state| drain::drain_on(gpu, &self.model, state)).transpose()?;
                left -= count;
            }
            return Ok(());
        }
        if let Some(state) = self.state.get_mut() {
            for _ in 0..steps {
                pour::pour(&self.model, state);
                melt::melt(&self.model, state);
                freeze::freeze(&self.model, state);
                self.cpu.step(&self.model, state)?;
                if !drain::drain(&self.model, state).is_empty() {
                    self.cpu.forget_fixed(state);
                }
            }
        }
        Ok(())
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
            let (state, seen) = self.fetch()?;
            if let Some(found) = seen.runaway {
                return Err(gpu.diverged(&self.model, state, found).into());
            }
        }
        Ok(())
    }

    /// The state and what came with it.
    fn fetch(&self) -> Result<&(State, Seen), StepError> {
        self.state.get(|_state| {
            #[cfg(feature = "gpu")]
            if let Some(gpu) = &self.gpu {
                return Ok(gpu.download(&self.model, _state)?);
            }
            Ok(Seen::default())
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

    /// The GPU half, to change how it is measured.
    #[cfg(feature = "gpu")]
    pub fn gpu_mut(&mut self) -> Option<&mut Gpu> {
        self.gpu.as_deref_mut()
    }

    /// The surface in the buffers of the GPU, to be drawn from there, as it is after all steps and changes so far;
    /// nothing on the CPU. Nobody waits, and nothing is read back.
    #[cfg(feature = "gpu")]
    pub fn surface(&mut self) -> Result<Option<Surface<'_>>, StepError> {
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

    /// The moving half, to be changed between steps. Sizes must stay as they are: the next step panics
    /// otherwise.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn state_mut(&mut self) -> &mut State {
        self.state();
        self.edited = true;
        self.state.get_mut().unwrap_or_else(|| unreachable!("it was just fetched"))
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.model.shape.objects.len()
    }

    /// Memory on the host [bytes]: model, state, and what passes have needed so far, which contacts make grow. The threads'
    /// stacks come on top; what a GPU holds is counted by `Gpu::shape`.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes(&self) -> u64 {
        self.model.bytes() + self.state().bytes() + self.cpu.bytes()
    }

    /// Memory on the host that it will hold later on [bytes], once it has taken a step; within a tenth for grains and
    /// bodies.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn bytes_expected(&self) -> u64 {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            // Lists of contacts are on the device.
            return self.bytes();
        }
        memory::expected(&self.model, self.state(), self.bytes())
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.cpu.thread_count()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            return gpu.time();
        }
        self.state().time
    }

    /// Position of a particle [m].
    pub fn position(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state().rows[particle];
        Vec3::new(x, y, z)
    }

    /// Velocity of a particle [m/s].
    pub fn velocity(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state().velocities[particle];
        Vec3::new(x, y, z)
    }

    /// What outputs see of the fixed half: particles, then the vertices of meshes that follow them.
    pub fn shape(&self) -> &Shape {
        self.model.coats.as_ref().map_or(&self.model.shape, |coats| &coats.shape)
    }

    /// Copies positions and velocities into `frame`, reusing its memory; meshes that follow particles are put in place
    /// (S20).
    pub fn write_frame(&self, frame: &mut Frame) {
        let n = self.state().particles;
        frame.time = self.state().time;
        frame.away.clear();
        if self.model.changes() {
            frame.away.extend((0..n).map(|i| self.state().is_away(i)));
        }
        for (rows, out) in
            [(&self.state().rows, &mut frame.positions), (&self.state().velocities, &mut frame.velocities)]
        {
            out.clear();
            out.extend(rows[..n].iter().map(|r| Vec3::new(r[0], r[1], r[2])));
            for coat in self.model.coats.iter().flat_map(|coats| &coats.all) {
                coat.skin.extend(&rows[..n], coat.first, out);
            }
        }
    }

    /// Density of every particle of a liquid, over that at rest; NaN for all others, empty where there is no liquid.
    pub fn densities(&self) -> Vec<f32> {
        self.cpu.densities(&self.model, self.state())
    }

    /// Mean and greatest relative error by kind.
    pub fn residuals(&self) -> Residuals {
        self.measure().0
    }

    /// Energies and momenta.
    pub fn probe(&self) -> Probe {
        let probe = self.cpu.probe(&self.model, self.state());
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            let count = |seen: &Seen| seen.contacts.len() as u64 + seen.pairs;
            return Probe { contacts: self.fetch().map_or(0, |(_, seen)| count(seen)), ..probe };
        }
        probe
    }

    /// Pressure of each particle of a liquid in the last substep [Pa], 0 for all others; empty where there are no liquids.
    /// That of one particle is rough: take the mean of some.
    pub fn pressures(&self) -> Vec<f32> {
        self.cpu.pressures(&self.model, self.state())
    }

    /// Pressure, volume and mixing of liquids, where there are any.
    pub fn probe_liquids(&self) -> Option<LiquidProbe> {
        self.measure().1
    }

    /// [`Self::residuals`] and [`Self::probe_liquids`] for the price of one.
    pub fn measure(&self) -> (Residuals, Option<LiquidProbe>) {
        self.cpu.measure(&self.model, self.state())
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self) -> Vec<f64> {
        self.cpu.volumes(&self.model, self.state())
    }

    /// Times by stage since the last call: wall times on the CPU; on a GPU its own, where it was asked to take
    /// them.
    pub fn take_times(&mut self) -> Times {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            return gpu.take_times();
        }
        self.cpu.take_times()
    }

    /// Fingerprint of positions and velocities, bit for bit.
    pub fn hash(&self) -> u64 {
        self.state().hash()
    }

    /// Constraints by kind; inflatables under "inflate".
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for kind in Kind::ALL {
            let n = self.model.count(kind);
            if n > 0 {
                counts.insert(kind.name(), n);
            }
        }
        if !self.model.inflatables.is_empty() {
            counts.insert(INFLATE, self.model.inflatables.len());
        }
        counts
    }

    /// All constraints of a kind with their multipliers, in the order in which they run.
    pub fn constraints(&self, kind: Kind) -> impl Iterator<Item = ConstraintView> + '_ {
        let groups = self.model.groups.iter().zip(&self.state().multipliers).filter(move |(g, _)| g.kind == kind);
        let phantoms = &self.model.phantoms;
        groups.flat_map(move |(group, lambda)| {
            let layout = group.layout();
            let pick = |data: &[f32], n: usize, block: usize, lane: usize| {
                (0..n).map(|k| data[(block * n + k) * BLOCK + lane]).collect()
            };
            group.slots().map(move |(block, lane)| ConstraintView {
                rows: group.rows_of(block, lane).map(|r| phantoms.seen(r)).collect(),
                params: pick(&group.params, layout.params, block, lane),
                multipliers: pick(lambda, layout.multipliers, block, lane),
            })
        })
    }

    /// Particles of different objects, or grains, that pushed each other in the last substep. From a GPU they are read
    /// back at every call.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn touching(&self) -> Vec<Touching> {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            self.state();
            return gpu.touching(&self.model).unwrap_or_else(|e| panic!("{e}"));
        }
        self.cpu.touching(&self.model)
    }

    /// Force of all particles on each collider in the last substep [N], in the order of the scene.
    ///
    /// # Panics
    /// As [`Self::state`].
    pub fn collider_forces(&self) -> Vec<glam::Vec3> {
        #[cfg(feature = "gpu")]
        if self.gpu.is_some() {
            return match self.fetch() {
                Ok((state, seen)) => crate::backend::cpu::forces(&self.model, state, seen.contacts.iter()),
                Err(e) => panic!("{e}"),
            };
        }
        self.cpu.collider_forces(&self.model, self.state())
    }

    /// Changes how soft an object's constraints of a kind are (S16: materials that melt or stiffen).
    ///
    /// Returns how many constraints changed; 0 if the object has none of that kind, or the kind takes its
    /// softness from a continuum material.
    pub fn set_softness(&mut self, object: u32, kind: Kind, softness: Softness) -> usize {
        let Some(place) = kind.layout().softness else { return 0 };
        let (objects, phantoms) = (&self.model.shape.objects, &self.model.phantoms);
        let mut changed = 0;
        for group in self.model.groups.iter_mut().filter(|g| g.kind == kind) {
            let (n, p) = (group.layout().rows, group.layout().params);
            let slots: Vec<_> = group.slots().collect();
            for (block, lane) in slots {
                let row = phantoms.seen(group.rows[block * n * BLOCK + lane]) as usize;
                if objects.get(row) == Some(&object) {
                    group.params[(block * p + place) * BLOCK + lane] = softness.encoded();
                    changed += 1;
                }
            }
        }
        self.params_changed();
        changed
    }

    /// Changes the pressure of an object's inflatables; returns how many there are.
    pub fn set_pressure(&mut self, object: u32, pressure: f32) -> usize {
        let bodies = self.model.inflatables.iter_mut().filter(|b| b.object == object);
        let changed = bodies.map(|b| b.pressure = pressure).count();
        self.params_changed();
        changed
    }

    fn params_changed(&mut self) {
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &mut self.gpu {
            gpu.upload_params(&self.model);
        }
    }

    /// Changes the phase of an object's particles, and so whom they collide with.
    pub fn set_phase(&mut self, object: u32, phase: u32) {
        let objects = std::mem::take(&mut self.model.shape.objects);
        for (p, _) in self.state_mut().phases.iter_mut().zip(&objects).filter(|(_, o)| **o == object) {
            *p = phase;
        }
        self.model.shape.objects = objects;
    }
}
