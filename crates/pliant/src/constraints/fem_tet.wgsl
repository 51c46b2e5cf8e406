// WGSL version of fem_tet.rs, unrolled like `solve6` so that nothing is indexed at run time.

struct FemTet { rows: array<vec4<f32>, 4>, lambda: array<f32, 6> }

// Gradient of one strain component at the four corners.
struct TetGradient { a: vec3<f32>, b: vec3<f32>, c: vec3<f32>, d: vec3<f32> }

// Gradient of F_i·F_j from both columns of F and of D; half of it is that of a diagonal component.
fn tet_gradient(fi: vec3<f32>, di: vec3<f32>, fj: vec3<f32>, dj: vec3<f32>) -> TetGradient {
    let b = fi * dj.x + fj * di.x;
    let c = fi * dj.y + fj * di.y;
    let d = fi * dj.z + fj * di.z;
    return TetGradient(-(b + c + d), b, c, d);
}

fn tet_gradient_diagonal(f: vec3<f32>, d: vec3<f32>) -> TetGradient {
    return TetGradient(-(f * d.x + f * d.y + f * d.z), f * d.x, f * d.y, f * d.z);
}

// ∇Cᵢ·W·∇Cⱼᵀ.
fn tet_weight(w: vec4<f32>, i: TetGradient, j: TetGradient) -> f32 {
    return w.x * dot(i.a, j.a) + w.y * dot(i.b, j.b) + w.z * dot(i.c, j.c) + w.w * dot(i.d, j.d);
}

fn fem_tet(scales: Scales, p: array<f32, 12>, r: array<vec4<f32>, 4>, l: array<f32, 6>) -> FemTet {
    let e0 = r[1].xyz - r[0].xyz;
    let e1 = r[2].xyz - r[0].xyz;
    let e2 = r[3].xyz - r[0].xyz;
    // Columns of D, then of F.
    let d0 = vec3<f32>(p[0], p[3], p[6]);
    let d1 = vec3<f32>(p[1], p[4], p[7]);
    let d2 = vec3<f32>(p[2], p[5], p[8]);
    let f0 = e0 * d0.x + e1 * d0.y + e2 * d0.z;
    let f1 = e0 * d1.x + e1 * d1.y + e2 * d1.z;
    let f2 = e0 * d2.x + e1 * d2.y + e2 * d2.z;
    let g0 = tet_gradient_diagonal(f0, d0);
    let g1 = tet_gradient_diagonal(f1, d1);
    let g2 = tet_gradient_diagonal(f2, d2);
    let g3 = tet_gradient(f1, d1, f2, d2);
    let g4 = tet_gradient(f0, d0, f2, d2);
    let g5 = tet_gradient(f0, d0, f1, d1);
    let a = p[9] * scales.inv_h2;
    let b = p[10] * scales.inv_h2;
    let shear = p[11] * scales.inv_h2;
    let w = vec4<f32>(r[0].w, r[1].w, r[2].w, r[3].w);
    let system = array(
        a + tet_weight(w, g0, g0),
        b + tet_weight(w, g1, g0),
        a + tet_weight(w, g1, g1),
        b + tet_weight(w, g2, g0),
        b + tet_weight(w, g2, g1),
        a + tet_weight(w, g2, g2),
        tet_weight(w, g3, g0),
        tet_weight(w, g3, g1),
        tet_weight(w, g3, g2),
        shear + tet_weight(w, g3, g3),
        tet_weight(w, g4, g0),
        tet_weight(w, g4, g1),
        tet_weight(w, g4, g2),
        tet_weight(w, g4, g3),
        shear + tet_weight(w, g4, g4),
        tet_weight(w, g5, g0),
        tet_weight(w, g5, g1),
        tet_weight(w, g5, g2),
        tet_weight(w, g5, g3),
        tet_weight(w, g5, g4),
        shear + tet_weight(w, g5, g5),
    );
    let dl = solve6(
        system,
        array(
            -((dot(f0, f0) - 1.0) * 0.5 + scales.memory * (a * l[0] + b * (l[1] + l[2]))),
            -((dot(f1, f1) - 1.0) * 0.5 + scales.memory * (a * l[1] + b * (l[0] + l[2]))),
            -((dot(f2, f2) - 1.0) * 0.5 + scales.memory * (a * l[2] + b * (l[0] + l[1]))),
            -(dot(f1, f2) + scales.memory * shear * l[3]),
            -(dot(f0, f2) + scales.memory * shear * l[4]),
            -(dot(f0, f1) + scales.memory * shear * l[5]),
        ),
    );
    let x0 = g0.a * dl[0] + g1.a * dl[1] + g2.a * dl[2] + g3.a * dl[3] + g4.a * dl[4] + g5.a * dl[5];
    let x1 = g0.b * dl[0] + g1.b * dl[1] + g2.b * dl[2] + g3.b * dl[3] + g4.b * dl[4] + g5.b * dl[5];
    let x2 = g0.c * dl[0] + g1.c * dl[1] + g2.c * dl[2] + g3.c * dl[3] + g4.c * dl[4] + g5.c * dl[5];
    let x3 = g0.d * dl[0] + g1.d * dl[1] + g2.d * dl[2] + g3.d * dl[3] + g4.d * dl[4] + g5.d * dl[5];
    return FemTet(
        array(vec4<f32>(x0 * w.x, 0.0), vec4<f32>(x1 * w.y, 0.0), vec4<f32>(x2 * w.z, 0.0), vec4<f32>(x3 * w.w, 0.0)),
        array(l[0] + dl[0], l[1] + dl[1], l[2] + dl[2], l[3] + dl[3], l[4] + dl[4], l[5] + dl[5]),
    );
}
