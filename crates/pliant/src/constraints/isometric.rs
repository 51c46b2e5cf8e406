//! Isometric bending: curvature of two triangles by a fixed linear stencil.
//!
//! s(x) = Σ kᵢxᵢ with cotangent weights kᵢ (Σkᵢ = 0) is the integrated curvature vector of the hinge;
//! C(x) = |s| − |s₀|, ∇ᵢC = kᵢ·s/|s|. Bergou, Wardetzky, Harmon, Zorin, Grinspun, "A quadratic bending
//! model for inextensible surfaces", SGP 2006. On an edge of length e bent by θ, |s| = e·θ: a hinge of weight w
//! (`builder::bending`) has α = e²/(w·B) with the flexural rigidity B [N·m].
//! Parameters: k₀…k₃ (rows as in `bend`), |s₀| [m], softness (compliance in m/N), edge length [m]
//! (only to normalize the residual).

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct Isometric;

#[inline(always)]
fn curvature<F: Lane>(p: &[F; 7], rows: &[Row<F>; 4]) -> V3<F> {
    rows[0].v * p[0] + rows[1].v * p[1] + rows[2].v * p[2] + rows[3].v * p[3]
}

impl Constraint<4, 7, 1> for Isometric {
    const SOFTNESS: Option<usize> = Some(5);

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 7], rows: &[Row<F>; 4]) -> [F; 1] {
        [curvature(p, rows).length() - p[4]]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 7], rows: &[Row<F>; 4], &[lambda]: &[F; 1]) -> Update<F, 4, 1> {
        // Relative to the first row: with large coordinates the stencil would lose the small curvature.
        let origin = rows[0].v;
        let mut local = *rows;
        for r in &mut local {
            r.v = r.v - origin;
        }
        let s = curvature(p, &local);
        let length = s.length();
        let weight =
            rows[0].w * p[0] * p[0] + rows[1].w * p[1] * p[1] + rows[2].w * p[2] * p[2] + rows[3].w * p[3] * p[3];
        let dl = scales.delta_lambda(p[5], length - p[4], lambda, weight);
        // The gradient of a flat hinge is undefined: λ must not grow there.
        let dl = F::pick_gt(length, F::splat(1e-12), dl, F::splat(0.0));
        let along = s * (dl * length.safe_recip());
        let mut moved = *rows;
        for i in 0..4 {
            moved[i].v = along * (rows[i].w * p[i]);
        }
        Update { rows: moved, lambda: [lambda + dl] }
    }

    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 7], rows: &[Row<F>; 4]) -> F {
        Self::evaluate(p, rows)[0].abs() * p[6].safe_recip()
    }
}
