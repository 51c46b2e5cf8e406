//! The pass of rigid bodies on the CPU.

use crate::contact::collider::Collider;
use crate::contact::collider_contact::{MovingCollider, depth};
use crate::contact::cpu::collider_contacts;
use crate::fluid::body_coupling::expected_changes;
use crate::fluid::cpu::boundary::pressure_impulses;
use crate::math::{Pose, V3, position};
use crate::memory::of;
use crate::model::Model;
use crate::rigid_body::anchor::{AnchorPull, AnchorSolver};
use crate::rigid_body::bodies::{BodyState, RigidBodies, SurfaceLaw};
use crate::rigid_body::contacts::ColliderMotion;
use crate::rigid_body::grip::BodyGrip;
use crate::rigid_body::integrate::velocity_changes;
use crate::rigid_body::shape::Frame;
use crate::rigid_body::step::{StepInputs, StepScratch};
use crate::schedule::substep::CpuContext;
use crate::state::State;
use crate::surface_contact::cpu::BodyImpulse;
use glam::{DQuat, DVec3};

/// Buffers of the pass.
#[derive(Default)]
pub(crate) struct RigidBodyScratch {
    colliders: Vec<ColliderMotion>,
    step: StepScratch,
    anchors: AnchorSolver,
    grips: Vec<BodyGrip>,
    /// Linear and angular impulse of particles on each body.
    impulses: Vec<[DVec3; 2]>,
    /// Bodies at the start of a substep.
    before: Vec<BodyState>,
    /// Changes of velocity and spin that each body will have in the next substep from all but liquids.
    pub(crate) expected: Vec<[DVec3; 2]>,
}

impl RigidBodyScratch {
    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.colliders) + self.step.bytes() + of(&self.before) + of(&self.expected)
    }

    /// Advances all bodies by a substep.
    ///
    /// Bodies that diverge are reported with the numbers after those of all particles.
    pub(crate) fn step(&mut self, cx: &CpuContext<'_>, model: &Model, particles: usize, state: &mut RigidBodies) {
        let h = f64::from(cx.substep.h);
        self.colliders.clear();
        self.colliders.extend(model.colliders.iter().map(|c| motion(c, cx.substep.start, cx.substep.end, h)));
        self.grips.clear();
        self.grips.extend(model.grips.iter().filter_map(|grip| grip.on_body()));
        let sees = |body: usize, collider: usize| model.body_sees(body, collider);
        let inputs = StepInputs {
            h,
            gravity: model.settings.gravity.as_dvec3(),
            keep: f64::from(cx.substep.keep),
            isa: cx.isa,
            colliders: &self.colliders,
            sees: &sees,
            grips: &self.grips,
        };
        let projects = model.fluid.as_ref().is_some_and(|fluid| fluid.projects);
        if !projects {
            // The liquid that has pushed is gone.
            state.bodies.iter_mut().for_each(|body| body.push = [DVec3::ZERO; 2]);
        }
        self.before.clear();
        self.before.extend_from_slice(if projects { &state.bodies } else { &[] });
        self.step.step(&model.rigid_bodies, state, &inputs);
        self.anchors.begin(&model.rigid_bodies, state, h);
        let around = (&self.before[..], &state.bodies[..]);
        expected_changes(&model.rigid_bodies, around, inputs.gravity, h, &mut self.expected);
        for (k, body) in state.bodies.iter().enumerate() {
            let vector = |v: DVec3| V3::new(v.x as f32, v.y as f32, v.z as f32);
            cx.divergence.check(particles + k, vector(body.position));
            cx.divergence.check_speed(particles + k, vector(body.velocity));
        }
    }
}

impl RigidBodyScratch {
    /// One correction of attached particles and their bodies in a substep of `h` seconds.
    pub(crate) fn project_anchors(&mut self, model: &Model, state: &mut State, h: f32) {
        if !model.rigid_bodies.anchors.is_empty() {
            let State { rows, rigid_bodies, .. } = state;
            self.anchors.project(&model.rigid_bodies, rigid_bodies, rows, f64::from(h));
        }
    }

    /// Impulses of bodies on attached particles in this substep.
    pub(crate) fn anchor_pulls(&self) -> &[AnchorPull] {
        self.anchors.pulls()
    }

    /// Writes the multipliers of grips on bodies [kg·m] where those of particles are.
    pub(crate) fn grip_multipliers(&self, model: &Model, h: f64, multipliers: &mut [DVec3]) {
        let on_bodies = model.grips.iter().zip(multipliers).filter(|(grip, _)| grip.body.is_some());
        for ((_, multiplier), impulse) in on_bodies.zip(self.step.grip_impulses()) {
            *multiplier = *impulse * h;
        }
    }

