// Momentum of free bodies. WGSL version of momentum.rs; needs rotation.wgsl.
//
// Sums are taken about the body's first vertex and moved to its center afterwards.

// First slot of the sums of momentum in a chunk.
const MOMENTUM: u32 = 3u;

fn origin_of(body: u32) -> vec3<f32> {
    let chunk = args.chunks + CHUNK_WORDS * body_word(body, 0u);
    return work[vector_at(ELASTIC_TARGET, topology[chunk + 1u])].xyz;
}

fn start_row(v: u32) -> vec3<f32> {
    return motion[previous_at(row_of_vertex(v))].xyz;
}

@compute @workgroup_size(SIZE)
fn momentum_sums(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let origin = origin_of(chunk.body);
    // Mass and center; drift and whether the body is held; center at the start; Σmu and Σmw; their moments; inertia.
    var sums: array<vec4<f32>, 7>;
    if thread.local < chunk.count {
        let v = chunk.first + thread.local;
        let row = row_of_vertex(v);
        if !turns(row) {
            let m = mass_of(v);
            let x = work[vector_at(ELASTIC_X, v)].xyz - origin;
            let goal = work[vector_at(ELASTIC_TARGET, v)].xyz - origin;
            let start = start_row(v) - origin;
            let pushed = sub.colliders > 0u && work[vector_at(ELASTIC_STEP, v)].w != 0.0;
            sums[0] = vec4<f32>(m * x, m);
            sums[1] = vec4<f32>(m * (x - goal), f32(m == 0.0 || pushed));
            var arm = cross(x, x - goal) * m;
            var begin_arm = vec3<f32>(0.0);
            if args.first_order != 0u {
                sums[2] = vec4<f32>(m * start, m * x.y * x.z);
                arm = cross(x, x - start) * m;
                begin_arm = cross(start, goal - start) * m;
            }
            sums[3] = vec4<f32>(m * (x - start), m * x.x * x.y);
            sums[4] = vec4<f32>(m * (goal - start), m * x.x * x.z);
            sums[5] = vec4<f32>(arm - begin_arm, m * x.y * x.z);
            sums[6] = vec4<f32>(m * x * x, 0.0);
        }
    }
    for (var k = 0u; k < 7u; k++) {
        let sum = group_sum(thread.local, sums[k]);
        if thread.local == 0u {
            work[sums_at(group, MOMENTUM + k)] = sum;
        }
    }
}

// Moves a body as a whole so that inner forces change neither its linear nor its angular momentum.
@compute @workgroup_size(SIZE)
fn restore_momentum(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    let held = body_sum(thread.local, chunk.body, MOMENTUM + 1u);
    if held.w != 0.0 || !is_active(chunk.body) {
        return;
    }
    let first = body_sum(thread.local, chunk.body, MOMENTUM);
    let mass = first.w;
    let center = first.xyz / mass;
    let drift = held.xyz / mass;
    let start = body_sum(thread.local, chunk.body, MOMENTUM + 2u).xyz / mass;
    let u = body_sum(thread.local, chunk.body, MOMENTUM + 3u);
    let w = body_sum(thread.local, chunk.body, MOMENTUM + 4u);
    let arms = body_sum(thread.local, chunk.body, MOMENTUM + 5u);
    let squares = body_sum(thread.local, chunk.body, MOMENTUM + 6u).xyz;
    var turn = vec3<f32>(0.0);
    // Orientations of rods carry angular momentum of their own; their torques balance in the exact step.
    if body_word(chunk.body, 4u) == 0u {
        var spin = arms.xyz;
        if args.first_order != 0u {
            spin += cross(start, w.xyz) - cross(center, u.xyz);
        } else {
            spin -= cross(center, held.xyz);
        }
        let c = center * mass;
        let xx = squares - c * center;
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
    if thread.local < chunk.count {
        let v = chunk.first + thread.local;
        if !turns(row_of_vertex(v)) {
            let at = vector_at(ELASTIC_X, v);
            let x = work[at];
            let arm = x.xyz - origin_of(chunk.body) - center;
            work[at] = vec4<f32>(x.xyz - (drift + cross(turn, arm)), x.w);
        }
    }
}

// Writes the positions back.
@compute @workgroup_size(SIZE)
fn write_rows(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let chunk = chunk_of(group);
    if thread.local >= chunk.count || !is_active(chunk.body) {
        return;
    }
    let v = chunk.first + thread.local;
    let x = work[vector_at(ELASTIC_X, v)];
    rows[row_of_vertex(v)] = x;
    work[vector_at(ELASTIC_AFTER, v)] = x;
}
