// Pressure by projection of velocities, WGSL version of fluid/cpu/projection.rs: each particle sums over its own neighbors
// and writes only itself.
//
// Rigid bodies: see projection_bodies.wgsl.
//
// In `work`, per particle: from MATRIX on, the diagonal of L and λ; from MATRIX_ACROSS on, the rest of L and the diagonal
// of the Laplacian; from SLOPES on, the derivative of the rate of compression by its own velocity, and the rate by moving
// walls less what is allowed; from SMOOTHED on, velocities; from REST on, the right-hand side, the change of λ after the
// last sweep, the least change, and the diagonal again; while positions are corrected, the multiplier of that in its third
// number; from UNBOUNDED on, where there are rigid bodies, the derivative without walls, and the share of the exact gradient, or
// −1 near a body where that share is 0. SMOOTHED has how near a particle is to a body in its fourth number while velocities
// are filtered, then the rate of compression by moving bodies. GRADIENTS are overwritten by velocities. From `steps_in` and `steps_out` on, positions with the change of λ.

// A collider as a wall for a particle at `x`.
fn wall_of(i: u32, c: u32, x: vec3<f32>) -> Wall {
    var none: Wall;
    if !touches_collider(i, c) {
        return none;
    }
    let o = moving_collider(i, c);
    let away = apart_from(o, x);
    if away.distance >= select(REACH, BODY_RANGE * REACH, is_piece(c)) {
        return none;
    }
    let share = boundary_share(SPLINE, REACH, away.distance + SETBACK, bend_of(o));
    let there = x - away.normal * away.distance;
    let velocity = (there - contact_outward(o.before, contact_inward(o.after, there))) * sub.inv_h;
    let wall = projection_wall(share, away.distance, SETBACK, RADIUS, away.normal, velocity);
    if is_piece(c) {
        return projection_body_wall(wall, boundary_share(SPLINE, REACH, away.distance, bend_of(o)).y, RADIUS);
    }
    return wall;
}

// Derivative of the rate of compression by the velocity of a wall.
fn slope_by(wall: Wall, l: Symmetric) -> vec3<f32> {
    return wall.normal * (dot(wall.normal, projection_times(l, wall.normal)) * wall.slope);
}

// Place on a wall next to a particle, from the center of the body.
fn arm_at(wall: Wall, body: u32, x: vec3<f32>) -> vec3<f32> {
    return x - wall.normal * (wall.gap + RADIUS) - body_motion(body, BODY_CENTER);
}

// As `whose`, in passes that may be in vain.
fn participant(thread: Thread) -> u32 {
    if is_in_vain(args.mode) {
        return NONE;
    }
    return whose(thread);
}

// Number of colliders that may be walls for a row.
fn walls_of(row: vec4<f32>) -> u32 {
    return select(0u, sub.colliders, row.w > 0.0);
}

fn matrix_of(i: u32) -> Symmetric {
    return Symmetric(work[MATRIX + i].xyz, work[MATRIX_ACROSS + i].xyz);
}

// S·v of the velocities from `at` on.
fn smoothed(i: u32, x: vec3<f32>, at: u32) -> vec3<f32> {
    let own = work[at + i].xyz;
    let list = ranges[i];
    var sum = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let apart = x - rows[j].xyz;
        sum += (own - work[at + j].xyz) * smoothing(dot(apart, apart)).x;
    }
    return own - sum * VOLUME;
}

// Matrices, diagonals and allowed rates at the current positions. FILTERS: also velocities against those of neighbors.
// SEALED: with the diagonal of a solution without earlier pressures.
@compute @workgroup_size(SIZE)
fn measure_neighbors(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    let own = motion[velocity_at(i)].xyz;
    let filters = (args.mode & FILTERS) != 0u;
    let list = ranges[i];
    var sums = vec2<f32>(0.0);
    var gradient = vec3<f32>(0.0);
    var moments = Symmetric(vec3<f32>(0.0), vec3<f32>(0.0));
    var against = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let apart = row.xyz - rows[j].xyz;
        let kernel = smoothing(dot(apart, apart)) * VOLUME;
        sums += kernel;
        gradient += apart * kernel.y;
        moments = projection_add_outer(moments, apart, -kernel.y);
        if filters {
            against += (own - motion[velocity_at(j)].xyz) * kernel.x;
        }
    }
    let colliders = walls_of(row);
    var open = 1.0;
    for (var c = 0u; c < colliders; c++) {
        let wall = wall_of(i, c, row.xyz);
        if wall.near {
            moments = projection_add_outer(moments, wall.normal, wall.moment);
            open *= 1.0 - wall.share;
        }
    }
    let l = projection_correction(moments);
    let plain = projection_times(l, gradient);
    gradient = plain;
    var moving = 0.0;
    var near_body = 0.0;
    for (var c = 0u; c < colliders; c++) {
        let wall = wall_of(i, c, row.xyz);
        if wall.near {
            let by = slope_by(wall, l);
            gradient -= by;
            if is_piece(c) {
                near_body = max(near_body, projection_nearness(REACH, wall.gap + RADIUS));
                if wall.slope != 0.0 {
                    atomicStore(&flags[ACTING], 1u);
                }
            } else {
                moving += dot(by, wall.velocity);
            }
        }
    }
    let compression = sums.x + VOLUME * smoothing(0.0).x - 1.0 + (1.0 - open);
    var across = projection_diagonal(-2.0 * sums.y, LATTICE_DIAGONAL, 1.0 - open);
    if BODIES {
        if (args.mode & SEALED) != 0u {
            across = projection_closed_diagonal(-2.0 * sums.y, LATTICE_DIAGONAL, 1.0 - open);
        }
        var exact = 0.0;
        if near_body > 0.0 {
            exact = near_body * (1.0 - projection_open_share(-2.0 * sums.y, LATTICE_DIAGONAL, 1.0 - open).y);
            exact = select(-1.0, exact, exact > 0.0);
        }
        work[UNBOUNDED + i] = vec4<f32>(plain, exact);
    }
    work[MATRIX + i] = vec4<f32>(l.along, -work[CARRIED + i].w / sub.h);
    work[MATRIX_ACROSS + i] = vec4<f32>(l.across, across);
    work[SLOPES + i] = vec4<f32>(gradient, moving - projection_allowed_rate(compression, sub.h));
    if filters {
        work[SMOOTHED + i] = vec4<f32>(against, near_body);
    }
}

