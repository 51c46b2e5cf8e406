//! Passes of descent as dispatches.

use crate::contact::gpu::shaders::ContactFeatures;
use crate::methods::vbd::cpu::CYCLES;
use crate::methods::vbd::gpu::constants::CHUNK_WORDS;
use crate::methods::vbd::gpu::shaders::ElasticFeatures;
use crate::methods::vbd::gpu::tables::ElasticTables;
use crate::methods::vbd::gpu::uniforms::ElasticUniforms;
use crate::runtime::gpu::program::{Command, ProgramWriter};

impl ElasticTables {
    /// All iterations of bodies that nothing else pushes.
    pub fn solve(&self, contact: ContactFeatures, out: &mut ProgramWriter) -> Vec<Command> {
        (1..=CYCLES).flat_map(|cycle| self.iteration(cycle, contact, out)).collect()
    }

    /// One iteration; later ones do what other passes and the last one left to do.
    pub fn iteration(&self, number: u32, contact: ContactFeatures, out: &mut ProgramWriter) -> Vec<Command> {
        if self.bodies == 0 {
            return Vec::new();
        }
        let features = ElasticFeatures { kinds: self.kinds, contact };
        let mut list = Vec::new();
        if number == 1 {
            list.extend(self.start(&features, out));
            list.extend(self.coarse_matrix(&features, out));
        }
        list.extend(self.descend_large(number, &features, out));
        if self.small > 0 {
            list.push(self.small_bodies("descend", number, &features, out));
        }
        list
    }

    /// Where to start from, and the forces there.
    fn start(&self, features: &ElasticFeatures, out: &mut ProgramWriter) -> Vec<Command> {
        let mut list = Vec::new();
        if self.small > 0 {
            list.push(self.small_bodies("start_bodies", 1, features, out));
        }
        let args = self.large_args(1);
        if args.groups > 0 {
            let chunks = args.groups as usize;
            for entry in ["begin", "start_forces", "start_energies", "choose_start", "find_forces"] {
                list.push(out.run(features.vertices(entry), &args, chunks));
            }
        }
        list
    }

    /// A pass over small bodies, a workgroup each.
    fn small_bodies(
        &self,
        entry: &'static str,
        number: u32,
        features: &ElasticFeatures,
        out: &mut ProgramWriter,
    ) -> Command {
        let args = ElasticUniforms { groups: self.small as u32, mode: number, ..self.uniforms };
        out.run(features.bodies(entry, self.body_threads), &args, self.small)
    }

    /// The coarse matrices of all bodies, ready to be solved.
    fn coarse_matrix(&self, features: &ElasticFeatures, out: &mut ProgramWriter) -> Vec<Command> {
        let args = ElasticUniforms { groups: self.uniforms.aggregate_count, mode: 1, ..self.uniforms };
        let aggregates = args.aggregate_count as usize;
        let mut list = vec![out.run(features.aggregates("fit_rotations"), &args, aggregates)];
        let pairs = ElasticUniforms { groups: self.pairs as u32, ..args };
        list.push(out.run(features.assembly(), &pairs, self.pairs));
        if self.direct > 0 {
            let each_body = ElasticUniforms { groups: self.bodies as u32, ..args };
            list.push(out.run(features.coarse("factor"), &each_body, self.bodies));
        }
        list.extend(self.second.invert(features, &args, out));
        list
    }

    /// Uniforms of a pass over the vertices of large bodies.
    fn large_args(&self, number: u32) -> ElasticUniforms {
        ElasticUniforms { groups: self.uniforms.all_chunks, mode: number, ..self.uniforms }
    }

    /// An iteration of large bodies, from the forces on; the first ones are known.
    fn descend_large(&self, number: u32, features: &ElasticFeatures, out: &mut ProgramWriter) -> Vec<Command> {
        let args = self.large_args(number);
        let chunks = args.groups as usize;
        let mut list = Vec::new();
        if chunks == 0 {
            return list;
        }
        let vertices = |out: &mut ProgramWriter, entry| out.run(features.vertices(entry), &args, chunks);
        if number > 1 {
            list.push(vertices(out, "take_impulses"));
            list.push(vertices(out, "find_forces"));
        }
        let each_aggregate = ElasticUniforms { groups: args.aggregate_count, ..args };
        let aggregates = args.aggregate_count as usize;
        list.push(out.run(features.aggregates("restrict_forces"), &each_aggregate, aggregates));
        if self.direct > 0 {
            let each_body = ElasticUniforms { groups: self.bodies as u32, ..args };
            list.push(out.run(features.coarse("solve"), &each_body, self.bodies));
        }
        list.extend(self.second.solve(features, &args, out));
        for entry in ["try_step", "find_trial_forces", "take_step"] {
            list.push(vertices(out, entry));
        }
        for color in &self.colors {
            let first = args.chunks + CHUNK_WORDS * color.start as u32;
            let args = ElasticUniforms { chunks: first, groups: color.len() as u32, ..args };
            list.push(out.run(features.vertices("sweep"), &args, color.len()));
        }
        for _ in 0..2 {
            list.push(out.run(features.momentum("momentum_sums"), &args, chunks));
            list.push(out.run(features.momentum("restore_momentum"), &args, chunks));
        }
        list.push(out.run(features.momentum("write_rows"), &args, chunks));
        list
    }
}
