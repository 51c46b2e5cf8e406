// WGSL version of rod.rs: both kinds of an elastic rod. Rows that are orientations are quaternions (x, y, z, w).

struct StretchShear { rows: array<vec4<f32>, 3>, lambda: array<f32, 3> }

struct BendTwist { rows: array<vec4<f32>, 2>, lambda: array<f32, 3> }

fn rod_third_axis(q: vec4<f32>) -> vec3<f32> {
    return vec3<f32>(
        2.0 * (q.x * q.z + q.w * q.y),
        2.0 * (q.y * q.z - q.w * q.x),
        q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z,
    );
}

fn rod_times_pure(q: vec4<f32>, d: vec3<f32>) -> vec4<f32> {
    return vec4<f32>(d * q.w + cross(q.xyz, d), -dot(q.xyz, d));
}

fn rod_turn(q: vec4<f32>, dq: vec4<f32>) -> vec4<f32> {
    let to = q + dq;
    return to * safe_recip(sqrt(dot(to, to))) - q;
}

fn stretch_shear(scales: Scales, p: array<f32, 3>, r: array<vec4<f32>, 3>, l: array<f32, 3>) -> StretchShear {
    let q = r[2];
    let per_size = safe_recip(p[0]);
    let third = rod_third_axis(q);
    let c = (r[1].xyz - r[0].xyz) * per_size - third;
    // Along the segment only the particles can move: an orientation rotates but does not stretch.
    let axial = (r[0].w + r[1].w) * per_size * per_size;
    let lateral = axial + 4.0 * p[1];
    let soft = soften(scales, p[2]);
    let all = numerator3(scales, soft, c, vec3<f32>(l[0], l[1], l[2]));
    let along = third * dot(all, third);
    let across = (all - along) * safe_recip(lateral + soft.alpha);
    let d = along * safe_recip(axial + soft.alpha) + across;
    let dq = vec4<f32>(
        q.z * across.x - q.w * across.y - q.x * across.z,
        q.w * across.x + q.z * across.y - q.y * across.z,
        dot(q.xyz, across),
        q.y * across.x - q.x * across.y + q.w * across.z,
    ) * (-2.0 * p[1]);
    return StretchShear(
        array(
            vec4<f32>(d * -(r[0].w * per_size), 0.0),
            vec4<f32>(d * (r[1].w * per_size), 0.0),
            rod_turn(q, dq),
        ),
        array(l[0] + d.x, l[1] + d.y, l[2] + d.z),
    );
}

fn bend_twist(scales: Scales, p: array<f32, 8>, r: array<vec4<f32>, 2>, l: array<f32, 3>) -> BendTwist {
    let a = r[0];
    let b = r[1];
    let between = vec4<f32>(b.xyz * a.w - a.xyz * b.w - cross(a.xyz, b.xyz), a.w * b.w + dot(a.xyz, b.xyz));
    let rest = vec4<f32>(p[2], p[3], p[4], p[5]);
    let near = between - rest;
    let far = between + rest;
    // q and −q are the same rotation: compare with the nearer of the two rest quaternions.
    let c = select(near, far, dot(near, near) > dot(far, far));
    let inv_inertia = p[0] + p[1];
    // The third axis is along the rod: its component is torsion.
    let bending = soften(scales, p[6]);
    let torsion = soften(scales, p[7]);
    let yields = safe_recip(inv_inertia + bending.alpha);
    let d = vec3<f32>(
        numerator(scales, bending, c.x, l[0]) * yields,
        numerator(scales, bending, c.y, l[1]) * yields,
        numerator(scales, torsion, c.z, l[2]) * safe_recip(inv_inertia + torsion.alpha),
    );
    return BendTwist(
        array(rod_turn(a, rod_times_pure(b, d * -p[0])), rod_turn(b, rod_times_pure(a, d * p[1]))),
        array(l[0] + d.x, l[1] + d.y, l[2] + d.z),
    );
}
