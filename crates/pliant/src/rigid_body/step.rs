//! A step of rigid bodies: contacts are found once, then solved in small steps.

use crate::rigid_body::bodies::{CachedManifold, RigidBodies, RigidBodyModel};
use crate::rigid_body::contact_solver::{ContactConstraint, SmallStep, SolverBody};
use crate::rigid_body::contacts::{ColliderMotion, ContactFinder, FindInputs};
use crate::rigid_body::grip::BodyGrip;
use crate::rigid_body::integrate::{rotate, velocity_changes, world_inverse_inertia};
use crate::rigid_body::joint::separated;
use crate::rigid_body::joint_solver::JointSolver;
use crate::rigid_body::sleep::{Sleep, surroundings};
use crate::rigid_body::wide_contacts::WideContacts;
use crate::runtime::cpu::Isa;
use glam::DVec3;

/// Inputs of a step besides model and state.
pub struct StepInputs<'a> {
    /// Length [s].
    pub h: f64,
    /// Gravity [m/s²].
    pub gravity: DVec3,
    /// Factor of all velocities: damping.
    pub keep: f64,
    /// Instruction set of the kernels.
    pub isa: Isa,
    /// Colliders in this step, in the order of the model's.
    pub colliders: &'a [ColliderMotion],
    /// Whether a body meets a collider.
    pub sees: &'a dyn Fn(usize, usize) -> bool,
    /// Grips.
    pub grips: &'a [BodyGrip],
}

/// Longest small step [s]. The static overlap of contacts grows with its square: with twice this, the top of a Jenga tower
/// sinks by 0.86 mm instead of 0.21 mm.
const SMALL_STEP: f64 = 0.65e-3;
/// Fewest small steps in a step.
const FEWEST: f64 = 2.0;
/// Most rounds in which impacts are passed on within a small step.
const IMPACT_ROUNDS: usize = 64;

/// Buffers of a step.
#[derive(Clone, Debug, Default)]
pub struct StepScratch {
    solver: Vec<SolverBody>,
    finder: ContactFinder,
    wide: WideContacts,
    joints: JointSolver,
    /// Ways of this small step that are no velocity: from impacts within it [m].
    shifts: Vec<DVec3>,
    sleep: Sleep,
    /// Contacts of bodies that are asleep.
    kept: Vec<CachedManifold>,
    /// Impulse of each grip in this step [N·s].
    grips: Vec<DVec3>,
}