// Force by pressure near a body: the share of the exact gradient, from the sum of λ·∇W, and that by the difference of the
// pressure at bodies from that of the particle, which has the gradient that accelerates the liquid as the body.
fn force_near_body(i: u32, row: vec4<f32>, adjoint: vec3<f32>, direct: vec3<f32>) -> vec3<f32> {
    let plain = work[UNBOUNDED + i];
    let lambda = work[MATRIX + i].w;
    let l = matrix_of(i);
    var of_bodies = vec3<f32>(0.0);
    var largest = 0.0;
    let colliders = walls_of(row);
    for (var c = sub.body_colliders; c < colliders; c++) {
        let wall = wall_of(i, c, row.xyz);
        if wall.near && wall.slope != 0.0 {
            let body = body_of(c);
            let gained = gained_velocity(body, arm_at(wall, body, row.xyz));
            let apart = wall.normal * (wall.gap + RADIUS);
            let more = -dot(apart, sub.gravity * sub.h - gained) * (DENSITY * VOLUME);
            of_bodies += slope_by(wall, l) * more;
            largest = max(largest, abs(more));
        }
    }
    let exact = max(plain.w, 0.0);
    let gradient = projection_times(l, direct * VOLUME) - plain.xyz * lambda;
    // A wall does not pull, nor does it push with more than twice the pressure.
    var share = 1.0;
    if largest > lambda {
        share = lambda / largest;
    }
    return adjoint * (1.0 - exact) + gradient * exact - of_bodies * share;
}

// Change of velocity by pressure, not smoothed. FILTERS: the second half of the filter, a difference of differences, whose
// sign is that of the velocity against its neighbors.
@compute @workgroup_size(SIZE)
fn pressure_force(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    let filters = (args.mode & FILTERS) != 0u;
    let own = work[SMOOTHED + i];
    let list = ranges[i];
    var push = vec3<f32>(0.0);
    var direct = vec3<f32>(0.0);
    var against = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let apart = row.xyz - rows[j].xyz;
        let kernel = smoothing(dot(apart, apart));
        let along = work[MATRIX + j];
        push += projection_times(Symmetric(along.xyz, work[MATRIX_ACROSS + j].xyz), apart) * (kernel.y * along.w);
        if BODIES {
            direct += apart * (kernel.y * along.w);
        }
        if filters {
            against += (own.xyz - work[SMOOTHED + j].xyz) * kernel.x;
        }
    }
    var force = work[SLOPES + i].xyz * work[MATRIX + i].w + push * VOLUME;
    if BODIES && work[UNBOUNDED + i].w != 0.0 {
        force = force_near_body(i, row, force, direct);
    }
    work[GRADIENTS + i] = vec4<f32>(force * -row.w, 0.0);
    if filters && row.w > 0.0 {
        let at = velocity_at(i);
        let strength = select(FILTER, FILTER * (1.0 - (1.0 - FILTER_AT_BODY) * own.w), BODIES);
        motion[at] = vec4<f32>(motion[at].xyz - against * (VOLUME * strength), 0.0);
    }
}

// Velocities with the smoothed change by pressure, stopped at walls. FALLS: with what gravity adds until pressure acts.
@compute @workgroup_size(SIZE)
fn expect_velocities(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    var v = motion[velocity_at(i)].xyz + smoothed(i, row.xyz, GRADIENTS);
    if row.w > 0.0 && (args.mode & FALLS) != 0u {
        v += sub.gravity * sub.h;
    }
    var moving = 0.0;
    let colliders = walls_of(row);
    for (var c = 0u; c < colliders; c++) {
        let wall = wall_of(i, c, row.xyz);
        if wall.near {
            v = projection_stop_at_wall(wall, v, sub.h);
            if is_piece(c) && wall.slope != 0.0 {
                let body = body_of(c);
                let arm = arm_at(wall, body, row.xyz);
                let velocity = changed_velocity(body, body_motion(body, BODY_BASE), body_motion(body, BODY_BASE + 1u), arm);
                moving += dot(slope_by(wall, matrix_of(i)), velocity);
            }
        }
    }
    work[SMOOTHED + i] = vec4<f32>(v, moving);
}

