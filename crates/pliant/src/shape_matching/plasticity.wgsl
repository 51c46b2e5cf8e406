// WGSL version of plasticity.rs; uses rotation.wgsl.

struct Inverted { m: mat3x3<f32>, fine: bool }

// By cofactors; not `fine` if the determinant is 0 or NaN.
fn inverse3(m: mat3x3<f32>) -> Inverted {
    let det = dot(cross(m[0], m[1]), m[2]);
    let one = 1.0 / det;
    let rows = mat3x3<f32>(cross(m[1], m[2]) * one, cross(m[2], m[0]) * one, cross(m[0], m[1]) * one);
    return Inverted(transpose(rows), det != 0.0 && abs(one) < 3.4e38);
}

fn symmetric3(m: mat3x3<f32>) -> mat3x3<f32> {
    let xy = 0.5 * (m[0].y + m[1].x);
    let xz = 0.5 * (m[0].z + m[2].x);
    let yz = 0.5 * (m[1].z + m[2].y);
    return mat3x3<f32>(m[0].x, xy, xz, xy, m[1].y, yz, xz, yz, m[2].z);
}

// ‖S − I‖.
fn strain_of(s: mat3x3<f32>) -> f32 {
    let d = s - identity3();
    return sqrt(dot(d[0], d[0]) + dot(d[1], d[1]) + dot(d[2], d[2]));
}

// Symmetric part of RᵀF·P⁻¹, F = A·A_qq⁻¹ (D4 4.6, E23).
fn stretch_of(
    a: mat3x3<f32>, rotation: mat3x3<f32>, shape: mat3x3<f32>, spread: mat3x3<f32>, flat: mat3x3<f32>,
) -> mat3x3<f32> {
    let back = inverse3(shape);
    if !back.fine {
        return identity3();
    }
    let local = transpose(rotation) * (a * spread);
    return symmetric3((local + shape * flat) * back.m);
}

struct Unimodular { m: mat3x3<f32>, fine: bool }

// Over the cube root of the determinant, if that is clearly positive.
fn unimodular(m: mat3x3<f32>) -> Unimodular {
    let det = dot(cross(m[0], m[1]), m[2]);
    if !(det > 1e-6 && det < 3.4e38) {
        return Unimodular(m, false);
    }
    // One Newton step: powers are less exact than the host's cube root.
    var root = exp2(log2(det) / 3.0);
    root -= (root - det / (root * root)) / 3.0;
    return Unimodular(m * (1.0 / root), true);
}

// The rest shape after a substep with maximum stretch S: P ← (I + k(S − I)) P, bounded, of volume 1. `k` is 1 −
// exp(−h·creep).
fn flowed(threshold: f32, k: f32, most: f32, stretch: mat3x3<f32>, shape: mat3x3<f32>) -> mat3x3<f32> {
    // Also false if S is NaN.
    if !(strain_of(stretch) > threshold && k > 0.0) {
        return shape;
    }
    let step = identity3() + k * (stretch - identity3());
    let whole = unimodular(step * shape);
    if !whole.fine {
        return shape;
    }
    if strain_of(whole.m) <= most {
        return whole.m;
    }
    // Bisection along the path from the identity finds the bound.
    var low = 0.0;
    var high = 1.0;
    var next = identity3();
    for (var n = 0u; n < 20u; n++) {
        let middle = 0.5 * (low + high);
        let tried = unimodular(identity3() + middle * (whole.m - identity3()));
        if tried.fine && strain_of(tried.m) <= most {
            low = middle;
            next = tried.m;
        } else {
            high = middle;
        }
    }
    return next;
}
