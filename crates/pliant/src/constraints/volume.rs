//! Tetrahedral volume.
//!
//! C(x) = (x₁₀ × x₂₀)·x₃₀ / 6 − V, D0 Eq. 7, with the gradients of E01 (the printed ones are permuted)
//! and the sign and masses of E02: ∇₁ = (x₂₀ × x₃₀)/6, ∇₂ = (x₃₀ × x₁₀)/6, ∇₃ = (x₁₀ × x₂₀)/6,
//! ∇₀ = −(∇₁ + ∇₂ + ∇₃).
//! Parameters: rest volume V [m³], softness (compliance in m³/Pa, since C is a volume and λ a pressure).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::Lane;

/// The kernel.
pub struct Volume;

impl Constraint<4, 2, 1> for Volume {
    const SOFTNESS: Option<usize> = Some(1);

    #[inline(always)]
    fn evaluate<F: Lane>(&[rest, _]: &[F; 2], [a, b, c, d]: &[Row<F>; 4]) -> [F; 1] {
        [(b.v - a.v).cross(c.v - a.v).dot(d.v - a.v) * F::splat(1.0 / 6.0) - rest]
    }

    #[inline(always)]
    fn project<F: Lane>(
        scales: &Scales<F>,
        &[rest, softness]: &[F; 2],
        &[a, b, c, d]: &[Row<F>; 4],
        &[lambda]: &[F; 1],
    ) -> Update<F, 4, 1> {
        let (e1, e2, e3) = (b.v - a.v, c.v - a.v, d.v - a.v);
        // Six times the gradients: the factor 1/6 is applied once, to the scalars.
        let g1 = e2.cross(e3);
        let g2 = e3.cross(e1);
        let g3 = e1.cross(e2);
        let g0 = -(g1 + g2 + g3);
        let sum = a.w * g0.length_squared()
            + b.w * g1.length_squared()
            + c.w * g2.length_squared()
            + d.w * g3.length_squared();
        let sixth = F::splat(1.0 / 6.0);
        let c_value = g3.dot(e3) * sixth - rest;
        let dl = scales.delta_lambda(softness, c_value, lambda, sum * F::splat(1.0 / 36.0));
        let s = dl * sixth;
        Update {
            rows: [
                Row { v: g0 * (a.w * s), w: a.w },
                Row { v: g1 * (b.w * s), w: b.w },
                Row { v: g2 * (c.w * s), w: c.w },
                Row { v: g3 * (d.w * s), w: d.w },
            ],
            lambda: [lambda + dl],
        }
    }

    #[inline(always)]
    fn residual<F: Lane>(params: &[F; 2], rows: &[Row<F>; 4]) -> F {
        Self::evaluate(params, rows)[0].abs() * params[0].abs().safe_recip()
    }
}
