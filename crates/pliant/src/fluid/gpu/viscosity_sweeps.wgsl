// Viscosity of fluids, WGSL version of fluid/cpu/viscosity.rs: each particle sums over its own neighbors.

// Factors of a sweep, after the first one has bounded the spectrum.
fn factors(sweep: u32) -> vec2<f32> {
    return viscosity_factors(max(WIDTH, bitcast<f32>(atomicLoad(&flags[WIDEST]))), sweep);
}

// Velocity that a sweep acts on: that of the particle in the first one, then its last step, `scale` times the stored
// value.
fn flow_of(i: u32, scale: f32) -> vec3<f32> {
    if args.sweep == 0u {
        return motion[velocity_at(i)].xyz;
    }
    return work[args.steps_in + i].xyz * scale;
}

// The first step is stored before its factor is known.
fn scale_after(sweep: u32) -> f32 {
    if sweep == 1u {
        return factors(0u).y;
    }
    return 1.0;
}

// Sweep `args.sweep` of Chebyshev's iteration. A sweep reads the velocities of neighbors, so that it cannot write its own:
// it adds the step of the sweep before, and `rest` the last step.
@compute @workgroup_size(SIZE)
fn viscosity_sweep(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    let scale = scale_after(args.sweep);
    let own = flow_of(i, scale);
    var force = vec3<f32>(0.0);
    var width = 0.0;
    if row.w > 0.0 {
        let mine = viscosity_of(i);
        let list = ranges[i];
        let small = 0.01 * REACH * REACH;
        for (var e = list.x; e < list.x + list.y; e++) {
            let j = near[e];
            let theirs = viscosity_of(j);
            let apart = row.xyz - rows[j].xyz;
            let square = dot(apart, apart);
            let mu = viscosity_pair(mine, theirs) * (10.0 * sub.h) * grip_of(j);
            let drag = select(XSPH_DRAG, 0.0, min(mine, theirs) < 0.0) * grip_of(j);
            let kernel = smoothing(square);
            force += viscosity_pair_resistance(kernel, apart, square, own - flow_of(j, scale), small, mu, drag);
            if args.sweep == 0u {
                width += 2.0 * viscosity_bound(kernel, square, small, mu, drag);
            }
        }
        if mine > 0.0 {
            let walls = wall_drag(i, row.xyz, own, mine);
            force += walls.xyz;
            width += walls.w;
        }
        force *= grip_of(i) * row.w;
        width *= grip_of(i) * row.w;
    }
    var left = -force;
    var step = left;
    if args.sweep == 0u {
        if width > WIDTH {
            atomicMax(&flags[WIDEST], bitcast<u32>(width));
        }
    } else {
        let now = factors(args.sweep);
        left = work[REST + i].xyz - own - force;
        step = own * now.x + left * now.y;
        motion[velocity_at(i)] += vec4<f32>(own, 0.0);
    }
    work[REST + i] = vec4<f32>(left, 0.0);
    work[args.steps_out + i] = vec4<f32>(step, 0.0);
}

// No-slip boundary: velocities behind it are mirrored, so that the fluid is at rest on its surface. Also returns the
// upper bound (w).
fn wall_drag(i: u32, x: vec3<f32>, own: vec3<f32>, mu: f32) -> vec4<f32> {
    var sum = vec4<f32>(0.0);
    for (var c = 0u; c < sub.colliders; c++) {
        if !touches_collider(i, c) {
            continue;
        }
        let o = moving_collider(i, c);
        let away = apart_from(o, x);
        if away.distance >= REACH {
            continue;
        }
        var against = own;
        if args.sweep == 0u {
            let there = x - away.normal * away.distance;
            against -= (there - contact_outward(o.before, contact_inward(o.after, there))) * sub.inv_h;
        }
        let along = against - away.normal * dot(against, away.normal);
        let mirror = 1.0 + RADIUS / max(away.distance, RADIUS);
        sum += vec4<f32>(along, 1.0) * (10.0 * mu * sub.h * viscosity_boundary(SPLINE, REACH, away.distance) * mirror);
    }
    return sum;
}

@compute @workgroup_size(SIZE)
fn viscosity_finish(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || is_frozen() {
        return;
    }
    motion[velocity_at(i)] += vec4<f32>(work[args.steps_in + i].xyz * scale_after(args.sweep), 0.0);
}
