// Momentum of free bodies. WGSL version of momentum.rs; needs rotation.wgsl. momentum_passes.wgsl and body_passes.wgsl run it
// over vertices.
//
// Sums are taken about the body's first vertex and moved to its center afterwards.

// Sums of a body: mass and center; drift and whether the body is held; center at the start; Σmu and Σmw; their moments;
// inertia.
const MOMENTUM_SUMS: u32 = 7u;

fn origin_of(body: u32) -> vec3<f32> {
    return work[vector_at(ELASTIC_TARGET, body_word(body, 10u))].xyz;
}

fn start_row(v: u32) -> vec3<f32> {
    return motion[previous_at(row_of_vertex(v))].xyz;
}

// Adds the share of a vertex.
fn add_momentum(v: u32, origin: vec3<f32>, sums: ptr<function, array<vec4<f32>, MOMENTUM_SUMS>>) {
    if turns(row_of_vertex(v)) {
        return;
    }
    let m = mass_of(v);
    let x = work[vector_at(ELASTIC_X, v)].xyz - origin;
    let goal = work[vector_at(ELASTIC_TARGET, v)].xyz - origin;
    let start = start_row(v) - origin;
    let pushed = sub.colliders > 0u && work[vector_at(ELASTIC_STEP, v)].w != 0.0;
    (*sums)[0] += vec4<f32>(m * x, m);
    (*sums)[1] += vec4<f32>(m * (x - goal), f32(m == 0.0 || pushed));
    var arm = cross(x, x - goal) * m;
    var begin_arm = vec3<f32>(0.0);
    if args.first_order != 0u {
        (*sums)[2] += vec4<f32>(m * start, m * x.y * x.z);
        arm = cross(x, x - start) * m;
        begin_arm = cross(start, goal - start) * m;
    }
    (*sums)[3] += vec4<f32>(m * (x - start), m * x.x * x.y);
    (*sums)[4] += vec4<f32>(m * (goal - start), m * x.x * x.z);
    (*sums)[5] += vec4<f32>(arm - begin_arm, m * x.y * x.z);
    (*sums)[6] += vec4<f32>(m * x * x, 0.0);
}

// Motion of a body as a whole, by which inner forces have changed its linear and angular momentum.
struct Excess { center: vec3<f32>, drift: vec3<f32>, turn: vec3<f32> }

fn excess_motion(sums: array<vec4<f32>, MOMENTUM_SUMS>, has_orientations: bool) -> Excess {
    let mass = sums[0].w;
    let center = sums[0].xyz / mass;
    let drift = sums[1].xyz / mass;
    let start = sums[2].xyz / mass;
    let u = sums[3];
    let w = sums[4];
    let arms = sums[5];
    var turn = vec3<f32>(0.0);
    // Orientations of rods carry angular momentum of their own; their torques balance in the exact step.
    if !has_orientations {
        var spin = arms.xyz;
        if args.first_order != 0u {
            spin += cross(start, w.xyz) - cross(center, u.xyz);
        } else {
            spin -= cross(center, sums[1].xyz);
        }
        let c = center * mass;
        let xx = sums[6].xyz - c * center;
        let xy = u.w - c.x * center.y;
        let xz = w.w - c.x * center.z;
        let yz = arms.w - c.y * center.z;
        let small = 1e-6 * (xx.x + xx.y + xx.z);
        let inertia = mat3x3<f32>(
            xx.y + xx.z + small, -xy, -xz, -xy, xx.x + xx.z + small, -yz, -xz, -yz, xx.x + xx.y + small,
        );
        if small > 0.0 {
            let a = cross(inertia[1], inertia[2]);
            let b = cross(inertia[2], inertia[0]);
            let d = cross(inertia[0], inertia[1]);
            turn = vec3<f32>(dot(a, spin), dot(b, spin), dot(d, spin)) / dot(inertia[0], a);
        }
    }
    return Excess(center, drift, turn);
}

// Takes the motion as a whole from a vertex.
fn remove_excess(v: u32, origin: vec3<f32>, it: Excess) {
    if turns(row_of_vertex(v)) {
        return;
    }
    let at = vector_at(ELASTIC_X, v);
    let x = work[at];
    let arm = x.xyz - origin - it.center;
    work[at] = vec4<f32>(x.xyz - (it.drift + cross(it.turn, arm)), x.w);
}

// Writes the position back.
fn write_row(v: u32) {
    let x = work[vector_at(ELASTIC_X, v)];
    rows[row_of_vertex(v)] = x;
    work[vector_at(ELASTIC_AFTER, v)] = x;
}
