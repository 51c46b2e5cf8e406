//! Uniform record of the passes of descent.

use bytemuck::{Pod, Zeroable};

/// All passes (`bindings.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ElasticUniforms {
    /// Number of vertices.
    pub vertices: u32,
    /// First word in `topology` of the row of each vertex; its aggregate; where its elements start in `constants`.
    pub vertex_words: u32,
    /// First vector in `constants` of the modes of each vertex; its rest position.
    pub vertex_vectors: u32,
    /// First word in `topology` of the chunks of this pass.
    pub chunks: u32,
    /// Number of workgroups of this pass.
    pub groups: u32,
    /// First word in `topology` of the bodies.
    pub bodies: u32,
    /// First word in `topology` of the aggregates.
    pub aggregates: u32,
    /// Number of aggregates.
    pub aggregate_count: u32,
    /// First word in `topology` of the pairs of aggregates.
    pub pairs: u32,
    /// First word in `topology` of the first entry of each row of the matrix, less its first column.
    pub matrix_rows: u32,
    /// First vector in `work` of the arrays by vertex; then rotations of aggregates, then sums of chunks, then bodies.
    pub work: u32,
    /// First number in `lambda` of the masses; then the unknowns, then the matrix.
    pub numbers: u32,
    /// Number of unknowns.
    pub unknowns: u32,
    /// Number of chunks of all vertices.
    pub all_chunks: u32,
    /// 1 if velocities are differences of positions (BDF1).
    pub first_order: u32,
    /// Number of the pass in the substep, or whether it is the last of its kind.
    pub mode: u32,
    /// Workgroups that share one item of the list.
    pub slices: u32,
    /// First word in `topology` of the bodies that one workgroup each solves.
    pub small_bodies: u32,
}
