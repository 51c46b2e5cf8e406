//! What contacts know of the rigid bodies behind particles, as tables: the GPU's half of `backend::cpu::loads`.

use crate::contact::cpu::rigid_mass_splitting::{mean, rigid};
use crate::model::Model;
use crate::rigid::ShapeMatch;
use crate::solver::gpu::model_packing::Tables;
use crate::state::State;

impl Tables {
    /// Writes them down, where a body is rigid.
    pub(crate) fn put_loads(&mut self, model: &Model, state: &State) {
        let Some(shapes) = rigid(&model.contact(), state) else { return };
        self.mass_splitting = self.fixtures.len() as u32;
        self.fixtures.extend(mass_splitting(shapes, state.particles));
        self.contact_counts = self.marks as u32;
        self.marks += 3 * shapes.len();
        self.lasts = self.work as u32;
        self.work += state.particles * model.colliders.len();
    }
}

/// What contacts know of the rigid body behind each particle: share, mean share, number of the body.
pub fn mass_splitting(shapes: &ShapeMatch, particles: usize) -> Vec<[u32; 4]> {
    let mut all = vec![[0; 4]; particles];
    for (b, run) in shapes.runs().enumerate() {
        let own = &shapes.shares()[run.clone()];
        let mean = mean(own).to_bits();
        for (to, share) in all[run].iter_mut().zip(own) {
            *to = [share.to_bits(), mean, b as u32, 0];
        }
    }
    all
}
