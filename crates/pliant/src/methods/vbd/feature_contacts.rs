//! Triangles of a body in contact with colliders and rigid bodies, inside descent: forces on their vertices, Hessians of
//! single vertices, and stiffness in the coarse matrix. The law is that of [`crate::surface_contact::penalty`].

use crate::math::{RowData, position};
use crate::methods::vbd::coarse::CONTACT_STIFFNESS;
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::cpu::{BodyState, Substep};
use crate::methods::vbd::lanes::BlockLocal;
use crate::runtime::cpu::threads::Threads;
use crate::surface_contact::penalty::{FeatureContact, FeatureForce};
use glam::{Mat3, Vec3};

/// Stiffness of a contact relative to that of its vertices along the normal: a tenth of what they would move without it is left, and the
/// multiplier takes that.
const STIFFNESS: f32 = 10.0;

/// A contact of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    /// Number among all contacts.
    pub(super) number: u32,
    contact: FeatureContact,
    /// Vertices of the particles.
    vertices: [u32; 4],
    /// Stiffness [N/m].
    stiffness: f32,
    /// Force on the first feature after the last iteration [N].
    pub(super) force: Vec3,
}

impl Feature {
    pub(super) fn new(number: u32, contact: FeatureContact, vertices: [u32; 4]) -> Self {
        Self { number, contact, vertices, stiffness: 0.0, force: Vec3::ZERO }
    }

    /// Takes over the nearest points at the present positions.
    pub(super) fn refresh(&mut self, contact: &FeatureContact) {
        self.contact = *contact;
    }

    fn at(&self, x: &[RowData]) -> Option<FeatureForce> {
        let point = self.contact.point(|k| position(x[self.vertices[k] as usize]));
        self.contact.force(point, self.stiffness, self.force)
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
            feature.stiffness = if weights > 0.0 { STIFFNESS * sum / weights } else { 0.0 };
        }
        self.blocks = blocks;
        self.by_vertex.sort_unstable();
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
            all = Some((force + found.force * weight, hessian + found.hessian * (weight * weight)));
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
            let Some(found) = feature.at(&self.x) else { continue };
            let sum: f32 = feature.contact.own().map(|k| feature.contact.weights[k].abs()).sum();
            for k in feature.contact.own() {
                let v = feature.vertices[k];
                let stiffness = feature.stiffness * feature.contact.weights[k].abs() * sum;
                let hold = Hold { normal: feature.contact.normal, sticks: found.sticks, friction: Vec3::ZERO };
                // The matrix adds the inertia, and multiplies.
                let own = stiffness / CONTACT_STIFFNESS - self.masses[v as usize] * sub.inv_h2;
                out.push((v, hold, own));
            }
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
