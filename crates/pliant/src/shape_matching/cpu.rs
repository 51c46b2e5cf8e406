//! Passes of shape-matched bodies on the CPU.

use crate::math::RowData;
use crate::runtime::cpu::{Isa, Threads};
use crate::schedule::passes::Pass;
use crate::shape_matching::{Extraction, MatchSettings, ShapeMatch, match_shapes};

/// Chunks of a body's particles per thread, at least.
const GRAIN: usize = 16;

/// Numbers that the passes need.
#[derive(Clone, Copy)]
pub(crate) struct RigidSettings {
    /// Length of the substep [s].
    pub(crate) h: f32,
    /// Iterations of the substep.
    pub(crate) iterations: u32,
    /// How rotations are extracted.
    pub(crate) extraction: Extraction,
}

/// Runs a pass.
pub(crate) fn run(
    pass: &Pass,
    (threads, isa): (&Threads, Isa),
    settings: RigidSettings,
    shapes: &mut ShapeMatch,
    rows: &mut [RowData],
) {
    match pass {
        Pass::BeginBodies | Pass::BeginBodySolve => shapes.begin(settings.h, settings.iterations),
        Pass::ShapeMatching => match_all((threads, isa), settings.extraction, &[], shapes, rows),
        Pass::Plasticity => shapes.flow(settings.h),
        other => unreachable!("{other:?} is no pass of bodies"),
    }
}

/// One shape matching iteration over all bodies but those for which `skip` is true; it may be empty.
pub(crate) fn match_all(
    (threads, isa): (&Threads, Isa),
    extraction: Extraction,
    skip: &[bool],
    shapes: &mut ShapeMatch,
    rows: &mut [RowData],
) {
    let grain = if threads.count() > 1 { GRAIN } else { usize::MAX };
    match_shapes(shapes, rows, &MatchSettings { extraction, weights: None, grain, isa, forced: true, skip });
}
