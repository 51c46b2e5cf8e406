//! Attachment: keeps two particles at the same position.
//!
//! C(x) = x₀ − x₁ ∈ R³, ∇₀C = I = −∇₁C: the three components do not couple, so each is solved separately.
//! Parameter: softness (compliance in m/N).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct Attach;

impl Constraint<2, 1, 3> for Attach {
    const SOFTNESS: Option<usize> = Some(0);

    #[inline(always)]
    fn evaluate<F: Lane>(_: &[F; 1], [a, b]: &[Row<F>; 2]) -> [F; 3] {
        let c = a.v - b.v;
        [c.x, c.y, c.z]
    }

    #[inline(always)]
    fn project<F: Lane>(
        scales: &Scales<F>,
        &[softness]: &[F; 1],
        &[a, b]: &[Row<F>; 2],
        lambda: &[F; 3],
    ) -> Update<F, 2, 3> {
        let c = a.v - b.v;
        let inv_mass = a.w + b.w;
        let d = V3::new(
            scales.delta_lambda(softness, c.x, lambda[0], inv_mass),
            scales.delta_lambda(softness, c.y, lambda[1], inv_mass),
            scales.delta_lambda(softness, c.z, lambda[2], inv_mass),
        );
        Update {
            rows: [Row { v: d * a.w, w: a.w }, Row { v: d * (-b.w), w: b.w }],
            lambda: [lambda[0] + d.x, lambda[1] + d.y, lambda[2] + d.z],
        }
    }

    /// Absolute [m]: an attachment has no characteristic length.
    #[inline(always)]
    fn residual<F: Lane>(_: &[F; 1], [a, b]: &[Row<F>; 2]) -> F {
        (a.v - b.v).length()
    }
}
