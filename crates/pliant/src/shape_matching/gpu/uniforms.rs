//! Uniform record of shape matching. It has a struct of the same name and layout in WGSL; `tests/gpu/layout.rs` compares
//! them member by member.

use bytemuck::{Pod, Zeroable};

/// Shape matching (`shape_matching.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ShapeMatchingUniforms {
    /// Number of bodies.
    pub body_count: u32,
    /// First vector of the pieces of bodies.
    pub pieces: u32,
    /// Number of pieces.
    pub piece_count: u32,
    /// First vector of the members: rest offset and mass.
    pub members: u32,
    /// First vector of the rows of members, or `NONE` where the rows of each body are consecutive.
    pub member_rows: u32,
    /// First vector of where the members of each row start.
    pub row_starts: u32,
    /// First vector of the numbers of those members.
    pub row_members: u32,
    /// First vector in `work` of the sums of pieces, then of the goals of bodies.
    pub sums: u32,
    /// First vector in `work` of the moves of members.
    pub moves: u32,
    /// Rotation extraction method.
    pub extraction: u32,
    /// 1 in the first iteration of a substep.
    pub fresh: u32,
    /// 1 where rows are those that stabilization between particles has moved.
    pub parted: u32,
    /// First vector in `constants` of the shortest ways out of bodies at rest.
    pub rest_fields: u32,
}
