//! Sleeping by islands: bodies that press on each other, or are joined, rest together.
//!
//! An island falls asleep when all of its bodies have been slower than a small speed for a second, and each of them is held by
//! a contact or a joint. It does not move until something touches it, a collider that moves comes near, a caller changes one
//! of its bodies, or gravity or colliders change. Its contacts keep their impulses. A caller may put an island to sleep at
//! once, whatever holds it, and wake it.

use crate::bytes::{FNV, hash_word};
use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::contacts::ColliderMotion;
use crate::rigid_body::joint::{Joint, JointDrive, WORLD};
use crate::rigid_body::shape::Frame;
use glam::{DQuat, DVec3};
use std::ops::Range;

/// Bodies slower than this times √(g·r) are at rest, with their largest radius r.
const REST_SPEED: f64 = 1e-4;
/// Time at rest after which an island falls asleep [s].
const REST_TIME: f64 = 1.0;

/// Time at rest of bodies that a caller has put to sleep [s]: nothing needs to hold them.
const PUT_TO_SLEEP: f64 = f64::INFINITY;

/// Which bodies are asleep in a step.
#[derive(Clone, Debug, Default)]
pub struct Sleep {
    asleep: Vec<bool>,
    /// Island of each body: the number of one of its bodies.
    roots: Vec<u32>,
    /// Whether all bodies of an island have rested long enough, by the number of its root.
    rested: Vec<bool>,
    held: Vec<bool>,
}

impl Sleep {
    /// Whether a body is asleep.
    #[inline]
    pub fn is_asleep(&self, body: usize) -> bool {
        self.asleep[body]
    }

    /// Whether all bodies are.
    pub fn all(&self) -> bool {
        self.asleep.iter().all(|&a| a)
    }

