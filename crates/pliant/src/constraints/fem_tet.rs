//! St Venant–Kirchhoff tetrahedron as a vector of six strain constraints: `fem_triangle` in 3D.
//!
//! F = [x₁−x₀, x₂−x₀, x₃−x₀]·D, E = ½(FᵀF − I), C = (E₀₀, E₁₁, E₂₂, 2E₁₂, 2E₀₂, 2E₀₁) with engineering
//! shear, α = (V·K)⁻¹ (E13): a = 1/(V·E), b = −ν/(V·E), c = 1/(V·μ) [1/J], V the rest volume [m³].
//! Parameters: D row major (9) [1/m], a, b, c.

use crate::constraints::fem_triangle::block_step;
use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct FemTet;

/// Columns of the deformation gradient.
#[inline(always)]
pub(crate) fn deformation<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> [V3<F>; 3] {
    let e = [rows[1].v - rows[0].v, rows[2].v - rows[0].v, rows[3].v - rows[0].v];
    let mut f = e;
    for j in 0..3 {
        f[j] = e[0] * p[j] + e[1] * p[3 + j] + e[2] * p[6 + j];
    }
    f
}

/// The two columns of F that each strain component couples.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

#[inline(always)]
pub(crate) fn strain<F: Lane>(f: &[V3<F>; 3]) -> [F; 6] {
    let (half, one) = (F::splat(0.5), F::splat(1.0));
    let mut c = [one; 6];
    for (c, (i, j)) in c.iter_mut().zip(PAIRS) {
        *c = if i == j { (f[i].length_squared() - one) * half } else { f[i].dot(f[j]) };
    }
    c
}

impl Constraint<4, 12, 6> for FemTet {
    const SOFTNESS: Option<usize> = None;

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> [F; 6] {
        strain(&deformation(p, rows))
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 12], rows: &[Row<F>; 4], lambda: &[F; 6]) -> Update<F, 4, 6> {
        let f = deformation(p, rows);
        let c = strain(&f);
        // Loops and not closures, here and below: see `runtime::cpu::simd`.
        let mut g = [[V3::zero(); 4]; 6];
        for (g, (i, j)) in g.iter_mut().zip(PAIRS) {
            for k in 0..3 {
                let (di, dj) = (p[3 * k + i], p[3 * k + j]);
                g[k + 1] = if i == j { f[i] * di } else { f[i] * dj + f[j] * di };
            }
            g[0] = -(g[1] + g[2] + g[3]);
        }
        let (a, b, shear) = (p[9] * scales.inv_h2, p[10] * scales.inv_h2, p[11] * scales.inv_h2);
        let mut soft = [[F::splat(0.0); 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                soft[i][j] = if i == j { a } else { b };
            }
            soft[3 + i][3 + i] = shear;
        }
        let dl = block_step(scales, rows, &c, &g, &soft, lambda);
        let mut after = *lambda;
        for m in 0..6 {
            after[m] = after[m] + dl[m];
        }
        let mut moved = *rows;
        for k in 0..4 {
            let mut push = g[0][k] * dl[0];
            for m in 1..6 {
                push = push + g[m][k] * dl[m];
            }
            moved[k].v = push * rows[k].w;
        }
        Update { rows: moved, lambda: after }
    }

    /// Norm of the strain.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> F {
        Self::evaluate(p, rows).iter().fold(F::splat(0.0), |s, &c| s + c * c).sqrt()
    }

    #[inline(always)]
    fn energy<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> F {
        let c = Self::evaluate(p, rows);
        let (a, b) = (p[9], p[10]);
        // Inverse of the 3×3 matrix with a on and b off the diagonal.
        let scale = ((a - b) * (a + F::splat(2.0) * b)).safe_recip();
        let squares = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        let mixed = c[0] * c[1] + c[1] * c[2] + c[0] * c[2];
        let normal = ((a + b) * squares - F::splat(2.0) * b * mixed) * scale;
        let shear = (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]) * p[11].safe_recip();
        (normal + shear) * F::splat(0.5)
    }
}
