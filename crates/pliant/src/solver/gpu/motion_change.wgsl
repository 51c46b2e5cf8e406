// Changes the velocities of an object's particles as those of a rigid body: GPU part of `world::steer`. One workgroup sums
// mass, center and second moment in a fixed order, and then writes the velocities.

struct MotionChangeUniforms {
    first: u32,
    count: u32,
    // Rows of an array of `motion`.
    rows: u32,
    // Arrays of `motion`: with four of them there is a history.
    arrays: u32,
    // First word in `flags` of the orders of particles, or `NONE`.
    orders: u32,
    // First word in `flags` of contact masks, and words of each; 0 where they stay.
    masks: u32,
    mask_words: u32,
    // `SETS_VELOCITY`, `TURNS`, `AT_POINT`.
    mode: u32,
    // Velocity that is added or set [m/s].
    linear: vec4<f32>,
    // Angular impulse about the center of mass [N·m·s], or angular velocity that is set [rad/s].
    angular: vec4<f32>,
    // Impulse at a point [N·s], and the point [m].
    impulse: vec4<f32>,
    point: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> rows: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> flags: array<u32>;
@group(0) @binding(3) var<uniform> change: MotionChangeUniforms;

var<workgroup> sums: array<vec4<f32>, THREADS>;

fn total(local: u32, own: vec4<f32>) -> vec4<f32> {
    sums[local] = own;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if local < half {
            sums[local] += sums[local + half];
        }
        workgroupBarrier();
    }
    let all = sums[0];
    workgroupBarrier();
    return all;
}

// Mass, and what the sum of one of three kinds takes of a particle at `d` from the reference.
fn share(kind: u32, d: vec3<f32>, inverse_mass: f32) -> vec4<f32> {
    if inverse_mass <= 0.0 {
        return vec4<f32>(0.0);
    }
    let mass = 1.0 / inverse_mass;
    switch kind {
        case 0u: { return mass * vec4<f32>(d, 1.0); }
        case 1u: { return mass * vec4<f32>(d * d, 0.0); }
        default: { return mass * vec4<f32>(d.y * d.z, d.z * d.x, d.x * d.y, 0.0); }
    }
}

// Sums in runs of sixteen: rounding errors grow with the number of runs, not of particles.
fn summed(kind: u32, local: u32, reference: vec3<f32>) -> vec4<f32> {
    var own = vec4<f32>(0.0);
    for (var start = local; start < change.count; start += 16u * THREADS) {
        var run = vec4<f32>(0.0);
        for (var k = start; k < min(start + 16u * THREADS, change.count); k += THREADS) {
            let row = rows[change.first + k];
            run += share(kind, row.xyz - reference, row.w);
        }
        own += run;
    }
    return total(local, own);
}

// One Jacobi rotation of the symmetric matrix `m` that clears entry (p, q); `v` has the eigenvectors as rows.
fn rotate(m: ptr<function, array<array<f32, 3>, 3>>, v: ptr<function, array<array<f32, 3>, 3>>, p: u32, q: u32) {
    let off = (*m)[p][q];
    if abs(off) <= 1e-9 * (abs((*m)[p][p]) + abs((*m)[q][q])) {
        return;
    }
    let theta = ((*m)[q][q] - (*m)[p][p]) / (2.0 * off);
    let t = select(-1.0, 1.0, theta >= 0.0) / (abs(theta) + sqrt(1.0 + theta * theta));
    let c = 1.0 / sqrt(1.0 + t * t);
    let s = c * t;
    for (var k = 0u; k < 3u; k++) {
        let a = (*m)[k][p];
        let b = (*m)[k][q];
        (*m)[k][p] = c * a - s * b;
        (*m)[k][q] = s * a + c * b;
    }
    for (var k = 0u; k < 3u; k++) {
        let a = (*m)[p][k];
        let b = (*m)[q][k];
        (*m)[p][k] = c * a - s * b;
        (*m)[q][k] = s * a + c * b;
        let d = (*v)[p][k];
        let e = (*v)[q][k];
        (*v)[p][k] = c * d - s * e;
        (*v)[q][k] = s * d + c * e;
    }
}

