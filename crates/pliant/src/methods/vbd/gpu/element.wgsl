// WGSL version of element.rs and sheet.rs: elements near the current positions. Needs rotation.wgsl.

const PI: f32 = 3.1415927;

// Energy(x + d) ≈ energy − Σ forceᵢ·dᵢ + ½ Σ dᵢᵀHᵢⱼdⱼ with Hᵢⱼ = Σ kₘ gₘᵢgₘⱼᵀ + cross·(g₀ᵢg₁ⱼᵀ + g₁ᵢg₀ⱼᵀ) + nᵢᵀTnⱼ·I.
struct Linear {
    g0: array<vec3<f32>, 4>,
    g1: array<vec3<f32>, 4>,
    g2: array<vec3<f32>, 4>,
    n: array<vec2<f32>, 4>,
    force: array<vec3<f32>, 4>,
    k: vec3<f32>,
    cross: f32,
    // T₀₀, T₁₁, T₀₁.
    tension: vec3<f32>,
    energy: f32,
}

fn has_element(code: u32) -> bool {
    return (ELEMENTS & (1u << code)) != 0u;
}

// The positive part of a symmetric 2×2 matrix (xx, yy, xy).
fn positive_part(m: vec3<f32>) -> vec3<f32> {
    let mean = 0.5 * (m.x + m.y);
    let half = 0.5 * (m.x - m.y);
    let radius = sqrt(half * half + m.z * m.z);
    let high = mean + radius;
    let low = mean - radius;
    if low >= 0.0 {
        return m;
    }
    if high <= 0.0 || radius == 0.0 {
        return vec3<f32>(0.0);
    }
    return vec3<f32>(m.x - low, m.y - low, m.z) * (high / (high - low));
}

// A deformed membrane triangle.
struct Stretched { r0: vec3<f32>, r1: vec3<f32>, strain: vec3<f32>, stress: vec3<f32> }

// `k`: normal, cross and shear stiffness.
fn stretched(f0: vec3<f32>, f1: vec3<f32>, k: vec3<f32>) -> Stretched {
    let a = dot(f0, f0);
    let c = dot(f1, f1);
    let normal = cross(f0, f1);
    let j = length(normal);
    let n = normal * (1.0 / max(j, 1e-30));
    let inverse = 1.0 / max(sqrt(a + c + 2.0 * j), 1e-30);
    let r0 = (f0 + cross(f1, n)) * inverse;
    let r1 = (f1 + cross(n, f0)) * inverse;
    let strain = vec3<f32>((a + j) * inverse - 1.0, (c + j) * inverse - 1.0, 2.0 * dot(f0, f1) * inverse);
    let stress = vec3<f32>(k.x * strain.x + k.y * strain.y, k.y * strain.x + k.x * strain.y, k.z * strain.z);
    return Stretched(r0, r1, strain, stress);
}

fn linear_stencil(weights: vec4<f32>, s: vec3<f32>, rest: f32, k: f32, least: f32) -> Linear {
    var it: Linear;
    let size = length(s);
    let along = select(vec3<f32>(0.0), s / size, size > 1e-12);
    var lateral = k;
    if rest > 0.0 {
        lateral = k * max(1.0 - rest / max(size, 1e-12), least);
    }
    for (var i = 0u; i < 4u; i++) {
        it.g0[i] = along * weights[i];
        it.n[i] = vec2<f32>(weights[i], 0.0);
        it.force[i] = along * (-k * (size - rest) * weights[i]);
    }
    it.k = vec3<f32>(k - lateral, 0.0, 0.0);
    it.tension = vec3<f32>(lateral, 0.0, 0.0);
    it.energy = 0.5 * k * (size - rest) * (size - rest);
    return it;
}

fn linear_scalar(c: f32, g: array<vec3<f32>, 4>, k: f32) -> Linear {
    var it: Linear;
    it.g0 = g;
    it.k = vec3<f32>(k, 0.0, 0.0);
    for (var i = 0u; i < 4u; i++) {
        it.force[i] = g[i] * (-k * c);
    }
    it.energy = 0.5 * k * c * c;
    return it;
}

fn angle_difference(theta: f32, rest: f32) -> f32 {
    let wide = theta - rest;
    let less = select(wide, wide - 2.0 * PI, wide > PI);
    return select(less, less + 2.0 * PI, -PI > less);
}

