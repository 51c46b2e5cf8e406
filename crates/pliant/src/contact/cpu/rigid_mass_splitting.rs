//! What contacts know of the rigid bodies behind particles.
//!
//! A contact pushes a particle, and the body goes along by the particle's share of its mass. How large a push has to be is
//! told by the inverse mass that the body has at the particle, W = 1/M + (r×n)ᵀI⁻¹(r×n), and not by that of the
//! particle. With K contacts on the body each of them has 1/K of its mass (mass splitting: Tonge, Benevolenski,
//! Voroshilov, "Mass splitting for jitter-free parallel rigid body simulation", SIGGRAPH 2012): all of them together do
//! at most what is needed, and both sides of a contact see the same masses, so that momentum is kept. K is
//! the most that there were in the substep so far. Where that would do less than the particles by themselves, as with many contacts on a small body, they
//! are left as they are.

use crate::contact::collider_contact::momentum;
use crate::contact::cpu::collider_contacts::Contact;
use crate::contact::model::ContactModel;
use crate::math::RowData;
use crate::memory::of;
use crate::rigid::ShapeMatch;
use crate::state::State;

/// Rigid bodies and how they are loaded. Empty where there are none.
#[derive(Default)]
pub struct RigidMassSplitting {
    /// By particle, as [`crate::rigid::ShapeMatch::shares`] has them.
    shares: Vec<f32>,
    /// Body of each particle.
    bodies: Vec<u32>,
    /// Mean of the shares of each body, 0 where it is not rigid.
    means: Vec<f32>,
    /// Contacts of each body in the pass before.
    counts: Vec<u32>,
    /// The most contacts that each body has had in this substep, 1 at least. Were it fewer, two that let go and come back
    /// together would each be taken for the only one, and push too far, again and again.
    most: Vec<u32>,
    /// Where particles were when the iteration began.
    pub before: Vec<RowData>,
    /// How often contacts were counted in this substep.
    passes: u32,
    /// What of their last change contacts make again in this iteration.
    pub momentum: f32,
}

impl RigidMassSplitting {
    /// Begins a substep.
    pub fn begin(&mut self, model: &ContactModel<'_>, state: &State) {
        self.passes = 0;
        self.shares.clear();
        let Some(shapes) = rigid(model, state) else { return };
        self.shares.extend_from_slice(shapes.shares());
        self.bodies.resize(self.shares.len(), 0);
        self.means.clear();
        for (b, run) in shapes.runs().enumerate() {
            self.means.push(mean(&self.shares[run.clone()]));
            self.bodies[run].fill(b as u32);
        }
    }

    /// Whether any body is rigid.
    pub fn acts(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Whether particle `i` is of a rigid body.
    #[inline]
    pub fn is_rigid(&self, i: usize) -> bool {
        self.shares.get(i).is_some_and(|&share| share > 0.0)
    }

    /// Whether this is the first iteration of a substep with rigid bodies.
    pub fn begins(&self) -> bool {
        self.passes == 1
    }

    /// Begins an iteration: counts contacts of particles with each other, as each particle has them, and with colliders.
    pub fn count(&mut self, between: &[f32], rows: &[RowData], contacts: &[Vec<Contact>], iterations: u32) {
        if !self.acts() {
            return;
        }
        self.before.clear();
        self.before.extend_from_slice(&rows[..self.shares.len()]);
        let Self { shares, bodies, means, counts, most, passes, .. } = self;
        counts.clear();
        counts.resize(means.len(), 0);
        if *passes == 0 {
            most.clear();
            most.resize(means.len(), 1);
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

    /// Among how many contacts particle `i` shares its own mass, or as good as; `own` are those that it has itself.
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

    /// How many times as far as it should a collider pushes particle `i` of a rigid body, so that the body goes far enough.
    #[inline]
    pub fn overpush(&self, i: usize) -> f32 {
        1.0 / self.share(i, 1.0)
    }

    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.shares) + of(&self.bodies) + of(&self.means) + of(&self.counts) + of(&self.most) + of(&self.before)
    }
}

/// Bodies, if any of them is rigid and contacts may treat it so: particles are swept along surfaces, and must not go farther
/// there than their body does.
pub fn rigid<'a>(model: &ContactModel<'_>, state: &'a State) -> Option<&'a ShapeMatch> {
    let shapes =
        state.shapes.as_ref().filter(|_| model.particle_contact.is_some_and(|m| m.whole) && !model.has_surface())?;
    // A body that is still to freeze will be.
    let any = !model.freezes.is_empty() || shapes.shares().iter().any(|&share| share > 0.0);
    (any && shapes.in_runs()).then_some(shapes)
}

/// Mean of the shares of a body, without those of members that have left it.
pub fn mean(shares: &[f32]) -> f32 {
    let members = shares.iter().filter(|share| **share > 0.0).count();
    shares.iter().sum::<f32>() / members.max(1) as f32
}
