// WGSL version of rotation.rs and of the functions it uses from matrix.rs. Matrices are three columns; quaternions have
// their scalar part last. Every function returns a proper rotation for every finite matrix.

const UPRIGHT: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, 1.0);

fn identity3() -> mat3x3<f32> {
    return mat3x3<f32>(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
}

// u vᵀ.
fn outer3(u: vec3<f32>, v: vec3<f32>) -> mat3x3<f32> {
    return mat3x3<f32>(u * v.x, u * v.y, u * v.z);
}

// Largest magnitude of an entry; 0 if any entry is not finite.
fn largest3(m: mat3x3<f32>) -> f32 {
    let a = abs(m[0]);
    let b = abs(m[1]);
    let c = abs(m[2]);
    let sum = a + b + c;
    let most = max(a, max(b, c));
    // False with a NaN or an infinity in the sum.
    return select(0.0, max(most.x, max(most.y, most.z)), sum.x + sum.y + sum.z < 3.4e38);
}

fn quat_product(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    );
}

// Normalized; the identity for a zero quaternion.
fn quat_unit(q: vec4<f32>) -> vec4<f32> {
    let square = dot(q, q);
    if square > 1e-30 && square < 3.4e38 {
        return q * (1.0 / sqrt(square));
    }
    return UPRIGHT;
}

fn matrix_of(q: vec4<f32>) -> mat3x3<f32> {
    let d = q.xyz + q.xyz;
    return mat3x3<f32>(
        1.0 - (q.y * d.y + q.z * d.z), q.x * d.y + q.w * d.z, q.x * d.z - q.w * d.y,
        q.x * d.y - q.w * d.z, 1.0 - (q.x * d.x + q.z * d.z), q.y * d.z + q.w * d.x,
        q.x * d.z + q.w * d.y, q.y * d.z - q.w * d.x, 1.0 - (q.x * d.x + q.y * d.y),
    );
}

// From the largest of the four components, which is at least 1/2.
fn quat_of(r: mat3x3<f32>) -> vec4<f32> {
    let a = r[0].x;
    let b = r[1].y;
    let c = r[2].z;
    let minus = vec3<f32>(r[1].z - r[2].y, r[2].x - r[0].z, r[0].y - r[1].x);
    let plus = vec3<f32>(r[1].z + r[2].y, r[2].x + r[0].z, r[0].y + r[1].x);
    if a + b + c >= 0.0 {
        return quat_unit(vec4<f32>(minus, 1.0 + a + b + c));
    }
    if a >= b && a >= c {
        return quat_unit(vec4<f32>(1.0 + a - b - c, plus.z, plus.y, minus.x));
    }
    if b >= c {
        return quat_unit(vec4<f32>(plus.z, 1.0 - a + b - c, plus.x, minus.y));
    }
    return quat_unit(vec4<f32>(plus.y, plus.x, 1.0 - a - b + c, minus.z));
}

// Smallest rotation from one unit vector to another; 180° about any perpendicular axis for opposite vectors.
fn shortest_turn(a: vec3<f32>, b: vec3<f32>) -> mat3x3<f32> {
    let k = 1.0 + dot(a, b);
    if k > 1e-6 {
        return matrix_of(quat_unit(vec4<f32>(cross(a, b), k)));
    }
    let least = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(a.x) <= abs(a.y));
    return matrix_of(quat_unit(vec4<f32>(cross(a, least), 0.0)));
}

// From a unit vector and another, roughly unit, vector perpendicular to it.
fn complete3(first: vec3<f32>, across: vec3<f32>) -> mat3x3<f32> {
    let second = across * (1.0 / sqrt(dot(across, across)));
    return mat3x3<f32>(first, second, cross(first, second));
}

fn has_direction(v: vec3<f32>) -> bool {
    return dot(v, v) > NO_DIRECTION * NO_DIRECTION;
}

fn unit3(v: vec3<f32>) -> vec3<f32> {
    return v * (1.0 / sqrt(dot(v, v)));
}

