//! Uniform records of the passes of the solve stage. Each has a struct of the same name and layout in WGSL;
//! `tests/gpu/layout.rs` compares them member by member.

use bytemuck::{Pod, Zeroable};

/// Patches (`patch.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PatchUniforms {
    /// First word of the first patch in the directory.
    pub directory: u32,
    /// Number of patches.
    pub count: u32,
    /// Where rows come from: `PLAIN`, `SEAMS_FIRST` and so on.
    pub mode: u32,
    /// Which half of a patch runs, `FIRST_HALF` or `SECOND_HALF`, or 0 for all of it.
    pub half: u32,
    /// Iterations.
    pub iterations: u32,
    /// First row of the copies of seam particles that are read.
    pub copies_in: u32,
    /// First row of the copies of seam particles that are written.
    pub copies_out: u32,
    /// 1 in the first iteration of a substep: multipliers start from zero.
    pub fresh: u32,
    /// Substeps, one after the other, of a pass that does whole substeps.
    pub substeps: u32,
    /// First vector in `motion` of what copies on seams keep in such a pass: starts, then velocities.
    pub copy_motion: u32,
}

/// Copies of particles (`copies.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CopyUniforms {
    /// Number of particles with copies.
    pub count: u32,
    /// Index of the first of them.
    pub first_tie: u32,
}

/// Volumes of closed surfaces (`inflate.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InflateUniforms {
    /// First word of the bodies in `topology`.
    pub bodies: u32,
    /// 1 in the first iteration of a substep: multipliers start from zero.
    pub fresh: u32,
}
