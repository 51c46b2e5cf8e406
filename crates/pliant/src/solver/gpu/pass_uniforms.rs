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

/// Move of a state to the backend of an edited model (`device_carry.wgsl`).
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CarryUniforms {
    /// Words that are written, or particles.
    pub count: u32,
    /// Words of an element.
    pub stride: u32,
    /// First word in the old buffer.
    pub from_at: u32,
    /// First word in the new buffer.
    pub to_at: u32,
    /// First word of the old numbers.
    pub map_at: u32,
    /// Number of colliders before.
    pub colliders_before: u32,
    /// Number of colliders.
    pub colliders: u32,
    /// First word of impulses before.
    pub impulses_before: u32,
    /// First word of impulses.
    pub impulses: u32,
    /// First word of the old numbers of colliders.
    pub collider_map: u32,
    /// Alignment.
    pub unused_0: u32,
    /// Alignment.
    pub unused_1: u32,
}

/// Impulses and velocities of an object (`motion_change.wgsl`).
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct MotionChangeUniforms {
    /// First row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
    /// Rows of an array of `motion`.
    pub rows: u32,
    /// Arrays of `motion`: with four of them there is a history.
    pub arrays: u32,
    /// First word in `flags` of the orders of particles, or `NONE`.
    pub orders: u32,
    /// First word in `flags` of contact masks.
    pub masks: u32,
    /// Words of a contact mask; 0 where masks stay.
    pub mask_words: u32,
    /// `SETS_VELOCITY`, `TURNS`, `AT_POINT`.
    pub mode: u32,
    /// Velocity that is added or set [m/s].
    pub linear: [f32; 4],
    /// Angular impulse about the center of mass [N·m·s], or angular velocity that is set [rad/s].
    pub angular: [f32; 4],
    /// Impulse at a point [N·s].
    pub impulse: [f32; 4],
    /// The point [m].
    pub point: [f32; 4],
}

/// Search for the particles in a box (`near.wgsl`).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct NearUniforms {
    /// Lower corner of the box [m].
    pub low: [f32; 4],
    /// Upper corner of the box [m].
    pub high: [f32; 4],
    /// Number of particles.
    pub particles: u32,
    /// First number of radii in `params`.
    pub radii: u32,
    /// First word of phases in `topology`.
    pub phases: u32,
    /// Entries for which there is memory.
    pub room: u32,
}