// Angular velocity that a rigid body gets from an angular impulse. `squares` and `products` are its second moment. Directions
// in which it has no extent, within what single precision can tell, do not turn.
fn spin_of(impulse: vec3<f32>, squares: vec3<f32>, products: vec3<f32>) -> vec3<f32> {
    let size = squares.x + squares.y + squares.z;
    if size <= 0.0 {
        return vec3<f32>(0.0);
    }
    let d = squares / size;
    let o = products / size;
    let inertia = mat3x3<f32>(
        vec3<f32>(d.y + d.z, -o.z, -o.y), vec3<f32>(-o.z, d.x + d.z, -o.x), vec3<f32>(-o.y, -o.x, d.x + d.y));
    var m = array<array<f32, 3>, 3>(
        array<f32, 3>(d.y + d.z, -o.z, -o.y), array<f32, 3>(-o.z, d.x + d.z, -o.x), array<f32, 3>(-o.y, -o.x, d.x + d.y));
    var v = array<array<f32, 3>, 3>(
        array<f32, 3>(1.0, 0.0, 0.0), array<f32, 3>(0.0, 1.0, 0.0), array<f32, 3>(0.0, 0.0, 1.0));
    for (var sweep = 0u; sweep < 8u; sweep++) {
        rotate(&m, &v, 0u, 1u);
        rotate(&m, &v, 0u, 2u);
        rotate(&m, &v, 1u, 2u);
    }
    let most = max(max(m[0][0], m[1][1]), m[2][2]);
    let wanted = impulse / size;
    var spin = vec3<f32>(0.0);
    // Twice: the second turn takes up what the rounding of the first has left.
    for (var turn = 0u; turn < 2u; turn++) {
        let missing = wanted - inertia * spin;
        for (var k = 0u; k < 3u; k++) {
            let axis = vec3<f32>(v[k][0], v[k][1], v[k][2]);
            if m[k][k] > 1e-5 * most {
                spin += axis * (dot(axis, missing) / m[k][k]);
            }
        }
    }
    return spin;
}

@compute @workgroup_size(THREADS)
fn change_motion(@builtin(local_invocation_index) local: u32) {
    let reference = rows[change.first].xyz;
    var center = reference;
    var spin = change.angular.xyz;
    if (change.mode & TURNS) != 0u {
        let first = summed(0u, local, reference);
        if first.w > 0.0 {
            center = reference + first.xyz / first.w;
        }
        if (change.mode & SETS_VELOCITY) == 0u {
            let squares = summed(1u, local, center).xyz;
            let products = summed(2u, local, center).xyz;
            var impulse = change.angular.xyz;
            if (change.mode & AT_POINT) != 0u {
                impulse += cross(change.point.xyz - center, change.impulse.xyz);
            }
            spin = spin_of(impulse, squares, products);
        }
    }
    for (var k = local; k < change.count; k += THREADS) {
        let i = change.first + k;
        let row = rows[i];
        if row.w <= 0.0 {
            continue;
        }
        var velocity = change.linear.xyz;
        if (change.mode & TURNS) != 0u {
            velocity += cross(spin, row.xyz - center);
        }
        if (change.mode & SETS_VELOCITY) == 0u {
            velocity += motion[change.rows + i].xyz;
        }
        motion[change.rows + i] = vec4<f32>(velocity, 0.0);
        // A velocity from outside: the particle has no history, and its next substep is of first order.
        if change.arrays == 4u {
            motion[3u * change.rows + i] = vec4<f32>(velocity, 0.0);
        }
        if change.orders != NONE {
            flags[change.orders + i] = 1u;
        }
        for (var word = 0u; word < change.mask_words; word++) {
            flags[change.masks + i * change.mask_words + word] = 0u;
        }
    }
}
