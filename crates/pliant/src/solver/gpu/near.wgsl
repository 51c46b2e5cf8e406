// Lists the active particles whose spheres reach into a box. The order of the list is that in which threads came; the host
// sorts it.

struct NearUniforms {
    low: vec4<f32>,
    high: vec4<f32>,
    particles: u32,
    // First number of radii in `params`, first word of phases in `topology`.
    radii: u32,
    phases: u32,
    // Entries for which there is room.
    room: u32,
}

@group(0) @binding(0) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> params: array<f32>;
@group(0) @binding(2) var<storage, read> topology: array<u32>;
@group(0) @binding(3) var<uniform> near: NearUniforms;
// Number of particles found, three words for nothing, then number and position of each.
@group(0) @binding(4) var<storage, read_write> found: array<atomic<u32>>;

@compute @workgroup_size(SIZE)
fn rows_near(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = (group.y * groups.x + group.x) * SIZE + local;
    if i >= near.particles {
        return;
    }
    let row = rows[i];
    let radius = params[near.radii + i];
    let apart = any(row.xyz + radius < near.low.xyz) || any(row.xyz - radius > near.high.xyz);
    if apart || (near.phases != NONE && topology[near.phases + i] == NONE) {
        return;
    }
    let k = atomicAdd(&found[0], 1u);
    if k < near.room {
        atomicStore(&found[4u + 4u * k], i);
        atomicStore(&found[5u + 4u * k], bitcast<u32>(row.x));
        atomicStore(&found[6u + 4u * k], bitcast<u32>(row.y));
        atomicStore(&found[7u + 4u * k], bitcast<u32>(row.z));
    }
}
