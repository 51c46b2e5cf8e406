//! Uniform grid with wrap-around on the device: construction dispatches (S30, D4 §5.1.1).

use crate::neighbors::Construction;
use crate::neighbors::gpu::scan::Scan;
use crate::neighbors::gpu::sort;
use crate::neighbors::gpu::{CELLS, GROUP, QUERY, Shared, THREADS};
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::pass_builder::{PassBuilder, Step};
use wgpu::Buffer;

/// Maximum number of buckets per particle, as on the CPU.
const PLACES_PER_PARTICLE: usize = 4;

/// Maximum number of workgroups that compute bounds: the threads of one, see bounds.wgsl.
const MAX_BOUNDS_GROUPS: usize = 256;

/// Number of buckets allocated for the table.
pub(crate) fn places(particles: usize) -> usize {
    (particles * PLACES_PER_PARTICLE).max(64)
}

/// Bounds, largest radius, cells, header reset; also clears the table, if given.
pub(crate) fn bounds(
    builder: &mut PassBuilder<'_>,
    shared: &Shared<'_>,
    table: Option<&Buffer>,
) -> Result<Vec<Step>, GpuError> {
    let text = [QUERY, CELLS, include_str!("bounds.wgsl")];
    // At least one workgroup, which reports an empty set.
    let groups = shared.particles.div_ceil(THREADS).clamp(1, MAX_BOUNDS_GROUPS);
    let parts = builder.words("bounds", 8 * groups)?;
    let entry = if table.is_some() { "compute_bounds_and_clear" } else { "compute_bounds" };
    let (first, second) = (builder.pipeline(entry, &text)?, builder.pipeline("finish_bounds", &text)?);
    let mut bound = vec![(0, &shared.query), (1, shared.rows), (2, shared.radii), (3, &parts)];
    bound.extend(table.map(|table| (4, table)));
    Ok(vec![
        builder.step(&first, &bound, groups)?,
        builder.step(&second, &[(0, &shared.query), (3, &parts), (5, &shared.cells), (6, &shared.header)], 1)?,
    ])
}

/// Construction dispatches, and the table of first slots.
pub(crate) fn build(
    builder: &mut PassBuilder<'_>,
    shared: &Shared<'_>,
    construction: Construction,
) -> Result<(Vec<Step>, Buffer), GpuError> {
    let table = builder.words("table", places(shared.particles) + 1)?;
    let steps = match construction {
        Construction::Counting => counting(builder, shared, &table)?,
        Construction::Sorting => sorting(builder, shared, &table)?,
    };
    Ok((steps, table))
}

/// Sorts the particles of each cell.
pub(crate) fn sort_cells(builder: &PassBuilder<'_>, shared: &Shared<'_>, table: &Buffer) -> Result<Step, GpuError> {
    let pipeline = builder.pipeline("sort_cells", &[QUERY, include_str!("sort_cells.wgsl"), GROUP])?;
    let bound = [(0, &shared.query), (1, &shared.slots), (2, &shared.tags), (6, table)];
    builder.step(&pipeline, &bound, places(shared.particles).div_ceil(THREADS))
}

const TEXT: [&str; 4] = [QUERY, CELLS, include_str!("grid.wgsl"), GROUP];

fn counting(builder: &mut PassBuilder<'_>, shared: &Shared<'_>, table: &Buffer) -> Result<Vec<Step>, GpuError> {
    let n = shared.particles;
    let (count, fill) = (builder.pipeline("count", &TEXT)?, builder.pipeline("fill", &TEXT)?);
    let spots = builder.words("spots", 2 * n)?;
    let mut steps = bounds(builder, shared, Some(table))?;
    let bound = [(0, &shared.query), (1, shared.rows), (4, &shared.cells), (5, table), (7, &spots)];
    steps.push(builder.step(&count, &bound, n.div_ceil(THREADS))?);
    steps.extend(Scan::steps(builder, table, places(n) + 1)?);
    let mut bound = shared.particles_and_slots().to_vec();
    bound.extend([(6, table), (7, &spots)]);
    steps.push(builder.step(&fill, &bound, n.div_ceil(THREADS))?);
    Ok(steps)
}

fn sorting(builder: &mut PassBuilder<'_>, shared: &Shared<'_>, table: &Buffer) -> Result<Vec<Step>, GpuError> {
    let n = shared.particles;
    let [label, fetch, begin] = ["label", "fetch", "begin"].map(|entry| builder.pipeline(entry, &TEXT));
    let pairs = sort::Pairs::new(builder, n)?;
    // Bucket indices are below the allocated number.
    let bits = places(n).next_power_of_two().ilog2();
    let (passes, end) = sort::Shaders::new(builder, n)?.passes(builder, &pairs, bits)?;
    let mut steps = bounds(builder, shared, None)?;
    let (keys, values) = (&pairs.keys, &pairs.values);
    let bound = [(0, &shared.query), (1, shared.rows), (4, &shared.cells), (10, &keys[0]), (11, &values[0])];
    steps.push(builder.step(&label?, &bound, n.div_ceil(THREADS))?);
    steps.extend(passes);
    let mut bound = shared.particles_and_slots().to_vec();
    bound.push((11, &values[end]));
    steps.push(builder.step(&fetch?, &bound, n.div_ceil(THREADS))?);
    let bound = [(0, &shared.query), (4, &shared.cells), (6, table), (10, &keys[end])];
    steps.push(builder.step(&begin?, &bound, (places(n) + 1).div_ceil(THREADS))?);
    Ok(steps)
}
