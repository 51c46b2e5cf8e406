//! Particle-collider contacts: stages contacts and stabilize, and the contact pass of stage solve.
//!
//! Contacts are stored per run of particles (`Model::runs`): one run per island, the rest in chunks. A run's contacts
//! write only its own particles, so threads process runs without sharing.

use crate::contact::collider::Collider;
use crate::contact::collider_contact::{
    ColliderShape, MovingCollider, depenetration, depth, extrapolate, is_near, project, signed_distance,
};
use crate::contact::cpu::particle_contacts::FRICTIONLESS;
use crate::contact::cpu::rigid_mass_splitting::RigidMassSplitting;
use crate::contact::cpu::{ContactScratch, SeenColliders};
use crate::contact::force_scale::ForceScale;
use crate::contact::model::ContactModel;
use crate::math::{Pose, RowData, position};
use crate::neighbors::LIQUID;
use crate::rigid_body::bodies::{BodyState, COLLIDER, RigidBodies};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::{Contact, Push, State};
use glam::Vec3;

/// Computes the poses of all colliders at the start and the end of the substep.
pub fn place_colliders<'a>(
    colliders: impl IntoIterator<Item = &'a Collider>,
    start: f64,
    end: f64,
    moving_colliders: &mut Vec<MovingCollider>,
) {
    moving_colliders.clear();
    moving_colliders.extend(colliders.into_iter().map(|c| MovingCollider {
        shape: c.shape.clone(),
        before: c.motion.pose(start),
        after: c.motion.pose(end),
        friction: c.friction,
    }));
}

/// Appends the pieces of rigid bodies, which have moved from `starts`.
fn place_bodies(model: &ContactModel<'_>, state: &State, starts: &[Pose], out: &mut Vec<MovingCollider>) {
    for piece in model.bodies {
        let body = &state.rigid_bodies.bodies[piece.body as usize];
        let now = pose_of(body);
        out.push(piece.moved(starts.get(piece.body as usize).copied().unwrap_or(now), now));
    }
}

/// Pose of a rigid body in single precision.
pub fn pose_of(body: &BodyState) -> Pose {
    Pose { position: body.position.as_vec3(), rotation: body.rotation.as_quat().normalize() }
}

/// Finds the particles that may touch colliders before the substep ends. Persistent contacts of rigid bodies are
/// warm-started with their last correction: a resting body then needs no further correction, and keeps its friction.
pub fn find(
    threads: &Threads,
    model: &ContactModel<'_>,
    state: &mut State,
    scratch: &mut ContactScratch,
    sub: &Substep,
) {
    place_colliders(model.colliders, sub.start, sub.end, &mut scratch.moving_colliders);
    place_bodies(model, state, &scratch.body_starts, &mut scratch.moving_colliders);
    scratch.slippery.clear();
    if !model.liquids.is_empty() {
        scratch
            .slippery
            .extend(scratch.moving_colliders.iter().map(|o| MovingCollider { friction: FRICTIONLESS, ..o.clone() }));
    }
    apply_friction_classes(model, scratch);
    let (moving_colliders, margin) = (&scratch.moving_colliders, model.settings.contact_margin);
    let (filters, pairs) = (model.table.filters(), model.pairs());
    let mass_splitting = &scratch.mass_splitting;
    let State { rows, previous, radii, contacts, .. } = state;
    let (rows, previous, radii) = (&rows[..], &previous[..], &radii[..]);
    threads.each(contacts, |run, contacts| {
        // Old and new contacts are both sorted by particle and collider. The first iteration only applies the warm
        // start: if it is the only one, nothing would correct it.
        let again = model.settings.iterations > 1;
        let goes_on = |c: &Contact| again && c.push.normal > 0.0 && mass_splitting.is_rigid(c.particle as usize);
        contacts.retain(goes_on);
        let (old, mut next) = (contacts.len(), 0);
        for i in model.runs[run].clone() {
            let row = rows[i];
            if row[3] == 0.0 {
                continue;
            }
            let (x, start) = (position(row), position(previous[i]));
            for collider in model.environments.colliders_of(i, moving_colliders.len()) {
                if filters && !pairs.touches_collider(i, collider) {
                    continue;
                }
                let piece = model.bodies.get(collider.wrapping_sub(model.colliders.len()));
                if piece.is_some_and(|piece| model.attachment_filter.holds(i, piece.object)) {
                    continue;
                }
                let moving_collider = &moving_colliders[collider];
                if is_near(moving_collider, radii[i], start, x, margin) {
                    let (particle, collider) = (i as u32, collider as u32);
                    let at = |c: &Contact| (c.particle, c.collider);
                    while next < old && at(&contacts[next]) < (particle, collider) {
                        next += 1;
                    }
                    let same = contacts[next..old].first().filter(|c| at(c) == (particle, collider));
                    let inside = || depth(&moving_collider.shape, &moving_collider.after, x, radii[i]).0 > 0.0;
                    let inside = mass_splitting.is_rigid(i) && inside();
                    // Separating contacts are not warm-started: a sphere would drag its last contact along.
                    let push = same.filter(|_| inside).map_or(Push::default(), |c| c.push);
                    contacts.push(Contact { particle, collider, push, last: push, inside });
                }
            }
        }
        contacts.drain(..old);
    });
}

