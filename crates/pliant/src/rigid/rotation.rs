//! Rotation extraction: the proper rotation nearest to a matrix (S19; D4 4.9–4.20, E23).
//!
//! A = Σ mᵢ (xᵢ − c)(qᵢ)ᵀ joins a body's places with its rest shape; the R that maximizes tr(RᵀA) is its orientation.
//! Three ways: [`gram_schmidt`] is cheap and biased, [`polar`] knows nothing of the past, [`extract`] starts from the
//! last orientation and is what a simulation should use.
//!
//! Invariant: all three give a proper rotation (det +1, E23) for every finite matrix, also for flat, inverted,
//! rank-one and null ones. D4's R = A S⁻¹ does not: S is singular for flat bodies, and R a mirror image for inverted
//! ones.
//!
//! References: Müller, Bender, Chentanez, Macklin, "A robust method to extract the rotational part of deformations",
//! MIG 2016; Kugelstadt, Koschier, Bender, "Fast corotated FEM using operator splitting", SCA 2018 (the Newton step).

use crate::math::matrix::{
    IDENTITY, Mat3, Quat, UPRIGHT, Vec3, add_outer, add_scaled, cross, dot, largest, matrix_of, quat_multiply,
    quat_normalize, scale,
};
pub use crate::scene::Extraction;

/// Most steps of [`extract`]. With a warm start about three are taken, from anywhere four, seldom more than ten; all
/// of them only where the matrix hardly says what the rotation is.
pub const MOST_STEPS: u32 = 32;

/// Below this part of the largest column or singular value there is no direction left in single precision.
const NO_DIRECTION: f32 = 1e-6;

/// Gram–Schmidt orthogonalization of the columns in their order (D4 4.10), with r₃ = r₁ × r₂ (E23).
///
/// The first column keeps its direction whatever the others say: a bias that acts like an outer torque (D4's "ghost
/// force"). Where columns vanish or are parallel the others decide; a rank of one gives the least turn.
pub fn gram_schmidt(a: &Mat3) -> Mat3 {
    let size = largest(a);
    if size == 0.0 {
        return IDENTITY;
    }
    let [a1, a2, a3] = a.map(|column| column.map(|v| v / size));
    let Some(r1) = direction(a1, NO_DIRECTION).or_else(|| direction(cross(a2, a3), NO_DIRECTION)) else {
        // Only one direction at most: that of the second or third column.
        return match direction(a2, NO_DIRECTION) {
            Some(u) => shortest_turn([0.0, 1.0, 0.0], u),
            None => direction(a3, NO_DIRECTION).map_or(IDENTITY, |u| shortest_turn([0.0, 0.0, 1.0], u)),
        };
    };
    let across = |v: Vec3| direction(add_scaled(v, -dot(r1, v), r1), NO_DIRECTION);
    let r2 = across(a2).or_else(|| across(a3).map(|r3| cross(r3, r1)));
    match r2 {
        // Once more against the first: what was nearly parallel has lost its digits.
        Some(r2) => complete(r1, add_scaled(r2, -dot(r1, r2), r1)),
        None => shortest_turn([1.0, 0.0, 0.0], r1),
    }
}

/// Rotation of the polar decomposition A = R S (D4 4.11–4.14), with det R = +1 (E23).
///
/// D4 takes the root of AᵀA, which squares the condition; here Jacobi rotations make the columns of A orthogonal
/// themselves (one-sided Jacobi): A V = U Σ. Then R = u₁v₁ᵀ + u₂v₂ᵀ + (u₁×u₂)(v₁×v₂)ᵀ over the two largest singular
/// values. The third direction needs no singular value, so flat bodies are as good as any; inverted ones are mirrored
/// along their thinnest direction. A rank of one gives the least turn, rank zero none.
pub fn polar(a: &Mat3) -> Mat3 {
    let size = largest(a);
    if size == 0.0 {
        return IDENTITY;
    }
    let mut u = a.map(|column| column.map(|v| v / size));
    let mut v = IDENTITY;
    // Convergence is quadratic: five sweeps are enough for any matrix tried; ten cannot hurt.
    for _ in 0..10 {
        let turned = jacobi(&mut u, &mut v, 0, 1) | jacobi(&mut u, &mut v, 0, 2) | jacobi(&mut u, &mut v, 1, 2);
        if !turned {
            break;
        }
    }
    let lengths = u.map(|column| dot(column, column));
    let mut order = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if lengths[order[i]] < lengths[order[j]] {
            order.swap(i, j);
        }
    }
    let [first, second, _] = order;
    let u1 = scale(u[first], 1.0 / lengths[first].sqrt());
    if lengths[second] <= NO_DIRECTION * NO_DIRECTION * lengths[first] {
        return shortest_turn(v[first], u1);
    }
    let raw = scale(u[second], 1.0 / lengths[second].sqrt());
    let to = complete(u1, add_scaled(raw, -dot(u1, raw), u1));
    let from = complete(v[first], add_scaled(v[second], -dot(v[first], v[second]), v[first]));
    let r = add_outer(&[[0.0; 3]; 3], to[0], from[0]);
    add_outer(&add_outer(&r, to[1], from[1]), to[2], from[2])
}

