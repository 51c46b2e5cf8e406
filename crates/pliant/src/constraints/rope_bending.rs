//! Rope bending: keeps three consecutive particles in line, or at their rest curvature.
//!
//! s(x) = x₀ − 2x₁ + x₂ is the discrete second derivative times the segment length squared;
//! C(x) = |s| − |s₀|, weights 1, −2, 1. Along s the torque of the three forces vanishes, so angular
//! momentum is conserved. With flexural rigidity EI [N·m²] and segments of length l the energy is
//! ½·(EI/l³)|s|², so α = l³/EI. D3, ropes.
//! Parameters: |s₀| [m], softness (compliance in m/N), segment length [m] (normalizes the residual).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct RopeBending;

#[inline(always)]
fn second_difference<F: Lane>([a, b, c]: &[Row<F>; 3]) -> V3<F> {
    (a.v - b.v) + (c.v - b.v)
}

impl Constraint<3, 3, 1> for RopeBending {
    const SOFTNESS: Option<usize> = Some(1);

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 3], rows: &[Row<F>; 3]) -> [F; 1] {
        [second_difference(rows).length() - p[0]]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 3], rows: &[Row<F>; 3], &[lambda]: &[F; 1]) -> Update<F, 3, 1> {
        let s = second_difference(rows);
        let length = s.length();
        let [a, b, c] = rows;
        let weight = a.w + F::splat(4.0) * b.w + c.w;
        let dl = scales.delta_lambda(p[1], length - p[0], lambda, weight);
        // The gradient of a straight rope is undefined: λ must not grow there.
        let dl = F::pick_gt(length, F::splat(1e-12), dl, F::splat(0.0));
        let along = s * (dl * length.safe_recip());
        Update {
            rows: [
                Row { v: along * a.w, w: a.w },
                Row { v: along * (F::splat(-2.0) * b.w), w: b.w },
                Row { v: along * c.w, w: c.w },
            ],
            lambda: [lambda + dl],
        }
    }

    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 3], rows: &[Row<F>; 3]) -> F {
        Self::evaluate(p, rows)[0].abs() * p[2].safe_recip()
    }
}
