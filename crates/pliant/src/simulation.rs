//! A running simulation: model, state and the backend that moves it.

use crate::backend::cpu::{Cpu, Isa};
use crate::build::{BuildError, MeshSource, Target, build};
use crate::error::Diverged;
use crate::frame::{Frame, Shape};
use crate::kernels::{Kind, Softness};
use crate::model::{BLOCK, Model};
use crate::scene::Scene;
use crate::state::State;
use crate::step::stats::{Counts, INFLATE, Probe, Residuals, Times};
use glam::Vec3;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Threads; 0 (default) means one per core. Results do not depend on it.
    pub threads: usize,
    /// Lane width; default the widest the processor has. Results do not depend on it.
    pub isa: Isa,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 0, isa: Isa::detect() }
    }
}

/// One constraint as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintView {
    /// Rows it joins: particle numbers, then orientations (from the number of particles on).
    pub rows: Vec<u32>,
    /// Its parameters, as its kernel documents them.
    pub params: Vec<f32>,
    /// Its multipliers λ after the last substep. The constraint force is λ/h²·∇C under XPBD
    /// (9λ/(4h²)·∇C with BDF2, E12).
    pub multipliers: Vec<f32>,
}

/// A running simulation.
pub struct Simulation {
    model: Model,
    state: State,
    cpu: Cpu,
}

impl Simulation {
    /// Builds a scene.
    pub fn new(scene: &Scene, meshes: &dyn MeshSource, options: Options) -> Result<Self, BuildError> {
        // Only a model straight from `build` is run: its proofs are what the backend's `unsafe` rests on.
        let (model, state) = build(scene, meshes, &Target::CPU)?;
        let cpu =
            Cpu::new(&model, &state, options.threads, options.isa).map_err(|e| BuildError::Threads(e.to_string()))?;
        Ok(Self { model, state, cpu })
    }

    /// One step of dt.
    ///
    /// After an error the state holds what diverged, for inspection; it cannot go on.
    pub fn step(&mut self) -> Result<(), Diverged> {
        self.cpu.step(&self.model, &mut self.state)
    }

    /// The fixed half.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The moving half.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The moving half, to be changed between steps. Sizes must stay as they are: the next step panics
    /// otherwise.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.state.particles
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.cpu.thread_count()
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Position of a particle [m].
    pub fn position(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state.rows[particle];
        Vec3::new(x, y, z)
    }

    /// Velocity of a particle [m/s].
    pub fn velocity(&self, particle: usize) -> Vec3 {
        let [x, y, z, _] = self.state.velocities[particle];
        Vec3::new(x, y, z)
    }

    /// What outputs see of the fixed half.
    pub fn shape(&self) -> &Shape {
        &self.model.shape
    }

    /// Copies positions and velocities into `frame`, reusing its memory.
    pub fn write_frame(&self, frame: &mut Frame) {
        let n = self.state.particles;
        frame.time = self.state.time;
        frame.positions.clear();
        frame.positions.extend(self.state.rows[..n].iter().map(|r| Vec3::new(r[0], r[1], r[2])));
        frame.velocities.clear();
        frame.velocities.extend(self.state.velocities[..n].iter().map(|r| Vec3::new(r[0], r[1], r[2])));
    }

    /// Mean and greatest relative error by kind.
    pub fn residuals(&self) -> Residuals {
        self.cpu.residuals(&self.model, &self.state)
    }

    /// Energies and momenta.
    pub fn probe(&self) -> Probe {
        self.cpu.probe(&self.model, &self.state)
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self) -> Vec<f64> {
        self.cpu.volumes(&self.model, &self.state)
    }

    /// Wall times by stage since the last call.
    pub fn take_times(&mut self) -> Times {
        self.cpu.take_times()
    }

    /// Fingerprint of positions and velocities, bit for bit.
    pub fn hash(&self) -> u64 {
        self.state.hash()
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
        let groups = self.model.groups.iter().zip(&self.state.multipliers).filter(move |(g, _)| g.kind == kind);
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
        changed
    }

    /// Changes the pressure of an object's inflatables; returns how many there are.
    pub fn set_pressure(&mut self, object: u32, pressure: f32) -> usize {
        let bodies = self.model.inflatables.iter_mut().filter(|b| b.object == object);
        bodies.map(|b| b.pressure = pressure).count()
    }

    /// Changes the phase of an object's particles, and so whom they collide with.
    pub fn set_phase(&mut self, object: u32, phase: u32) {
        for (p, _) in self.state.phases.iter_mut().zip(&self.model.shape.objects).filter(|(_, o)| **o == object) {
            *p = phase;
        }
    }
}
