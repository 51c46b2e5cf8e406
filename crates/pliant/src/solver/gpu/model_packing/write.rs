//! Tables of the solve stage: constraint groups, rows, copies, Jacobi incidence.

use crate::constraints::group::BLOCK;
use crate::contact::particle_contact::search_radius;
use crate::model::Model;
use crate::runtime::gpu::shader_constants::NONE;
use crate::schedule::gpu::constants::TIE_WORDS;
use crate::solver::gpu::model_packing::{GroupOffsets, Tables, common_radius, first_outside};
use crate::state::State;

impl Tables {
    pub(crate) fn put_groups(&mut self, model: &Model) {
        let arena = &mut self.arena;
        for group in &model.groups {
            let layout = group.layout();
            // Batches of patches come first and are packed with their patch.
            let inside = first_outside(group) * BLOCK;
            let (rows, params) = (inside * layout.rows, inside * layout.params);
            self.groups.push(GroupOffsets {
                index: arena.put_topology(group.rows[rows..].iter().copied()).wrapping_sub(rows as u32),
                params: arena.put_params(group.params[params..].iter().copied()).wrapping_sub(params as u32),
                lambda: arena.reserve_lambda(group.blocks() * layout.multipliers * BLOCK),
            });
        }
    }

    pub(crate) fn put_rows(&mut self, model: &Model, state: &State) {
        self.arena.put_params([common_radius(&state.radii)]);
        self.radii = self.arena.put_params(state.radii.iter().copied());
        self.search_radii = self.arena.put_params(state.radii.iter().map(|&radius| search_radius(radius)));
        // Particles of islands; then those whose contacts are solved with their bodies, islands or elastic.
        let bits = |runs: usize| {
            let mut bits = vec![0_u32; state.particles.div_ceil(32)];
            model.runs[..runs].iter().flat_map(|run| run.clone()).for_each(|i| bits[i / 32] |= 1 << (i % 32));
            bits
        };
        self.island_bits = self.arena.put_topology(bits(model.schedule.islands));
        self.arena.put_topology(bits(model.own_contacts()));
    }

    pub(crate) fn put_ties(&mut self, model: &Model, state: &State) {
        let phantoms = &model.phantoms;
        self.seams = self.arena.put_topology(phantoms.ties.iter().flat_map(|tie| {
            let words: [u32; TIE_WORDS as usize] = [tie.owner, tie.first, tie.count, tie.inv_mass.to_bits()];
            words
        }));
        let mut of = vec![NONE; state.particles];
        if self.fused {
            for (k, tie) in phantoms.ties.iter().enumerate().take_while(|(_, tie)| phantoms.on_seam(tie.first)) {
                of[tie.owner as usize] = k as u32;
            }
        }
        self.seam_of = self.arena.put_topology(of);
    }
}
