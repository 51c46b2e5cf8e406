//! Shape matching passes of a substep as dispatches.

use crate::runtime::gpu::program::{Command, ProgramWriter};
use crate::shape_matching::gpu::shaders::shape_matching;
use crate::shape_matching::gpu::tables::ShapeMatchingTables;
use crate::shape_matching::gpu::uniforms::ShapeMatchingUniforms;

/// Shape matching of `particles` particles. `fresh`: 1 in the first iteration of a substep; `parted`: rows are those that
/// stabilization between particles has moved.
pub fn match_shapes(
    tables: &ShapeMatchingTables,
    particles: usize,
    fresh: u32,
    parted: bool,
    out: &mut ProgramWriter,
) -> Vec<Command> {
    let args = ShapeMatchingUniforms { fresh, parted: u32::from(parted), ..tables.uniforms };
    let passes = tables.passes(particles);
    passes.into_iter().map(|(entry, groups)| out.run(shape_matching(entry), &args, groups)).collect()
}

/// Plastic flow of rest shapes, if any body is plastic.
pub fn plastic_flow(tables: &ShapeMatchingTables, out: &mut ProgramWriter) -> Option<Command> {
    let (args, bodies) = (&tables.uniforms, tables.uniforms.body_count as usize);
    tables.plastic.then(|| out.run_each(shape_matching("shape_flow"), args, bodies))
}

/// Rotates the shortest ways out of bodies, which are at `rest_fields` in `constants`, with the bodies.
pub fn turn_surface_fields(tables: &ShapeMatchingTables, rest_fields: u32, out: &mut ProgramWriter) -> Command {
    let args = ShapeMatchingUniforms { rest_fields, ..tables.uniforms };
    out.run(shape_matching("turn_surface_fields"), &args, tables.pieces)
}
