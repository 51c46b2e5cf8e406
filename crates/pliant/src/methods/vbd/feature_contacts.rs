//! Triangles of a body in contact with colliders, rigid bodies, other elastic bodies and each other, inside descent: forces on
//! their vertices, Hessians of single vertices, and stiffness in the coarse matrix. The law is that of
//! [`crate::surface_contact::penalty`].
//!
//! A pair of two bodies is a contact of both. Each has its own vertices in it, and what the other contributes to the way
//! between the nearest points as a vector (`beyond`), which [`crate::methods::vbd::contact_groups`] keeps up to date.

use crate::math::{RowData, position};
use crate::methods::vbd::coarse::CONTACT_STIFFNESS;
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::lanes::BlockLocal;
use crate::runtime::cpu::threads::Threads;
use crate::surface_contact::model::NO_PARTICLE;
use crate::surface_contact::penalty::{FeatureContact, FeatureForce};
use glam::{Mat3, Vec3};

/// Stiffness of a contact relative to that of its vertices along the normal: a tenth of what they would move without it is left, and the
/// multiplier takes that.
const STIFFNESS: f32 = 10.0;

/// The other side of a contact of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partner {
    /// Number of the body.
    pub(super) body: u32,
    /// Number of the contact among those of that body.
    pub(super) feature: u32,
}

/// A contact of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    /// Number among all contacts.
    pub(super) number: u32,
    /// Only the particles of this body are in it.
    pub(super) contact: FeatureContact,
    /// Vertices of the particles.
    pub(super) vertices: [u32; 4],
    /// The other side, if that is another elastic body.
    pub(super) partner: Option<Partner>,
    /// Whether both sides are this body.
    itself: bool,
    /// Σ βᵢxᵢ of the vertices of the other body [m].
    pub(super) beyond: Vec3,
    /// Σ βᵢxᵢ of its own, when that was last asked for [m].
    pub(super) point: Vec3,
    /// Stiffness [N/m].
    pub(super) stiffness: f32,
    /// Whether the coarse matrix has it, although it does not push.
    pub(super) expected: bool,
    /// Force on the first feature after the last iteration [N].
    pub(super) force: Vec3,
}

impl Feature {
    pub(super) fn new(number: u32, contact: FeatureContact, vertices: [u32; 4], own: [bool; 4]) -> Self {
        let mut contact = contact;
        let itself = !contact.particles.contains(&NO_PARTICLE) && own == [true; 4];
        for k in 0..4 {
            if !own[k] {
                contact.particles[k] = NO_PARTICLE;
            }
        }
        let (beyond, point, force) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        Self { number, contact, vertices, partner: None, itself, beyond, point, stiffness: 0.0, expected: false, force }
    }

    /// Takes over the nearest points at the present positions. A contact that pushes keeps its own: a force found for some
    /// points would be wrong for others.
    pub(super) fn refresh(&mut self, contact: &FeatureContact) {
        if self.force == Vec3::ZERO {
            self.contact = FeatureContact { particles: self.contact.particles, ..*contact };
        }
    }

    /// Hands the force and its points over, for a substep with this 1/h².
    pub(super) fn report(&self, inv_h2: f32, contact: &mut FeatureContact) {
        (contact.impulse, contact.weights) = (self.force / inv_h2, self.contact.weights);
    }

    /// Whether its force changes with the motion of another elastic body, or of another part of this one.
    pub(super) fn is_mutual(&self) -> bool {
        self.itself || self.partner.is_some()
    }

    fn own_point(&self, x: &[RowData]) -> Vec3 {
        self.contact.point(|k| position(x[self.vertices[k] as usize]))
    }

    fn at(&self, x: &[RowData]) -> Option<FeatureForce> {
        self.contact.force(self.own_point(x) + self.beyond, self.stiffness, self.force)
    }

    /// How much of its Hessian a vertex sees. Both sides of a body's contact with itself may move at once.
    fn weight_of(&self, k: usize) -> f32 {
        let weight = self.contact.weights[k];
        if self.itself { 2.0 * weight * weight } else { weight * weight }
    }
}

impl BodyState {
    /// Chooses the stiffness of all contacts; orders them by vertex. At the start of a substep.
    pub(super) fn begin_features(&mut self, threads: &Threads, sub: &Substep<'_>) {
        self.by_vertex.clear();
        if self.features.is_empty() {
            return;
        }
        let mut blocks = std::mem::take(&mut self.blocks);
        self.packed.locals(sub.isa, threads, &self.x, 0, &mut blocks);
        let along = |v: u32, n: Vec3| {
            let [block, lane] = self.packed.slots[v as usize];
            let hessian = blocks[block as usize].hessian(lane as usize);
            self.masses[v as usize] * sub.inv_h2 + n.dot(hessian * n)
        };
        for (number, feature) in self.features.iter_mut().enumerate() {
            let (mut sum, mut weights) = (0.0, 0.0);
            for k in feature.contact.own() {
                let weight = feature.contact.weights[k].abs();
                sum += weight * along(feature.vertices[k], feature.contact.normal);
                weights += weight;
                self.by_vertex.push((feature.vertices[k], number as u32, k as u8));
            }
            let both = if feature.itself { 0.5 } else { 1.0 };
            feature.stiffness = if weights > 0.0 { both * STIFFNESS * sum / weights } else { 0.0 };
        }
        self.blocks = blocks;
        self.by_vertex.sort_unstable();
    }

