//! CPU backend: runs the passes of the schedule on a thread pool, and measures the state.
//!
//! Results are bitwise equal for any thread count and
//! SIMD width: passes only contain work that is independent of order, and every sum has a fixed order.

pub mod forces;
pub mod measure;
pub(crate) mod rigid_bodies;
pub mod substep;

use crate::aero::cpu::AeroScratch;
use crate::constraints::cpu::volume;
use crate::contact::cpu::ContactScratch;
use crate::error::Diverged;
use crate::fluid::cpu::FluidScratch;
use crate::integration::momentum::MomentumScratch;
use crate::integration::sleeping::SleepScratch;
use crate::math::V3;
use crate::memory::of;
use crate::methods::vbd::ElasticScratch;
use crate::methods::{CpuMethod, method};
use crate::model::Model;
use crate::runtime::cpu::Isa;
use crate::runtime::cpu::Threads;
use crate::schedule::stats::{ContactPair, Imbalances, LiquidProbe, Probe, Residuals, Times};
use crate::solver::cpu::rigid_bodies::RigidBodyScratch;
use crate::state::State;
use crate::surface_contact::cpu::SurfaceScratch;
use crate::surface_contact::limit::Limited;
use glam::DVec3;

/// Scratch buffers of the passes, allocated once.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Aerodynamic forces.
    pub(crate) aero: AeroScratch,
    /// Contacts.
    pub(crate) contact: ContactScratch,
    /// Contacts between triangles.
    pub(crate) surfaces: SurfaceScratch,
    /// Liquids.
    pub(crate) fluid: FluidScratch,
    /// Elastic bodies.
    pub(crate) elastic: ElasticScratch,
    /// Momentum of free islands.
    pub(crate) momentum: MomentumScratch,
    /// Sleeping objects of particles.
    pub(crate) sleep: SleepScratch,
    /// Rigid bodies.
    pub(crate) rigid_bodies: RigidBodyScratch,
    /// Volume gradients of an inflatable.
    pub(crate) gradients: Vec<V3<f32>>,
    /// Multipliers of grips [kg·m].
    pub(crate) grips: Vec<DVec3>,
    /// The solution method; none where another backend moves the state.
    pub(crate) method: Option<Box<dyn CpuMethod>>,
}

impl Scratch {
    fn bytes(&self) -> u64 {
        let phenomena =
            self.aero.bytes() + self.contact.bytes() + self.fluid.bytes() + of(&self.gradients) + self.elastic.bytes();
        let phenomena = phenomena + self.rigid_bodies.bytes() + self.momentum.bytes();
        let phenomena = phenomena + self.sleep.bytes() + self.surfaces.bytes();
        phenomena + self.method.as_ref().map_or(0, |method| method.bytes())
    }

    fn new(model: &Model, state: &State) -> Self {
        let longest = model.inflatables.iter().map(|b| b.particles.len()).max().unwrap_or(0);
        Self {
            aero: AeroScratch::new(&model.aero_surfaces, state.particles),
            contact: ContactScratch::new(model.colliders.len()),
            surfaces: SurfaceScratch::default(),
            fluid: FluidScratch::default(),
            elastic: ElasticScratch::new(&model.bodies, &model.groups, state.particles),
            momentum: MomentumScratch::default(),
            sleep: SleepScratch::default(),
            rigid_bodies: RigidBodyScratch::default(),
            gradients: vec![V3::zero(); longest],
            grips: Vec::new(),
            method: Some(method(model.settings.partition).on_cpu(&model.constraint_model(), state)),
        }
    }
}

/// Called after a substep, with the contact pairs between particles.
pub(crate) type Observer<'a> = dyn FnMut(&State, &mut dyn Iterator<Item = ContactPair>) + Send + 'a;

/// Runs a model on CPU threads.
pub struct Cpu {
    threads: Threads,
    isa: Isa,
    scratch: Scratch,
    times: Times,
    /// Number of rows that the model's indices were validated against.
    rows: usize,
}

impl Cpu {
    /// `threads` 0 means one per core.
    pub fn new(model: &Model, state: &State, threads: usize, isa: Isa) -> std::io::Result<Self> {
        let times = Times { groups: vec![0.0; model.groups.len()], ..Times::default() };
        Ok(Self {
            threads: Threads::new(threads)?,
            isa,
            scratch: Scratch::new(model, state),
            times,
            rows: state.rows.len(),
        })
    }

    /// Goes on after bodies were appended; `rows` is the number of rows now.
    pub fn grow(&mut self, rows: usize) {
        self.rows = rows;
        if !self.scratch.aero.forces.is_empty() {
            self.scratch.aero.forces.resize(rows, [0.0; 4]);
        }
    }

    /// Goes on after the parameters of constraints have changed.
    pub fn params_changed(&mut self, model: &Model) {
        self.scratch.elastic.read_parameters(&model.bodies, &model.groups);
    }

