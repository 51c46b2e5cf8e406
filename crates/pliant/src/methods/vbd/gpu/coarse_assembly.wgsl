// The coarse matrix, a workgroup for each block of two aggregates. WGSL version of coarse.rs; needs element.wgsl.

// Elements that are linearized together, by two threads each: one for the modes of the row, one for those of the column.
const TOGETHER: u32 = SIZE / 2u;

// Response of an element to the modes of one aggregate.
struct Answer { g0: array<vec3<f32>, 4>, g1: array<vec3<f32>, 4>, g2: array<vec3<f32>, 4>, n: array<vec2<f32>, 4> }

// Gradients of the modes of the row's and the column's aggregate: g₀, g₁, g₂ and n of four modes, eleven numbers each.
var<workgroup> gradients: array<array<f32, 44>, SIZE>;
// k₀, k₁, k₂, cross; tension.
var<workgroup> stiffnesses: array<array<vec4<f32>, 2>, TOGETHER>;
var<workgroup> blocks: array<mat3x3<f32>, SIZE>;

fn gradient(at: u32, mode: u32, k: u32) -> vec3<f32> {
    let first = mode * 11u + 3u * k;
    return vec3<f32>(gradients[at][first], gradients[at][first + 1u], gradients[at][first + 2u]);
}

fn put_gradient(at: u32, mode: u32, k: u32, g: vec3<f32>) {
    let first = mode * 11u + 3u * k;
    gradients[at][first] = g.x;
    gradients[at][first + 1u] = g.y;
    gradients[at][first + 2u] = g.z;
}

// Gradients of the element at `at` by the modes of one aggregate.
fn linearize_modes(local: u32, at: u32, aggregate: u32) {
    var it = linearize(at, vector_at(ELASTIC_X, 0u));
    let head = constants[at];
    let vertices = array(head.y, head.z, head.w, constants[at + 1u].x);
    let count = element_rows(head.x);
    for (var m = 0u; m < 4u; m++) {
        var g0 = vec3<f32>(0.0);
        var g1 = vec3<f32>(0.0);
        var g2 = vec3<f32>(0.0);
        var n = vec2<f32>(0.0);
        for (var i = 0u; i < count; i++) {
            if aggregate_of(vertices[i]) == aggregate {
                let weight = modes_at(vertices[i])[m];
                g0 += it.g0[i] * weight;
                g1 += it.g1[i] * weight;
                g2 += it.g2[i] * weight;
                n += it.n[i] * weight;
            }
        }
        put_gradient(local, m, 0u, g0);
        put_gradient(local, m, 1u, g1);
        put_gradient(local, m, 2u, g2);
        gradients[local][m * 11u + 9u] = n.x;
        gradients[local][m * 11u + 10u] = n.y;
    }
    if local < TOGETHER {
        stiffnesses[local] = array(vec4<f32>(it.k, it.cross), vec4<f32>(it.tension, 0.0));
    }
}

// Contribution of one element to the block of two modes.
fn element_block(e: u32, m: u32, n: u32) -> mat3x3<f32> {
    let k = stiffnesses[e][0];
    let t = stiffnesses[e][1].xyz;
    let other = e + TOGETHER;
    let a0 = gradient(e, m, 0u);
    let a1 = gradient(e, m, 1u);
    let a2 = gradient(e, m, 2u);
    let b0 = gradient(other, n, 0u);
    let b1 = gradient(other, n, 1u);
    let b2 = gradient(other, n, 2u);
    let p = vec2<f32>(gradients[e][m * 11u + 9u], gradients[e][m * 11u + 10u]);
    let q = vec2<f32>(gradients[other][n * 11u + 9u], gradients[other][n * 11u + 10u]);
    let even = p.x * q.x * t.x + p.y * q.y * t.y + (p.x * q.y + p.y * q.x) * t.z;
    return outer3(a0 * k.x, b0) + outer3(a1 * k.y, b1) + outer3(a2 * k.z, b2)
        + outer3(a0 * k.w, b1) + outer3(a1 * k.w, b0)
        + mat3x3<f32>(even, 0.0, 0.0, 0.0, even, 0.0, 0.0, 0.0, even);
}

