//! Linear membrane triangle: stretch and shear of cloth, with a force proportional to the extension.
//!
//! F = [f₀, f₁] as in `fem_triangle` and its polar decomposition F = R·S, in closed form for 3×2 matrices: with
//! J = |f₀×f₁| and cofactors q₀ = f₁×n, q₁ = n×f₀ (n the unit normal), tr S = s = √(|f₀|² + |f₁|² + 2J),
//! R = (F + q)/s, S = (FᵀF + J·1)/s. C = (S₀₀ − 1, S₁₁ − 1, 2S₀₁), Biot's strain with engineering shear: a strip
//! pulled along any direction extends by force over modulus, as a spring does, where Green's strain of
//! `fem_triangle` stiffens. Compliance as there: plane stress, a (normal), b (coupling), c (shear) [1/J].
//! Parameters: D₀₀ D₀₁ D₁₀ D₁₁ [1/m], a, b, c.

use crate::constraints::fem_triangle::{block_step, deformation, strain_energy};
use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct Membrane;

/// S₀₀, S₁₁, S₀₁ and 1/s; the cofactors.
#[inline(always)]
fn stretch<F: Lane>(f0: V3<F>, f1: V3<F>) -> ([F; 3], F, [V3<F>; 2]) {
    let (a, c) = (f0.length_squared(), f1.length_squared());
    let normal = f0.cross(f1);
    let j = normal.length();
    let n = normal * j.safe_recip();
    let inverse = (a + c + F::splat(2.0) * j).sqrt().safe_recip();
    ([(a + j) * inverse, (c + j) * inverse, f0.dot(f1) * inverse], inverse, [f1.cross(n), n.cross(f0)])
}

#[inline(always)]
fn strain<F: Lane>(s: &[F; 3]) -> [F; 3] {
    let one = F::splat(1.0);
    [s[0] - one, s[1] - one, s[2] + s[2]]
}

/// The strain, and the gradient of each component by each corner.
#[inline(always)]
fn gradients<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> ([F; 3], [[V3<F>; 3]; 3]) {
    let (f0, f1) = deformation(p, rows);
    let (s, inverse, [q0, q1]) = stretch(f0, f1);
    let c = strain(&s);
    // Columns of R.
    let (r0, r1) = ((f0 + q0) * inverse, (f1 + q1) * inverse);
    // Derivatives of each component by f₀ and by f₁, times s.
    let by_f0 = [f0 + f0 + q0 - r0 * s[0], q0 - r0 * s[1], f1 + f1 - r0 * c[2]];
    let by_f1 = [q1 - r1 * s[0], f1 + f1 + q1 - r1 * s[1], f0 + f0 - r1 * c[2]];
    let mut g = [[V3::zero(); 3]; 3];
    for m in 0..3 {
        let g1 = (by_f0[m] * p[0] + by_f1[m] * p[1]) * inverse;
        let g2 = (by_f0[m] * p[2] + by_f1[m] * p[3]) * inverse;
        g[m] = [-(g1 + g2), g1, g2];
    }
    (c, g)
}

impl Constraint<3, 7, 3> for Membrane {
    const SOFTNESS: Option<usize> = None;

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> [F; 3] {
        let (f0, f1) = deformation(p, rows);
        strain(&stretch(f0, f1).0)
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 7], rows: &[Row<F>; 3], lambda: &[F; 3]) -> Update<F, 3, 3> {
        let (c, g) = gradients(p, rows);
        let (a, b, shear) = (p[4] * scales.inv_h2, p[5] * scales.inv_h2, p[6] * scales.inv_h2);
        let zero = F::splat(0.0);
        let soft = [[a, b, zero], [b, a, zero], [zero, zero, shear]];
        let dl = block_step(scales, rows, &c, &g, &soft, lambda);
        let mut moved = *rows;
        for k in 0..3 {
            moved[k].v = (g[0][k] * dl[0] + g[1][k] * dl[1] + g[2][k] * dl[2]) * rows[k].w;
        }
        Update { rows: moved, lambda: [lambda[0] + dl[0], lambda[1] + dl[1], lambda[2] + dl[2]] }
    }

    /// Norm of the strain.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> F {
        let c = Self::evaluate(p, rows);
        (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt()
    }

    #[inline(always)]
    fn energy<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> F {
        strain_energy(p, &Self::evaluate(p, rows))
    }
}
