// Vertex normals of the surface, for drawing. Each particle gathers its own triangles in a fixed order, so sums
// need no atomics and are the same in every run.

@group(0) @binding(0) var<storage, read> rows: array<vec4<f32>>;
// Where each particle's corners start, one more at the end; then two particles per corner.
@group(0) @binding(1) var<storage, read> topology: array<u32>;
@group(0) @binding(2) var<storage, read_write> normals: array<vec4<f32>>;

@compute @workgroup_size(SIZE)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let particle = (group.y * groups.x + group.x) * SIZE + local;
    if particle >= arrayLength(&normals) {
        return;
    }
    let at = rows[particle].xyz;
    var sum = vec3<f32>(0.0);
    let end = topology[particle + 1u];
    for (var k = topology[particle]; k < end; k += 2u) {
        // Twice the area times the normal: the sum weights by area for free.
        sum += cross(rows[topology[k]].xyz - at, rows[topology[k + 1u]].xyz - at);
    }
    // Scaled before it is squared: the square of a small triangle's area would be lost below 1e-38.
    let largest = max(max(abs(sum.x), abs(sum.y)), abs(sum.z));
    var normal = vec3<f32>(0.0);
    if largest > 1e-30 {
        normal = normalize(sum / largest);
    }
    normals[particle] = vec4<f32>(normal, 0.0);
}
