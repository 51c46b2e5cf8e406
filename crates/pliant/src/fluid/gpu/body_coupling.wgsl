// Pressure on rigid bodies and their motion by it: WGSL version of fluid/cpu/body_coupling.rs. Points of the surfaces find
// particles in the cells of the neighbor search, whose order is fixed.
//
// In `constants`, two vectors per point from SURFACE on: its place in the body with the body's number, and its area. In
// `work`, two per point from POINTS on: the slope of the fit with the scale of its coefficients, and the mean position of
// its particles with the pressure.

struct BodyCouplingUniforms {
    // FALLS: velocities gain before the pressures act. IF_ACTING. FITS: particles are weighed; otherwise pressures are summed.
    mode: u32,
    // First vector in `work` of the impulses of contacts, two for each part of each piece; number of parts.
    sums: u32,
    parts: u32,
}

@group(0) @binding(9) var<uniform> args: BodyCouplingUniforms;

@group(1) @binding(0) var<storage, read> cells: Cells;
@group(1) @binding(1) var<storage, read> starts: array<u32>;
// Particles in the order of the search.
@group(1) @binding(2) var<storage, read> order: array<vec2<u32>>;

fn is_frozen() -> bool {
    return atomicLoad(&flags[FROZEN]) != 0u;
}

// Change of spin by an angular impulse.
fn turned(body: u32, torque: vec3<f32>) -> vec3<f32> {
    let inertia = Symmetric(body_record(body, BODY_INERTIA).xyz, body_record(body, BODY_INERTIA + 1u).xyz);
    return projection_times(inertia, torque);
}

// Bodies as they are after this substep, without pressure, and what the pressures of this substep have changed.
@compute @workgroup_size(SIZE)
fn begin_bodies(thread: Thread) {
    let body = number_of(thread);
    if body >= BODY_COUNT || is_frozen() {
        return;
    }
    if body == 0u {
        atomicStore(&flags[ACTING], 0u);
    }
    let at = BODY_MOTIONS + body * BODY_MOTION;
    var center = body_record(body, 0u).xyz;
    let head = body_record(body, 1u);
    var velocity = head.xyz;
    let inverse_mass = head.w;
    var spin = body_record(body, 2u).xyz;
    let begun = body_record(body, BODY_PUSH);
    var push = begun.xyz;
    var torque = body_record(body, BODY_PUSH + 1u).xyz;
    if (args.mode & FALLS) != 0u {
        if begun.w > 0.0 {
            // In the first substep bodies have moved without pressure.
            push = work[at + BODY_IMPULSE].xyz;
            torque = work[at + BODY_IMPULSE + 1u].xyz;
            work[at + BODY_FIRST_IMPULSE] = vec4<f32>(push, 0.0);
            work[at + BODY_FIRST_IMPULSE + 1u] = vec4<f32>(torque, 0.0);
            center += push * (0.5 * sub.h * inverse_mass);
            velocity += push * inverse_mass;
            spin += turned(body, torque);
        }
        var linear = vec3<f32>(0.0);
        var angular = vec3<f32>(0.0);
        let pieces = constants[record_at(body) + BODY_PARTS].xy;
        for (var piece = pieces.x; piece < pieces.x + pieces.y; piece++) {
            let origin = constant(sub.moving_colliders + COLLIDER_VECTORS * (sub.body_colliders + piece) + 2u).xyz;
            for (var part = 0u; part < args.parts; part++) {
                let sum = args.sums + 2u * (piece * args.parts + part);
                let impulse = work[sum].xyz;
                linear += impulse;
                angular += work[sum + 1u].xyz + cross(origin - center, impulse);
            }
        }
        velocity += linear * inverse_mass + body_record(body, BODY_GAINED).xyz;
        spin += turned(body, angular) + body_record(body, BODY_GAINED + 1u).xyz;
    }
    work[at + BODY_CENTER] = vec4<f32>(center, 0.0);
    work[at + BODY_BASE] = vec4<f32>(velocity, 0.0);
    work[at + BODY_BASE + 1u] = vec4<f32>(spin, 0.0);
    work[at + BODY_CHANGE] = vec4<f32>(push * inverse_mass, 0.0);
    work[at + BODY_CHANGE + 1u] = vec4<f32>(turned(body, torque), 0.0);
    work[at + BODY_IMPULSE] = vec4<f32>(0.0);
    work[at + BODY_IMPULSE + 1u] = vec4<f32>(0.0);
}

// Sums over the particles around a point, in units of the kernel's radius.
var<private> total: f32;
var<private> first: vec3<f32>;
var<private> second: Symmetric;
var<private> found: f32;

// A particle at `apart`; `fit` has the slope and the scale of its point.
fn add(j: u32, apart: vec3<f32>, fit: vec4<f32>) {
    let q = dot(apart, apart);
    if q >= 1.0 {
        return;
    }
    let near = (1.0 - q) * (1.0 - q) * (1.0 - q);
    if (args.mode & FITS) != 0u {
        total += near;
        first += apart * near;
        second = projection_add_outer(second, apart, near);
    } else {
        found += near * (1.0 - dot(fit.xyz, apart)) * fit.w * work[CARRIED + j].w;
    }
}

