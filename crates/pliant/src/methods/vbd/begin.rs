//! Start of a substep of an elastic body: masses, targets, contacts, and the positions that descent starts from; impulses of
//! other passes.

use crate::math::position;
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::row_steps::toward;
use crate::runtime::cpu::threads::Threads;
use crate::state::{Contact, Push};
use glam::Quat;

/// An objective that is higher than another by this part of the elastic energy is as good to start from.
const SLIGHT: f64 = 0.1;

impl BodyState {
    /// Masses, targets and contacts of the substep, and positions without gravity.
    pub(super) fn prepare(
        &mut self,
        threads: &Threads,
        body: &ElasticBody,
        sub: &Substep<'_>,
        contacts: &[Vec<Contact>],
    ) {
        self.inv_h2 = sub.inv_h2;
        self.target.copy_from_slice(&self.x);
        for (v, &r) in body.vertices.iter().enumerate() {
            let (r, inverse) = (r as usize, self.x[v][3]);
            self.masses[v] = if self.turns[v] {
                let inv_inertia = sub.spin_inv_inertias[r - sub.particles];
                if inv_inertia > 0.0 { 0.25 / inv_inertia } else { 0.0 }
            } else if inverse > 0.0 {
                1.0 / inverse
            } else {
                0.0
            };
            if !self.turns[v] {
                self.target[v][3] = self.masses[v] * sub.inv_h2;
            }
        }
        self.contacts.clear();
        for c in body.runs.iter().flat_map(|&run| &contacts[run]) {
            if let Ok(at) = self.by_row.binary_search_by_key(&c.particle, |&(row, _)| row) {
                self.contacts.push((self.by_row[at].1, Contact { push: Push::default(), ..*c }));
            }
        }
        self.contacts.sort_by_key(|&(v, c)| (v, c.collider));
        // Without gravity: in a body at rest forces balance it from the first residual on.
        let fall = sub.gravity / sub.inv_h2;
        for v in 0..self.x.len() {
            if self.masses[v] > 0.0 && !self.turns[v] {
                let x = position(self.x[v]) - fall;
                (self.x[v][0], self.x[v][1], self.x[v][2]) = (x.x, x.y, x.z);
            }
        }
        self.begin_features(threads, sub);
    }

    /// The positions that descent starts from.
    pub(super) fn choose_start(&mut self, threads: &Threads, body: &ElasticBody, sub: &Substep<'_>) {
        self.leave_colliders(sub, body);
        self.guard_start(threads, body, sub);
    }

    /// A body that was thrown or crushed may have a lower objective where it was: it starts there then.
    ///
    /// Leaves the forces at the start in `forces`.
    fn guard_start(&mut self, threads: &Threads, body: &ElasticBody, sub: &Substep<'_>) {
        let (mut forces, mut blocks) = (std::mem::take(&mut self.forces), std::mem::take(&mut self.blocks));
        // In lanes and of ropes energies cost next to nothing beside forces.
        let cheap = self.packed.others.is_empty() || self.coarse.chain().is_of_ropes();
        let mut energy = self.residual(threads, sub, &self.x, cheap, &mut blocks, &mut forces);
        for (v, &r) in body.vertices.iter().enumerate() {
            self.trial[v] = if self.masses[v] > 0.0 { sub.previous[r as usize] } else { self.x[v] };
        }
        // With d the way to the start, the objective was higher by r·d + ½dᵀHd, and H is at least the inertia.
        let gain = threads.sum(self.x.len(), |range| {
            let one = |v: usize| {
                let way = toward(self.trial[v], self.x[v], self.turns[v]);
                f64::from(position(forces[v]).dot(way) + 0.5 * self.masses[v] * sub.inv_h2 * way.length_squared())
            };
            range.map(one).sum()
        });
        if gain < 0.0 || gain.is_nan() {
            if !cheap {
                energy = self.residual(threads, sub, &self.x, true, &mut blocks, &mut forces);
            }
            if gain >= -SLIGHT * energy {
                (self.forces, self.blocks) = (forces, blocks);
                return;
            }
            let mut other = std::mem::take(&mut self.other);
            let ahead = self.inertia(threads, sub, &self.x) + energy;
            let elastic = self.residual(threads, sub, &self.trial, true, &mut blocks, &mut other);
            let behind = self.inertia(threads, sub, &self.trial) + elastic;
            if ahead.is_nan() || ahead > behind {
                self.x.copy_from_slice(&self.trial);
                std::mem::swap(&mut forces, &mut other);
            }
            self.other = other;
        }
        (self.forces, self.blocks) = (forces, blocks);
    }

    /// Displacements by other passes act as impulses: they move the target, too. Returns whether there are any.
    pub(super) fn take_impulses(&mut self) -> bool {
        let mut any = false;
        for v in 0..self.x.len() {
            if self.x[v] == self.after[v] {
                continue;
            }
            any = true;
            if self.turns[v] {
                let turn = Quat::from_array(self.x[v]) * Quat::from_array(self.after[v]).conjugate();
                self.target[v] = (turn * Quat::from_array(self.target[v])).normalize().to_array();
            } else {
                for c in 0..3 {
                    self.target[v][c] += self.x[v][c] - self.after[v][c];
                }
            }
        }
        any
    }
}
