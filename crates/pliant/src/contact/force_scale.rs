//! Forces from the displacements of contacts, by order of integration.

use crate::contact::model::ContactModel;
use crate::scene::Integrator;
use crate::schedule::stats::ContactPair;
use crate::state::State;

/// Displacement over a substep under BDF1, relative to that under BDF2: an acceleration a moves a particle by a·h², or by
/// 4/9·a·h².
const SECOND_ORDER: f32 = 9.0 / 4.0;

/// Factor c of each particle from the displacement d of a contact to its force, c·m·d/h²; empty where it is 1 for all.
///
/// The particles of a body may be of both orders: those that were pushed in the last substep are of first order. An
/// acceleration then moves the body by the mean of their displacements, weighted by mass, so that c is the harmonic mean.
pub struct ForceScale(Vec<f32>);

impl ForceScale {
    /// After a substep.
    pub fn new(model: &ContactModel<'_>, state: &State) -> Self {
        // The first substep is of first order.
        if model.settings.integrator != Integrator::Bdf2 || state.substeps < 2 {
            return Self(Vec::new());
        }
        let mut all: Vec<f32> = state.first_order.iter().map(|&first| if first { 1.0 } else { SECOND_ORDER }).collect();
        for (_, run) in state.shapes.iter().flat_map(|shapes| shapes.runs()) {
            let free = run.clone().filter(|&i| state.rows[i][3] > 0.0);
            let mass_and_share = |i: usize| (1.0 / state.rows[i][3], 1.0 / (state.rows[i][3] * all[i]));
            let (mass, shares) = free.map(mass_and_share).fold((0.0, 0.0), |(a, b), (m, s)| (a + m, b + s));
            if shares > 0.0 {
                all[run].fill(mass / shares);
            }
        }
        Self(all)
    }

    /// Factor of a particle.
    pub fn of(&self, particle: usize) -> f32 {
        self.0.get(particle).copied().unwrap_or(1.0)
    }

    /// A pair of particles with its force, which was computed for first order.
    pub fn pair(&self, pair: ContactPair) -> ContactPair {
        let both = 0.5 * (self.of(pair.a as usize) + self.of(pair.b as usize));
        ContactPair { force: pair.force * both, ..pair }
    }
}
