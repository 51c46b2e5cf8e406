//! Mass splitting for contacts of rigid bodies.
//!
//! A contact corrects a particle, and the body moves by the particle's share of its mass. The size of the correction
//! follows from the body's inverse mass at the particle, W = 1/M + (r×n)ᵀI⁻¹(r×n), not from that of the particle. With
//! K contacts on the body each contact has 1/K of its mass (mass splitting: Tonge, Benevolenski, Voroshilov, "Mass
//! splitting for jitter-free parallel rigid body simulation", SIGGRAPH 2012): their sum does not overshoot, and both
//! sides of a contact use the same masses, so that momentum is conserved. K is the maximum contact count of the substep
//! so far. Where this would do less than the particles alone, as with many contacts on a small body, the particle
//! masses are used.

use crate::contact::collider_contact::{ColliderShape, is_near_bounds, momentum};
use crate::contact::cpu::collider_contacts::place_colliders;
use crate::contact::model::ContactModel;
use crate::math::{RowData, position};
use crate::memory::{of, replace, resize};
use crate::schedule::substep::Substep;
use crate::shape_matching::ShapeMatch;
use crate::state::{Contact, State};

/// Rigid bodies and their contact counts. Empty without rigid bodies.
#[derive(Default)]
pub struct RigidMassSplitting {
    /// Per particle, from [`crate::shape_matching::ShapeMatch::shares`].
    shares: Vec<f32>,
    /// Body of each particle.
    bodies: Vec<u32>,
    /// Mean share of each body, 0 if it is not rigid.
    means: Vec<f32>,
    /// Contact count of each body in the previous pass.
    counts: Vec<u32>,
    /// Maximum contact count of each body in this substep, at least 1. With a smaller count, two contacts that open and
    /// close together would each use the full mass and overshoot repeatedly.
    most: Vec<u32>,
    /// Particle positions at the start of the iteration.
    pub before: Vec<RowData>,
    /// Whether each body may touch a triangle surface; empty without such colliders.
    near_surface: Vec<bool>,
    /// Whether each particle belongs to a body; empty without such colliders.
    in_body: Vec<bool>,
    /// Number of counting passes in this substep.
    passes: u32,
    /// Nesterov momentum factor of this iteration.
    pub momentum: f32,
}

impl RigidMassSplitting {
    /// Begins a substep.
    pub fn begin(&mut self, model: &ContactModel<'_>, state: &State, sub: &Substep) {
        self.passes = 0;
        self.shares.clear();
        self.find_near_surfaces(model, state, sub);
        let Some(shapes) = rigid(model, state) else { return };
        replace(&mut self.shares, shapes.shares().iter().copied());
        resize(&mut self.bodies, self.shares.len(), 0);
        self.means.clear();
        resize(&mut self.means, shapes.len(), 0.0);
        for (b, run) in shapes.runs() {
            if self.near_surface.get(b) == Some(&true) {
                self.shares[run.clone()].fill(0.0);
            }
            self.means[b] = mean(&self.shares[run.clone()]);
            self.bodies[run].fill(b as u32);
        }
    }

    /// Bodies that may touch a triangle surface in this substep. Their particles are swept against it and must not move
    /// farther than their body: they have no mass splitting, and stabilization does not match them.
    fn find_near_surfaces(&mut self, model: &ContactModel<'_>, state: &State, sub: &Substep) {
        self.near_surface.clear();
        self.in_body.clear();
        let Some(shapes) = state.shapes.as_ref().filter(|_| model.has_surface()) else { return };
        let mut placed = Vec::new();
        place_colliders(model.colliders, sub.start, sub.end, &mut placed);
        let margin = model.settings.contact_margin;
        let near = |row: u32| {
            let i = row as usize;
            let (x, start) = (position(state.rows[i]), position(state.previous[i]));
            let seen = model.environments.colliders_of(i, placed.len());
            let surfaces = seen.filter(|&c| model.pairs().touches_collider(i, c)).map(|c| &placed[c]);
            let mut surfaces = surfaces.filter(|c| matches!(c.shape, ColliderShape::Surface(_)));
            surfaces.any(|surface| is_near_bounds(surface, state.radii[i], start, x, margin))
        };
        resize(&mut self.in_body, state.particles, false);
        let members = (0..shapes.len()).flat_map(|body| shapes.members_of_body(body));
        members.for_each(|row| self.in_body[row as usize] = true);
        self.near_surface.extend((0..shapes.len()).map(|body| shapes.members_of_body(body).any(near)));
    }