/// Colliders with the friction that objects with their own have with them, one set for each different one.
fn apply_friction_classes(model: &ContactModel<'_>, scratch: &mut ContactScratch) {
    let ContactScratch { moving_colliders, by_class, friction_classes, .. } = scratch;
    by_class.clear();
    friction_classes.clear();
    if model.table.frictions().is_empty() {
        return;
    }
    for own in model.table.frictions() {
        by_class.extend(moving_colliders.iter().enumerate().map(|(c, collider)| {
            let theirs = model.table.collider(c).friction.unwrap_or(collider.friction);
            MovingCollider { friction: own.combined(theirs), ..collider.clone() }
        }));
    }
    friction_classes.extend(model.topology.objects.iter().map(|&object| model.table.friction_class(object)));
}

/// Pre-stabilization (S10, D4 §3.1.5): a particle that was inside before the substep began is moved out
/// together with its old position, so that the repair adds no velocity.
pub fn stabilize(threads: &Threads, model: &ContactModel<'_>, state: &mut State, scratch: &ContactScratch) {
    let (moving_colliders, radii) = (&scratch.moving_colliders, &state.radii);
    let (rows, previous) = (Shared::new(&mut state.rows), Shared::new(&mut state.previous));
    threads.each(&mut state.contacts, |_, contacts| {
        for _ in 0..model.settings.stabilization {
            for c in contacts.iter_mut() {
                let (i, moving_collider) = (c.particle as usize, &moving_colliders[c.collider as usize]);
                // SAFETY: runs do not overlap, so only this thread accesses particle i.
                let (row, before) = unsafe { (rows.get(i), previous.get(i)) };
                if c.collider as usize >= model.colliders.len() && !scratch.mass_splitting.is_rigid(i) {
                    let stopped = stop_at_entry(moving_collider, radii[i], position(*before), position(*row));
                    if let Some((x, depth)) = stopped {
                        *row = [x.x, x.y, x.z, row[3]];
                        // The body must feel it.
                        c.push.normal += depth;
                    }
                }
                // Uses the collider's previous pose: motion since then is handled by the solver.
                if let Some(out) =
                    depenetration(&moving_collider.shape, &moving_collider.before, position(*before), radii[i])
                {
                    for row in [row, before] {
                        *row = [row[0] + out.x, row[1] + out.y, row[2] + out.z, row[3]];
                    }
                }
            }
        }
    });
}

/// Where a particle that enters a piece of a rigid body in this substep is stopped: beside the face that it came through. The
/// nearest face may be another one when a body moves by more than a particle's radius. Also returns the way out [m].
fn stop_at_entry(collider: &MovingCollider, radius: f32, start: Vec3, x: Vec3) -> Option<(Vec3, f32)> {
    let (from, to) = (collider.before.inward(start), collider.after.inward(x));
    let gap = |p: Vec3| signed_distance(&collider.shape, p).0 - radius;
    if gap(to) >= 0.0 || gap(from) < 0.0 {
        return None;
    }
    let (mut outside, mut inside) = (0.0, 1.0);
    for _ in 0..16 {
        let middle = 0.5 * (outside + inside);
        if gap(from.lerp(to, middle)) < 0.0 {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    let entry = from.lerp(to, outside);
    let (_, normal) = signed_distance(&collider.shape, entry);
    let depth = (entry - to).dot(normal);
    (depth > 0.0).then(|| (x + collider.after.rotation * normal * depth, depth))
}

/// Inputs of the contact pass.
#[derive(Clone, Copy)]
pub(crate) struct ColliderPass<'a> {
    pub seen: SeenColliders<'a>,
    /// The same without friction, for fluids; empty without fluids.
    pub slippery: &'a [MovingCollider],
    /// Phases identify fluid particles.
    pub phases: &'a [u32],
    pub radii: &'a [f32],
    pub previous: &'a [RowData],
    pub mass_splitting: &'a RigidMassSplitting,
}

impl ColliderPass<'_> {
    /// Projects the contacts of one run once.
    ///
    /// # Safety
    /// No other thread may access the rows of the run's particles.
    pub unsafe fn run(&self, rows: Shared<RowData>, contacts: &mut [Contact]) {
        for c in contacts {
            let i = c.particle as usize;
            // SAFETY: guaranteed by the caller.
            let row = unsafe { rows.get(i) };
            let start = position(self.previous[i]);
            if self.mass_splitting.is_rigid(i) {
                let x = position(*row) + self.push_body(c, self.seen.of(i, c.collider as usize), start);
                *row = [x.x, x.y, x.z, row[3]];
                continue;
            }
            let wet = !self.slippery.is_empty() && self.phases[i] == LIQUID;
            let collider = c.collider as usize;
            let moving_collider = if wet { &self.slippery[collider] } else { self.seen.of(i, collider) };
            let (x, push) = project(moving_collider, self.radii[i], start, position(*row), c.push, 1.0);
            *row = [x.x, x.y, x.z, row[3]];
            c.push = push;
        }
    }

    /// Displacement of a rigid-body particle by a contact. All contacts of a body use its position at the start of the
    /// iteration: its particle positions are not valid until shape matching has run.
    fn push_body(&self, c: &mut Contact, moving_collider: &MovingCollider, start: Vec3) -> Vec3 {
        let i = c.particle as usize;
        let at = position(self.mass_splitting.before[i]);
        let (_, normal) = depth(&moving_collider.shape, &moving_collider.after, at, self.radii[i]);
        if self.mass_splitting.begins() && c.push.normal > 0.0 {
            return normal * c.push.normal + c.push.tangent;
        }
        let (x, push) = project(moving_collider, self.radii[i], start, at, c.push, self.mass_splitting.overpush(i));
        let last = if c.push.normal > 0.0 { c.last } else { Push::default() };
        c.push = extrapolate(push, last, self.mass_splitting.momentum);
        c.last = push;
        (x - at) + (normal * (c.push.normal - push.normal) + (c.push.tangent - push.tangent))
    }
}

