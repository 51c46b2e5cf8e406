//! Constraints on the GPU: WGSL written per kind, constraints packed for workgroups.
//!
//! Dispatches over constraints are part of the solve stage and made in `solver::gpu`.

pub(crate) mod constraint_packing;
pub(crate) mod wgsl_codegen;

use bytemuck::{Pod, Zeroable};

/// Used by every kernel: `lane.rs` and `xpbd.rs`. Functions, structs and constants only.
pub const SHARED_KERNELS: [&str; 2] = [include_str!("../../math/lane.wgsl"), include_str!("../xpbd.wgsl")];

/// Volume of a closed surface.
pub const SURFACE_VOLUME: &str = include_str!("../inflate.wgsl");

/// Passes over constraints of one kind, completed by `wgsl_codegen::whole`.
pub const CONSTRAINT_PASSES: &str = include_str!("constraint.wgsl");

/// Constraints of one kind, in batches, serial or Jacobi (`constraint.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ConstraintUniforms {
    /// Number of constraints.
    pub count: u32,
    /// First word of their row numbers in `topology`.
    pub indices: u32,
    /// First of their numbers in `params`.
    pub params: u32,
    /// First of their multipliers in `lambda`.
    pub multipliers: u32,
    /// First vector in `work` of their Jacobi corrections.
    pub corrections: u32,
    /// 1 in the first iteration of a substep: multipliers start from zero.
    pub fresh: u32,
}