// D4 4.10 with r₃ = r₁ × r₂ (E23).
fn gram_schmidt(m: mat3x3<f32>) -> mat3x3<f32> {
    let size = largest3(m);
    if size == 0.0 {
        return identity3();
    }
    let a1 = m[0] / size;
    let a2 = m[1] / size;
    let a3 = m[2] / size;
    var r1 = a1;
    if !has_direction(r1) {
        r1 = cross(a2, a3);
    }
    if !has_direction(r1) {
        if has_direction(a2) {
            return shortest_turn(vec3<f32>(0.0, 1.0, 0.0), unit3(a2));
        }
        if has_direction(a3) {
            return shortest_turn(vec3<f32>(0.0, 0.0, 1.0), unit3(a3));
        }
        return identity3();
    }
    r1 = unit3(r1);
    let second = a2 - dot(r1, a2) * r1;
    let third = a3 - dot(r1, a3) * r1;
    var r2: vec3<f32>;
    if has_direction(second) {
        r2 = unit3(second);
    } else if has_direction(third) {
        r2 = cross(unit3(third), r1);
    } else {
        return shortest_turn(vec3<f32>(1.0, 0.0, 0.0), r1);
    }
    // Orthogonalizes twice: nearly parallel columns have lost precision.
    return complete3(r1, r2 - dot(r1, r2) * r1);
}

struct Columns { u: mat3x3<f32>, v: mat3x3<f32>, turned: bool }

// Orthogonalizes columns p and q of U by a rotation, which V accumulates.
fn jacobi_turn(given: Columns, p: u32, q: u32) -> Columns {
    var c = given;
    let pp = dot(c.u[p], c.u[p]);
    let qq = dot(c.u[q], c.u[q]);
    let pq = dot(c.u[p], c.u[q]);
    if abs(pq) <= 1e-7 * sqrt(pp * qq) || abs(pq) < 1e-30 {
        return c;
    }
    let zeta = (qq - pp) / (2.0 * pq);
    let t = select(-1.0, 1.0, zeta >= 0.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta));
    let cosine = 1.0 / sqrt(1.0 + t * t);
    let sine = cosine * t;
    let up = c.u[p];
    let uq = c.u[q];
    let vp = c.v[p];
    let vq = c.v[q];
    c.u[p] = up * cosine - sine * uq;
    c.u[q] = uq * cosine + sine * up;
    c.v[p] = vp * cosine - sine * vq;
    c.v[q] = vq * cosine + sine * vp;
    c.turned = true;
    return c;
}

// D4 4.11–4.14 with det R = +1 (E23), by one-sided Jacobi rotations.
fn polar(a: mat3x3<f32>) -> mat3x3<f32> {
    let size = largest3(a);
    if size == 0.0 {
        return identity3();
    }
    var c = Columns(mat3x3<f32>(a[0] / size, a[1] / size, a[2] / size), identity3(), true);
    for (var sweep = 0u; sweep < 10u && c.turned; sweep++) {
        c.turned = false;
        c = jacobi_turn(c, 0u, 1u);
        c = jacobi_turn(c, 0u, 2u);
        c = jacobi_turn(c, 1u, 2u);
    }
    let lengths = vec3<f32>(dot(c.u[0], c.u[0]), dot(c.u[1], c.u[1]), dot(c.u[2], c.u[2]));
    // By descending length; ties keep their order.
    var order = vec3<u32>(0u, 1u, 2u);
    if lengths[order.x] < lengths[order.y] {
        order = order.yxz;
    }
    if lengths[order.y] < lengths[order.z] {
        order = order.xzy;
    }
    if lengths[order.x] < lengths[order.y] {
        order = order.yxz;
    }
    let u1 = c.u[order.x] * (1.0 / sqrt(lengths[order.x]));
    let v1 = c.v[order.x];
    if lengths[order.y] <= NO_DIRECTION * NO_DIRECTION * lengths[order.x] {
        return shortest_turn(v1, u1);
    }
    let raw = c.u[order.y] * (1.0 / sqrt(lengths[order.y]));
    let v2 = c.v[order.y];
    let there = complete3(u1, raw - dot(u1, raw) * u1);
    let here = complete3(v1, v2 - dot(v1, v2) * v1);
    return outer3(there[0], here[0]) + outer3(there[1], here[1]) + outer3(there[2], here[2]);
}

// Solution of a symmetric system, and whether it is safely positive.
struct Solved { v: vec3<f32>, safe: bool }

