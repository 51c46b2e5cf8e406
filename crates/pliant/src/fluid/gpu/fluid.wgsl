// Fluids, WGSL version of fluid/cpu. Each particle sums its own neighbors and writes only itself.
//
// In `work`, per particle: from CARRIED on, its displacement by pressure in this or the last substep, and its
// multiplier; from PACKED on, its position and the change of its multiplier; from GRADIENTS on, the gradient of its
// constraint; from PROPERTIES on, its volume [m³], its viscosity [Pa·s], negative for solids, its volume for viscosity,
// and its surface tension [N/m]; or, for large solids, minus their radius, −1, 0, and their scale; then two sets of
// steps and the residual, for viscosity. Gradients are overwritten by surface stresses, and finally by vorticity.

// Start and length of each particle's list.
@group(1) @binding(0) var<storage, read_write> ranges: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read_write> near: array<u32>;
// Particles in the order of the search: consecutive ones are close in space.
@group(1) @binding(2) var<storage, read_write> order: array<vec2<u32>>;

struct FluidUniforms {
    // TOUCHES: colliders are touched at the end; those of projection.wgsl.
    mode: u32,
    // 1 in the first iteration of a substep.
    fresh: u32,
    // Number of the sweep of viscosity; first vectors in `work` of the steps of the one before, and of its own.
    sweep: u32,
    steps_in: u32,
    steps_out: u32,
    // Momentum of a sweep of the Laplacian; times that collider contacts follow a correction of positions.
    momentum: f32,
    repeats: u32,
}

@group(0) @binding(9) var<uniform> args: FluidUniforms;

fn smoothing(square: f32) -> vec2<f32> {
    if SPLINE {
        return smooth_cubic(REACH, square);
    }
    return smooth_poly6(REACH, square);
}

fn space_of(i: u32) -> f32 {
    if EVEN {
        return VOLUME;
    }
    let space = work[PROPERTIES + i].x;
    if LARGE_PARTICLES {
        return max(space, 0.0);
    }
    return space;
}

// Whether a particle is a large solid.
fn is_ball(i: u32) -> bool {
    if LARGE_PARTICLES {
        return work[PROPERTIES + i].x < 0.0;
    }
    return false;
}

// Contribution of a large solid to a constraint, and its slope, at a squared distance.
fn ball_at(i: u32, square: f32) -> vec2<f32> {
    let property = work[PROPERTIES + i];
    return boundary_large_particle(SPLINE, REACH, -property.x, property.w, square);
}

// Volume used for viscosity: solids lighter than the fluid have less.
fn grip_of(i: u32) -> f32 {
    if EVEN {
        return VOLUME;
    }
    return work[PROPERTIES + i].z;
}

fn viscosity_of(i: u32) -> f32 {
    if SINGLE_FLUID {
        return VISCOSITY;
    }
    return work[PROPERTIES + i].y;
}

// Number of constraints that a solid particle's mass is split among.
fn shared_by(i: u32) -> f32 {
    if !EVEN && i < sub.wet {
        return f32(ranges[i].y);
    }
    return 1.0;
}

fn is_frozen() -> bool {
    return atomicLoad(&flags[FROZEN]) != 0u;
}

// Distance and outward normal of a collider.
struct Apart { distance: f32, normal: vec3<f32> }

fn apart_from(o: MovingCollider, x: vec3<f32>) -> Apart {
    let depth = solid_around(o, x, REACH);
    return Apart(-depth.inside, depth.normal);
}

fn bend_of(o: MovingCollider) -> f32 {
    // A sphere smaller than the kernel is treated as a plane.
    if o.shape == SPHERE && o.size.w > REACH {
        // Setback shrinks the sphere.
        return 1.0 / (o.size.w - SETBACK);
    }
    return 0.0;
}

// Contribution of all colliders near `x` to the constraint (w), and its gradient.
fn walls(i: u32, x: vec3<f32>) -> vec4<f32> {
    var open = 1.0;
    var gradient = vec3<f32>(0.0);
    for (var c = 0u; c < sub.colliders; c++) {
        if !touches_collider(i, c) {
            continue;
        }
        let o = moving_collider(i, c);
        let away = apart_from(o, x);
        if away.distance < REACH {
            let share = boundary_share(SPLINE, REACH, away.distance + SETBACK, bend_of(o));
            gradient = gradient * (1.0 - share.x) - away.normal * (share.y * open);
            open *= 1.0 - share.x;
        }
    }
    return vec4<f32>(-gradient, 1.0 - open);
}