    /// Finds the bodies that are asleep at the start of a step, and stops them.
    pub fn begin(
        &mut self,
        model: &RigidBodyModel,
        state: &mut RigidBodies,
        gravity: DVec3,
        colliders: &[ColliderMotion],
    ) {
        let count = model.bodies.len();
        let now = surroundings(gravity, colliders.iter().map(|c| (&c.before, c)), state);
        if state.rest.len() != count || state.surroundings != now {
            state.rest.clear();
            state.rest.resize(count, 0.0);
        }
        self.asleep.clear();
        self.asleep.resize(count, false);
        for ((rest, params), body) in state.rest.iter_mut().zip(&model.bodies).zip(&state.bodies) {
            let slow = rest_speed(gravity, params.shape.reach);
            if !(body.velocity.length() <= slow && body.spin.length() * params.shape.reach <= slow) {
                *rest = 0.0;
            }
        }
        if state.rest.iter().all(|&rest| rest < REST_TIME) {
            return;
        }
        self.find_islands(model, state);
        for (k, body) in state.bodies.iter_mut().enumerate() {
            let root = self.root(k as u32) as usize;
            self.asleep[k] = self.rested[root];
            if self.asleep[k] {
                (body.velocity, body.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }

    fn find_islands(&mut self, model: &RigidBodyModel, state: &RigidBodies) {
        let count = model.bodies.len();
        self.roots.clear();
        self.roots.extend(0..count as u32);
        self.held.clear();
        self.held.resize(count, false);
        for contact in &state.contacts {
            self.held[contact.key.b as usize] = true;
            if (contact.key.a as usize) < count {
                self.held[contact.key.a as usize] = true;
                self.join(contact.key.a, contact.key.b);
            }
        }
        let whole = |(k, _): &(usize, &Joint)| !state.joints[*k].broken;
        for (_, joint) in model.joints.iter().enumerate().filter(whole) {
            self.held[joint.bodies[1] as usize] = true;
            if joint.bodies[0] != WORLD {
                self.held[joint.bodies[0] as usize] = true;
                self.join(joint.bodies[0], joint.bodies[1]);
            }
        }
        self.rested.clear();
        self.rested.resize(count, true);
        for k in 0..count {
            let root = self.root(k as u32) as usize;
            self.rested[root] &= state.rest[k] >= REST_TIME && (self.held[k] || state.rest[k] == PUT_TO_SLEEP);
        }
        // A motor does not rest.
        let turns = |d: &&JointDrive| d.drive.motor.is_some_and(|m| m.speed != 0.0);
        for drive in state.drives.iter().filter(turns).filter(|d| !state.joints[d.joint as usize].broken) {
            let root = self.root(model.joints[drive.joint as usize].bodies[1]) as usize;
            self.rested[root] = false;
        }
    }

    fn root(&mut self, mut k: u32) -> u32 {
        while self.roots[k as usize] != k {
            self.roots[k as usize] = self.roots[self.roots[k as usize] as usize];
            k = self.roots[k as usize];
        }
        k
    }

    fn join(&mut self, a: u32, b: u32) {
        let [a, b] = [a, b].map(|k| self.root(k));
        self.roots[a.max(b) as usize] = a.min(b);
    }

    /// Wakes the island of a body.
    pub fn wake(&mut self, body: usize, rest: &mut [f64]) {
        let root = self.root(body as u32);
        for k in 0..self.asleep.len() {
            if self.asleep[k] && self.root(k as u32) == root {
                (self.asleep[k], rest[k]) = (false, 0.0);
            }
        }
    }

    /// Counts the time at rest after a step of `h` seconds.
    pub fn end(&self, model: &RigidBodyModel, state: &mut RigidBodies, gravity: DVec3, h: f64) {
        for (k, (params, body)) in model.bodies.iter().zip(&state.bodies).enumerate() {
            let slow = rest_speed(gravity, params.shape.reach);
            let rests = body.velocity.length() <= slow && body.spin.length() * params.shape.reach <= slow;
            state.rest[k] = if rests { state.rest[k] + h } else { 0.0 };
        }
    }
}

/// Puts the islands of some bodies to sleep, or wakes them. Colliders are those of the next step.
pub fn set_asleep(
    model: &RigidBodyModel,
    state: &mut RigidBodies,
    (gravity, colliders): (DVec3, &[ColliderMotion]),
    bodies: Range<usize>,
    asleep: bool,
) {
    let now = |state: &RigidBodies| surroundings(gravity, colliders.iter().map(|c| (&c.before, c)), state);
    let count = model.bodies.len();
    if state.rest.len() != count || state.surroundings != now(state) {
        state.rest.clear();
        state.rest.resize(count, 0.0);
    }
    let mut islands = Sleep::default();
    islands.find_islands(model, state);
    let roots: Vec<u32> = bodies.map(|k| islands.root(k as u32)).collect();
    for k in 0..count {
        if roots.contains(&islands.root(k as u32)) {
            state.rest[k] = if asleep { PUT_TO_SLEEP } else { 0.0 };
            if asleep {
                (state.bodies[k].velocity, state.bodies[k].spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }
    // Which bodies rest is part of it.
    state.surroundings = now(state);
}

/// Changes bodies so that only those sleep no more that the change wakes. Colliders are those of the next step.
pub(crate) fn change_awake(
    state: &mut RigidBodies,
    (gravity, colliders): (DVec3, &[ColliderMotion]),
    change: impl FnOnce(&mut RigidBodies),
) {
    let now = |state: &RigidBodies| surroundings(gravity, colliders.iter().map(|c| (&c.before, c)), state);
    let sleeps = state.rest.iter().any(|&rest| rest >= REST_TIME) && state.surroundings == now(state);
    change(state);
    if sleeps {
        // Which bodies rest is part of it.
        state.surroundings = now(state);
    }
}

/// Whether each body will be asleep at the start of the next step, unless something touches it.
pub fn asleep(
    model: &RigidBodyModel,
    state: &RigidBodies,
    (gravity, colliders): (DVec3, &[ColliderMotion]),
) -> Vec<bool> {
    let mut sleep = Sleep::default();
    sleep.begin(model, &mut state.clone(), gravity, colliders);
    sleep.asleep
}

fn rest_speed(gravity: DVec3, reach: f64) -> f64 {
    REST_SPEED * (gravity.length() * reach).sqrt()
}

/// Hash of what islands rest on: gravity, poses and surfaces of colliders, and poses of the bodies at rest. A jump or a change
/// of it, by a caller, wakes all.
pub fn surroundings<'a>(
    gravity: DVec3,
    colliders: impl Iterator<Item = (&'a Frame, &'a ColliderMotion)>,
    state: &RigidBodies,
) -> u64 {
    let vector = |hash: u64, v: [f64; 3]| v.into_iter().fold(hash, |hash, x| hash_word(hash, x.to_bits()));
    let pose = |hash: u64, p: DVec3, q: DQuat| vector(vector(hash, p.to_array()), [q.x, q.y, q.z]);
    let mut hash = vector(FNV, gravity.to_array());
    for (frame, collider) in colliders {
        let law = collider.law;
        hash = pose(hash, frame.position, frame.rotation);
        hash = vector(hash, [law.static_friction, law.kinetic_friction, law.rolling]);
    }
    for (body, _) in state.bodies.iter().zip(&state.rest).filter(|(_, rest)| **rest >= REST_TIME) {
        hash = pose(hash, body.position, body.rotation);
    }
    hash
}