fn solve_positive(h: vec3<f32>, off: vec3<f32>, t: vec3<f32>, least: f32) -> Solved {
    let none = Solved(vec3<f32>(0.0), false);
    if h.x <= least {
        return none;
    }
    let l1 = off.x / h.x;
    let l2 = off.y / h.x;
    let d1 = h.y - l1 * off.x;
    let rest = off.z - l1 * off.y;
    if d1 <= least {
        return none;
    }
    let l3 = rest / d1;
    let d2 = h.z - l2 * off.y - l3 * rest;
    if d2 <= least {
        return none;
    }
    let y1 = t.y - l1 * t.x;
    let y2 = t.z - l2 * t.x - l3 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l3 * z;
    return Solved(vec3<f32>(t.x / h.x - l1 * y - l2 * z, y, z), true);
}

// Axis of the next rotation: out of a saddle, or Newton's with the smallest safe shift, or the torque itself.
fn axis_of(h: vec3<f32>, off: vec3<f32>, torque: vec3<f32>) -> vec3<f32> {
    var worst = 0u;
    if !(h.x <= h.y && h.x <= h.z) {
        worst = select(1u, 2u, h.y > h.z);
    }
    if h[worst] < -1e-3 && dot(torque, torque) < 1e-8 {
        var axis = vec3<f32>(0.0);
        axis[worst] = 1.0;
        return axis;
    }
    let size = abs(h.x) + abs(h.y) + abs(h.z);
    var shifts = array<f32, 4>(0.0, 0.01, 0.1, 1.0);
    for (var k = 0u; k < 4u; k++) {
        let solved = solve_positive(h + shifts[k] * size, off, torque, 1e-4 * size);
        if solved.safe {
            return solved.v;
        }
    }
    return torque;
}

struct Turn { q: vec4<f32>, rest: f32 }

// One step of `extract_rotation` for A with entries up to 1: the rotation, and the square of the sine of half its
// angle.
fn rotation_step(a: mat3x3<f32>, r: mat3x3<f32>) -> Turn {
    let c = outer3(a[0], r[0]) + outer3(a[1], r[1]) + outer3(a[2], r[2]);
    let trace = c[0].x + c[1].y + c[2].z;
    let torque = vec3<f32>(c[1].z - c[2].y, c[2].x - c[0].z, c[0].y - c[1].x);
    let h = vec3<f32>(trace - c[0].x, trace - c[1].y, trace - c[2].z);
    // xy, xz, yz.
    let off = -0.5 * vec3<f32>(c[0].y + c[1].x, c[0].z + c[2].x, c[1].z + c[2].y);
    let axis = axis_of(h, off, torque);
    let square = dot(axis, axis);
    if square < 1e-30 {
        return Turn(UPRIGHT, 0.0);
    }
    let n = axis * (1.0 / sqrt(square));
    let sine = dot(n, torque);
    let cosine = dot(h, n * n) + 2.0 * (off.x * n.x * n.y + off.y * n.x * n.z + off.z * n.y * n.z);
    let size = sqrt(sine * sine + cosine * cosine);
    // (sin φ/2, cos φ/2) up to a factor, from the form without cancellation.
    var s = sine;
    var k = cosine + size;
    if cosine < 0.0 {
        s = size - cosine;
        k = sine;
    }
    let total = s * s + k * k;
    if total < 1e-30 {
        return Turn(UPRIGHT, 0.0);
    }
    let one = 1.0 / sqrt(total);
    s *= one;
    return Turn(vec4<f32>(n * s, k * one), s * s);
}

// D4 4.15–4.20 starting at the orientation `last`, with Newton's axis and the optimal angle.
fn extract_rotation(m: mat3x3<f32>, last: vec4<f32>) -> vec4<f32> {
    var q = quat_unit(last);
    let size = largest3(m);
    if size == 0.0 {
        return q;
    }
    let a = mat3x3<f32>(m[0] / size, m[1] / size, m[2] / size);
    for (var k = 0u; k < MOST_STEPS; k++) {
        let turn = rotation_step(a, matrix_of(q));
        q = quat_unit(quat_product(turn.q, q));
        if turn.rest < 1e-12 {
            break;
        }
    }
    return q;
}
