// WGSL version of attach.rs.

struct Attach { rows: array<vec4<f32>, 2>, lambda: array<f32, 3> }

fn attach(scales: Scales, p: array<f32, 1>, r: array<vec4<f32>, 2>, l: array<f32, 3>) -> Attach {
    let soft = soften(scales, p[0]);
    let all = numerator3(scales, soft, r[0].xyz - r[1].xyz, vec3<f32>(l[0], l[1], l[2]));
    let d = all * safe_recip(r[0].w + r[1].w + soft.alpha);
    return Attach(
        array(vec4<f32>(d * r[0].w, 0.0), vec4<f32>(d * -r[1].w, 0.0)),
        array(l[0] + d.x, l[1] + d.y, l[2] + d.z),
    );
}
