// WGSL version of momentum.rs: a workgroup for each free island. Sums have a fixed order: each thread its own particles,
// then halves of the workgroup.

struct MomentumUniforms {
    // First word in `topology` of the islands: place of the list of particles, their number, ISLAND_TURNS.
    islands: u32,
    // First vector in `work` of what is saved: mean velocity, angular momentum about the center.
    saved: u32,
    count: u32,
    // First number in `params` of whether they are rigid.
    rigid: u32,
    // First vector of the grips in `constants`, first vector of their multipliers in `work`, and their number.
    grips: u32,
    multipliers: u32,
    grip_count: u32,
    // 1 for BDF2, where corrections change the velocities of two substeps.
    second_order: u32,
}

@group(0) @binding(9) var<uniform> args: MomentumUniforms;

const RUNAWAYS: u32 = DIVERGED_PREDICT;

fn divergence_code(i: u32) -> u32 {
    return i;
}

const MEASURERS: u32 = 256u;

// Indexed by component, then by thread.
var<workgroup> sums: array<array<f32, 256>, 9>;

// Sums of all threads, in element 0.
fn reduce(components: u32, t: u32) {
    for (var half = MEASURERS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if t < half {
            for (var k = 0u; k < components; k++) {
                sums[k][t] += sums[k][t + half];
            }
        }
    }
    workgroupBarrier();
}

fn sum3(first: u32) -> vec3<f32> {
    return vec3<f32>(sums[first][0], sums[first + 1u][0], sums[first + 2u][0]);
}

fn particle_of(island: u32, k: u32) -> u32 {
    return topology[topology[island] + k];
}

// Velocity at the start of the substep, with what gravity, air and damping add to it.
fn expected_velocity(i: u32) -> vec3<f32> {
    var a = sub.gravity;
    if (sub.flags & IN_THE_AIR) != 0u {
        a += motion[sub.forces + i].xyz * rows[i].w;
    }
    return motion[velocity_at(i)].xyz * sub.keep + a * sub.h;
}

// Mass, mean velocity, angular momentum and inertia about the center.
struct Measured { mass: f32, mean: vec3<f32>, center: vec3<f32>, angular: vec3<f32>, diagonal: vec3<f32>, mixed: vec3<f32> }

fn velocity_now(i: u32, start: bool) -> vec3<f32> {
    if start {
        return expected_velocity(i);
    }
    return motion[velocity_at(i)].xyz;
}

fn measure(island: u32, start: bool, t: u32) -> Measured {
    let count = topology[island + 1u];
    let first = particle_of(island, 0u);
    // Relative to one of the particles, so that sums of small numbers are small.
    let origin = rows[first].xyz;
    let base = velocity_now(first, start);
    var mass = 0.0;
    var place = vec3<f32>(0.0);
    var speed = vec3<f32>(0.0);
    for (var k = t; k < count; k += MEASURERS) {
        let i = particle_of(island, k);
        let m = 1.0 / rows[i].w;
        mass += m;
        place += m * (rows[i].xyz - origin);
        speed += m * (velocity_now(i, start) - base);
    }
    for (var k = 0u; k < 3u; k++) {
        sums[k][t] = place[k];
        sums[3u + k][t] = speed[k];
    }
    sums[6][t] = mass;
    reduce(7u, t);
    let total = sums[6][0];
    let center = origin + sum3(0u) / total;
    let mean = base + sum3(3u) / total;
    workgroupBarrier();
    var angular = vec3<f32>(0.0);
    var diagonal = vec3<f32>(0.0);
    var mixed = vec3<f32>(0.0);
    for (var k = t; k < count; k += MEASURERS) {
        let i = particle_of(island, k);
        let m = 1.0 / rows[i].w;
        let r = rows[i].xyz - center;
        angular += m * cross(r, velocity_now(i, start) - mean);
        diagonal += m * (vec3<f32>(dot(r, r)) - r * r);
        mixed -= m * r.yzx * r.zxy;
    }
    for (var k = 0u; k < 3u; k++) {
        sums[k][t] = angular[k];
        sums[3u + k][t] = diagonal[k];
        sums[6u + k][t] = mixed[k];
    }
    reduce(9u, t);
    let found = Measured(total, mean, center, sum3(0u), sum3(3u), sum3(6u));
    workgroupBarrier();
    return found;
}

