//! St Venant–Kirchhoff triangle as a vector of three strain constraints, D3 "XPBD – FEM".
//!
//! F = [x₁−x₀, x₂−x₀]·D with D the inverse of the rest edges (2×2, row major), E = ½(FᵀF − I),
//! C = (E₀₀, E₁₁, 2E₀₁): engineering shear, so its modulus is μ (E13). Compliance α = (V·K)⁻¹ (E13),
//! K the plane-stress stiffness and V = area × thickness [m³]; by symmetry it has three values
//! a (normal), b (coupling), c (shear) [1/J].
//! The three multipliers couple and are solved together: (∇C·W·∇Cᵀ + α̃)Δλ = −C − α̃λ.
//! Parameters: D₀₀ D₀₁ D₁₀ D₁₁ [1/m], a, b, c.

use crate::constraints::xpbd::solve_symmetric;
use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct FemTriangle;

/// Columns of the deformation gradient.
#[inline(always)]
pub(crate) fn deformation<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> (V3<F>, V3<F>) {
    let (e1, e2) = (rows[1].v - rows[0].v, rows[2].v - rows[0].v);
    (e1 * p[0] + e2 * p[2], e1 * p[1] + e2 * p[3])
}

#[inline(always)]
pub(crate) fn strain<F: Lane>(f0: V3<F>, f1: V3<F>) -> [F; 3] {
    let (half, one) = (F::splat(0.5), F::splat(1.0));
    [(f0.length_squared() - one) * half, (f1.length_squared() - one) * half, f0.dot(f1)]
}

impl Constraint<3, 7, 3> for FemTriangle {
    const SOFTNESS: Option<usize> = None;

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> [F; 3] {
        let (f0, f1) = deformation(p, rows);
        strain(f0, f1)
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 7], rows: &[Row<F>; 3], lambda: &[F; 3]) -> Update<F, 3, 3> {
        let (f0, f1) = deformation(p, rows);
        let c = strain(f0, f1);
        // g[m][k]: gradient of component m with respect to corner k.
        let g1 = [f0 * p[0], f1 * p[1], f0 * p[1] + f1 * p[0]];
        let g2 = [f0 * p[2], f1 * p[3], f0 * p[3] + f1 * p[2]];
        let mut g = [[V3::zero(); 3]; 3];
        for m in 0..3 {
            g[m] = [-(g1[m] + g2[m]), g1[m], g2[m]];
        }
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

/// ½·εᵀ·α⁻¹·ε with the compliance in the last three parameters.
#[inline(always)]
pub(crate) fn strain_energy<F: Lane>(p: &[F; 7], c: &[F; 3]) -> F {
    let (a, b) = (p[4], p[5]);
    let det = (a * a - b * b).safe_recip();
    let normal = (a * (c[0] * c[0] + c[1] * c[1]) - F::splat(2.0) * b * c[0] * c[1]) * det;
    (normal + c[2] * c[2] * p[6].safe_recip()) * F::splat(0.5)
}

/// Δλ of a block of strain constraints with compliance matrix `soft` = α̃.
#[inline(always)]
pub(crate) fn block_step<F: Lane, const N: usize, const M: usize>(
    scales: &Scales<F>,
    rows: &[Row<F>; N],
    c: &[F; M],
    g: &[[V3<F>; N]; M],
    soft: &[[F; M]; M],
    lambda: &[F; M],
) -> [F; M] {
    let mut system = *soft;
    let mut right = *c;
    for i in 0..M {
        for j in 0..=i {
            for k in 0..N {
                system[i][j] = system[i][j] + rows[k].w * g[i][k].dot(g[j][k]);
            }
        }
        for j in 0..M {
            right[i] = right[i] + scales.memory * soft[i][j] * lambda[j];
        }
        right[i] = -right[i];
    }
    solve_symmetric(&system, &right)
}
