// WGSL version of fem_triangle.rs.

struct FemTriangle { rows: array<vec4<f32>, 3>, lambda: array<f32, 3> }

// Gradient of one strain component at the three corners.
struct TriangleGradient { a: vec3<f32>, b: vec3<f32>, c: vec3<f32> }

fn triangle_gradient(b: vec3<f32>, c: vec3<f32>) -> TriangleGradient {
    return TriangleGradient(-(b + c), b, c);
}

// ∇Cᵢ·W·∇Cⱼᵀ.
fn triangle_weight(w: vec3<f32>, i: TriangleGradient, j: TriangleGradient) -> f32 {
    return w.x * dot(i.a, j.a) + w.y * dot(i.b, j.b) + w.z * dot(i.c, j.c);
}

fn fem_triangle(scales: Scales, p: array<f32, 7>, r: array<vec4<f32>, 3>, l: array<f32, 3>) -> FemTriangle {
    let e1 = r[1].xyz - r[0].xyz;
    let e2 = r[2].xyz - r[0].xyz;
    let f0 = e1 * p[0] + e2 * p[2];
    let f1 = e1 * p[1] + e2 * p[3];
    let c = vec3<f32>((dot(f0, f0) - 1.0) * 0.5, (dot(f1, f1) - 1.0) * 0.5, dot(f0, f1));
    let g0 = triangle_gradient(f0 * p[0], f0 * p[2]);
    let g1 = triangle_gradient(f1 * p[1], f1 * p[3]);
    let g2 = triangle_gradient(f0 * p[1] + f1 * p[0], f0 * p[3] + f1 * p[2]);
    let a = p[4] * scales.inv_h2;
    let b = p[5] * scales.inv_h2;
    let shear = p[6] * scales.inv_h2;
    let w = vec3<f32>(r[0].w, r[1].w, r[2].w);
    let system = array(
        a + triangle_weight(w, g0, g0),
        b + triangle_weight(w, g1, g0),
        a + triangle_weight(w, g1, g1),
        triangle_weight(w, g2, g0),
        triangle_weight(w, g2, g1),
        shear + triangle_weight(w, g2, g2),
    );
    let before = scales.memory * vec3<f32>(a * l[0] + b * l[1], b * l[0] + a * l[1], shear * l[2]);
    let dl = solve3(system, -(c + before));
    return FemTriangle(
        array(
            vec4<f32>((g0.a * dl.x + g1.a * dl.y + g2.a * dl.z) * w.x, 0.0),
            vec4<f32>((g0.b * dl.x + g1.b * dl.y + g2.b * dl.z) * w.y, 0.0),
            vec4<f32>((g0.c * dl.x + g1.c * dl.y + g2.c * dl.z) * w.z, 0.0),
        ),
        array(l[0] + dl.x, l[1] + dl.y, l[2] + dl.z),
    );
}