/// Projects the contacts of all runs but the first `own_contacts` once; `surfaces`: only those of bodies with triangle surfaces.
pub fn project_all(
    threads: &Threads,
    own_contacts: usize,
    state: &mut State,
    scratch: &ContactScratch,
    surfaces: bool,
) {
    let pass = ColliderPass {
        seen: scratch.seen_colliders(),
        slippery: &scratch.slippery,
        radii: &state.radii,
        phases: &state.phases,
        previous: &state.previous,
        mass_splitting: &scratch.mass_splitting,
    };
    let rows = Shared::new(&mut state.rows);
    // SAFETY: runs do not overlap.
    threads.each(&mut state.contacts[own_contacts..], |_, contacts| unsafe {
        if !surfaces {
            return pass.run(rows, contacts);
        }
        let is_surface = |c: &Contact| {
            let shape = &scratch.moving_colliders[c.collider as usize].shape;
            matches!(shape, ColliderShape::Surface(_)) && pass.mass_splitting.may_be_moved(c.particle as usize)
        };
        contacts.chunk_by_mut(|a, b| is_surface(a) == is_surface(b)).filter(|run| is_surface(&run[0])).for_each(
            |run| {
                pass.run(rows, run);
            },
        );
    });
}

/// Force of all particles on each collider in the last substep [N]: from the momentum change by the contact corrections.
pub fn forces(model: &ContactModel<'_>, state: &State) -> Vec<Vec3> {
    let mut all = vec![Vec3::ZERO; model.colliders.len()];
    each_force(model, state, |c, force| {
        if let Some(own) = all.get_mut(c.collider as usize) {
            *own += force;
        }
    });
    all
}

/// Adds the mean forces of rigid bodies on each collider in the last substep [N].
pub(crate) fn add_rigid_forces(bodies: &RigidBodies, forces: &mut [Vec3]) {
    for contact in &bodies.contacts {
        let collider = contact.key.a.checked_sub(COLLIDER).and_then(|k| forces.get_mut(k as usize));
        if let Some(own) = collider {
            *own -= contact.force().as_vec3();
        }
    }
}

/// Calls `found` with every contact that pushed in the last substep, and its force on the collider [N].
pub fn each_force(model: &ContactModel<'_>, state: &State, mut found: impl FnMut(&Contact, Vec3)) {
    each_push(model, state, |c, push| {
        found(c, -push.force(push.normal * c.push.normal + c.push.tangent));
    });
}

/// What a collider does to a particle.
pub(crate) struct ColliderPush {
    /// Unit normal of the collider, outward.
    pub normal: Vec3,
    /// Displacement per force in a substep of first order [m/N].
    compliance: f32,
    /// Factor of the force by the order of integration.
    scale: f32,
}

impl ColliderPush {
    /// Force that displaces the particle by this much in a substep [N], of a length or a vector [m].
    pub(crate) fn force<T: std::ops::Div<f32, Output = T> + std::ops::Mul<f32, Output = T>>(&self, way: T) -> T {
        way / self.compliance * self.scale
    }
}

/// Calls `found` with every contact that pushed in the last substep.
pub(crate) fn each_push(model: &ContactModel<'_>, state: &State, mut found: impl FnMut(&Contact, ColliderPush)) {
    let h = model.settings.dt / model.settings.substeps as f32;
    let scale = ForceScale::new(model, state);
    let mut moving_colliders = Vec::new();
    place_colliders(model.colliders, state.time, state.time, &mut moving_colliders);
    place_bodies(model, state, &[], &mut moving_colliders);
    for c in state.contacts.iter().flatten().filter(|c| c.push.normal > 0.0) {
        let (i, moving_collider) = (c.particle as usize, &moving_colliders[c.collider as usize]);
        let (_, normal) =
            depth(&moving_collider.shape, &moving_collider.after, position(state.rows[i]), state.radii[i]);
        found(c, ColliderPush { normal, compliance: state.rows[i][3] * h * h, scale: scale.of(i) });
    }
}