// Particle of a thread, in spatial order for coalesced access; NONE where the state is frozen.
fn whose(thread: Thread) -> u32 {
    let slot = number_of(thread);
    if slot >= sub.particles || is_frozen() {
        return NONE;
    }
    return order[slot].x;
}

// Removes from the lists solids whose groups do not touch those of the liquid. Liquids keep each other.
@compute @workgroup_size(SIZE)
fn filter_neighbors(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let list = ranges[i];
    var kept = list.x;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        if min(i, j) >= sub.wet || particles_touch(i, j) {
            near[kept] = j;
            kept++;
        }
    }
    ranges[i].y = kept - list.x;
}

// Multiplier before an iteration. Where pressure is found by velocities, the density constraint has one of its own, which
// lives for a substep.
fn kept_multiplier(i: u32) -> f32 {
    if PROJECTS {
        return select(work[REST + i].z, 0.0, args.fresh != 0u);
    }
    return work[CARRIED + i].w * select(1.0, CARRY, args.fresh != 0u);
}

// Computes the multipliers of all fluid particles.
@compute @workgroup_size(SIZE)
fn density_multipliers(thread: Thread) {
    if number_of(thread) == 0u {
        atomicStore(&flags[WIDEST], 0u);
    }
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    if i < sub.wet || row.w == 0.0 {
        work[PACKED + i] = vec4<f32>(row.xyz, 0.0);
        work[GRADIENTS + i] = vec4<f32>(0.0);
        return;
    }
    let list = ranges[i];
    var density = smoothing(0.0).x * space_of(i) - 1.0;
    var gradient = vec3<f32>(0.0);
    var squares = 0.0;
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let other = rows[j];
        let apart = row.xyz - other.xyz;
        let square = dot(apart, apart);
        var kernel = smoothing(square);
        var volume = space_of(j);
        if is_ball(j) {
            kernel = ball_at(j, square);
            volume = 1.0;
        }
        let g = kernel.y * volume;
        density += kernel.x * volume;
        gradient += apart * g;
        squares += other.w * shared_by(j) * (g * g * square);
    }
    if sub.colliders > 0u {
        let solids = walls(i, row.xyz);
        density += solids.w;
        gradient += solids.xyz;
    }
    let kept = kept_multiplier(i);
    let stiffness = row.w * dot(gradient, gradient) + squares;
    let next = density_multiplier(OMEGA, COMPLIANCE, kept, density, stiffness, RELAXATION * row.w);
    if PROJECTS {
        work[REST + i].z = next;
    } else {
        work[CARRIED + i].w = next;
    }
    work[PACKED + i] = vec4<f32>(row.xyz, next - kept);
    work[GRADIENTS + i] = vec4<f32>(gradient, density);
}

// Moves all particles.
@compute @workgroup_size(SIZE)
fn apply_pressure(thread: Thread) {
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
    let ball = is_ball(i);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let other = work[PACKED + j];
        let apart = entry.xyz - other.xyz;
        if ball {
            sum += apart * (ball_at(i, dot(apart, apart)).y * other.w);
            continue;
        }
        let kernel = smoothing(dot(apart, apart));
        var push = other.w;
        if ARTIFICIAL_PRESSURE > 0.0 {
            push += density_artificial_pressure(ARTIFICIAL_PRESSURE, ARTIFICIAL_PRESSURE_SCALE, kernel.x) * space_of(j);
        }
        sum += apart * (kernel.y * push);
    }
    // E21: V_i·Σ Δλ_j·∇W and Δλ_i·Σ V_j·∇W, the latter sum from the first pass.
    var space = space_of(i);
    if ball {
        space = 1.0;
    }
    let shift = (sum * space + work[GRADIENTS + i].xyz * entry.w) * row.w;
    let carried = work[CARRIED + i];
    work[CARRIED + i] = vec4<f32>(carried.xyz * select(1.0, CARRY, args.fresh != 0u) + shift, carried.w);
    var moved = vec4<f32>(row.xyz + shift, row.w);
    if (args.mode & TOUCHES) != 0u {
        moved = touch_from(motion[previous_at(i)].xyz, RADIUS, i, i, moved);
    }
    rows[i] = moved;
}

