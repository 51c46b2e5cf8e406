//! Cost model that chooses between CPU and GPU: time of passes and constraint solves on each.

use crate::model::Model;
use crate::solver::gpu::Gpu;

/// Time of a dependent pass [s], measured on a large GPU; smaller ones are no faster.
const PASS: f64 = 5.5e-6;
/// Time of a color within a workgroup [s].
const COLOR: f64 = 0.35e-6;
/// Time of a constraint solve at full throughput [s].
const SOLVE: f64 = 2e-11;
/// Constraint solves of a CPU core per second.
const CORE_SOLVES: f64 = 2e8;
/// Time of all contacts of a particle in a pass, at full throughput [s].
const CONTACT: f64 = 4e-10;
/// Time to read the forces on rigid bodies back [s], in every substep of scenes that have both.
const ROUND_TRIP: f64 = 6e-5;
/// Particles whose contacts one core sees to in a second.
const CORE_CONTACTS: f64 = 1e7;

impl Gpu {
    /// Whether it is expected to be faster than so many cores: its passes, its longest chain and its traffic against
    /// the solves that a core does in a second.
    pub(crate) fn wins(&self, model: &Model, cores: usize) -> bool {
        let shape = self.stats(model);
        let solves = model.constraints() as f64 * f64::from(model.settings.iterations);
        // A neighbor search takes about as long as four iterations of contacts.
        let met = if model.particle_contact.is_some() { model.topology.objects.len() as f64 } else { 0.0 };
        let contacts = met * f64::from(model.settings.iterations + 4);
        let here = shape.passes as f64 * PASS + shape.chain as f64 * COLOR + solves * SOLVE + contacts * CONTACT;
        let here = here + if self.tables.reactions.is_empty() { 0.0 } else { ROUND_TRIP };
        here < (solves / CORE_SOLVES + contacts / CORE_CONTACTS) / cores as f64
    }
}
