// Bindings common to the voxel shaders. `words` and THREADS are declared by the generated module (`shaders`).

// Uniform record, written by `plan.rs`. All but the last four fields are the same in every pass.
struct VoxelUniforms {
    // Voxels along x, y, z, and words per row.
    dims: vec3<u32>,
    row_words: u32,
    // Axes of the projection and of its columns; fraction bits of snapped positions.
    axes: vec3<u32>,
    fraction_bits: u32,
    // Number of triangles, and first words of vertex positions, triangles and half positions in `mesh`.
    triangle_count: u32,
    positions_at: u32,
    triangles_at: u32,
    half_positions_at: u32,
    // Levels above voxels.
    levels: u32,
    // Merge depth [voxels] (bits).
    merge_depth: u32,
    // Particles for which there is memory.
    capacity: u32,
    // Words of all levels.
    level_words: u32,
    // Edge length of a voxel [m].
    edge: f32,
    // 0, not known at compile time.
    zero: u32,
    // Workgroups of `count`.
    count_groups: u32,
    // Pass over columns: distance of consecutive voxels, and their number.
    column_stride: u32,
    column_length: u32,
    // Requested output: WANTS_ bits.
    wants: u32,
    // Level that `join` makes blocks from.
    level_below: u32,
    unused: u32,
}

// Levels (eight words each), then half positions, vertex positions, triangles.
@group(0) @binding(0) var<storage, read> mesh: array<u32>;
// Codes of nearest sites; finally distances (bits).
@group(0) @binding(2) var<storage, read_write> codes: array<u32>;
@group(0) @binding(3) var<storage, read_write> others: array<u32>;
// Depth (bits; 0 if not merged) and gradient voxel of all blocks.
@group(0) @binding(4) var<storage, read_write> blocks: array<vec2<u32>>;
// First particle of each level and the total, masks of unmerged blocks, their sums, sums of sums.
@group(0) @binding(5) var<storage, read_write> masks: array<u32>;
// Center and radius [m], gradient and distance [m] of particles (bits: a zero may have a sign).
@group(0) @binding(6) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> shapes: array<vec4<u32>>;
@group(0) @binding(8) var<uniform> args: VoxelUniforms;

// Linear index of a workgroup in a two-dimensional dispatch.
fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// Parameters of a level: 0 to 2 blocks along each axis, 3 words per row, 4 first word, 5 first block,
// 6 radius [m] (bits), 7 depth added by merging [voxels] (bits).
fn level_number(level: u32, k: u32) -> u32 {
    return mesh[8u * level + k];
}

fn level_dims(level: u32) -> vec3<u32> {
    return vec3<u32>(level_number(level, 0u), level_number(level, 1u), level_number(level, 2u));
}
