//! Stable neo-Hookean tetrahedron: recovers from flat, from a point and from inside out.
//!
//! F as in `fem_tet`, J = det F, I = |F|². Energy density
//!
//! Ψ = μ/2·I²/(1+I) + λ/2·(J − α)²,
//!
//! after Smith, de Goes, Kim, "Stable neo-Hookean flesh simulation", 2018, and Macklin, Müller, "A constraint-based
//! formulation of stable neo-Hookean materials", 2021. A plain μ/2·I would hold a solid that is crushed below about 0.3
//! of its size at a point, where it has a minimum; Smith et al. subtract μ/2·log(1+I), and I²/(1+I) does the same with
//! exact operations. As constraints: C₀ = J − α with compliance 1/(λV), C₁ = I/√(1+I) with compliance 1/(μV).
//!
//! At rest both press against each other and balance with α = 1 + 15μ/(16λ). Small strains ε then have the stress
//! 2·(15/16)·μ·ε + (λ − 7μ/8)·tr ε, so Lamé's parameters G and L need μ = 16/15·G, λ = L + 14/15·G ([`parameters`]).
//! Parameters: D row major (9) [1/m], 1/(μV), 1/(λV) [1/J], α.

use crate::constraints::fem_tet::{deformation, strain};
use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// The kernel.
pub struct NeoHookeanTet;

/// The last three parameters of an element of rest volume `volume` [m³]: 1/(μV), 1/(λV), α, from Lamé's parameters
/// `shear` and `lambda` [Pa].
pub fn parameters(shear: f32, lambda: f32, volume: f32) -> [f32; 3] {
    let second = lambda + 14.0 / 15.0 * shear;
    [15.0 / (16.0 * shear * volume), 1.0 / (second * volume), 1.0 + shear / second]
}

/// Columns of the cofactor matrix, the gradient of J by F.
#[inline(always)]
fn cofactors<F: Lane>(f: &[V3<F>; 3]) -> [V3<F>; 3] {
    [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])]
}

/// Columns of the deformation gradient. Crushed to a line or a point it has no direction in which to gain volume; those
/// of the rest shape let it expand.
#[inline(always)]
fn expandable<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> [V3<F>; 3] {
    let mut f = deformation(p, rows);
    let c = cofactors(&f);
    let size = c[0].length_squared() + c[1].length_squared() + c[2].length_squared();
    let start = F::pick_gt(F::splat(1e-8), size, F::splat(1e-2), F::splat(0.0));
    f[0].x = f[0].x + start;
    f[1].y = f[1].y + start;
    f[2].z = f[2].z + start;
    f
}

/// J − α and I.
#[inline(always)]
fn invariants<F: Lane>(f: &[V3<F>; 3], alpha: F) -> (F, F) {
    let i = f[0].length_squared() + f[1].length_squared() + f[2].length_squared();
    (f[0].dot(f[1].cross(f[2])) - alpha, i)
}

impl Constraint<4, 12, 2> for NeoHookeanTet {
    const SOFTNESS: Option<usize> = None;

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> [F; 2] {
        let (volume, i) = invariants(&deformation(p, rows), p[11]);
        [volume, i / (i + F::splat(1.0)).sqrt()]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 12], rows: &[Row<F>; 4], lambda: &[F; 2]) -> Update<F, 4, 2> {
        let f = expandable(p, rows);
        let (volume, i) = invariants(&f, p[11]);
        let cofactor = cofactors(&f);
        let mut u = [V3::zero(); 4];
        let mut v = [V3::zero(); 4];
        for k in 0..3 {
            let d = [p[3 * k], p[3 * k + 1], p[3 * k + 2]];
            u[k + 1] = cofactor[0] * d[0] + cofactor[1] * d[1] + cofactor[2] * d[2];
            v[k + 1] = (f[0] - cofactor[0]) * d[0] + (f[1] - cofactor[1]) * d[1] + (f[2] - cofactor[2]) * d[2];
        }
        u[0] = -(u[1] + u[2] + u[3]);
        v[0] = -(v[1] + v[2] + v[3]);
        balanced_step(scales, [p[10], p[9]], [volume, i], rows, &[u, v], lambda)
    }

    /// Norm of Green's strain, which vanishes at rest as C does not.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> F {
        strain(&deformation(p, rows)).iter().fold(F::splat(0.0), |s, &c| s + c * c).sqrt()
    }

    /// Above that of the rest shape.
    #[inline(always)]
    fn energy<F: Lane>(p: &[F; 12], rows: &[Row<F>; 4]) -> F {
        let (one, three, four) = (F::splat(1.0), F::splat(3.0), F::splat(4.0));
        let (volume, i) = invariants(&deformation(p, rows), p[11]);
        // Differences of squares in factors, or single precision would lose them.
        let hydrostatic = (volume + p[11] - one) * (volume + one - p[11]) * p[10].safe_recip();
        let shape = (i - three) * (four * i + three) / (four * (one + i)) * p[9].safe_recip();
        (hydrostatic + shape) * F::splat(0.5)
    }
}

/// Both constraints of a neo-Hookean element together.
///
/// `softness`: of C₀ and C₁; `measures`: J − α and I; `directions`: u = ∇J, and v with ∇C₁ = κ·(u + v),
/// κ = (2+I)/(1+I)^(3/2). At rest u and ∇C₁ are parallel and the multipliers cancel. The unknowns are therefore
/// s = Δλ₀ + κΔλ₁ and r = κΔλ₁, the multipliers of u and v: s alone moves an element at rest, and it comes out as 0 to
/// within rounding however stiff the material is.
#[inline(always)]
pub(crate) fn balanced_step<F: Lane, const N: usize>(
    scales: &Scales<F>,
    softness: [F; 2],
    [volume, i]: [F; 2],
    rows: &[Row<F>; N],
    [u, v]: &[[V3<F>; N]; 2],
    lambda: &[F; 2],
) -> Update<F, N, 2> {
    let one = F::splat(1.0);
    let soft = [softness[0] * scales.inv_h2, softness[1] * scales.inv_h2];
    let size = one + i;
    let root = size.sqrt();
    let share = size / (size + one);
    // 1/κ
    let ratio = share * root;
    let (mut uu, mut uv, mut vv) = (soft[0], -soft[0], soft[0] + soft[1] * ratio * ratio);
    for k in 0..N {
        uu = uu + rows[k].w * u[k].dot(u[k]);
        uv = uv + rows[k].w * u[k].dot(v[k]);
        vv = vv + rows[k].w * v[k].dot(v[k]);
    }
    let first = volume + scales.memory * soft[0] * lambda[0];
    let second = i * share + scales.memory * soft[1] * lambda[1] * ratio;
    let inverse = uu.safe_recip();
    let factor = uv * inverse;
    let pivot = vv - uv * factor;
    let per_pivot = F::pick_gt(pivot, vv * F::splat(1e-6), pivot.safe_recip(), F::splat(0.0));
    let r = (first - second + factor * first) * per_pivot;
    let s = -(first * inverse + factor * r);
    let mut moved = *rows;
    for k in 0..N {
        moved[k].v = (u[k] * s + v[k] * r) * rows[k].w;
    }
    Update { rows: moved, lambda: [lambda[0] + (s - r), lambda[1] + r * ratio] }
}
