// The inflate pass of stage solve: one workgroup per closed surface, C = V − p·V₀ (S16, D3).
// Sums go thread by thread in steps of the workgroup, then up a tree: always in the same order.

struct InflateUniforms {
    // First word of the bodies in `topology`.
    bodies: u32,
    // 1 in the first iteration of a substep: multipliers start from zero.
    fresh: u32,
}

@group(0) @binding(9) var<uniform> args: InflateUniforms;

const WIDTH: u32 = 256u;

var<workgroup> partial: array<vec2<f32>, WIDTH>;

// INFLATABLE_WORDS words per body: first particle, particles, offsets, corners, triangles, number of
// triangles, its numbers in `params`, its multiplier, its gradients in `work`.
@compute @workgroup_size(WIDTH)
fn inflate(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let body = args.bodies + INFLATABLE_WORDS * group.x;
    let first = topology[body];
    let particles = topology[body + 1u];
    let offsets = topology[body + 2u];
    let corners = topology[body + 3u];
    let triangles = topology[body + 4u];
    let gradients = topology[body + 8u];
    // Measured from a point of the body: far from the origin the small volume would drown.
    let origin = rows[first].xyz;
    var inv_mass = 0.0;
    for (var k = t; k < particles; k += WIDTH) {
        var gradient = vec3<f32>(0.0);
        for (var n = topology[offsets + k]; n < topology[offsets + k + 1u]; n++) {
            let b = rows[topology[corners + 2u * n]].xyz - origin;
            let c = rows[topology[corners + 2u * n + 1u]].xyz - origin;
            gradient += corner_gradient(b, c);
        }
        work[gradients + k] = vec4<f32>(gradient, 0.0);
        inv_mass += rows[first + k].w * dot(gradient, gradient);
    }
    var volume = 0.0;
    for (var n = t; n < topology[body + 5u]; n += WIDTH) {
        let a = rows[topology[triangles + 3u * n]].xyz - origin;
        let b = rows[topology[triangles + 3u * n + 1u]].xyz - origin;
        let c = rows[topology[triangles + 3u * n + 2u]].xyz - origin;
        volume += triangle_volume(a, b, c);
    }
    partial[t] = vec2<f32>(inv_mass, volume);
    workgroupBarrier();
    for (var half = WIDTH / 2u; half > 0u; half /= 2u) {
        if t < half {
            partial[t] += partial[t + half];
        }
        workgroupBarrier();
    }
    let numbers = topology[body + 6u];
    let at = topology[body + 7u];
    let before = select(lambda[at], 0.0, args.fresh != 0u);
    let dl = delta_lambda(scales(), params[numbers + 1u], partial[0].y - params[numbers], before, partial[0].x);
    for (var k = t; k < particles; k += WIDTH) {
        let row = rows[first + k];
        rows[first + k] = vec4<f32>(row.xyz + work[gradients + k].xyz * (row.w * dl), row.w);
    }
    // All threads must have read the old value.
    storageBarrier();
    if t == 0u {
        lambda[at] = before + dl;
    }
}