impl StepScratch {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let bodies = self.solver.capacity() * size_of::<SolverBody>();
        let kept = self.kept.capacity() * size_of::<CachedManifold>();
        self.finder.bytes() + self.wide.bytes() + (bodies + kept) as u64
    }

    /// Impulse of each grip in the last step [N·s].
    pub fn grip_impulses(&self) -> &[DVec3] {
        &self.grips
    }

    /// Advances all bodies.
    pub fn step(&mut self, model: &RigidBodyModel, state: &mut RigidBodies, inputs: &StepInputs<'_>) {
        let count = (inputs.h / SMALL_STEP).ceil().max(FEWEST);
        let h = inputs.h / count;
        self.grips.clear();
        self.grips.resize(inputs.grips.len(), DVec3::ZERO);
        // What is gripped is awake: its target may move. So is what liquids push: their pressure changes, and
        // what particles are attached to.
        for grip in inputs.grips {
            if let Some(rest) = state.rest.get_mut(grip.body as usize) {
                *rest = 0.0;
            }
        }
        for anchor in &model.anchors {
            if let Some(rest) = state.rest.get_mut(anchor.body as usize) {
                *rest = 0.0;
            }
        }
        for (rest, _) in state.rest.iter_mut().zip(&state.bodies).filter(|(_, body)| body.push != [DVec3::ZERO; 2]) {
            *rest = 0.0;
        }
        self.sleep.begin(model, state, inputs.gravity, inputs.colliders);
        let still = inputs.colliders.iter().all(|c| c.velocity == DVec3::ZERO && c.spin == DVec3::ZERO);
        if !(still && self.sleep.all()) {
            self.move_bodies(model, state, inputs, (count as usize, h));
        }
        self.sleep.end(model, state, inputs.gravity, inputs.h);
        let ends = inputs.colliders.iter().map(|c| (&c.after, c));
        state.surroundings = surroundings(inputs.gravity, ends, state);
    }

    fn move_bodies(
        &mut self,
        model: &RigidBodyModel,
        state: &mut RigidBodies,
        inputs: &StepInputs<'_>,
        (count, h): (usize, f64),
    ) {
        // Bodies whose joint has broken collide.
        let broken = state.joints.iter().any(|j| j.broken);
        let whole = || model.joints.iter().zip(&state.joints).filter(|(_, own)| !own.broken).map(|(joint, _)| joint);
        let left = if broken { separated(whole()) } else { Vec::new() };
        let find = FindInputs {
            model,
            separated: if broken { &left } else { &model.separated },
            colliders: inputs.colliders,
            sees: inputs.sees,
            h: inputs.h,
            small: h,
            gravity: inputs.gravity,
        };
        self.finder.wake(&find, state, &mut self.sleep);
        self.gather(model, state, inputs);
        self.finder.find(&find, state, &self.solver, &self.sleep);
        for contact in &self.finder.contacts {
            contact.warm_start(&mut self.solver);
            contact.bodies.iter().for_each(|&k| self.solver[k].has_contacts = true);
        }
        self.wide.pack(&self.finder.contacts, &self.solver, model.bodies.len());
        self.joints.begin(model, state, |body| !self.sleep.is_asleep(body as usize));
        let small = small_step(h, inputs.gravity);
        for _ in 0..count {
            self.small_step(model, state, &small, inputs);
        }
        self.wide.unpack(&mut self.finder.contacts);
        for (body, solver) in state.bodies.iter_mut().zip(&self.solver).filter(|(_, s)| s.moves) {
            (body.velocity, body.spin) = (solver.velocity, solver.spin);
            body.rotation = body.rotation.normalize();
        }
        self.store(state, h, inputs.h);
        if self.joints.acts() {
            self.joints.store(model, state);
        }
    }

    fn gather(&mut self, model: &RigidBodyModel, state: &RigidBodies, inputs: &StepInputs<'_>) {
        self.solver.clear();
        let still = SolverBody::STILL;
        for (k, (params, body)) in model.bodies.iter().zip(&state.bodies).enumerate() {
            self.solver.push(SolverBody {
                velocity: body.velocity * inputs.keep,
                spin: body.spin * inputs.keep,
                inverse_mass: 1.0 / params.shape.mass.mass,
                inverse_inertia: world_inverse_inertia(&params.shape, body.rotation),
                pushed: velocity_changes(&params.shape, body.rotation, body.push).map(|change| change / inputs.h),
                moves: !self.sleep.is_asleep(k),
                ..still
            });
        }
        // Colliders, and the world, to which joints may hold a body.
        let colliders = inputs.colliders.iter();
        self.solver.extend(colliders.map(|c| SolverBody { velocity: c.velocity, spin: c.spin, ..still }));
        self.solver.push(still);
        self.shifts.clear();
        self.shifts.resize(self.solver.len(), DVec3::ZERO);
    }

    fn small_step(
        &mut self,
        model: &RigidBodyModel,
        state: &mut RigidBodies,
        small: &SmallStep,
        inputs: &StepInputs<'_>,
    ) {
        let (h, count) = (small.h, model.bodies.len());
        let Self { solver, finder, wide, joints, shifts, grips, .. } = self;
        for body in solver[..count].iter_mut().filter(|body| body.moves) {
            body.velocity += (inputs.gravity + body.pushed[0]) * h;
            body.spin += body.pushed[1] * h;
            body.touched = false;
        }
        for (grip, impulse) in inputs.grips.iter().zip(grips) {
            let k = grip.body as usize;
            *impulse += grip.apply(&model.bodies[k].shape, &state.bodies[k], &mut solver[k], h);
        }
        if finder.has_restitution {
            apply_restitution(&finder.contacts, (solver, wide, shifts), small);
        }
        for (k, body) in solver.iter_mut().enumerate().filter(|(_, body)| body.has_contacts) {
            body.velocity += body.carried[0];
            body.spin += body.carried[1];
            wide.publish(k, body);
        }
        wide.pass(inputs.isa, small, true);
        if joints.acts() {
            absorb(wide, solver);
            joints.prepare(model, state, solver, h);
            joints.warm_start(state, solver, h);
            joints.solve(solver, small, true);
        }
        for (k, body) in solver.iter_mut().enumerate() {
            let mut way = body.velocity * h;
            if body.moves {
                if body.has_contacts && !joints.acts() {
                    wide.absorb(k, body);
                }
                let free = !body.touched && body.carried == [DVec3::ZERO; 2];
                // Exact in free flight.
                way = if free {
                    (body.velocity - (inputs.gravity + body.pushed[0]) * (0.5 * h)) * h
                } else {
                    body.velocity * h
                };
                way += std::mem::take(&mut shifts[k]);
                let own = &mut state.bodies[k];
                own.position += way;
                own.spin = body.spin;
            }
            if body.has_contacts {
                wide.advance(k, way, body.spin * h);
            }
            if body.moves {
                rotate(&model.bodies[k].shape, &mut state.bodies[k], h);
                body.spin = state.bodies[k].spin;
            }
            if body.has_contacts {
                wide.publish(k, body);
            }
        }
        wide.pass(inputs.isa, small, false);
        wide.accumulate();
        absorb(wide, solver);
        if finder.rolls {
            for (k, contact) in finder.contacts.iter().enumerate().filter(|(_, c)| c.law.rolling > 0.0) {
                if wide.is_pressed(k) {
                    contact.resist_rolling(solver, -libm::expm1(-contact.law.rolling * h));
                }
            }
        }
        if joints.acts() {
            // Bodies have moved and turned since: the rows of the next small step begin here. Bodies without joints keep
            // their inertia over the step, as where there are no joints.
            for body in joints.bodies(model) {
                let shape = &model.bodies[body].shape;
                solver[body].inverse_inertia = world_inverse_inertia(shape, state.bodies[body].rotation);
            }
            joints.relax(model, state, solver, small);
        }
    }

    /// Keeps the impulses of contacts that carry any, and those of bodies that are asleep. `h` is the length of a small step.
    fn store(&mut self, state: &mut RigidBodies, h: f64, step: f64) {
        self.kept.clear();
        let sleep = &self.sleep;
        self.kept.extend(state.contacts.iter().filter(|c| sleep.is_asleep(c.key.b as usize)));
        let mut kept = self.kept.iter().peekable();
        state.contacts.clear();
        for contact in self.finder.contacts.iter().filter(|c| c.is_pressed()) {
            while let Some(old) = kept.next_if(|old| old.key < contact.key) {
                state.contacts.push(*old);
            }
            let points = &contact.points;
            let along = |[x, y]: [f64; 2]| contact.tangents[0] * x + contact.tangents[1] * y;
            state.contacts.push(CachedManifold {
                key: contact.key,
                count: contact.count as u32,
                anchors: points.map(|p| p.anchor),
                direction: contact.normal,
                normal: points.map(|p| p.impulse / h),
                friction: along(contact.friction) / h,
                twist: contact.twist / h,
                mean: points.map(|p| p.total / step),
                mean_friction: along(contact.total_friction) / step,
            });
        }
        state.contacts.extend(kept);
    }
}

