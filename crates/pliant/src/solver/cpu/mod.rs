//! CPU backend: executes the list of passes with its threads.
//!
//! One file per stage; each gathers, calls a kernel and scatters. Results are bitwise equal for any thread count and
//! SIMD width: passes only contain work that is independent of order, and every sum has a fixed order.

pub mod gauss_seidel;
pub mod inflate;
pub mod jacobi;
pub mod measure;
pub mod patches;
pub mod phantoms;
pub mod substep;

use crate::constraints::group::BLOCK;
use crate::contact::collider_contact::MovingCollider;
use crate::contact::cpu::collider_contacts::{Contact, forces};
use crate::contact::cpu::particle_contacts::ParticleContacts;
use crate::contact::cpu::restitution::RestitutionScratch;
use crate::contact::cpu::rigid_mass_splitting::RigidMassSplitting;
use crate::error::Diverged;
use crate::fluid::cpu::Flow;
use crate::math::RowData;
use crate::math::V3;
use crate::memory::{nested, of};
use crate::model::Model;
use crate::runtime::cpu::Isa;
use crate::runtime::cpu::Threads;
use crate::scene::Partition;
use crate::schedule::stats::{ContactPair, LiquidProbe, Probe, Residuals, Times};
use crate::state::State;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Beyond this a single-precision position resolves less than a decimeter [m].
pub(crate) const MAX_POSITION: f32 = 1e6;
/// Speed limit of the divergence check [m/s].
pub(crate) const MAX_SPEED: f32 = 1e4;

/// Data shared by all stages of a substep.
pub(crate) struct Substep {
    /// Index of the substep since the start.
    pub(crate) index: u64,
    /// Length [s].
    pub(crate) h: f32,
    /// Share of velocity kept by damping.
    pub(crate) keep: f32,
    /// Time at its start [s].
    pub(crate) start: f64,
    /// Time at its end [s].
    pub(crate) end: f64,
}

/// First diverged particle, set by any thread.
pub(crate) struct DivergenceFlag(AtomicUsize);

impl DivergenceFlag {
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
    #[inline(always)]
    pub(crate) fn check(&self, particle: usize, x: V3<f32>) {
        self.check_size(particle, x, MAX_POSITION);
    }
    #[inline(always)]
    pub(crate) fn check_speed(&self, particle: usize, v: V3<f32>) {
        self.check_size(particle, v, MAX_SPEED);
    }
    #[inline(always)]
    pub(crate) fn check_size(&self, particle: usize, v: V3<f32>, most: f32) {
        // The comparison is false for NaN, so NaN is caught too.
        let fine = v.length_squared() <= most * most;
        if !fine {
            self.0.fetch_min(particle, Ordering::Relaxed);
        }
    }
    pub(crate) fn first(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&i| i != usize::MAX)
    }
}

/// Scratch buffers; sized once.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Force on each particle [N]; empty without aerodynamic surfaces.
    pub(crate) forces: Vec<RowData>,
    pub(crate) triangle_forces: Vec<V3<f32>>,
    pub(crate) surface_forces: Vec<V3<f32>>,
    pub(crate) moving_colliders: Vec<MovingCollider>,
    /// The same without friction, for fluids.
    pub(crate) slippery: Vec<MovingCollider>,
    /// Per run of particles.
    pub(crate) contacts: Vec<Vec<Contact>>,
    /// Time spent on each group, by patch.
    pub(crate) patch_seconds: Vec<Vec<f64>>,
    pub(crate) gradients: Vec<V3<f32>>,
    /// Corrections of Jacobi passes by group.
    pub(crate) slots: Vec<Vec<RowData>>,
    /// Number of constraints on each row.
    pub(crate) counts: Vec<f32>,
    /// Second position buffer of the gathering Jacobi pass.
    pub(crate) next: Vec<RowData>,
    /// Particle contacts.
    pub(crate) particle_contacts: ParticleContacts,
    /// Mass splitting of rigid bodies.
    pub(crate) mass_splitting: RigidMassSplitting,
    /// Fluids.
    pub(crate) flow: Flow,
    /// Restitution.
    pub(crate) restitution: RestitutionScratch,
}

