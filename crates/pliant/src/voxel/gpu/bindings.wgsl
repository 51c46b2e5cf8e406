// Bindings common to the voxel shaders. `words` and THREADS are declared by the generated module (`shaders`).

// Parameters of a mesh and a grid, written by `Record` in `plan.rs`. All but `job` are the same in every record.
struct Record {
    // Voxels along x, y, z, and words per row.
    dims: vec4<u32>,
    // Axes of the projection, axis of the columns, fraction bits.
    axes: vec4<u32>,
    // Number of triangles, and offsets of vertex positions, triangles and half positions in `mesh`.
    mesh: vec4<u32>,
    // Levels above voxels, merge depth (bits), particle capacity, words of all levels.
    merge: vec4<u32>,
    // Edge length of a voxel [m] (bits), 0, workgroups of `count`, unused.
    scale: vec4<u32>,
    // Stride of a column's voxels, their number, requested output (WANTS_ bits), level that blocks are made from.
    job: vec4<u32>,
}

// All voxels, not only inside ones.
const WANTS_ALL: u32 = 1u;
// Distances instead of site codes.
const WANTS_PHI: u32 = 2u;

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
@group(0) @binding(8) var<uniform> record: Record;

// Status words before those of voxels.
const STATUS: u32 = 16u;
// Words of `masks` before the first mask; the last of them is the total number of particles.
const STARTS: u32 = 16u;
const EMPTY: u32 = 0x7fffffffu;
const INSIDE: u32 = 0x80000000u;

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