@compute @workgroup_size(SIZE)
fn smooth_velocities(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    work[GRADIENTS + i] = vec4<f32>(smoothed(i, rows[i].xyz, SMOOTHED), 0.0);
}

// Rate of compression of the smoothed velocities, less what is allowed, times mass; and the first sweep, to which no
// neighbor contributes.
@compute @workgroup_size(SIZE)
fn compression_rates(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    let l = matrix_of(i);
    let slopes = work[SLOPES + i];
    let list = ranges[i];
    var sum = 0.0;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let apart = row.xyz - rows[j].xyz;
        sum += dot(work[GRADIENTS + j].xyz, projection_times(l, apart)) * smoothing(dot(apart, apart)).y;
    }
    var rate = dot(slopes.xyz, work[GRADIENTS + i].xyz) - sum * VOLUME + slopes.w;
    if BODIES {
        rate += work[SMOOTHED + i].w;
    }
    var right = 0.0;
    if row.w > 0.0 {
        right = rate / row.w;
    }
    let least = -work[MATRIX + i].w;
    let across = work[MATRIX_ACROSS + i].w;
    let change = max(LAPLACIAN_RELAXATION * right / across, least);
    work[REST + i] = vec4<f32>(right, change, least, across);
    work[PACKED + i] = vec4<f32>(row.xyz, change);
}

// A sweep of the Laplacian. LAST_SWEEP: pressures after it.
@compute @workgroup_size(SIZE)
fn pressure_sweep(thread: Thread) {
    let i = participant(thread);
    if i == NONE {
        return;
    }
    let now = work[args.steps_in + i];
    let rest = work[REST + i];
    let list = ranges[i];
    var sum = 0.0;
    for (var e = list.x; e < list.x + list.y; e++) {
        let other = work[args.steps_in + near[e]];
        let apart = now.xyz - other.xyz;
        sum += other.w * smoothing(dot(apart, apart)).y;
    }
    let left = rest.x - rest.w * now.w - 2.0 * VOLUME * sum;
    // λ + Δλ ≥ 0: pressure does not pull.
    let change = max(now.w + LAPLACIAN_RELAXATION * left / rest.w, rest.z);
    if (args.mode & LAST_SWEEP) != 0u {
        let pressure = min(work[CARRIED + i].w - change * sub.h, 0.0);
        work[CARRIED + i].w = pressure;
        work[MATRIX + i].w = -pressure / sub.h;
        return;
    }
    work[args.steps_out + i] = vec4<f32>(now.xyz, change + args.momentum * (change - rest.y));
    work[REST + i].y = change;
}

// Displacement by pressure in the next substep.
@compute @workgroup_size(SIZE)
fn carry_pressure(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let change = smoothed(i, rows[i].xyz, GRADIENTS) * sub.h;
    work[CARRIED + i] = vec4<f32>(change, work[CARRIED + i].w);
}

// Moves particles by the pressure that was found for this substep. Velocities follow from positions at its end.
@compute @workgroup_size(SIZE)
fn accelerate(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    if row.w > 0.0 {
        rows[i] = vec4<f32>(row.xyz + work[CARRIED + i].xyz, row.w);
    }
}

// Moves particles by the changes of the density multipliers, without a change of velocity. Collider contacts follow as
// often as there are iterations until the next correction.
@compute @workgroup_size(SIZE)
fn correct_positions(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    if row.w == 0.0 {
        return;
    }
    let entry = work[PACKED + i];
    let list = ranges[i];
    var sum = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let other = work[PACKED + near[e]];
        let apart = entry.xyz - other.xyz;
        sum += apart * (smoothing(dot(apart, apart)).y * other.w);
    }
    var shift = (sum * VOLUME + work[GRADIENTS + i].xyz * entry.w) * row.w;
    for (var c = 0u; c < sub.colliders; c++) {
        if !touches_collider(i, c) {
            continue;
        }
        // Walls stop a correction that contact would have to undo, with velocity.
        let away = apart_from(moving_collider(i, c), row.xyz + shift);
        if away.distance < RADIUS {
            let toward = max(-dot(shift, away.normal), 0.0);
            shift += away.normal * min(RADIUS - away.distance, toward);
        }
    }
    let start = motion[previous_at(i)] + vec4<f32>(shift, 0.0);
    motion[previous_at(i)] = start;
    var moved = vec4<f32>(row.xyz + shift, row.w);
    if (args.mode & TOUCHES) != 0u {
        for (var k = 0u; k < args.repeats; k++) {
            moved = touch_from(start.xyz, RADIUS, i, i, moved);
        }
    }
    rows[i] = moved;
}
