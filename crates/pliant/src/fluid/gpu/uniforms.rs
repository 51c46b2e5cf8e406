//! Uniform record of fluid passes. It has a struct of the same name and layout in WGSL; `tests/gpu/layout.rs` compares
//! them member by member.

use bytemuck::{Pod, Zeroable};

/// Fluids (`fluid.wgsl`, `viscosity_sweeps.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FluidUniforms {
    /// Flags: `TOUCHES`.
    pub mode: u32,
    /// 1 in the first iteration of a substep.
    pub fresh: u32,
    /// Number of the viscosity sweep.
    pub sweep: u32,
    /// First vector in `work` of the steps of the sweep before.
    pub steps_in: u32,
    /// First vector in `work` of the steps of this sweep.
    pub steps_out: u32,
}
