//! Stretch: keeps two particles at their rest distance.
//!
//! C(x) = |x₀ − x₁| − d, ∇₀C = n = −∇₁C. D0 Eq. 5–6 with inverse masses (E03, E05).
//! Parameters: rest distance d [m], softness (compliance in m/N).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::Lane;

/// The kernel.
pub struct Stretch;

impl Constraint<2, 2, 1> for Stretch {
    const SOFTNESS: Option<usize> = Some(1);

    #[inline(always)]
    fn evaluate<F: Lane>(&[rest, _]: &[F; 2], [a, b]: &[Row<F>; 2]) -> [F; 1] {
        [(a.v - b.v).length() - rest]
    }

    #[inline(always)]
    fn project<F: Lane>(
        scales: &Scales<F>,
        &[rest, softness]: &[F; 2],
        &[a, b]: &[Row<F>; 2],
        &[lambda]: &[F; 1],
    ) -> Update<F, 2, 1> {
        let d = a.v - b.v;
        let length = d.length();
        let (k, alpha_tilde) = scales.soften(softness);
        let numerator = scales.numerator(k, alpha_tilde, length - rest, lambda);
        // Δλ/|d| in one division. Coincident points have no direction: it is 0 there, and λ must not grow.
        let scale = numerator * (length * (a.w + b.w + alpha_tilde)).safe_recip();
        Update {
            rows: [Row { v: d * (a.w * scale), w: a.w }, Row { v: d * (-(b.w * scale)), w: b.w }],
            lambda: [lambda + scale * length],
        }
    }

    #[inline(always)]
    fn residual<F: Lane>(params: &[F; 2], rows: &[Row<F>; 2]) -> F {
        Self::evaluate(params, rows)[0].abs() * params[0].safe_recip()
    }
}