// Adds the particles of the cells around `x`; they have moved since the search. As `search` of neighbors/gpu/search_grid.wgsl.
fn add_all(piece: u32, x: vec3<f32>, fit: vec4<f32>) {
    let reach = vec3<f32>(REACH + RADIUS);
    let low = clamp(cell(x - reach, cells.inverse) - cells.base, vec3<i32>(0), cells.last);
    let high = clamp(cell(x + reach, cells.inverse) - cells.base, low, cells.last);
    let many = vec3<u32>(high - low) + 1u;
    let begin = select(vec3<u32>(low) & cells.masks, vec3<u32>(0u), many >= cells.dims);
    let number = min(many, cells.dims);
    for (var k = 0u; k < number.z; k++) {
        let plane = ((begin.z + k) & cells.masks.z) * cells.dims.y;
        for (var j = 0u; j < number.y; j++) {
            let row = (plane + ((begin.y + j) & cells.masks.y)) * cells.dims.x;
            for (var i = 0u; i < number.x; i++) {
                let place = row + ((begin.x + i) & cells.masks.x);
                for (var s = starts[place]; s < starts[place + 1u]; s++) {
                    let particle = order[s].x;
                    let there = rows[particle];
                    if there.w > 0.0 && touches_collider(particle, sub.body_colliders + piece) {
                        add(particle, (there.xyz - x) / REACH, fit);
                    }
                }
            }
        }
    }
}

// The linear fit at each point, or the pressure that it gives.
@compute @workgroup_size(SIZE)
fn press_points(thread: Thread) {
    let point = number_of(thread);
    if point >= POINT_COUNT || is_frozen() || is_in_vain(args.mode) {
        return;
    }
    let here = constant(SURFACE + 2u * point);
    let body = constants[SURFACE + 2u * point].w;
    let arm = contact_turn(body_record(body, BODY_ROTATION), here.xyz);
    let piece = constants[record_at(body) + BODY_PARTS].x;
    let at = POINTS + 2u * point;
    let fits = (args.mode & FITS) != 0u;
    var fit = vec4<f32>(0.0);
    if !fits {
        fit = work[at];
        if fit.w == 0.0 {
            return;
        }
    }
    total = 0.0;
    first = vec3<f32>(0.0);
    second = Symmetric(vec3<f32>(0.0), vec3<f32>(0.0));
    found = 0.0;
    add_all(piece, body_motion(body, BODY_CENTER) + arm, fit);
    if fits {
        work[at] = vec4<f32>(0.0);
        work[at + 1u] = vec4<f32>(0.0);
        if total > 0.0 {
            // With the gradient that is expected, where particles are in one plane, or few.
            let mean = first / total;
            let moments = Symmetric(second.along / total + SURFACE_PRIOR, second.across / total);
            let slope = projection_times(projection_adjugate(moments), mean) / projection_determinant(moments);
            let scale = 1.0 / (1.0 - dot(mean, slope));
            work[at] = vec4<f32>(slope, scale / total);
            work[at + 1u] = vec4<f32>(slope * (SURFACE_PRIOR * scale * REACH), 0.0);
        }
        return;
    }
    let middle = work[at + 1u].xyz;
    let gradient = (sub.gravity - gained_velocity(body, arm) * sub.inv_h) * DENSITY;
    // λ = h·V·p, of which −h·λ is kept.
    let pressure = max(-found * sub.inv_h * sub.inv_h / VOLUME - dot(middle, gradient), 0.0);
    work[at + 1u] = vec4<f32>(middle, pressure);
}

var<workgroup> linear_sums: array<vec3<f32>, COUPLING_WIDTH>;
var<workgroup> angular_sums: array<vec3<f32>, COUPLING_WIDTH>;

// Impulses by the pressures, and the relaxed change of motion by them: a workgroup for each body, whose sums have a fixed
// order.
@compute @workgroup_size(COUPLING_WIDTH)
fn move_bodies(thread: Thread) {
    let body = group_of(thread);
    let acting = !is_frozen() && !is_in_vain(args.mode);
    var linear = vec3<f32>(0.0);
    var angular = vec3<f32>(0.0);
    let points = constants[record_at(body) + BODY_PARTS].zw;
    let rotation = body_record(body, BODY_ROTATION);
    for (var k = thread.local; k < points.y; k += COUPLING_WIDTH) {
        let point = points.x + k;
        let pressure = work[POINTS + 2u * point + 1u].w;
        let area = contact_turn(rotation, constant(SURFACE + 2u * point + 1u).xyz);
        let impulse = area * (-pressure * sub.h);
        linear += impulse;
        angular += cross(contact_turn(rotation, constant(SURFACE + 2u * point).xyz), impulse);
    }
    linear_sums[thread.local] = linear;
    angular_sums[thread.local] = angular;
    workgroupBarrier();
    for (var half = COUPLING_WIDTH / 2u; half > 0u; half /= 2u) {
        if thread.local < half {
            linear_sums[thread.local] += linear_sums[thread.local + half];
            angular_sums[thread.local] += angular_sums[thread.local + half];
        }
        workgroupBarrier();
    }
    if thread.local > 0u || !acting {
        return;
    }
    let at = BODY_MOTIONS + body * BODY_MOTION;
    linear = linear_sums[0];
    angular = angular_sums[0];
    work[at + BODY_IMPULSE] = vec4<f32>(linear, 0.0);
    work[at + BODY_IMPULSE + 1u] = vec4<f32>(angular, 0.0);
    let relaxation = body_record(body, 0u).w;
    let before = body_motion(body, BODY_CHANGE);
    let before_spin = body_motion(body, BODY_CHANGE + 1u);
    let change = linear * body_record(body, 1u).w;
    work[at + BODY_CHANGE] = vec4<f32>(before + (change - before) * relaxation, 0.0);
    work[at + BODY_CHANGE + 1u] = vec4<f32>(before_spin + (turned(body, angular) - before_spin) * relaxation, 0.0);
}