// Solves a symmetric system of trace 1, slightly regularized, by Cramer's rule.
fn solve_regular(exact: mat3x3<f32>, y: vec3<f32>) -> vec3<f32> {
    let a = exact[0] + vec3<f32>(1e-6, 0.0, 0.0);
    let b = exact[1] + vec3<f32>(0.0, 1e-6, 0.0);
    let c = exact[2] + vec3<f32>(0.0, 0.0, 1e-6);
    let cofactor = cross(b, c);
    return vec3<f32>(dot(cofactor, y), dot(cross(c, a), y), dot(cross(a, b), y)) / dot(a, cofactor);
}

// Angular velocity of an angular momentum. Straight ropes have no inertia about their axis, and no momentum.
fn angular_velocity(body: Measured, momentum: vec3<f32>) -> vec3<f32> {
    let size = body.diagonal.x + body.diagonal.y + body.diagonal.z;
    if size <= 0.0 {
        return vec3<f32>(0.0);
    }
    // In units of the trace: products of small inertias would underflow.
    let o = body.mixed / size;
    let exact = mat3x3<f32>(
        vec3<f32>(body.diagonal.x / size, o.z, o.y),
        vec3<f32>(o.z, body.diagonal.y / size, o.x),
        vec3<f32>(o.y, o.x, body.diagonal.z / size),
    );
    let y = momentum / size;
    let first = solve_regular(exact, y);
    // Refined once: a rigid body is given this velocity in every substep, and would lose what the regularization takes.
    return first + solve_regular(exact, y - exact * first);
}

@compute @workgroup_size(256)
fn save_momentum(thread: Thread) {
    let group = group_of(thread);
    if group >= args.count {
        return;
    }
    let found = measure(args.islands + ISLAND_WORDS * group, true, thread.local);
    if thread.local == 0u {
        work[args.saved + 2u * group] = vec4<f32>(found.mean, 0.0);
        work[args.saved + 2u * group + 1u] = vec4<f32>(found.angular, 0.0);
    }
}

fn is_touched(i: u32) -> bool {
    let seam = topology[sub.seam_of + i];
    var slot = i;
    if seam != NONE {
        slot = topology[sub.seams + TIE_WORDS * seam + 1u];
    }
    return rows[i].w == 0.0 || was_pushed(i, slot, rows[i].w);
}

// Momentum that grips have added to an island in this substep, and whether one holds it.
fn pull_of(group: u32) -> vec4<f32> {
    var pull = vec4<f32>(0.0);
    for (var k = 0u; k < args.grip_count; k++) {
        let at = args.grips + GRIP_VECTORS * k;
        if constants[at + 1u].w > 0u && constants[at + 3u].w == group {
            pull += vec4<f32>(work[args.multipliers + k].xyz * sub.inv_h, 1.0);
        }
    }
    return pull;
}

@compute @workgroup_size(256)
fn restore_momentum(thread: Thread) {
    let group = group_of(thread);
    let t = thread.local;
    if group >= args.count {
        return;
    }
    let island = args.islands + ISLAND_WORDS * group;
    let count = topology[island + 1u];
    let kind = topology[island + 2u];
    var touched = 0.0;
    for (var k = t; k < count; k += MEASURERS) {
        if is_touched(particle_of(island, k)) {
            touched = 1.0;
        }
    }
    sums[0][t] = touched;
    reduce(1u, t);
    let free = sums[0][0] == 0.0 && atomicLoad(&flags[FROZEN]) == 0u && !has_diverged();
    workgroupBarrier();
    let found = measure(island, false, t);
    let pull = pull_of(group);
    let gripped = pull.w > 0.0;
    if !free || (gripped && args.second_order != 0u) {
        return;
    }
    let mean = work[args.saved + 2u * group].xyz + pull.xyz / found.mass;
    let angular = work[args.saved + 2u * group + 1u].xyz;
    let rigid = params[args.rigid + group] > 0.0 && !gripped;
    let left = select(found.angular, vec3<f32>(0.0), rigid);
    var spin = vec3<f32>(0.0);
    // The torque of a grip on a deformed island is not known.
    if (kind & ISLAND_TURNS) == 0u && !gripped {
        spin = angular_velocity(found, angular - left);
    }
    for (var k = t; k < count; k += MEASURERS) {
        let i = particle_of(island, k);
        let at = velocity_at(i);
        let own = select(motion[at].xyz - found.mean, vec3<f32>(0.0), rigid);
        motion[at] = vec4<f32>(mean + own + cross(spin, rows[i].xyz - found.center), 0.0);
    }
}
