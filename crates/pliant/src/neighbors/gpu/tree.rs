//! Linear bounding volume hierarchy on the device: construction dispatches (S31, D4 §5.2).
//!
//! As on the CPU: 63-bit Morton codes, ties by particle index, Karras' radix tree with boxes, small nodes as leaves of
//! several slots. The sort of 63 bits is a pair of 32-bit sorts, the second stable over the first.

use crate::neighbors::gpu::uniforms::PyramidUniforms;
use crate::neighbors::gpu::{CELLS, GROUP, QUERY, Shared, THREADS, grid, sort};
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::Buffer;

pub(crate) const BOXES: &str = include_str!("boxes.wgsl");

/// Slots per workgroup of pyramid.wgsl: two per thread.
const SLOTS: usize = 512;

/// Levels built by one dispatch: log₂ of [`SLOTS`].
const LEVELS: u32 = 9;

/// Threads per workgroup that builds forks.
const NODE_THREADS: usize = 64;

/// Bits of the words of a code, low word first.
const CODE_BITS: [u32; 2] = [32, 31];

const _: () = assert!(CODE_BITS[0] + CODE_BITS[1] == crate::neighbors::CODE_BITS);
const _: () = assert!(crate::neighbors::MAX_DEPTH == 92, "search_tree.wgsl has a stack of that depth");

/// Construction dispatches, and the forks.
pub(crate) fn build(builder: &mut PassBuilder<'_>, shared: &Shared<'_>) -> Result<(Vec<Step>, Buffer), GpuError> {
    let n = shared.particles;
    let text = [QUERY, CELLS, BOXES, include_str!("tree.wgsl"), GROUP];
    let [encode, high_keys, build_nodes] =
        ["encode", "high_keys", "build_nodes"].map(|entry| builder.pipeline(entry, &text));
    let pairs = sort::Pairs::new(builder, n)?;
    let codes = builder.words("codes", 2 * n)?;
    let (keys, values) = (&pairs.keys[0], &pairs.values[0]);
    let mut steps = grid::bounds(builder, shared, None)?;
    let bound = [(0, &shared.query), (1, shared.rows), (2, &codes), (3, keys), (4, values), (5, &shared.cells)];
    steps.push(builder.step(&encode?, &bound, n.div_ceil(THREADS))?);
    let sorter = sort::Shaders::new(builder, n)?;
    for (k, bits) in CODE_BITS.into_iter().enumerate() {
        if k > 0 {
            let bound = [(0, &shared.query), (2, &codes), (3, keys), (4, values)];
            steps.push(builder.step(high_keys.as_ref().map_err(Clone::clone)?, &bound, n.div_ceil(THREADS))?);
        }
        let (passes, end) = sorter.passes(builder, &pairs, bits)?;
        // An even number of passes ends where it began.
        assert_eq!(end, 0);
        steps.extend(passes);
    }
    let boxes = pyramid(builder, shared, values, &mut steps)?;
    let forks = builder.words("forks", 16 * n.saturating_sub(1))?;
    let bound = [
        (0, &shared.query),
        (2, &codes),
        (3, keys),
        (4, values),
        (6, &shared.slots),
        (7, &shared.tags),
        (8, &boxes),
        (9, &forks),
    ];
    steps.push(builder.step(&build_nodes?, &bound, n.saturating_sub(1).div_ceil(NODE_THREADS))?);
    Ok((steps, forks))
}

/// Gathers slots, and builds boxes of 2, 4, 8… of them.
fn pyramid(
    builder: &mut PassBuilder<'_>,
    shared: &Shared<'_>,
    values: &Buffer,
    steps: &mut Vec<Step>,
) -> Result<Buffer, GpuError> {
    let text = [QUERY, BOXES, include_str!("pyramid.wgsl"), GROUP];
    let (build_leaves, build_levels) =
        (builder.pipeline("build_leaves", &text)?, builder.pipeline("build_levels", &text)?);
    let bottom = shared.particles.next_power_of_two().max(2);
    let boxes = builder.words("boxes", 8 * bottom)?;
    let mut bound = shared.particles_and_slots().to_vec();
    bound.extend([(4, values), (5, &boxes)]);
    steps.push(builder.step(&build_leaves, &bound, shared.particles.div_ceil(SLOTS))?);
    let mut level = LEVELS;
    // While the level has two nodes to join.
    while bottom >> level > 1 {
        let args = builder.record("pyramid uniforms", &PyramidUniforms { level, ..PyramidUniforms::default() })?;
        let groups = shared.particles.div_ceil(SLOTS << level);
        steps.push(builder.step(&build_levels, &[(0, &shared.query), (5, &boxes), (10, &args)], groups)?);
        level += LEVELS;
    }
    Ok(boxes)
}
