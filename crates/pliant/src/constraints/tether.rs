//! Long-range tether: limits the distance of a particle from its anchor.
//!
//! C(x) = |x₀ − x₁| − L ≤ 0, an inequality (S04, E16): only pulls, so its multiplier stays ≤ 0. The anchor x₁ is
//! a fixed particle, so all tethers of a cloth run concurrently although they share it.
//! Parameters: length L [m], softness (compliance in m/N). D3, cloth.

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::Lane;

/// The kernel.
pub struct Tether;

impl Constraint<2, 2, 1> for Tether {
    const MOVES: usize = 1;
    const SOFTNESS: Option<usize> = Some(1);

    #[inline(always)]
    fn evaluate<F: Lane>(&[length, _]: &[F; 2], [a, b]: &[Row<F>; 2]) -> [F; 1] {
        [((a.v - b.v).length() - length).max(F::splat(0.0))]
    }

    #[inline(always)]
    fn project<F: Lane>(
        scales: &Scales<F>,
        &[most, softness]: &[F; 2],
        &[a, b]: &[Row<F>; 2],
        &[lambda]: &[F; 1],
    ) -> Update<F, 2, 1> {
        let d = a.v - b.v;
        let length = d.length();
        let (k, alpha_tilde) = scales.soften(softness);
        let c = length - most;
        let full = scales.numerator(k, alpha_tilde, c, lambda) * (a.w + b.w + alpha_tilde).safe_recip();
        // The accumulated multiplier may return to 0, but never push (E16). PBD does not accumulate: each
        // projection by itself may only pull.
        let zero = F::splat(0.0);
        let kept = (lambda * scales.memory + full).min(zero) - lambda * scales.memory;
        let scale = kept * length.safe_recip();
        Update {
            rows: [Row { v: d * (a.w * scale), w: a.w }, Row { v: d * (-(b.w * scale)), w: b.w }],
            lambda: [lambda + kept],
        }
    }

    #[inline(always)]
    fn residual<F: Lane>(params: &[F; 2], rows: &[Row<F>; 2]) -> F {
        Self::evaluate(params, rows)[0] * params[0].safe_recip()
    }
}
