// WGSL version of rope_bending.rs.

struct RopeBending { rows: array<vec4<f32>, 3>, lambda: array<f32, 1> }

fn rope_bending(scales: Scales, p: array<f32, 3>, r: array<vec4<f32>, 3>, l: array<f32, 1>) -> RopeBending {
    let s = (r[0].xyz - r[1].xyz) + (r[2].xyz - r[1].xyz);
    let size = sqrt(dot(s, s));
    let full = delta_lambda(scales, p[1], size - p[0], l[0], r[0].w + 4.0 * r[1].w + r[2].w);
    // The gradient of a straight rope is undefined: λ must not grow there.
    let dl = select(0.0, full, size > 1e-12);
    let along = s * (dl * safe_recip(size));
    return RopeBending(
        array(
            vec4<f32>(along * r[0].w, 0.0),
            vec4<f32>(along * (-2.0 * r[1].w), 0.0),
            vec4<f32>(along * r[2].w, 0.0),
        ),
        array(l[0] + dl),
    );
}
