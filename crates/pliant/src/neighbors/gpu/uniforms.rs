//! Uniform records of the neighbor search; the shaders of the same name document the fields.

use bytemuck::{Pod, Zeroable};

/// Record of a search (`query.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct QueryUniforms {
    /// Number of particles.
    pub particles: u32,
    /// Capacity of the lists [entries].
    pub capacity: u32,
    /// First word of radii.
    pub radii_at: u32,
    /// First word of phases.
    pub phases_at: u32,
    /// Margin [m].
    pub margin: f32,
    /// 1 if only the smaller index of a pair lists the other.
    pub once: u32,
    /// 0 if all particles have phase 0.
    pub phased: u32,
    /// Buckets of the grid's table.
    pub places: u32,
    /// 0.
    pub zero: u32,
    /// Search structure: 1 the grid, 2 the tree.
    pub used: u32,
    /// First particle among the rows.
    pub rows_at: u32,
    /// Number of environments, at least 1.
    pub environments: u32,
}

/// Record of a scan (`scan.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ScanUniforms {
    /// Number of elements.
    pub count: u32,
    /// Alignment.
    pub unused_0: u32,
    /// Alignment.
    pub unused_1: u32,
    /// Alignment.
    pub unused_2: u32,
}

/// Record of a pass over levels of boxes (`pyramid.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PyramidUniforms {
    /// The input level.
    pub level: u32,
    /// Alignment.
    pub unused_0: u32,
    /// Alignment.
    pub unused_1: u32,
    /// Alignment.
    pub unused_2: u32,
}

/// Record of a pass of the radix sort (`sort.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SortUniforms {
    /// Number of pairs.
    pub count: u32,
    /// Right shift of the digit.
    pub shift: u32,
    /// Mask of the digit, after the shift.
    pub last: u32,
    /// Number of blocks.
    pub blocks: u32,
}