// Surface stress, from gradients.
@compute @workgroup_size(SIZE)
fn surface_normals(thread: Thread) {
    let i = number_of(thread);
    if i >= sub.particles || is_frozen() {
        return;
    }
    var pull = TENSION_SOLID;
    if i >= sub.wet {
        var tension = TENSION;
        if !SINGLE_FLUID {
            tension = work[PROPERTIES + i].w;
        }
        let solids = solids_around(i);
        let n = tension_surface_gradient(CLOSE, work[GRADIENTS + i].xyz, solids.xyz, solids.w);
        pull = tension_stress(TENSION_NOISE, TENSION_SCALE, AIR, tension, n);
    }
    work[GRADIENTS + i] = pull;
}

// Contribution of solids to the gradient and to the constraint (w), at the position of the last density pass.
fn solids_around(i: u32) -> vec4<f32> {
    let x = work[PACKED + i].xyz;
    var all = vec4<f32>(0.0);
    if sub.colliders > 0u {
        all = walls(i, x);
    }
    if !EVEN {
        let list = ranges[i];
        for (var e = list.x; e < list.x + list.y; e++) {
            let j = near[e];
            if j < sub.wet {
                let apart = x - work[PACKED + j].xyz;
                var kernel = smoothing(dot(apart, apart)) * space_of(j);
                if is_ball(j) {
                    kernel = ball_at(j, dot(apart, apart));
                }
                all += vec4<f32>(apart * kernel.y, kernel.x);
            }
        }
    }
    return all;
}

// Applies surface tension over a substep.
@compute @workgroup_size(SIZE)
fn surface_tension(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    if row.w == 0.0 {
        return;
    }
    let own = work[GRADIENTS + i];
    let list = ranges[i];
    var sum = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let apart = row.xyz - rows[j].xyz;
        let g = apart * (smoothing(dot(apart, apart)).y * grip_of(j));
        sum += tension_pair_stress(own, work[GRADIENTS + j], g, ADHESION);
    }
    if sub.colliders > 0u && own.w > 0.0 {
        sum += tension_pair_stress(own, TENSION_SOLID, walls(i, row.xyz).xyz, ADHESION);
    }
    motion[velocity_at(i)] += vec4<f32>(sum * (sub.h * row.w * grip_of(i)), 0.0);
}

// Vorticity and its magnitude, negative for solids. Overwrites the gradients.
@compute @workgroup_size(SIZE)
fn vorticity(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    if i < sub.wet || row.w == 0.0 {
        work[GRADIENTS + i] = vec4<f32>(0.0, 0.0, 0.0, -1.0);
        return;
    }
    let own = motion[velocity_at(i)].xyz;
    let list = ranges[i];
    var spin = RotationSums(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0));
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        if j >= sub.wet {
            let apart = row.xyz - rows[j].xyz;
            let weight = -smoothing(dot(apart, apart)).y * space_of(j);
            spin = vorticity_with(spin, apart, own - motion[velocity_at(j)].xyz, weight);
        }
    }
    let found = vorticity_curl(spin);
    work[GRADIENTS + i] = vec4<f32>(found, length(found));
}

// Applies vorticity confinement over a substep.
@compute @workgroup_size(SIZE)
fn confine_vorticity(thread: Thread) {
    let i = whose(thread);
    if i == NONE {
        return;
    }
    let row = rows[i];
    let own = work[GRADIENTS + i];
    if own.w < 0.0 {
        return;
    }
    let list = ranges[i];
    var rise = vec3<f32>(0.0);
    for (var e = list.x; e < list.x + list.y; e++) {
        let j = near[e];
        let other = work[GRADIENTS + j].w;
        if other >= 0.0 {
            let apart = row.xyz - rows[j].xyz;
            rise += apart * (smoothing(dot(apart, apart)).y * (other - own.w) * space_of(j));
        }
    }
    motion[velocity_at(i)] += vec4<f32>(vorticity_velocity_change(CONFINEMENT, CONFINEMENT_NOISE, own.xyz, rise), 0.0);
}
