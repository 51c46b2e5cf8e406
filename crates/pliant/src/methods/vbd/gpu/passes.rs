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
        let first = number == 1;
        let args = ElasticUniforms { groups: self.uniforms.all_chunks, mode: number, ..self.uniforms };
        let each_body = ElasticUniforms { groups: self.bodies as u32, ..args };
        let chunks = args.all_chunks as usize;
        let mut list = Vec::new();
        let mut vertices = |out: &mut ProgramWriter, entry| list.push(out.run(features.vertices(entry), &args, chunks));
        if first {
            vertices(out, "begin");
            vertices(out, "start_forces");
            vertices(out, "start_energies");
            vertices(out, "choose_start");
        } else {
            vertices(out, "take_impulses");
        }
        vertices(out, "find_forces");
        let each_aggregate = ElasticUniforms { groups: args.aggregate_count, ..args };
        let aggregates = args.aggregate_count as usize;
        list.push(out.run(features.aggregates("restrict_forces"), &each_aggregate, aggregates));
        if first {
            list.push(out.run(features.aggregates("fit_rotations"), &each_aggregate, aggregates));
            let pairs = ElasticUniforms { groups: self.pairs as u32, ..args };
            list.push(out.run(features.assembly(), &pairs, self.pairs));
            if self.direct > 0 {
                list.push(out.run(features.coarse("factor"), &each_body, self.bodies));
            }
            list.extend(self.second.invert(&features, &args, out));
        }
        if self.direct > 0 {
            list.push(out.run(features.coarse("solve"), &each_body, self.bodies));
        }
        list.extend(self.second.solve(&features, &args, out));
        let mut vertices = |out: &mut ProgramWriter, entry| list.push(out.run(features.vertices(entry), &args, chunks));
        vertices(out, "try_step");
        vertices(out, "find_trial_forces");
        vertices(out, "take_step");
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
