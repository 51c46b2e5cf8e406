//! The multiplier update common to all constraints, and its softness.
//!
//! Reference: [XPBD] Eq. 18 with E11 (α̃ = α/Δt²) and, under BDF2, E12 (α̃ = 9α/(4Δt²)).

use crate::math::lane::Lane;

/// Softness of a constraint, encoded in one number so that lanes need not branch:
/// zero or positive is an XPBD compliance α (inverse stiffness; m/N for a length constraint),
/// negative is minus the stiffness k ∈ (0, 1] of classic PBD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness(f32);

impl Softness {
    /// Rigid: α = 0.
    pub const RIGID: Self = Self(0.0);

    /// From [`Self::encoded`]; `None` if it is no softness.
    pub(crate) fn from_encoded(encoded: f32) -> Option<Self> {
        (encoded.is_finite() && encoded >= -1.0).then_some(Self(encoded))
    }

    /// XPBD compliance α ≥ 0. Of another number it is a softness that setters refuse.
    pub fn compliance(alpha: f32) -> Self {
        Self(if alpha >= 0.0 { alpha } else { f32::NAN })
    }

    /// PBD stiffness k, 0 < k ≤ 1: the fraction of the error that one projection removes. Of another number it is a
    /// softness that setters refuse.
    pub fn stiffness(k: f32) -> Self {
        match k {
            1.0 => Self::RIGID,
            k if k > 0.0 && k < 1.0 => Self(-k),
            _ => Self(f32::NAN),
        }
    }

    /// The encoded number, as kernels use it.
    pub fn encoded(self) -> f32 {
        self.0
    }
}

/// Values common to all constraints of a substep.
#[derive(Clone, Copy, Debug)]
pub struct Scales<F> {
    /// α̃/α: 1/h² [1/s²] (BDF1) or 9/(4h²) (BDF2, E12).
    pub inv_h2: F,
    /// 1: the multiplier accumulates over iterations (XPBD); 0: it is reset between iterations (PBD).
    pub memory: F,
}

impl<F: Lane> Scales<F> {
    /// The same scales in every lane.
    #[inline(always)]
    pub fn splat(scales: Scales<f32>) -> Self {
        Self { inv_h2: F::splat(scales.inv_h2), memory: F::splat(scales.memory) }
    }

    /// k and α̃ of an encoded [`Softness`].
    #[inline(always)]
    pub fn soften(&self, softness: F) -> (F, F) {
        let zero = F::splat(0.0);
        let k = F::pick_gt(zero, softness, -softness, F::splat(1.0));
        (k, softness.max(zero) * self.inv_h2)
    }

    /// Numerator of Δλ = −(k·C + α̃λ) / (Σ wᵢ|∇ᵢC|² + α̃), [XPBD] Eq. 18, with PBD's k.
    ///
    /// Without memory this is PBD: its stiffness then depends on the iteration count (T09).
    #[inline(always)]
    pub fn numerator(&self, k: F, alpha_tilde: F, c: F, lambda: F) -> F {
        -(k * c + alpha_tilde * self.memory * lambda)
    }

    /// Δλ of a scalar constraint; 0 when all particles are fixed and α = 0: nothing may move.
    #[inline(always)]
    pub fn delta_lambda(&self, softness: F, c: F, lambda: F, inv_mass: F) -> F {
        let (k, alpha_tilde) = self.soften(softness);
        self.numerator(k, alpha_tilde, c, lambda) * (inv_mass + alpha_tilde).safe_recip()
    }
}

/// Solves the symmetric positive semidefinite system A·x = b by LDLᵀ, M ≤ 6.
///
/// Only the lower triangle of `a` is read. A pivot reduced to a millionth of its diagonal or less is treated as
/// dependent on those before it: its unknown is 0, so fixed or degenerate elements move nothing.
#[inline(always)]
pub fn solve_symmetric<F: Lane, const M: usize>(a: &[[F; M]; M], b: &[F; M]) -> [F; M] {
    let zero = F::splat(0.0);
    let mut l = *a;
    let mut inverse = [zero; M];
    for j in 0..M {
        let mut pivot = a[j][j];
        for k in 0..j {
            // l[j][k] still holds L·D here; dividing by the pivot gives L.
            pivot = pivot - l[j][k] * l[j][k] * inverse[k];
        }
        let enough = a[j][j] * F::splat(1e-6);
        inverse[j] = F::pick_gt(pivot, enough, pivot.safe_recip(), zero);
        for i in j + 1..M {
            let mut v = a[i][j];
            for k in 0..j {
                v = v - l[i][k] * inverse[k] * l[j][k];
            }
            l[i][j] = v;
        }
    }
    let mut y = *b;
    for i in 0..M {
        for k in 0..i {
            y[i] = y[i] - l[i][k] * inverse[k] * y[k];
        }
    }
    for i in (0..M).rev() {
        y[i] = y[i] * inverse[i];
        for k in i + 1..M {
            y[i] = y[i] - l[k][i] * inverse[i] * y[k];
        }
    }
    y
}
