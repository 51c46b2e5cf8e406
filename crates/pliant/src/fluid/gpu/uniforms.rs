//! Uniform record of fluid passes. It has a struct of the same name and layout in WGSL; `tests/gpu/layout.rs` compares
//! them member by member.

use bytemuck::{Pod, Zeroable};

/// Fluids (`fluid.wgsl`, `viscosity_sweeps.wgsl`, `projection.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FluidUniforms {
    /// Flags: `TOUCHES`, and those of [`crate::fluid::gpu::constants`].
    pub mode: u32,
    /// 1 in the first iteration of a substep.
    pub fresh: u32,
    /// Number of the viscosity sweep.
    pub sweep: u32,
    /// First vector in `work` of the steps of the sweep before.
    pub steps_in: u32,
    /// First vector in `work` of the steps of this sweep.
    pub steps_out: u32,
    /// Momentum of a sweep of the Laplacian.
    pub momentum: f32,
    /// Times that collider contacts follow a correction of positions.
    pub repeats: u32,
}
