//! Rigid bodies that come and go between steps, and those that such a change wakes.

use crate::rigid_body::bodies::{BodyParams, BodyState, COLLIDER, RigidBodies, RigidBodyModel};
use crate::rigid_body::joint::WORLD;
use std::ops::Range;

/// Number of a body after those of `gone` were removed, which it must not be of.
fn renumbered(body: u32, gone: &Range<usize>) -> u32 {
    if (body as usize) < gone.start { body } else { body - gone.len() as u32 }
}

impl RigidBodyModel {
    /// Removes bodies that no joint holds and no particle is attached to.
    pub(crate) fn remove(&mut self, gone: &Range<usize>) {
        self.bodies.drain(gone.clone());
        let held =
            self.joints.iter_mut().flat_map(|joint| &mut joint.bodies).filter(|body| (**body as usize) >= gone.end);
        held.filter(|body| **body != WORLD).for_each(|body| *body -= gone.len() as u32);
        self.anchors.iter_mut().for_each(|anchor| anchor.body = renumbered(anchor.body, gone));
        for pair in &mut self.separated {
            *pair = (renumbered(pair.0, gone), renumbered(pair.1, gone));
        }
    }

    /// Whether a joint holds one of some bodies, or a particle is attached to one.
    pub(crate) fn holds_any(&self, bodies: &Range<usize>) -> bool {
        let is_own = |body: u32| bodies.contains(&(body as usize));
        self.joints.iter().any(|joint| joint.bodies.into_iter().any(is_own))
            || self.anchors.iter().any(|anchor| is_own(anchor.body))
    }

    /// Adds a body behind all others. Returns its number.
    pub(crate) fn append(&mut self, params: BodyParams) -> usize {
        self.bodies.push(params);
        self.bodies.len() - 1
    }
}

impl RigidBodies {
    /// Adds a body behind all others, awake.
    pub(crate) fn append(&mut self, body: BodyState) {
        if !self.rest.is_empty() {
            self.rest.push(0.0);
        }
        self.bodies.push(body);
    }

    /// Removes bodies, and wakes those that touched them.
    pub(crate) fn remove(&mut self, gone: &Range<usize>) {
        self.wake_around(gone);
        self.bodies.drain(gone.clone());
        if !self.rest.is_empty() {
            self.rest.drain(gone.clone());
        }
        let is_gone = |body: u32| gone.contains(&(body as usize));
        self.contacts.retain(|c| !is_gone(c.key.a) && !is_gone(c.key.b));
        for contact in &mut self.contacts {
            contact.key.b = renumbered(contact.key.b, gone);
            if contact.key.a < COLLIDER {
                contact.key.a = renumbered(contact.key.a, gone);
            }
        }
    }

    /// Wakes some bodies, with their islands, and those that touch them.
    pub(crate) fn wake_around(&mut self, bodies: &Range<usize>) {
        if self.rest.is_empty() {
            return;
        }
        self.rest[bodies.clone()].fill(0.0);
        let is_own = |body: u32| bodies.contains(&(body as usize));
        for contact in &self.contacts {
            let [a, b] = [contact.key.a, contact.key.b];
            if is_own(a) {
                self.rest[b as usize] = 0.0;
            } else if is_own(b) && a < COLLIDER {
                self.rest[a as usize] = 0.0;
            }
        }
    }
}