/// Adds the changes of a pass over contacts to bodies.
fn absorb(wide: &WideContacts, solver: &mut [SolverBody]) {
    for (k, body) in solver.iter_mut().enumerate().filter(|(_, body)| body.has_contacts && body.moves) {
        wide.absorb(k, body);
    }
}

fn apply_restitution(
    contacts: &[ContactConstraint],
    (solver, wide, shifts): (&mut [SolverBody], &WideContacts, &mut [DVec3]),
    small: &SmallStep,
) {
    for round in 0..IMPACT_ROUNDS {
        let mut any = false;
        for contact in contacts.iter().filter(|c| c.law.restitution > 0.0) {
            let ways = contact.bodies.map(|k| wide.way(k));
            any |= contact.apply_restitution(solver, (small, round), &ways, shifts);
        }
        if !any {
            return;
        }
    }
}

/// Softness of contacts in a small step: a damped spring of frequency ω, integrated implicitly. Hard contacts (and soft
/// ones that remember their load) start to rock in towers of four boxes with a single pass per small step.
fn small_step(h: f64, gravity: DVec3) -> SmallStep {
    let omega = std::f64::consts::TAU * CONTACT_FREQUENCY / h;
    let a1 = 2.0 * CONTACT_DAMPING + h * omega;
    let a2 = h * omega * a1;
    let a3 = 1.0 / (1.0 + a2);
    SmallStep {
        h,
        gravity,
        bias_rate: omega / a1,
        mass_scale: a2 * a3,
        impulse_scale: a3,
        push_speed: PUSH_SPEED,
        rest_speed: 2.0 * gravity.length() * h,
    }
}

/// Frequency of contacts times the length of a small step. The static overlap falls with its square.
const CONTACT_FREQUENCY: f64 = 0.26;
/// Damping ratio of contacts. It leaves the static overlap as it is; the less there is, the more of the impulse of the last
/// small step is given up, which is what calms pyramids: implicit integration and the pass without bias damp enough. Ratios
/// of 1 and 10 leave 6 J in a pyramid of 20 rows.
const CONTACT_DAMPING: f64 = 0.2;
/// Highest speed at which overlap is removed [m/s].
const PUSH_SPEED: f64 = 3.0;
