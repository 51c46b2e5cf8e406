//! Rotation extraction: the proper rotation nearest to a matrix (S19; D4 4.9–4.20, E23).
//!
//! A = Σ mᵢ (xᵢ − c)(qᵢ)ᵀ relates a body's positions to its rest shape; the R that maximizes tr(RᵀA) is its
//! orientation. Three methods: [`gram_schmidt`] is cheap and biased, [`polar`] is stateless, [`extract`] starts from
//! the last orientation and is the default choice for simulation.
//!
//! Invariant: all three return a proper rotation (det +1, E23) for every finite matrix, also for flat, inverted,
//! rank-one and zero ones. D4's R = A S⁻¹ does not: S is singular for flat bodies, and R is a reflection for inverted
//! ones.
//!
//! References: Müller, Bender, Chentanez, Macklin, "A robust method to extract the rotational part of deformations",
//! MIG 2016; Kugelstadt, Koschier, Bender, "Fast corotated FEM using operator splitting", SCA 2018 (the Newton step).

use crate::math::matrix::{
    IDENTITY, Mat3, Quat, UPRIGHT, Vec3, add_outer, add_scaled, cross, dot, largest, matrix_of, quat_multiply,
    quat_normalize, scale,
};
pub use crate::scene::Extraction;

/// Maximum number of steps of [`extract`]. A warm start takes about three, an arbitrary start four, seldom more than
/// ten; the maximum is reached only if the matrix hardly determines the rotation.
pub const MOST_STEPS: u32 = 32;

/// Relative size of a column or singular value below which single precision gives no direction.
pub(crate) const NO_DIRECTION: f32 = 1e-6;

/// Gram–Schmidt orthogonalization of the columns in their order (D4 4.10), with r₃ = r₁ × r₂ (E23).
///
/// The first column keeps its direction regardless of the others: a bias that acts like an external torque (D4's "ghost
/// force"). If columns vanish or are parallel the others determine the result; rank one gives the smallest rotation.
pub fn gram_schmidt(a: &Mat3) -> Mat3 {
    let size = largest(a);
    if size == 0.0 {
        return IDENTITY;
    }
    let [a1, a2, a3] = a.map(|column| column.map(|v| v / size));
    let Some(r1) = direction(a1, NO_DIRECTION).or_else(|| direction(cross(a2, a3), NO_DIRECTION)) else {
        // At most one direction: that of the second or third column.
        return match direction(a2, NO_DIRECTION) {
            Some(u) => shortest_turn([0.0, 1.0, 0.0], u),
            None => direction(a3, NO_DIRECTION).map_or(IDENTITY, |u| shortest_turn([0.0, 0.0, 1.0], u)),
        };
    };
    let across = |v: Vec3| direction(add_scaled(v, -dot(r1, v), r1), NO_DIRECTION);
    let r2 = across(a2).or_else(|| across(a3).map(|r3| cross(r3, r1)));
    match r2 {
        // Orthogonalizes twice: nearly parallel columns have lost precision.
        Some(r2) => complete(r1, add_scaled(r2, -dot(r1, r2), r1)),
        None => shortest_turn([1.0, 0.0, 0.0], r1),
    }
}

/// Rotation of the polar decomposition A = R S (D4 4.11–4.14), with det R = +1 (E23).
///
/// D4 takes the root of AᵀA, which squares the condition number; here Jacobi rotations orthogonalize the columns of A
/// directly (one-sided Jacobi): A V = U Σ. Then R = u₁v₁ᵀ + u₂v₂ᵀ + (u₁×u₂)(v₁×v₂)ᵀ over the two largest singular
/// values. The third direction needs no singular value, so flat bodies need no special case; inverted ones are mirrored
/// along their thinnest direction. Rank one gives the smallest rotation, rank zero none.
pub fn polar(a: &Mat3) -> Mat3 {
    let size = largest(a);
    if size == 0.0 {
        return IDENTITY;
    }
    let mut u = a.map(|column| column.map(|v| v / size));
    let mut v = IDENTITY;
    // Convergence is quadratic: five sweeps sufficed for every matrix tested; ten is a safe bound.
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

/// Orthogonalizes two columns of U by a rotation, which V accumulates. Returns whether they were not yet orthogonal.
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

/// Iterative extraction of Müller et al. (D4 4.15–4.20), starting at the orientation `last`.
///
/// As there, the torque τ = Σ rᵢ × aᵢ (4.18) gives the direction, without a decomposition. Two differences:
///
/// - **Angle.** About a fixed unit axis n the objective is tr(RᵀA) + c·sin φ − b(1 − cos φ) with c = n·τ and b = nᵀHn,
///   H = tr(ARᵀ)·I − sym(ARᵀ). So the optimal angle is known, tan φ = c/b, and half angles need no trigonometry. D4's
///   4.20 uses c/tr for the angle, with a small constant in the denominator, where D3 has it outside (E14); here none
///   is needed, as sine and cosine are never divided.
/// - **Axis.** H⁻¹τ (Newton), with H shifted if it is not positive. Along τ alone the error shrinks by σ₁/(σ₁+σ₂+σ₃)
///   per step: by 2 % for a rod with σ = (1, 0.01, 0.01).
///
/// Every step increases the objective, and the only other points without a torque are saddles, a rotation by 180° away;
/// a rotation by 180° leaves them. Directions that A does not determine (rank one, zero) keep the orientation `last`,
/// so the result is continuous in time.
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
        // Half the sine of a small angle: the error after this Newton step is its square.
        if rest < 1e-12 {
            break;
        }
    }
    q
}

/// One step of [`extract`] for A with entries up to 1: the rotation, and the square of the sine of half its angle.
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
    // (sin φ/2, cos φ/2) up to a factor, from the form without cancellation.
    let (s, k) = if cosine >= 0.0 { (sine, cosine + length) } else { (length - cosine, sine) };
    let total = s * s + k * k;
    if total < 1e-30 {
        return (UPRIGHT, 0.0);
    }
    let one = 1.0 / total.sqrt();
    let s = s * one;
    ([n[0] * s, n[1] * s, n[2] * s, k * one], s * s)
}

/// (H + μI)⁻¹τ with the smallest of a few μ that makes it safely positive: 0 near the solution for a solid body.
/// Without it, inverted and nearly round bodies would converge slowly along their torque.
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

/// Shifts of the curvature, relative to its magnitude.
const SHIFTS: [f32; 4] = [0.0, 0.01, 0.1, 1.0];

/// Solves H v = t by LDLᵀ, if no pivot is below `least`: otherwise rounding in A (1e-7, relative) would rotate the body
/// by more than 1e-3 about its weak axis.
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

/// At a saddle, where the torque is zero but a rotation would help: the coordinate axis with the largest gain.
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

/// Rotation matrix from a unit vector and another, roughly unit, vector perpendicular to it.
fn complete(first: Vec3, second: Vec3) -> Mat3 {
    let second = scale(second, 1.0 / dot(second, second).sqrt());
    [first, second, cross(first, second)]
}

/// Smallest rotation from one unit vector to another; 180° about any perpendicular axis for opposite vectors.
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