    /// Adds the impulses of particles that have touched rigid bodies, or pressed on them as a liquid.
    ///
    /// Momentum is conserved: bodies take what contacts and pressure have given to particles. The bodies move by it in the
    /// next substep. The sums are in the order of particles, whatever the number of threads.
    pub(crate) fn react(
        &mut self,
        h: f32,
        model: &Model,
        state: &mut State,
        colliders: &[MovingCollider],
        of_triangles: &[BodyImpulse],
    ) {
        self.anchors.finish(&model.rigid_bodies, &mut state.rigid_bodies, f64::from(h));
        let first = model.colliders.len();
        self.impulses.clear();
        self.impulses.resize(model.rigid_bodies.bodies.len(), [DVec3::ZERO; 2]);
        let (impulses, bodies) = (&mut self.impulses, &state.rigid_bodies.bodies);
        let mut add = |collider: usize, at: DVec3, impulse: DVec3| {
            let body = model.body_colliders[collider - first].body as usize;
            impulses[body][0] += impulse;
            impulses[body][1] += (at - bodies[body].position).cross(impulse);
        };
        let contact = model.contact();
        let projects = model.fluid.as_ref().is_some_and(|fluid| fluid.projects);
        // A particle with pressure presses through it. Its contacts only correct what velocities between particles do beside
        // that; they are not the same on all sides, and would lift a body by some percent of the liquid that it displaces.
        let presses = |i: usize| projects && state.pressures[i] < 0.0;
        collider_contacts::each_force(&contact, state, |c, force| {
            let i = c.particle as usize;
            let moving = colliders.get(c.collider as usize).filter(|_| c.collider as usize >= first && !presses(i));
            if let Some(moving) = moving {
                let x = position(state.rows[i]);
                let (_, normal) = depth(&moving.shape, &moving.after, x, state.radii[i]);
                let at = x - normal * state.radii[i];
                add(c.collider as usize, at.as_dvec3(), (force * h).as_dvec3());
            }
        });
        for found in of_triangles.iter().filter(|found| found.collider as usize >= first) {
            add(found.collider as usize, found.at.as_dvec3(), found.impulse.as_dvec3() / f64::from(h));
        }
        // Where velocities are projected, pressure acts in the steps of the bodies.
        if !projects {
            pressure_impulses(&model.fluid_model(), state, (colliders, first), h, |k, at, impulse| {
                add(k, at.as_dvec3(), impulse.as_dvec3());
            });
        }
        for ((params, body), impulse) in
            model.rigid_bodies.bodies.iter().zip(&mut state.rigid_bodies.bodies).zip(&self.impulses)
        {
            let [linear, angular] = velocity_changes(&params.shape, body.rotation, *impulse);
            body.velocity += linear;
            body.spin += angular;
        }
    }
}

/// Colliders of a model in a substep that begins at a time [s].
pub(crate) fn collider_motions(model: &Model, start: f64) -> Vec<ColliderMotion> {
    let h = f64::from(model.settings.substep());
    model.colliders.iter().map(|c| motion(c, start, start + h, h)).collect()
}

/// Motion of a collider during a substep.
fn motion(collider: &Collider, start: f64, end: f64, h: f64) -> ColliderMotion {
    let frame = |p: Pose| Frame { position: p.position.as_dvec3(), rotation: p.rotation.as_dquat().normalize() };
    let law = SurfaceLaw {
        static_friction: f64::from(collider.friction.static_friction),
        kinetic_friction: f64::from(collider.friction.kinetic_friction),
        restitution: f64::from(collider.restitution),
        rolling: f64::from(collider.rolling),
    };
    let before = frame(collider.motion.pose(start));
    if !collider.motion.moves() {
        return ColliderMotion { before, after: before, velocity: DVec3::ZERO, spin: DVec3::ZERO, law };
    }
    let after = frame(collider.motion.pose(end));
    let turn = after.rotation * before.rotation.conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let velocity = (after.position - before.position) / h;
    ColliderMotion { before, after, velocity, spin: rotation_vector(turn) / h, law }
}

/// The rotation vector of a unit quaternion [rad].
fn rotation_vector(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin < 1e-12 { v * 2.0 } else { v * (2.0 * libm::atan2(sin, q.w) / sin) }
}
