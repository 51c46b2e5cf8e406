// WGSL version of tether.rs.

struct Tether { rows: array<vec4<f32>, 2>, lambda: array<f32, 1> }

fn tether(scales: Scales, p: array<f32, 2>, r: array<vec4<f32>, 2>, l: array<f32, 1>) -> Tether {
    let d = r[0].xyz - r[1].xyz;
    let size = sqrt(dot(d, d));
    let soft = soften(scales, p[1]);
    let full = numerator(scales, soft, size - p[0], l[0]) * safe_recip(r[0].w + r[1].w + soft.alpha);
    let before = l[0] * scales.memory;
    let sum = before + full;
    // The accumulated multiplier may return to 0, but never push (E16).
    let kept = select(0.0, sum, 0.0 > sum) - before;
    let scale = kept * safe_recip(size);
    return Tether(
        array(vec4<f32>(d * (r[0].w * scale), 0.0), vec4<f32>(d * -(r[1].w * scale), 0.0)),
        array(l[0] + kept),
    );
}