    /// Goes on with another model, on the same threads.
    pub fn replace_model(&mut self, model: &Model, state: &State) {
        self.scratch = Scratch::new(model, state);
        self.times = Times { groups: vec![0.0; model.groups.len()], ..Times::default() };
        self.rows = state.rows.len();
    }

    /// Threads that measure a state which another backend moves.
    #[cfg(feature = "gpu")]
    pub fn observer(threads: usize) -> std::io::Result<Self> {
        let threads = Threads::new(threads)?;
        Ok(Self { threads, isa: Isa::detect(), scratch: Scratch::default(), times: Times::default(), rows: 0 })
    }

    /// Number of threads.
    pub fn thread_count(&self) -> usize {
        self.threads.count()
    }

    /// Memory of scratch buffers [bytes], without thread stacks.
    pub fn bytes(&self) -> u64 {
        self.scratch.bytes()
    }

    /// Times since the last call.
    pub fn take_times(&mut self) -> Times {
        let fresh = Times { groups: vec![0.0; self.times.groups.len()], ..Times::default() };
        std::mem::replace(&mut self.times, fresh)
    }

    /// One step of dt: all of its substeps.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), Diverged> {
        self.step_observed(model, state, None)
    }

    /// The same, and calls `observe` after every substep, with the contact pairs between particles.
    pub(crate) fn step_observed(
        &mut self,
        model: &Model,
        state: &mut State,
        mut observe: Option<&mut Observer<'_>>,
    ) -> Result<(), Diverged> {
        // The owner may change the state between steps, and the loops do not check indices again.
        assert_eq!(state.rows.len(), self.rows, "the number of rows has changed since the model was built");
        let Self { threads, isa, scratch, times, .. } = self;
        threads.enter(|| {
            for _ in 0..model.settings.substeps {
                substep::run(threads, *isa, model, state, scratch, times)?;
                if let Some(observe) = &mut observe {
                    let contacts = &scratch.contact.particle_contacts;
                    match model.particle_contact {
                        Some(_) => observe(state, &mut contacts.contact_pairs(model.settings.substep())),
                        None => observe(state, &mut std::iter::empty()),
                    }
                }
            }
            Ok(())
        })
    }

    /// Force of a grip in the last substep of `h` seconds [N].
    pub fn grip_force(&self, grip: usize, h: f32) -> DVec3 {
        let multiplier = self.scratch.grips.get(grip).copied().unwrap_or_default();
        multiplier / (f64::from(h) * f64::from(h))
    }

    /// Densities of fluids over rest density; NaN for other particles.
    pub fn densities(&self, model: &Model, state: &State) -> Vec<f32> {
        let mut all = self
            .threads
            .enter(|| crate::fluid::cpu::measure_density(&self.threads, &model.fluid_model(), state).errors);
        all.iter_mut().for_each(|c| *c += 1.0);
        all
    }

    /// Pressures of fluids [Pa].
    pub fn pressures(&self, model: &Model, state: &State) -> Vec<f32> {
        measure::pressures(model, state)
    }

    /// Mean and maximum relative error by kind, and statistics of fluids, if any.
    pub fn measure(&self, model: &Model, state: &State) -> (Residuals, Option<LiquidProbe>) {
        self.threads.enter(|| measure::everything(&self.threads, model, state))
    }

    /// Residual of the implicit step of elastic bodies, by kind of element.
    pub fn imbalances(&self, model: &Model, state: &State) -> Imbalances {
        let object = |row: u32| model.topology.objects.get(row as usize).copied().unwrap_or(0);
        self.threads.enter(|| self.scratch.elastic.imbalances(self.isa, &self.threads, &model.elastic(), state, object))
    }

    /// Energies and momenta.
    pub fn probe(&self, model: &Model, state: &State) -> Probe {
        let mut probe = self.threads.enter(|| measure::probe(&self.threads, model, state));
        let touching = state.contacts.iter().flatten().filter(|c| c.push.normal > 0.0);
        probe.contacts = touching.count() as u64 + self.scratch.contact.particle_contacts.count();
        probe
    }

    /// Number of particle contacts in the last substep.
    pub(crate) fn particle_contacts(&self) -> u64 {
        self.scratch.contact.particle_contacts.count()
    }

    /// Statistics of contact between triangles in the last substep.
    pub fn triangle_contacts(&self) -> Limited {
        self.scratch.surfaces.limited
    }

    /// Contact pairs of the last substep.
    pub fn contact_pairs(&self, model: &Model) -> Vec<ContactPair> {
        if model.particle_contact.is_none() {
            return Vec::new();
        }
        self.scratch
            .contact
            .particle_contacts
            .contact_pairs(model.settings.dt / model.settings.substeps as f32)
            .collect()
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self, model: &Model, state: &State) -> Vec<f64> {
        self.threads.enter(|| model.inflatables.iter().map(|b| volume(&self.threads, b, &state.rows)).collect())
    }
}
