//! Dihedral bending: keeps the angle between two triangles that share an edge.
//!
//! Rows: the two opposite corners x₀, x₁, then the shared edge x₂ x₃. C(x) = θ − θ₀ with θ the angle
//! between the normals n₀ = (x₂−x₀)×(x₃−x₀) and n₁ = (x₃−x₁)×(x₂−x₁), signed along the edge; 0 is flat.
//! Gradients of the angle itself (not of its cosine, which vanish where the sheet is flat): Bridson,
//! Marino, Fedkiw, "Simulation of clothing with folds and wrinkles", SCA 2003. D0 §5, D1, D2 §5.
//! Parameters: rest angle θ₀ [rad], softness (compliance in rad²/J).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::lane::atan2;
use crate::math::{Lane, V3};

/// The kernel.
pub struct Bend;

/// Angle and its gradients.
#[inline(always)]
pub(crate) fn angle<F: Lane>([a, b, c, d]: &[Row<F>; 4]) -> (F, [V3<F>; 4]) {
    let e = d.v - c.v;
    let length = e.length();
    let per_length = length.safe_recip();
    let n0 = (c.v - a.v).cross(d.v - a.v);
    let n1 = (d.v - b.v).cross(c.v - b.v);
    let theta = atan2(n0.cross(n1).dot(e) * per_length, n0.dot(n1));
    let u0 = n0 * n0.length_squared().safe_recip();
    let u1 = n1 * n1.length_squared().safe_recip();
    let g0 = u0 * -length;
    let g1 = u1 * -length;
    let g2 = u0 * ((d.v - a.v).dot(e) * per_length) + u1 * ((d.v - b.v).dot(e) * per_length);
    let g3 = u0 * ((a.v - c.v).dot(e) * per_length) + u1 * ((b.v - c.v).dot(e) * per_length);
    (theta, [g0, g1, g2, g3])
}

/// θ − θ₀ wrapped to (−π, π]: a fold past flat must not unwind through a full turn.
#[inline(always)]
pub(crate) fn difference<F: Lane>(theta: F, rest: F) -> F {
    let pi = F::splat(std::f32::consts::PI);
    let turn = F::splat(std::f32::consts::TAU);
    let d = theta - rest;
    let d = F::pick_gt(d, pi, d - turn, d);
    F::pick_gt(-pi, d, d + turn, d)
}

impl Constraint<4, 2, 1> for Bend {
    const SOFTNESS: Option<usize> = Some(1);

    #[inline(always)]
    fn evaluate<F: Lane>(&[rest, _]: &[F; 2], rows: &[Row<F>; 4]) -> [F; 1] {
        [difference(angle(rows).0, rest)]
    }

    #[inline(always)]
    fn project<F: Lane>(
        scales: &Scales<F>,
        &[rest, softness]: &[F; 2],
        rows: &[Row<F>; 4],
        &[lambda]: &[F; 1],
    ) -> Update<F, 4, 1> {
        let (theta, g) = angle(rows);
        let [a, b, c, d] = rows;
        let sum = a.w * g[0].length_squared()
            + b.w * g[1].length_squared()
            + c.w * g[2].length_squared()
            + d.w * g[3].length_squared();
        let dl = scales.delta_lambda(softness, difference(theta, rest), lambda, sum);
        Update {
            rows: [
                Row { v: g[0] * (a.w * dl), w: a.w },
                Row { v: g[1] * (b.w * dl), w: b.w },
                Row { v: g[2] * (c.w * dl), w: c.w },
                Row { v: g[3] * (d.w * dl), w: d.w },
            ],
            lambda: [lambda + dl],
        }
    }

    /// In half turns.
    #[inline(always)]
    fn residual<F: Lane>(params: &[F; 2], rows: &[Row<F>; 4]) -> F {
        Self::evaluate(params, rows)[0].abs() * F::splat(std::f32::consts::FRAC_1_PI)
    }
}
