// WGSL version of neo_hookean_tet.rs.

struct NeoHookeanTet { rows: array<vec4<f32>, 4>, lambda: array<f32, 2> }

fn neo_hookean_tet(scales: Scales, p: array<f32, 12>, r: array<vec4<f32>, 4>, l: array<f32, 2>) -> NeoHookeanTet {
    let e0 = r[1].xyz - r[0].xyz;
    let e1 = r[2].xyz - r[0].xyz;
    let e2 = r[3].xyz - r[0].xyz;
    var f0 = e0 * p[0] + e1 * p[3] + e2 * p[6];
    var f1 = e0 * p[1] + e1 * p[4] + e2 * p[7];
    var f2 = e0 * p[2] + e1 * p[5] + e2 * p[8];
    let b0 = cross(f1, f2);
    let b1 = cross(f2, f0);
    let b2 = cross(f0, f1);
    let start = select(0.0, 1e-2, 1e-8 > dot(b0, b0) + dot(b1, b1) + dot(b2, b2));
    f0.x += start;
    f1.y += start;
    f2.z += start;
    let i = dot(f0, f0) + dot(f1, f1) + dot(f2, f2);
    let c0 = cross(f1, f2);
    let c1 = cross(f2, f0);
    let c2 = cross(f0, f1);
    let u1 = c0 * p[0] + c1 * p[1] + c2 * p[2];
    let u2 = c0 * p[3] + c1 * p[4] + c2 * p[5];
    let u3 = c0 * p[6] + c1 * p[7] + c2 * p[8];
    let u0 = -(u1 + u2 + u3);
    let v1 = (f0 - c0) * p[0] + (f1 - c1) * p[1] + (f2 - c2) * p[2];
    let v2 = (f0 - c0) * p[3] + (f1 - c1) * p[4] + (f2 - c2) * p[5];
    let v3 = (f0 - c0) * p[6] + (f1 - c1) * p[7] + (f2 - c2) * p[8];
    let v0 = -(v1 + v2 + v3);
    let w = vec4<f32>(r[0].w, r[1].w, r[2].w, r[3].w);
    let step = neo_hookean_tet_step(
        scales,
        vec2<f32>(p[10], p[9]),
        vec2<f32>(dot(f0, c0) - p[11], i),
        vec3<f32>(
            w.x * dot(u0, u0) + w.y * dot(u1, u1) + w.z * dot(u2, u2) + w.w * dot(u3, u3),
            w.x * dot(u0, v0) + w.y * dot(u1, v1) + w.z * dot(u2, v2) + w.w * dot(u3, v3),
            w.x * dot(v0, v0) + w.y * dot(v1, v1) + w.z * dot(v2, v2) + w.w * dot(v3, v3),
        ),
        l,
    );
    return NeoHookeanTet(
        array(
            vec4<f32>((u0 * step.x + v0 * step.y) * w.x, 0.0),
            vec4<f32>((u1 * step.x + v1 * step.y) * w.y, 0.0),
            vec4<f32>((u2 * step.x + v2 * step.y) * w.z, 0.0),
            vec4<f32>((u3 * step.x + v3 * step.y) * w.w, 0.0),
        ),
        array(l[0] + (step.x - step.y), l[1] + step.z),
    );
}

// s, r and Δλ₁ of `balanced_step`; `products`: u·W·u, u·W·v, v·W·v.
fn neo_hookean_tet_step(scales: Scales, softness: vec2<f32>, measures: vec2<f32>, products: vec3<f32>, l: array<f32, 2>) -> vec3<f32> {
    let soft = softness * scales.inv_h2;
    let size = 1.0 + measures.y;
    let share = size / (size + 1.0);
    let ratio = share * sqrt(size);
    let uu = soft.x + products.x;
    let uv = products.y - soft.x;
    let vv = soft.x + soft.y * ratio * ratio + products.z;
    let first = measures.x + scales.memory * soft.x * l[0];
    let second = measures.y * share + scales.memory * soft.y * l[1] * ratio;
    let inverse = safe_recip(uu);
    let factor = uv * inverse;
    let pivot = vv - uv * factor;
    let r = (first - second + factor * first) * select(0.0, safe_recip(pivot), pivot > vv * 1e-6);
    return vec3<f32>(-(first * inverse + factor * r), r, r * ratio);
}