/// Orthogonalizes two columns of U by a rotation, which V collects. Says whether it had to.
fn jacobi(u: &mut Mat3, v: &mut Mat3, p: usize, q: usize) -> bool {
    let (pp, qq, pq) = (dot(u[p], u[p]), dot(u[q], u[q]), dot(u[p], u[q]));
    if pq.abs() <= 1e-7 * (pp * qq).sqrt() || pq.abs() < 1e-30 {
        return false;
    }
    let zeta = (qq - pp) / (2.0 * pq);
    let t = if zeta >= 0.0 { 1.0 } else { -1.0 } / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for m in [u, v] {
        let (a, b) = (m[p], m[q]);
        m[p] = add_scaled(scale(a, c), -s, b);
        m[q] = add_scaled(scale(b, c), s, a);
    }
    true
}

/// The iterative extraction of Müller et al. (D4 4.15–4.20), from the orientation `last` on.
///
/// As there, the torque τ = Σ rᵢ × aᵢ (4.18) says where to turn, and nothing is decomposed. Two things differ.
///
/// - **How far.** About a fixed unit axis n the objective is tr(RᵀA) + c·sin φ − b(1 − cos φ) with c = n·τ and
///   b = nᵀHn, H = tr(ARᵀ)·I − sym(ARᵀ). So the best angle is known, tan φ = c/b, and half angles need no
///   trigonometry. D4's 4.20 takes c/tr for the angle, with a small constant in the denominator, where D3 has it outside
///   (E14); here there is none to put, for sine and cosine are never divided.
/// - **About which axis.** H⁻¹τ (Newton), with H shifted where it is not positive. Along τ alone the error shrinks by
///   σ₁/(σ₁+σ₂+σ₃) in a step: by 2 % for a rod with σ = (1, 0.01, 0.01).
///
/// Every step is uphill, and the only other points without a torque are saddles, half a turn away; those are left by
/// half a turn. What A does not determine (rank one, zero) stays as `last` had it, so the result is continuous in
/// time.
pub fn extract(a: &Mat3, last: Quat) -> Quat {
    let mut q = quat_normalize(last);
    let size = largest(a);
    if size == 0.0 {
        return q;
    }
    let a = a.map(|column| column.map(|v| v / size));
    for _ in 0..MOST_STEPS {
        let (turn, rest) = step(&a, &matrix_of(q));
        q = quat_normalize(quat_multiply(turn, q));
        // Half the sine of a small angle: what is left after this Newton step is its square.
        if rest < 1e-12 {
            break;
        }
    }
    q
}