fn tet_block(at: u32, m: u32, n: u32) -> mat3x3<f32> {
    let first = (4u * m + n) * 9u;
    var numbers: array<f32, 9>;
    for (var k = 0u; k < 9u; k++) {
        numbers[k] = bitcast<f32>(constants[at + (first + k) / 4u][(first + k) % 4u]);
    }
    return mat3x3<f32>(
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8],
    );
}

// Inertia of a vertex, and the contact that holds it.
fn vertex_block(v: u32) -> mat3x3<f32> {
    let inertia = mass_of(v) * sub.inv_h2;
    var even = inertia;
    var block = mat3x3<f32>();
    if sub.colliders > 0u {
        let held = work[vector_at(ELASTIC_HOLD, v)];
        let size = CONTACT_STIFFNESS * (work[vector_at(ELASTIC_FRICTION, v)].w + inertia);
        if held.w != 0.0 {
            even += size;
        } else {
            block = outer3(held.xyz * size, held.xyz);
        }
    }
    return block + mat3x3<f32>(even, 0.0, 0.0, 0.0, even, 0.0, 0.0, 0.0, even);
}

@compute @workgroup_size(SIZE)
fn assemble(thread: Thread) {
    let group = group_of(thread);
    if group >= args.groups {
        return;
    }
    let pair = args.pairs + PAIR_WORDS * group;
    let a = topology[pair];
    let b = topology[pair + 1u];
    let first = topology[pair + 2u];
    let end = topology[pair + 3u];
    let m = (thread.local / 4u) % 4u;
    let n = thread.local % 4u;
    let lane = thread.local / 16u;
    var sum = mat3x3<f32>();
    for (var from_element = first; from_element < end; from_element += TOGETHER) {
        let count = min(end - from_element, TOGETHER);
        let e = thread.local % TOGETHER;
        if e < count {
            linearize_modes(thread.local, topology[from_element + e], select(b, a, thread.local < TOGETHER));
        }
        workgroupBarrier();
        for (var k = lane; k < count; k += 4u) {
            sum += element_block(k, m, n);
        }
        workgroupBarrier();
    }
    let last_tet = topology[pair + 5u];
    for (var t = topology[pair + 4u] + 2u * lane; t < last_tet; t += 8u) {
        let at = rotation_at(topology[t]);
        let r = mat3x3<f32>(work[at].xyz, work[at + 1u].xyz, work[at + 2u].xyz);
        sum += r * tet_block(topology[t + 1u], m, n) * transpose(r);
    }
    if a == b {
        let members = aggregate_word(a, 3u);
        for (var k = aggregate_word(a, 2u) + lane; k < members; k += 4u) {
            let v = topology[k];
            if mass_of(v) > 0.0 {
                let modes = modes_at(v);
                sum += vertex_block(v) * (modes[m] * modes[n]);
            }
        }
    }
    blocks[thread.local] = sum;
    workgroupBarrier();
    if lane == 0u && m < aggregate_word(a, 1u) && n < aggregate_word(b, 1u) {
        let all = blocks[thread.local] + blocks[thread.local + 16u] + blocks[thread.local + 32u] + blocks[thread.local + 48u];
        let block = topology[pair + 6u];
        if block != NONE {
            let transposed = topology[pair + 7u];
            let stride = topology[pair + 8u];
            let diagonal = topology[pair + 9u];
            for (var r = 0u; r < 3u; r++) {
                for (var c = 0u; c < 3u; c++) {
                    if transposed != block {
                        lambda[transposed + (3u * n + c) * stride + 3u * m + r] = all[c][r];
                    }
                    lambda[block + (3u * m + r) * stride + 3u * n + c] = all[c][r];
                    if diagonal != NONE && m == n && r == c {
                        lambda[diagonal + 3u * m + r] = all[c][r];
                    }
                }
            }
            return;
        }
        let row = aggregate_word(a, 0u) + 3u * m;
        let column = aggregate_word(b, 0u) + 3u * n;
        for (var r = 0u; r < 3u; r++) {
            for (var c = 0u; c < 3u; c++) {
                // Only the lower triangle has room.
                if column + c <= row + r {
                    lambda[topology[args.matrix_rows + row + r] + column + c] = all[c][r];
                }
            }
        }
    }
}
