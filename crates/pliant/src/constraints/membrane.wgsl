// WGSL version of membrane.rs.

struct Membrane { rows: array<vec4<f32>, 3>, lambda: array<f32, 3> }

// Gradient of one strain component at the three corners.
struct MembraneGradient { a: vec3<f32>, b: vec3<f32>, c: vec3<f32> }

// From the derivatives by f₀ and f₁ times s; `d`: the inverse rest edges.
fn membrane_gradient(by_f0: vec3<f32>, by_f1: vec3<f32>, d: vec4<f32>, inverse: f32) -> MembraneGradient {
    let b = (by_f0 * d.x + by_f1 * d.y) * inverse;
    let c = (by_f0 * d.z + by_f1 * d.w) * inverse;
    return MembraneGradient(-(b + c), b, c);
}

// ∇Cᵢ·W·∇Cⱼᵀ.
fn membrane_weight(w: vec3<f32>, i: MembraneGradient, j: MembraneGradient) -> f32 {
    return w.x * dot(i.a, j.a) + w.y * dot(i.b, j.b) + w.z * dot(i.c, j.c);
}

fn membrane(scales: Scales, p: array<f32, 7>, r: array<vec4<f32>, 3>, l: array<f32, 3>) -> Membrane {
    let e1 = r[1].xyz - r[0].xyz;
    let e2 = r[2].xyz - r[0].xyz;
    let d = vec4<f32>(p[0], p[1], p[2], p[3]);
    let f0 = e1 * d.x + e2 * d.z;
    let f1 = e1 * d.y + e2 * d.w;
    let normal = cross(f0, f1);
    let j = length(normal);
    let n = normal * safe_recip(j);
    let inverse = safe_recip(sqrt(dot(f0, f0) + dot(f1, f1) + 2.0 * j));
    let q0 = cross(f1, n);
    let q1 = cross(n, f0);
    let s0 = (dot(f0, f0) + j) * inverse;
    let s1 = (dot(f1, f1) + j) * inverse;
    let twist = 2.0 * (dot(f0, f1) * inverse);
    let r0 = (f0 + q0) * inverse;
    let r1 = (f1 + q1) * inverse;
    let g0 = membrane_gradient(f0 + f0 + q0 - r0 * s0, q1 - r1 * s0, d, inverse);
    let g1 = membrane_gradient(q0 - r0 * s1, f1 + f1 + q1 - r1 * s1, d, inverse);
    let g2 = membrane_gradient(f1 + f1 - r0 * twist, f0 + f0 - r1 * twist, d, inverse);
    let a = p[4] * scales.inv_h2;
    let b = p[5] * scales.inv_h2;
    let shear = p[6] * scales.inv_h2;
    let w = vec3<f32>(r[0].w, r[1].w, r[2].w);
    let system = array(
        a + membrane_weight(w, g0, g0),
        b + membrane_weight(w, g1, g0),
        a + membrane_weight(w, g1, g1),
        membrane_weight(w, g2, g0),
        membrane_weight(w, g2, g1),
        shear + membrane_weight(w, g2, g2),
    );
    let before = scales.memory * vec3<f32>(a * l[0] + b * l[1], b * l[0] + a * l[1], shear * l[2]);
    let dl = solve3(system, -(vec3<f32>(s0 - 1.0, s1 - 1.0, twist) + before));
    return Membrane(
        array(
            vec4<f32>((g0.a * dl.x + g1.a * dl.y + g2.a * dl.z) * w.x, 0.0),
            vec4<f32>((g0.b * dl.x + g1.b * dl.y + g2.b * dl.z) * w.y, 0.0),
            vec4<f32>((g0.c * dl.x + g1.c * dl.y + g2.c * dl.z) * w.z, 0.0),
        ),
        array(l[0] + dl.x, l[1] + dl.y, l[2] + dl.z),
    );
}
