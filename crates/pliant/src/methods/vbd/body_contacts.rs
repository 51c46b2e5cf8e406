//! Contacts of a body's vertices with colliders, inside descent: what holds a vertex in the coarse step, and Coulomb's law in
//! a vertex's own step.

use crate::math::{RowData, position};
use crate::methods::vbd::contact::{Hold, Local, VertexContact};
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::plan::ElasticBody;
use crate::state::{Contact, Push};
use glam::{Mat3, Vec3};

/// A vertex's local problem and its step.
#[derive(Clone, Copy, Default)]
pub(super) struct Step {
    pub(super) force: Vec3,
    pub(super) hessian: Mat3,
    pub(super) step: Vec3,
}

impl BodyState {
    /// Moves vertices that touch colliders out of them.
    pub(super) fn leave_colliders(&mut self, sub: &Substep<'_>, body: &ElasticBody) {
        for k in 0..self.contacts.len() {
            let v = self.contacts[k].0 as usize;
            if self.masses[v] > 0.0 {
                let x = self.out_of_colliders(sub, body, v, position(self.x[v]));
                (self.x[v][0], self.x[v][1], self.x[v][2]) = (x.x, x.y, x.z);
            }
        }
    }

    /// Contacts that hold vertices against the forces on them.
    pub(super) fn find_holds(&mut self, body: &ElasticBody, sub: &Substep<'_>, forces: &[RowData]) {
        self.holds.clear();
        for (v, c) in &self.contacts {
            let at = *v as usize;
            // A vertex in a corner is held by the first of its contacts; the sweep sees all of them.
            if self.holds.last().is_some_and(|(last, ..)| last == v) {
                continue;
            }
            let contact = vertex_contact(sub, body, at, c);
            if let Some(hold) = contact.hold(position(self.x[at]), position(forces[at]), 1.0 / sub.inv_h2.sqrt()) {
                let h = self.packed.local(&self.x, at).1;
                self.holds.push((*v, hold, h.x_axis.x + h.y_axis.y + h.z_axis.z));
            }
        }
    }

    /// Contacts of a vertex.
    pub(super) fn contacts_of(&self, v: usize) -> std::ops::Range<usize> {
        let first = self.contacts.partition_point(|(own, _)| (*own as usize) < v);
        let count = self.contacts[first..].iter().take_while(|(own, _)| *own as usize == v).count();
        first..first + count
    }

    pub(super) fn out_of_colliders(&self, sub: &Substep<'_>, body: &ElasticBody, v: usize, x: Vec3) -> Vec3 {
        self.contacts_of(v).fold(x, |x, k| vertex_contact(sub, body, v, &self.contacts[k].1).push_out(x))
    }

    /// The step of a vertex that may touch colliders; notes the forces of its contacts.
    pub(super) fn solve_contacts(&mut self, sub: &Substep<'_>, body: &ElasticBody, v: usize, step: &Step) -> Vec3 {
        let mut way = step.step;
        let range = self.contacts_of(v);
        if range.is_empty() {
            return way;
        }
        let (x, inverse) = (position(self.x[v]), step.hessian.inverse());
        let local = Local { x, force: step.force, hessian: step.hessian, inverse };
        for k in range.clone() {
            let contact = vertex_contact(sub, body, v, &self.contacts[k].1);
            let (next, force) = contact.solve(&local, way);
            way = next;
            // As other contacts report it: the displacement of a free particle by the force.
            let scale = 1.0 / (self.masses[v] * sub.inv_h2);
            let normal = contact.normal(x + way);
            let along = force.dot(normal);
            let push = Push { normal: along.max(0.0) * scale, tangent: (force - normal * along) * scale };
            self.contacts[k].1.push = if along > 0.0 { push } else { Push::default() };
        }
        if range.len() > 1 {
            way = self.out_of_colliders(sub, body, v, x + way) - x;
        }
        way
    }
}

fn vertex_contact<'a>(sub: &Substep<'a>, body: &ElasticBody, v: usize, c: &Contact) -> VertexContact<'a> {
    let row = body.vertices[v] as usize;
    VertexContact {
        collider: sub.colliders.of(c.particle as usize, c.collider as usize),
        radius: sub.radii[row],
        start: position(sub.previous[row]),
    }
}

/// Leaves the part of a force that a contact does not take.
pub(super) fn mask(force: &mut RowData, hold: &Hold) {
    let left = hold.mask(position(*force));
    *force = [left.x, left.y, left.z, 0.0];
}