    /// Whether each body may touch a triangle surface in this substep; empty without such colliders.
    pub fn near_surface(&self) -> &[bool] {
        &self.near_surface
    }

    /// Whether shape matching may have moved particle `i` into a triangle surface.
    #[inline]
    pub fn may_be_moved(&self, i: usize) -> bool {
        self.in_body.get(i).copied().unwrap_or(true)
    }

    /// Whether any body is rigid.
    pub fn acts(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Whether particle `i` belongs to a rigid body.
    #[inline]
    pub fn is_rigid(&self, i: usize) -> bool {
        self.shares.get(i).is_some_and(|&share| share > 0.0)
    }

    /// Whether this is the first iteration of a substep with rigid bodies.
    pub fn begins(&self) -> bool {
        self.passes == 1
    }

    /// Begins an iteration: counts particle contacts, from the counts of each particle, and collider contacts.
    pub fn count(&mut self, between: &[f32], rows: &[RowData], contacts: &[Vec<Contact>], iterations: u32) {
        if !self.acts() {
            return;
        }
        replace(&mut self.before, rows[..self.shares.len()].iter().copied());
        let Self { shares, bodies, means, counts, most, passes, .. } = self;
        counts.clear();
        resize(counts, means.len(), 0);
        if *passes == 0 {
            most.clear();
            resize(most, means.len(), 1);
        }
        for (i, &count) in between.iter().enumerate().take(shares.len()) {
            if shares[i] > 0.0 {
                counts[bodies[i] as usize] += count as u32;
            }
        }
        for c in contacts.iter().flatten() {
            let i = c.particle as usize;
            if i >= shares.len() || shares[i] == 0.0 {
                continue;
            }
            if c.push.normal > 0.0 || (*passes == 0 && c.inside) {
                counts[bodies[i] as usize] += 1;
            }
        }
        most.iter_mut().zip(counts).for_each(|(most, count)| *most = (*most).max(*count));
        self.momentum = momentum(*passes, iterations);
        self.passes += 1;
    }

    /// Effective number of contacts that the mass of particle `i` is split among; `own` is its own contact count.
    #[inline]
    pub fn share(&self, i: usize, own: f32) -> f32 {
        if self.is_rigid(i) {
            let body = self.bodies[i] as usize;
            let count = self.most[body] as f32;
            if count * self.means[body] < 1.0 {
                return count * self.shares[i];
            }
        }
        own.max(1.0)
    }

    /// Factor on collider corrections of particle `i` of a rigid body, so that the body moves by the full depth.
    #[inline]
    pub fn overpush(&self, i: usize) -> f32 {
        1.0 / self.share(i, 1.0)
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.shares)
            + of(&self.bodies)
            + of(&self.means)
            + of(&self.counts)
            + of(&self.most)
            + of(&self.before)
            + of(&self.in_body)
    }
}

/// Bodies, if any is rigid and mass splitting applies.
pub fn rigid<'a>(model: &ContactModel<'_>, state: &'a State) -> Option<&'a ShapeMatch> {
    let shapes = state.shapes.as_ref().filter(|_| model.particle_contact.is_some_and(|m| m.whole))?;
    // A body that freezes later becomes rigid.
    let any = !model.freezes.is_empty() || shapes.shares().iter().any(|&share| share > 0.0);
    any.then_some(shapes)
}

/// Mean share of a body, without removed members.
pub fn mean(shares: &[f32]) -> f32 {
    let members = shares.iter().filter(|share| **share > 0.0).count();
    shares.iter().sum::<f32>() / members.max(1) as f32
}
