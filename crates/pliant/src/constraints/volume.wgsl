// WGSL version of volume.rs.

struct Volume { rows: array<vec4<f32>, 4>, lambda: array<f32, 1> }

fn volume(scales: Scales, p: array<f32, 2>, r: array<vec4<f32>, 4>, l: array<f32, 1>) -> Volume {
    let e1 = r[1].xyz - r[0].xyz;
    let e2 = r[2].xyz - r[0].xyz;
    let e3 = r[3].xyz - r[0].xyz;
    // Six times the gradients: the factor 1/6 is applied once, to the scalars.
    let g1 = cross(e2, e3);
    let g2 = cross(e3, e1);
    let g3 = cross(e1, e2);
    let g0 = -(g1 + g2 + g3);
    let inv_mass = r[0].w * dot(g0, g0) + r[1].w * dot(g1, g1) + r[2].w * dot(g2, g2) + r[3].w * dot(g3, g3);
    let c = dot(g3, e3) * (1.0 / 6.0) - p[0];
    let dl = delta_lambda(scales, p[1], c, l[0], inv_mass * (1.0 / 36.0));
    let s = dl * (1.0 / 6.0);
    return Volume(
        array(
            vec4<f32>(g0 * (r[0].w * s), 0.0),
            vec4<f32>(g1 * (r[1].w * s), 0.0),
            vec4<f32>(g2 * (r[2].w * s), 0.0),
            vec4<f32>(g3 * (r[3].w * s), 0.0),
        ),
        array(l[0] + dl),
    );
}