impl Scratch {
    pub(crate) fn bytes(&self) -> u64 {
        let air = of(&self.forces) + of(&self.triangle_forces) + of(&self.surface_forces) + of(&self.gradients);
        let contacts = of(&self.moving_colliders)
            + nested(&self.contacts)
            + self.particle_contacts.bytes()
            + self.mass_splitting.bytes();
        let contacts = contacts + of(&self.slippery) + self.flow.bytes();
        air + contacts + nested(&self.patch_seconds) + nested(&self.slots) + of(&self.counts) + of(&self.next)
    }

    pub(crate) fn new(model: &Model, state: &State) -> Self {
        let jacobi = matches!(model.settings.partition, Partition::Jacobi | Partition::JacobiGather);
        let aero_surfaces = !model.aero_surfaces.triangles.is_empty();
        let offsets = &model.incidence.offsets;
        let gather = model.settings.partition == Partition::JacobiGather;
        Self {
            forces: if aero_surfaces { vec![[0.0; 4]; state.particles] } else { Vec::new() },
            triangle_forces: vec![V3::zero(); model.aero_surfaces.triangles.len()],
            surface_forces: vec![V3::zero(); model.aero_surfaces.particles.len()],
            moving_colliders: Vec::with_capacity(model.colliders.len()),
            slippery: Vec::new(),
            contacts: vec![Vec::new(); model.runs.len()],
            patch_seconds: vec![vec![0.0; model.groups.len()]; model.schedule.patches.len()],
            gradients: vec![V3::zero(); model.inflatables.iter().map(|b| b.particles.len()).max().unwrap_or(0)],
            slots: if jacobi {
                model.groups.iter().map(|g| vec![[0.0; 4]; g.blocks() * g.layout().rows * BLOCK]).collect()
            } else {
                Vec::new()
            },
            counts: offsets.windows(2).map(|w| (w[1] - w[0]) as f32).collect(),
            next: if gather { state.rows.clone() } else { Vec::new() },
            particle_contacts: ParticleContacts::default(),
            mass_splitting: RigidMassSplitting::default(),
            flow: Flow::default(),
            restitution: RestitutionScratch::default(),
        }
    }
}

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

    /// Resets data carried over between substeps, after the state was changed externally.
    pub fn forget(&mut self) {
        self.scratch.contacts.iter_mut().for_each(Vec::clear);
    }

    /// Drops contacts of particles that were removed.
    pub fn forget_fixed(&mut self, state: &State) {
        self.scratch.contacts.iter_mut().for_each(|run| run.retain(|c| state.rows[c.particle as usize][3] > 0.0));
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
        // The owner may change the state between steps, and the loops do not check indices again.
        assert_eq!(state.rows.len(), self.rows, "the number of rows has changed since the model was built");
        let Self { threads, isa, scratch, times, .. } = self;
        threads.enter(|| {
            for _ in 0..model.settings.substeps {
                substep::run(threads, *isa, model, state, scratch, times)?;
            }
            Ok(())
        })
    }

    /// Densities of fluids over rest density; NaN for other particles.
    pub fn densities(&self, model: &Model, state: &State) -> Vec<f32> {
        let mut all = self.threads.enter(|| crate::fluid::cpu::survey(&self.threads, model, state).errors);
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

    /// Energies and momenta.
    pub fn probe(&self, model: &Model, state: &State) -> Probe {
        let mut probe = self.threads.enter(|| measure::probe(&self.threads, model, state));
        let touching = self.scratch.contacts.iter().flatten().filter(|c| c.push.normal > 0.0);
        probe.contacts = touching.count() as u64 + self.scratch.particle_contacts.count();
        probe
    }

    /// Contact pairs of the last substep.
    pub fn contact_pairs(&self, model: &Model) -> Vec<ContactPair> {
        if model.particle_contact.is_none() {
            return Vec::new();
        }
        self.scratch.particle_contacts.contact_pairs(model.settings.dt / model.settings.substeps as f32).collect()
    }

    /// Force of all particles on each collider in the last substep [N].
    pub fn collider_forces(&self, model: &Model, state: &State) -> Vec<glam::Vec3> {
        forces(model, state, self.scratch.contacts.iter().flatten())
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self, model: &Model, state: &State) -> Vec<f64> {
        let volume = |b| inflate::volume(&self.threads, b, &state.rows);
        self.threads.enter(|| model.inflatables.iter().map(volume).collect())
    }
}
