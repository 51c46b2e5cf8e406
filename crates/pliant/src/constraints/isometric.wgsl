// WGSL version of isometric.rs.

struct Isometric { rows: array<vec4<f32>, 4>, lambda: array<f32, 1> }

fn isometric(scales: Scales, p: array<f32, 7>, r: array<vec4<f32>, 4>, l: array<f32, 1>) -> Isometric {
    // Relative to the first row, so its own term is 0.
    let origin = r[0].xyz;
    let s = (r[1].xyz - origin) * p[1] + (r[2].xyz - origin) * p[2] + (r[3].xyz - origin) * p[3];
    let size = sqrt(dot(s, s));
    let weight = r[0].w * p[0] * p[0] + r[1].w * p[1] * p[1] + r[2].w * p[2] * p[2] + r[3].w * p[3] * p[3];
    let full = delta_lambda(scales, p[5], size - p[4], l[0], weight);
    // The gradient of a flat hinge is undefined: λ must not grow there.
    let dl = select(0.0, full, size > 1e-12);
    let along = s * (dl * safe_recip(size));
    return Isometric(
        array(
            vec4<f32>(along * (r[0].w * p[0]), 0.0),
            vec4<f32>(along * (r[1].w * p[1]), 0.0),
            vec4<f32>(along * (r[2].w * p[2]), 0.0),
            vec4<f32>(along * (r[3].w * p[3]), 0.0),
        ),
        array(l[0] + dl),
    );
}
