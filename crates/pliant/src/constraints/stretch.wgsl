// WGSL version of stretch.rs.

struct Stretch { rows: array<vec4<f32>, 2>, lambda: array<f32, 1> }

fn stretch(scales: Scales, p: array<f32, 2>, r: array<vec4<f32>, 2>, l: array<f32, 1>) -> Stretch {
    let d = r[0].xyz - r[1].xyz;
    let square = dot(d, d);
    let per_size = safe_inverse_sqrt(square);
    let size = square * per_size;
    let soft = soften(scales, p[1]);
    // Δλ/|d|; 0 for coincident points, which have no direction: λ must not grow there. The root and the reciprocal
    // are independent.
    let scale = numerator(scales, soft, size - p[0], l[0]) * (per_size * safe_recip(r[0].w + r[1].w + soft.alpha));
    return Stretch(
        array(vec4<f32>(d * (r[0].w * scale), 0.0), vec4<f32>(d * -(r[1].w * scale), 0.0)),
        array(l[0] + scale * size),
    );
}
