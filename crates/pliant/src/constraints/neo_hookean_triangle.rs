//! Stable neo-Hookean triangle in plane stress: `neo_hookean_tet` in two dimensions.
//!
//! F as in `fem_triangle` (3×2), J = |f₀×f₁| the ratio of areas, I = |F|². The energy has the same form. At rest I = 2,
//! where I²/(1+I) has the slope 8/9 and the curvature 4/27 instead of 15/16 and 1/16: Lamé's parameters G and L of plane
//! stress need μ = 9/8·G, λ = L + 5/6·G, α = 1 + G/λ ([`parameters`]). A triangle crushed to a line has no normal
//! and does not widen by itself.
//! Parameters: D₀₀ D₀₁ D₁₀ D₁₁ [1/m], 1/(μV), 1/(λV) [1/J], α.

use crate::constraints::fem_triangle::{deformation, strain};
use crate::constraints::neo_hookean_tet::balanced_step;
use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::Lane;

/// The kernel.
pub struct NeoHookeanTriangle;

/// The last three parameters of an element of rest volume `volume` [m³]: 1/(μV), 1/(λV), α, from Lamé's parameters
/// `shear` and `lambda` of plane stress [Pa].
pub fn parameters(shear: f32, lambda: f32, volume: f32) -> [f32; 3] {
    let second = lambda + 5.0 / 6.0 * shear;
    [8.0 / (9.0 * shear * volume), 1.0 / (second * volume), 1.0 + shear / second]
}

impl Constraint<3, 7, 2> for NeoHookeanTriangle {
    const SOFTNESS: Option<usize> = None;

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> [F; 2] {
        let (f0, f1) = deformation(p, rows);
        let i = f0.length_squared() + f1.length_squared();
        [f0.cross(f1).length() - p[6], i / (i + F::splat(1.0)).sqrt()]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 7], rows: &[Row<F>; 3], lambda: &[F; 2]) -> Update<F, 3, 2> {
        let (f0, f1) = deformation(p, rows);
        let i = f0.length_squared() + f1.length_squared();
        let normal = f0.cross(f1);
        let area = normal.length();
        let n = normal * area.safe_recip();
        let (c0, c1) = (f1.cross(n), n.cross(f0));
        let u = [c0 * p[0] + c1 * p[1], c0 * p[2] + c1 * p[3]];
        let v = [(f0 - c0) * p[0] + (f1 - c1) * p[1], (f0 - c0) * p[2] + (f1 - c1) * p[3]];
        let directions = [[-(u[0] + u[1]), u[0], u[1]], [-(v[0] + v[1]), v[0], v[1]]];
        balanced_step(scales, [p[5], p[4]], [area - p[6], i], rows, &directions, lambda)
    }

    /// Norm of Green's strain, which vanishes at rest as C does not.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> F {
        let (f0, f1) = deformation(p, rows);
        let c = strain(f0, f1);
        (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt()
    }

    /// Above that of the rest shape.
    #[inline(always)]
    fn energy<F: Lane>(p: &[F; 7], rows: &[Row<F>; 3]) -> F {
        let (one, two, three) = (F::splat(1.0), F::splat(2.0), F::splat(3.0));
        let (f0, f1) = deformation(p, rows);
        let i = f0.length_squared() + f1.length_squared();
        let area = f0.cross(f1).length();
        let hydrostatic = (area - one) * (area + one - two * p[6]) * p[5].safe_recip();
        let shape = (i - two) * (three * i + two) / (three * (one + i)) * p[4].safe_recip();
        (hydrostatic + shape) * F::splat(0.5)
    }
}
