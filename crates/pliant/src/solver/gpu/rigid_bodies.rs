//! Rigid bodies in a world on a GPU. The host moves them: they are few, and their contacts form long chains. Particles on
//! the device see their pieces as colliders that move.
//!
//! In scenes with particles every substep uploads the poses of the pieces, and reads back the sums of what particles did to
//! them, which the next substep of the bodies needs. Without particles nothing runs on the device.

use crate::contact::cpu::collider_contacts::pose_of;
use crate::fluid::gpu::body_coupling::BodyCouplingTables;
use crate::math::{Pose, RowData};
use crate::model::Model;
use crate::rigid_body::bodies::RigidBodies;
use crate::rigid_body::integrate::{velocity_changes, world_inverse_inertia};
use crate::runtime::cpu::{Isa, Threads};
use crate::runtime::gpu::error::GpuError;
use crate::schedule::Stage;
use crate::schedule::substep::{CpuContext, DivergenceFlag, Substep};
use crate::solver::cpu::rigid_bodies::RigidBodyScratch;
use crate::solver::gpu::Gpu;
use crate::solver::gpu::status_readback::{Divergence, Signal};
use glam::DVec3;

/// Rigid bodies of a world on a GPU.
pub(crate) struct HostBodies {
    /// The bodies after all substeps so far.
    pub(crate) state: RigidBodies,
    /// The first body that diverged, numbered after the particles.
    pub(crate) diverged: Option<Divergence>,
    scratch: RigidBodyScratch,
    threads: Threads,
    before: Vec<Pose>,
    after: Vec<Pose>,
    /// Linear and angular impulse on each body.
    impulses: Vec<[DVec3; 2]>,
}

impl HostBodies {
    pub(crate) fn new(state: &RigidBodies) -> Self {
        Self {
            state: state.clone(),
            diverged: None,
            scratch: RigidBodyScratch::default(),
            threads: Threads::one(),
            before: Vec::new(),
            after: Vec::new(),
            impulses: Vec::new(),
        }
    }

    /// Goes on from another state.
    pub(crate) fn put(&mut self, state: &RigidBodies) {
        self.state.clone_from(state);
        self.diverged = None;
    }

    /// Multiplier of the grip in a slot, which must be on a body, in a substep of `h` seconds [kg·m].
    pub(crate) fn grip_multiplier(&self, model: &Model, slot: usize, h: f32) -> DVec3 {
        let mut all = vec![DVec3::ZERO; model.grips.len()];
        self.scratch.grip_multipliers(model, f64::from(h), &mut all);
        all[slot]
    }

    /// One substep; poses before and after it are kept.
    fn step(&mut self, model: &Model, substep: &Substep) {
        let particles = model.topology.objects.len();
        let divergence = DivergenceFlag::new();
        let cx = CpuContext { threads: &self.threads, isa: Isa::detect(), substep, divergence: &divergence };
        self.before.clear();
        self.before.extend(self.state.bodies.iter().map(pose_of));
        self.scratch.step(&cx, model, particles, &mut self.state);
        self.after.clear();
        self.after.extend(self.state.bodies.iter().map(pose_of));
        if let Some(particle) = divergence.first() {
            self.diverged = Some(Divergence { stage: Stage::Predict, particle, substeps: substep.index + 1 });
        }
    }

    /// Takes over the impulses that pressure gives to the bodies in the next substep, and in the first one those of it.
    fn press(&mut self, model: &Model, substep: &Substep, coupled: &[RowData]) {
        let bodies = model.rigid_bodies.bodies.iter().zip(&mut self.state.bodies);
        for ((params, body), [first, next]) in bodies.zip(BodyCouplingTables::impulses(coupled)) {
            if substep.index == 0 {
                // They have moved already in this substep.
                let [linear, angular] = velocity_changes(&params.shape, body.rotation, first);
                body.velocity += linear;
                body.position += linear * (0.5 * f64::from(substep.h));
                body.spin += angular;
            }
            body.push = next;
        }
    }

    /// Adds impulses about the origins of the pieces to the bodies.
    fn react(&mut self, model: &Model, sums: &[[DVec3; 2]]) {
        self.impulses.clear();
        self.impulses.resize(self.state.bodies.len(), [DVec3::ZERO; 2]);
        for (piece, [linear, angular]) in model.body_colliders.iter().zip(sums) {
            let own = &mut self.impulses[piece.body as usize];
            let pose = self.after[piece.body as usize];
            let arm = (pose.outward(piece.place.position) - pose.position).as_dvec3();
            own[0] += *linear;
            own[1] += *angular + arm.cross(*linear);
        }
        for ((params, body), [linear, angular]) in
            model.rigid_bodies.bodies.iter().zip(&mut self.state.bodies).zip(&self.impulses)
        {
            body.velocity += *linear / params.shape.mass.mass;
            body.spin += world_inverse_inertia(&params.shape, body.rotation) * *angular;
        }
    }
}

impl Gpu {
    /// Runs substeps of a scene with rigid bodies: those of the bodies at once, those of particles one by one.
    pub(crate) fn advance_with_bodies(&mut self, model: &Model, count: u64) -> Result<Option<Divergence>, GpuError> {
        let settings = &model.settings;
        let h = settings.substep();
        for _ in 0..count {
            if self.rigid_bodies.diverged.is_some() {
                return Ok(self.rigid_bodies.diverged);
            }
            let substep = Substep {
                index: self.substeps,
                h,
                keep: libm::expf(-settings.damping * h),
                start: self.records.time(self.substeps),
                end: self.records.time(self.substeps + 1),
            };
            self.rigid_bodies.step(model, &substep);
            if self.tables.reactions.is_empty() {
                self.substeps += 1;
                self.times.substeps += 1;
                continue;
            }
            let HostBodies { before, after, state, scratch, .. } = &self.rigid_bodies;
            self.records.place_bodies(model, before, after);
            let (coupling, motion) = (self.tables.fluid.bodies, (&state.bodies[..], &scratch.expected[..]));
            coupling.write_records(&model.fluid_model(), motion, substep.index == 0, self.records.coupled());
            self.submit(model, 1)?;
            let mut found = self.tables.reactions.read(&self.device, &self.buffers, &coupling)?;
            if let Signal::ListsFull { .. } = found.signal {
                self.regrow_lists(model)?;
                found = self.tables.reactions.read(&self.device, &self.buffers, &coupling)?;
            }
            if let Signal::Diverged(divergence) = found.signal {
                return Ok(Some(divergence));
            }
            self.rigid_bodies.press(model, &substep, &found.coupled);
            self.rigid_bodies.react(model, &found.sums);
        }
        Ok(self.rigid_bodies.diverged)
    }
}