fn linear_dihedral(x: array<vec4<f32>, 4>, rest: f32, k: f32) -> Linear {
    let e = x[3].xyz - x[2].xyz;
    let a2 = x[2].xyz - x[0].xyz;
    let a3 = x[3].xyz - x[0].xyz;
    let b2 = x[2].xyz - x[1].xyz;
    let b3 = x[3].xyz - x[1].xyz;
    let size = length(e);
    let along = e * safe_recip(size);
    let n0 = cross(a2, a3);
    let n1 = cross(b3, b2);
    let theta = arctangent(dot(cross(n0, n1), along), dot(n0, n1));
    let u0 = n0 * safe_recip(dot(n0, n0));
    let u1 = n1 * safe_recip(dot(n1, n1));
    let g = array(
        u0 * -size,
        u1 * -size,
        u0 * dot(a3, along) + u1 * dot(b3, along),
        u0 * -dot(a2, along) + u1 * -dot(b2, along),
    );
    return linear_scalar(angle_difference(theta, rest), g, k);
}

fn linear_volume(x: array<vec4<f32>, 4>, rest: f32, k: f32) -> Linear {
    let e1 = x[1].xyz - x[0].xyz;
    let e2 = x[2].xyz - x[0].xyz;
    let e3 = x[3].xyz - x[0].xyz;
    let g1 = cross(e2, e3) / 6.0;
    let g2 = cross(e3, e1) / 6.0;
    let g3 = cross(e1, e2) / 6.0;
    return linear_scalar(dot(g3, e3) - rest, array(-(g1 + g2 + g3), g1, g2, g3), k);
}

// Membrane triangles with Biot's strain, or with that of St Venant and Kirchhoff.
fn linear_triangle(x: array<vec4<f32>, 4>, shape: vec4<f32>, k: vec3<f32>, least: f32, biot: bool) -> Linear {
    var it: Linear;
    let e1 = x[1].xyz - x[0].xyz;
    let e2 = x[2].xyz - x[0].xyz;
    let f0 = e1 * shape.x + e2 * shape.z;
    let f1 = e1 * shape.y + e2 * shape.w;
    var all: Stretched;
    if biot {
        all = stretched(f0, f1, k);
    } else {
        let c = vec3<f32>(0.5 * (dot(f0, f0) - 1.0), 0.5 * (dot(f1, f1) - 1.0), dot(f0, f1));
        all = Stretched(f0, f1, c, vec3<f32>(k.x * c.x + k.y * c.y, k.y * c.x + k.x * c.y, k.z * c.z));
    }
    let n = array(vec2<f32>(-(shape.x + shape.z), -(shape.y + shape.w)), shape.xy, shape.zw);
    for (var i = 0u; i < 3u; i++) {
        it.g0[i] = all.r0 * n[i].x;
        it.g1[i] = all.r1 * n[i].y;
        it.g2[i] = all.r0 * n[i].y + all.r1 * n[i].x;
        it.n[i] = n[i];
        it.force[i] = -(it.g0[i] * all.stress.x + it.g1[i] * all.stress.y + it.g2[i] * all.stress.z);
    }
    it.k = vec3<f32>(k.x, k.x, k.z);
    it.cross = k.y;
    it.tension = positive_part(all.stress) + vec3<f32>(least, least, 0.0);
    it.energy = 0.5 * dot(all.stress, all.strain);
    return it;
}

fn third_axis(q: vec4<f32>) -> vec3<f32> {
    return vec3<f32>(
        2.0 * (q.x * q.z + q.w * q.y),
        2.0 * (q.y * q.z - q.w * q.x),
        q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z,
    );
}

fn linear_stretch_shear(x: array<vec4<f32>, 4>, per_length: f32, k: f32) -> Linear {
    var it: Linear;
    let third = third_axis(x[2]);
    let c = (x[1].xyz - x[0].xyz) * per_length - third;
    it.g0[0].x = -per_length;
    it.g1[0].y = -per_length;
    it.g2[0].z = -per_length;
    it.g0[1].x = per_length;
    it.g1[1].y = per_length;
    it.g2[1].z = per_length;
    // Rows of the matrix of third × φ.
    it.g0[2] = cross(vec3<f32>(1.0, 0.0, 0.0), third);
    it.g1[2] = cross(vec3<f32>(0.0, 1.0, 0.0), third);
    it.g2[2] = cross(vec3<f32>(0.0, 0.0, 1.0), third);
    it.k = vec3<f32>(k);
    it.force[0] = c * (k * per_length);
    it.force[1] = c * (-k * per_length);
    it.force[2] = cross(third, c) * k;
    it.energy = 0.5 * k * dot(c, c);
    return it;
}