    /// Contacts share the stiffness that their vertices give them: flat surfaces on each other have many of each vertex.
    pub(super) fn divide_stiffness(&mut self) {
        let near = |feature: &Feature| feature.contact.is_near(feature.own_point(&self.x) + feature.beyond);
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        counts.resize(self.x.len(), 0.0);
        for feature in self.features.iter().filter(|feature| near(feature)) {
            for k in feature.contact.own() {
                counts[feature.vertices[k] as usize] += feature.contact.weights[k].abs();
            }
        }
        for feature in &mut self.features {
            let (mut sum, mut weights) = (0.0, 0.0);
            for k in feature.contact.own() {
                let weight = feature.contact.weights[k].abs();
                sum += weight * counts[feature.vertices[k] as usize].max(1.0);
                weights += weight;
            }
            feature.stiffness *= if sum > 0.0 { weights / sum } else { 1.0 };
        }
        self.counts = counts;
    }

    /// Energy of the overlap in all contacts; a half of it where the other half is another body's [J].
    pub(super) fn feature_energy(&self) -> f64 {
        let one = |feature: &Feature| {
            let apart = feature.contact.normal.dot(feature.own_point(&self.x) + feature.beyond);
            let overlap = if feature.contact.faces { (feature.contact.distance - apart).max(0.0) } else { 0.0 };
            let share = if feature.partner.is_some() { 0.25 } else { 0.5 };
            share * f64::from(feature.stiffness * overlap * overlap)
        };
        self.features.iter().map(one).sum()
    }

    /// Σ βᵢxᵢ of its own vertices in all contacts with other bodies, at the present or at the trial positions.
    pub(super) fn find_points(&mut self, trial: bool) {
        let x = if trial { &self.trial } else { &self.x };
        for feature in self.features.iter_mut().filter(|feature| feature.partner.is_some()) {
            feature.point = feature.own_point(x);
        }
    }

    /// Adds the forces of contacts at positions `x`.
    pub(super) fn add_feature_forces(&self, x: &[RowData], forces: &mut [RowData]) {
        for feature in &self.features {
            let Some(found) = feature.at(x) else { continue };
            for k in feature.contact.own() {
                let v = feature.vertices[k] as usize;
                if self.masses[v] > 0.0 {
                    let force = found.force * feature.contact.weights[k];
                    (0..3).for_each(|c| forces[v][c] += force[c]);
                }
            }
        }
    }

    /// Force of the contacts of a vertex, and its Hessian.
    fn feature_local(&self, entries: &[(u32, u32, u8)]) -> Option<(Vec3, Mat3)> {
        let mut all = None;
        for &(_, number, k) in entries {
            let feature = &self.features[number as usize];
            let Some(found) = feature.at(&self.x) else { continue };
            let weight = feature.contact.weights[k as usize];
            let (force, hessian) = all.unwrap_or((Vec3::ZERO, Mat3::ZERO));
            all = Some((force + found.force * weight, hessian + found.hessian * feature.weight_of(k as usize)));
        }
        all
    }

    /// Contacts of the vertices of a color, by vertex: adds what they do to the vertex's problem, and solves it again.
    pub(super) fn step_features(
        &self,
        color: std::ops::Range<usize>,
        blocks: &mut [BlockLocal],
        steps: &mut [RowData],
    ) {
        let first = self.by_vertex.partition_point(|&(v, ..)| (v as usize) < color.start);
        let end = self.by_vertex.partition_point(|&(v, ..)| (v as usize) < color.end);
        for entries in self.by_vertex[first..end].chunk_by(|a, b| a.0 == b.0) {
            let v = entries[0].0 as usize;
            if self.masses[v] == 0.0 || self.turns[v] {
                continue;
            }
            let Some((force, hessian)) = self.feature_local(entries) else { continue };
            let [block, lane] = self.packed.slots[v].map(|n| n as usize);
            blocks[block].add(lane, force, hessian);
            let step = blocks[block].hessian(lane).inverse() * blocks[block].force(lane);
            steps[v] = [step.x, step.y, step.z, 0.0];
        }
    }

    /// What the coarse matrix sees of contacts that push: no less than their stiffness, vertex by vertex.
    pub(super) fn feature_holds(&self, sub: &Substep<'_>, out: &mut Vec<(u32, Hold, f32)>) {
        for feature in &self.features {
            let sticks = match feature.at(&self.x) {
                Some(found) => found.sticks,
                None if feature.expected => false,
                None => continue,
            };
            let sum: f32 = feature.contact.own().map(|k| feature.contact.weights[k].abs()).sum();
            for k in feature.contact.own() {
                let v = feature.vertices[k];
                let stiffness = feature.stiffness * feature.contact.weights[k].abs() * sum;
                let hold = Hold { normal: feature.contact.normal, sticks, friction: Vec3::ZERO };
                // The matrix adds the inertia, and multiplies.
                let own = stiffness / CONTACT_STIFFNESS - self.masses[v as usize] * sub.inv_h2;
                out.push((v, hold, own));
            }
        }
    }

    /// Expects the contacts that push at the trial positions.
    pub(super) fn expect_features(&mut self) {
        for k in 0..self.features.len() {
            self.features[k].expected |= self.features[k].at(&self.trial).is_some();
        }
    }

    /// Notes the forces after an iteration: the next starts from them.
    pub(super) fn note_feature_forces(&mut self) {
        for k in 0..self.features.len() {
            self.features[k].force = self.features[k].at(&self.x).map_or(Vec3::ZERO, |found| found.force);
        }
    }

    /// Adds the forces of contacts, times a scale by vertex, to targets.
    pub(super) fn add_noted_forces(&self, scale: impl Fn(usize) -> f32, target: &mut [RowData]) {
        for feature in self.features.iter().filter(|f| f.force != Vec3::ZERO) {
            for k in feature.contact.own() {
                let v = feature.vertices[k] as usize;
                let way = feature.force * (feature.contact.weights[k] * scale(v));
                (0..3).for_each(|c| target[v][c] += way[c]);
            }
        }
    }
}
