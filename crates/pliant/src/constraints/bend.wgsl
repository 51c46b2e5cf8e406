// WGSL version of bend.rs.

struct Bend { rows: array<vec4<f32>, 4>, lambda: array<f32, 1> }

fn bend(scales: Scales, p: array<f32, 2>, r: array<vec4<f32>, 4>, l: array<f32, 1>) -> Bend {
    let e = r[3].xyz - r[2].xyz;
    // Wing edges from both ends of the hinge edge.
    let a2 = r[2].xyz - r[0].xyz;
    let a3 = r[3].xyz - r[0].xyz;
    let b2 = r[2].xyz - r[1].xyz;
    let b3 = r[3].xyz - r[1].xyz;
    let square = dot(e, e);
    let per_size = safe_inverse_sqrt(square);
    let size = square * per_size;
    let n0 = cross(a2, a3);
    let n1 = cross(b3, b2);
    let theta = arctangent(dot(cross(n0, n1), e) * per_size, dot(n0, n1));
    let u0 = n0 * safe_recip(dot(n0, n0));
    let u1 = n1 * safe_recip(dot(n1, n1));
    let along = e * per_size;
    let g0 = u0 * -size;
    let g1 = u1 * -size;
    let g2 = u0 * dot(a3, along) + u1 * dot(b3, along);
    let g3 = u0 * -dot(a2, along) + u1 * -dot(b2, along);
    let weight = r[0].w * dot(g0, g0) + r[1].w * dot(g1, g1) + r[2].w * dot(g2, g2) + r[3].w * dot(g3, g3);
    let dl = delta_lambda(scales, p[1], bend_difference(theta, p[0]), l[0], weight);
    return Bend(
        array(
            vec4<f32>(g0 * (r[0].w * dl), 0.0),
            vec4<f32>(g1 * (r[1].w * dl), 0.0),
            vec4<f32>(g2 * (r[2].w * dl), 0.0),
            vec4<f32>(g3 * (r[3].w * dl), 0.0),
        ),
        array(l[0] + dl),
    );
}

fn bend_difference(theta: f32, rest: f32) -> f32 {
    let wide = theta - rest;
    let less = select(wide, wide - 6.2831855, wide > 3.1415927);
    return select(less, less + 6.2831855, -3.1415927 > less);
}