fn linear_bend_twist(x: array<vec4<f32>, 4>, rest: vec4<f32>, k: vec3<f32>) -> Linear {
    var it: Linear;
    let a = x[0];
    let b = x[1];
    let between = vec4<f32>(b.xyz * a.w - a.xyz * b.w - cross(a.xyz, b.xyz), a.w * b.w + dot(a.xyz, b.xyz));
    let near = between - rest;
    let far = between + rest;
    // q and −q are the same rotation: compare with the nearer of the two rest quaternions.
    let c = select(near, far, dot(near, near) > dot(far, far)).xyz;
    for (var axis = 0u; axis < 3u; axis++) {
        var unit = vec4<f32>(0.0);
        unit[axis] = 0.5;
        let change = quat_product(quat_product(vec4<f32>(-a.xyz, a.w), unit), b);
        it.g0[0][axis] = -change.x;
        it.g1[0][axis] = -change.y;
        it.g2[0][axis] = -change.z;
        it.g0[1][axis] = change.x;
        it.g1[1][axis] = change.y;
        it.g2[1][axis] = change.z;
    }
    it.k = k;
    for (var i = 0u; i < 2u; i++) {
        it.force[i] = -(it.g0[i] * (k.x * c.x) + it.g1[i] * (k.y * c.y) + it.g2[i] * (k.z * c.z));
    }
    it.energy = 0.5 * dot(k, c * c);
    return it;
}

// The element whose record is at `at` in `constants`, with positions in `base` of `work`. Tetrahedra have none.
fn linearize(at: u32, base: u32) -> Linear {
    let head = constants[at];
    let middle = constants[at + 1u];
    let last = constant(at + 2u);
    let p = bitcast<vec4<f32>>(middle);
    let code = head.x & 255u;
    var x = array(work[base + head.y], work[base + head.z], vec4<f32>(0.0), vec4<f32>(0.0));
    if code != ELEMENT_SPRING && code != ELEMENT_BEND_TWIST {
        x[2] = work[base + head.w];
    }
    if code == ELEMENT_STENCIL || code == ELEMENT_DIHEDRAL || code == ELEMENT_VOLUME {
        x[3] = work[base + middle.x];
    }
    if has_element(ELEMENT_SPRING) && code == ELEMENT_SPRING {
        return linear_stencil(vec4<f32>(1.0, -1.0, 0.0, 0.0), x[0].xyz - x[1].xyz, p.y, p.z, p.w);
    }
    if has_element(ELEMENT_STENCIL) && code == ELEMENT_STENCIL {
        let s = (x[1].xyz - x[0].xyz) * p.z + (x[2].xyz - x[0].xyz) * p.w + (x[3].xyz - x[0].xyz) * last.x;
        return linear_stencil(vec4<f32>(p.yzw, last.x), s, last.y, last.z, 0.0);
    }
    if has_element(ELEMENT_SHEET) && code == ELEMENT_SHEET {
        return linear_triangle(x, vec4<f32>(p.yzw, last.x), last.yzw, p.x, true);
    }
    if has_element(ELEMENT_TRIANGLE) && code == ELEMENT_TRIANGLE {
        return linear_triangle(x, vec4<f32>(p.yzw, last.x), last.yzw, 0.0, false);
    }
    if has_element(ELEMENT_DIHEDRAL) && code == ELEMENT_DIHEDRAL {
        return linear_dihedral(x, p.y, p.z);
    }
    if has_element(ELEMENT_VOLUME) && code == ELEMENT_VOLUME {
        return linear_volume(x, p.y, p.z);
    }
    if has_element(ELEMENT_STRETCH_SHEAR) && code == ELEMENT_STRETCH_SHEAR {
        return linear_stretch_shear(x, p.y, p.z);
    }
    if has_element(ELEMENT_BEND_TWIST) && code == ELEMENT_BEND_TWIST {
        return linear_bend_twist(x, vec4<f32>(p.yzw, last.x), vec3<f32>(last.y, last.y, last.z));
    }
    var none: Linear;
    return none;
}

// Number of vertices of an element.
fn element_rows(code: u32) -> u32 {
    if code == ELEMENT_SPRING || code == ELEMENT_BEND_TWIST {
        return 2u;
    }
    return select(4u, 3u, code == ELEMENT_SHEET || code == ELEMENT_TRIANGLE || code == ELEMENT_STRETCH_SHEAR);
}
