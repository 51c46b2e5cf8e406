// What all shaders of this room see. `words` and THREADS are declared by the module that is put together (`shaders`).

// Numbers of a mesh and a grid; `Record` in `plan.rs` writes them. All but `job` are the same in every record.
struct Record {
    // Voxels along x, y, z, and words of a row.
    dims: vec4<u32>,
    // Axes of the projection, axis of the columns, bits behind the point.
    axes: vec4<u32>,
    // Triangles, and where places of vertices, triangles and half places begin in `mesh`.
    mesh: vec4<u32>,
    // Levels above voxels, depth at which voxels merge (bits), room for particles, words of all levels.
    merge: vec4<u32>,
    // Edge of a voxel [m] (bits), 0, workgroups of `count`, unused.
    scale: vec4<u32>,
    // Distance of a column's voxels, their number, what is wanted (WANTS_ bits), level that blocks are made from.
    job: vec4<u32>,
}

// All voxels, not only those inside.
const WANTS_ALL: u32 = 1u;
// Distances in place of numbers of sites.
const WANTS_PHI: u32 = 2u;

// Levels (eight words each), then half places, places of vertices, triangles.
@group(0) @binding(0) var<storage, read> mesh: array<u32>;
// Numbers of nearest sites; distances in the end (bits).
@group(0) @binding(2) var<storage, read_write> codes: array<u32>;
@group(0) @binding(3) var<storage, read_write> others: array<u32>;
// Depth (bits; 0 where it is not joined) and voxel of the gradient, of all blocks.
@group(0) @binding(4) var<storage, read_write> blocks: array<vec2<u32>>;
// First particle of each level and the number of all, masks of what is left, their sums, sums of sums.
@group(0) @binding(5) var<storage, read_write> marks: array<u32>;
// Center and radius [m], gradient and distance [m] of particles (bits: a zero may have a sign).
@group(0) @binding(6) var<storage, read_write> places: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> shapes: array<vec4<u32>>;
@group(0) @binding(8) var<uniform> record: Record;

// Words before those of voxels.
const STATUS: u32 = 16u;
// Words of `marks` before the masks; the last of them is the number of all particles.
const STARTS: u32 = 16u;
const EMPTY: u32 = 0x7fffffffu;
const INSIDE: u32 = 0x80000000u;

// One of many workgroups that are laid out in two dimensions.
fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// A level's numbers: 0 to 2 blocks along each axis, 3 words of a row, 4 first word, 5 first block,
// 6 radius [m] (bits), 7 what merging adds to the depth [voxels] (bits).
fn level_number(level: u32, k: u32) -> u32 {
    return mesh[8u * level + k];
}

fn level_dims(level: u32) -> vec3<u32> {
    return vec3<u32>(level_number(level, 0u), level_number(level, 1u), level_number(level, 2u));
}
