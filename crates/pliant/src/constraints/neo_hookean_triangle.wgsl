// WGSL version of neo_hookean_triangle.rs.

struct NeoHookeanTriangle { rows: array<vec4<f32>, 3>, lambda: array<f32, 2> }

fn neo_hookean_triangle(scales: Scales, p: array<f32, 7>, r: array<vec4<f32>, 3>, l: array<f32, 2>) -> NeoHookeanTriangle {
    let e1 = r[1].xyz - r[0].xyz;
    let e2 = r[2].xyz - r[0].xyz;
    let f0 = e1 * p[0] + e2 * p[2];
    let f1 = e1 * p[1] + e2 * p[3];
    let i = dot(f0, f0) + dot(f1, f1);
    let normal = cross(f0, f1);
    let area = length(normal);
    let n = normal * safe_recip(area);
    let c0 = cross(f1, n);
    let c1 = cross(n, f0);
    let u1 = c0 * p[0] + c1 * p[1];
    let u2 = c0 * p[2] + c1 * p[3];
    let u0 = -(u1 + u2);
    let v1 = (f0 - c0) * p[0] + (f1 - c1) * p[1];
    let v2 = (f0 - c0) * p[2] + (f1 - c1) * p[3];
    let v0 = -(v1 + v2);
    let w = vec3<f32>(r[0].w, r[1].w, r[2].w);
    // `balanced_step`.
    let soft = vec2<f32>(p[5], p[4]) * scales.inv_h2;
    let size = 1.0 + i;
    let share = size / (size + 1.0);
    let ratio = share * sqrt(size);
    let uu = soft.x + w.x * dot(u0, u0) + w.y * dot(u1, u1) + w.z * dot(u2, u2);
    let uv = w.x * dot(u0, v0) + w.y * dot(u1, v1) + w.z * dot(u2, v2) - soft.x;
    let vv = soft.x + soft.y * ratio * ratio + w.x * dot(v0, v0) + w.y * dot(v1, v1) + w.z * dot(v2, v2);
    let first = area - p[6] + scales.memory * soft.x * l[0];
    let second = i * share + scales.memory * soft.y * l[1] * ratio;
    let inverse = safe_recip(uu);
    let factor = uv * inverse;
    let pivot = vv - uv * factor;
    let along = (first - second + factor * first) * select(0.0, safe_recip(pivot), pivot > vv * 1e-6);
    let s = -(first * inverse + factor * along);
    return NeoHookeanTriangle(
        array(
            vec4<f32>((u0 * s + v0 * along) * w.x, 0.0),
            vec4<f32>((u1 * s + v1 * along) * w.y, 0.0),
            vec4<f32>((u2 * s + v2 * along) * w.z, 0.0),
        ),
        array(l[0] + (s - along), l[1] + along * ratio),
    );
}
