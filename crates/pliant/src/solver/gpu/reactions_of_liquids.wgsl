// Impulse of the pressure of a liquid particle on a piece of a rigid body: the particle moves by w·λ·∇C, with ∇C = rate·normal,
// and the body takes the opposite momentum. WGSL version of `pressure_impulses` in fluid/cpu/boundary.rs.

fn pressure_on(i: u32, row: vec4<f32>, o: MovingCollider) -> Reaction {
    let none = Reaction(vec3<f32>(0.0), vec3<f32>(0.0));
    if i < sub.wet || row.w == 0.0 {
        return none;
    }
    let multiplier = work[CARRIED + i].w;
    if multiplier == 0.0 {
        return none;
    }
    let depth = solid_around(o, row.xyz, REACH);
    let distance = -depth.inside;
    if distance >= REACH {
        return none;
    }
    var bend = 0.0;
    // A sphere smaller than the kernel is treated as a plane. Setback shrinks the sphere.
    if o.shape == SPHERE && o.size.w > REACH {
        bend = 1.0 / (o.size.w - SETBACK);
    }
    let delta = distance + SETBACK;
    let rate = boundary_share(SPLINE, REACH, delta, bend).y;
    let impulse = depth.normal * (-multiplier * rate * sub.inv_h);
    return Reaction(impulse, cross(row.xyz - depth.normal * delta - o.after.position.xyz, impulse));
}

fn presses_by_projection(i: u32) -> bool {
    return false;
}