/// One step of [`extract`] for A with entries up to 1: the turn, and the square of the sine of half its angle.
fn step(a: &Mat3, r: &Mat3) -> (Quat, f32) {
    // C = A Rᵀ: its skew part is the torque, its symmetric part the curvature.
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        c = add_outer(&c, a[i], r[i]);
    }
    let trace = c[0][0] + c[1][1] + c[2][2];
    let torque = [c[1][2] - c[2][1], c[2][0] - c[0][2], c[0][1] - c[1][0]];
    let h = [trace - c[0][0], trace - c[1][1], trace - c[2][2]];
    let [hxy, hxz, hyz] = [-0.5 * (c[0][1] + c[1][0]), -0.5 * (c[0][2] + c[2][0]), -0.5 * (c[1][2] + c[2][1])];
    let axis = saddle(h, torque).or_else(|| newton(h, [hxy, hxz, hyz], torque)).unwrap_or(torque);
    let square = dot(axis, axis);
    if square < 1e-30 {
        return (UPRIGHT, 0.0);
    }
    let n = scale(axis, 1.0 / square.sqrt());
    let sine = dot(n, torque);
    let cosine = h[0] * n[0] * n[0]
        + h[1] * n[1] * n[1]
        + h[2] * n[2] * n[2]
        + 2.0 * (hxy * n[0] * n[1] + hxz * n[0] * n[2] + hyz * n[1] * n[2]);
    let length = (sine * sine + cosine * cosine).sqrt();
    // (sin φ/2, cos φ/2) up to a factor, from whichever form does not cancel.
    let (s, k) = if cosine >= 0.0 { (sine, cosine + length) } else { (length - cosine, sine) };
    let total = s * s + k * k;
    if total < 1e-30 {
        return (UPRIGHT, 0.0);
    }
    let one = 1.0 / total.sqrt();
    let s = s * one;
    ([n[0] * s, n[1] * s, n[2] * s, k * one], s * s)
}

/// (H + μI)⁻¹τ with the least of a few μ that makes it safely positive: 0 near the goal of a body that is solid.
/// Without it, what is turned inside out and nearly round would creep along its torque.
fn newton(h: Vec3, off: Vec3, torque: Vec3) -> Option<Vec3> {
    let size = h[0].abs() + h[1].abs() + h[2].abs();
    for shift in SHIFTS {
        let mu = shift * size;
        let axis = solve([h[0] + mu, h[1] + mu, h[2] + mu], off, torque, 1e-4 * size);
        if axis.is_some() {
            return axis;
        }
    }
    None
}

/// Shifts of the curvature, relative to its size.
const SHIFTS: [f32; 4] = [0.0, 0.01, 0.1, 1.0];

/// Solves H v = t by LDLᵀ, if no pivot is below `least`: rounding in A (1e-7 of its size) would turn the body by more
/// than a thousandth about its weak axis.
fn solve(h: Vec3, [xy, xz, yz]: Vec3, t: Vec3, least: f32) -> Option<Vec3> {
    if h[0] <= least {
        return None;
    }
    let (l1, l2) = (xy / h[0], xz / h[0]);
    let d1 = h[1] - l1 * xy;
    let off = yz - l1 * xz;
    if d1 <= least {
        return None;
    }
    let l3 = off / d1;
    let d2 = h[2] - l2 * xz - l3 * off;
    if d2 <= least {
        return None;
    }
    let y1 = t[1] - l1 * t[0];
    let y2 = t[2] - l2 * t[0] - l3 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l3 * z;
    Some([t[0] / h[0] - l1 * y - l2 * z, y, z])
}

/// At a saddle, where there is no torque though a turn would help: the coordinate axis about which it helps most.
fn saddle(h: Vec3, torque: Vec3) -> Option<Vec3> {
    let worst = if h[0] <= h[1] && h[0] <= h[2] { 0 } else { usize::from(h[1] > h[2]) + 1 };
    let mut axis = [0.0; 3];
    axis[worst] = 1.0;
    (h[worst] < -1e-3 && dot(torque, torque) < 1e-8).then_some(axis)
}

/// Unit vector, unless shorter than `least`.
fn direction(v: Vec3, least: f32) -> Option<Vec3> {
    let square = dot(v, v);
    (square > least * least).then(|| scale(v, 1.0 / square.sqrt()))
}

/// Rotation matrix with a unit vector and another, roughly unit, vector at a right angle to it.
fn complete(first: Vec3, second: Vec3) -> Mat3 {
    let second = scale(second, 1.0 / dot(second, second).sqrt());
    [first, second, cross(first, second)]
}

/// The rotation by the least angle that takes one unit vector to another; half a turn about any axis between
/// opposites.
pub fn shortest_turn(from: Vec3, to: Vec3) -> Mat3 {
    let k = 1.0 + dot(from, to);
    let v = cross(from, to);
    if k > 1e-6 {
        return matrix_of(quat_normalize([v[0], v[1], v[2], k]));
    }
    let least = if from[0].abs() <= from[1].abs() { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let axis = cross(from, least);
    matrix_of(quat_normalize([axis[0], axis[1], axis[2], 0.0]))
}
