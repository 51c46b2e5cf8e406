//! Volume constraints of inflatables: tables and pass.
//!
//! One constraint joins all particles of a body, so that the pass is one of the solve stage and not of a constraint kind.

use crate::constraints::inflate::Inflatable;
use crate::runtime::gpu::program::{Command, ProgramWriter};
use crate::runtime::gpu::tables::TableArena;
use crate::solver::gpu::pass_uniforms::InflateUniforms;
use crate::solver::gpu::shader_constants::INFLATABLE_WORDS;
use crate::solver::gpu::shaders;

/// Offsets of the tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct InflatableTables {
    /// Bodies in `topology`, [`INFLATABLE_WORDS`] each.
    bodies: u32,
    count: usize,
    /// Two numbers of each body in `params`.
    params: u32,
}

impl InflatableTables {
    /// Writes the tables.
    pub fn new(inflatables: &[Inflatable], arena: &mut TableArena) -> Self {
        let params = arena.params.len() as u32;
        let mut directory = Vec::new();
        for body in inflatables {
            let words: [u32; INFLATABLE_WORDS as usize] = [
                body.run().start as u32,
                body.particles.len() as u32,
                arena.put_topology(body.offsets.iter().copied()),
                arena.put_topology(body.corners.iter().flatten().copied()),
                arena.put_topology(body.triangles.iter().flatten().copied()),
                body.triangles.len() as u32,
                arena.put_params(numbers(body)),
                arena.reserve_lambda(1),
                arena.reserve_work(body.particles.len()),
            ];
            directory.extend(words);
        }
        Self { bodies: arena.put_topology(directory), count: inflatables.len(), params }
    }

    /// Writes the numbers of the bodies again, after they have changed.
    pub fn refresh(&self, inflatables: &[Inflatable], arena: &mut TableArena) {
        for (k, body) in inflatables.iter().enumerate() {
            let at = self.params as usize + 2 * k;
            arena.params[at..at + 2].copy_from_slice(&numbers(body));
        }
    }

    /// One iteration.
    pub fn project(&self, fresh: u32, out: &mut ProgramWriter) -> Command {
        out.run(shaders::inflate(), &InflateUniforms { bodies: self.bodies, fresh }, self.count)
    }
}

/// Wanted volume [m³] and softness.
fn numbers(body: &Inflatable) -> [f32; 2] {
    [body.pressure * body.rest_volume, body.softness]
}
