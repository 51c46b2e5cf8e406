//! Jacobi passes on the GPU: corrections by constraint, then a sum by row. Both forms of the CPU are this one.

use crate::constraints::group::BLOCK;
use crate::methods::{ConstraintModel, GpuSolve, MethodTables};
use crate::runtime::gpu::program::{Bindings, Command, ShaderPart, ShaderSource};
use crate::runtime::gpu::shader_constants::NONE;
use crate::runtime::gpu::tables::TableArena;
use crate::scene::Method as Projection;
use bytemuck::{Pod, Zeroable};

/// Sum of Jacobi corrections (`jacobi.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct JacobiUniforms {
    /// First word in `topology` of where the entries of each row start.
    pub starts: u32,
    /// First word in `topology` of the entries.
    pub entries: u32,
    /// First vector in `work` of the corrections that entries number.
    pub corrections: u32,
}

/// Sum of Jacobi corrections.
pub fn jacobi_apply() -> ShaderSource {
    ShaderSource::new("jacobi_apply", Bindings::SHARED, vec![ShaderPart::from(include_str!("jacobi.wgsl"))])
}

/// Corrections of all constraints, and which of them act on each row.
pub(super) fn put_tables(model: &ConstraintModel<'_>, arena: &mut TableArena) -> MethodTables {
    let sizes = model.groups.iter().map(|group| group.blocks() * group.layout().rows * BLOCK);
    let firsts: Vec<usize> = sizes
        .clone()
        .scan(0, |sum, size| {
            *sum += size;
            Some(*sum - size)
        })
        .collect();
    let corrections = arena.reserve_work(sizes.sum());
    let incidence = model.incidence;
    let starts = arena.put_topology(incidence.offsets.iter().copied());
    let entries = arena.put_topology(incidence.entries.iter().map(|e| {
        let group = usize::from(e.group);
        let n = model.groups[group].layout().rows;
        let (block, lane) = (e.slot as usize / BLOCK, e.slot as usize % BLOCK);
        (firsts[group] + (block * n + usize::from(e.place)) * BLOCK + lane) as u32
    }));
    let xpbd = model.settings.method != Projection::Pbd;
    let counts = incidence.offsets.windows(2).map(|w| (w[1] - w[0]) as f32);
    MethodTables {
        offsets: vec![starts, entries, corrections],
        corrections: firsts.iter().map(|&first| corrections + first as u32).collect(),
        counts: if xpbd { arena.put_params(counts) } else { NONE },
    }
}

/// The dispatches of an iteration.
pub(super) fn encode(gpu: &mut GpuSolve<'_>) -> Vec<Command> {
    let mut list: Vec<Command> = (0..gpu.groups).map(|group| (gpu.constraints)(gpu.out, group, "jacobi")).collect();
    let [starts, entries, corrections] = gpu.tables.offsets[..] else { return list };
    let args = JacobiUniforms { starts, entries, corrections };
    list.push(gpu.out.run_each(jacobi_apply(), &args, gpu.rows));
    list
}
