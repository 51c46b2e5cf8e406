//! Viscosity (S24): damps relative velocities of neighbors along the line between them.
//!
//! Force on i: F_i = 10·Σ_j μ·V_i·V_j·((v_i − v_j)·x_ij)/(|x_ij|² + 0.01·H²)·∇_i W_ij, Monaghan's Laplacian in three
//! dimensions (2(d + 2) = 10), with μ the viscosity in Pa·s. Pair forces are opposite and central: linear and angular
//! momentum are conserved. XSPH, a share of the velocity relative to neighbors per substep, has the same form with
//! c·ρ·V_i·V_j·W/h in place of the tensor.
//!
//! Velocities are those at the end of the substep (implicit): (I + h·M⁻¹·D)·v = v*, by Chebyshev's iteration. It needs
//! no inner products, only bounds of the spectrum, so there are no global sums whose order matters; and it starts at
//! v*, so that every step conserves momentum, converged or not.

use crate::fluid::sph_kernels::Smoothing;
use crate::math::{Lane, V3};

/// Share of H² that regularizes the quotient.
pub const SMALL: f32 = 0.01;

/// Target residual of v − v*, relative.
const TOLERANCE: f32 = 0.01;

/// Maximum number of sweeps.
const MOST: u32 = 200;

/// Smallest share of the relative velocity removed in a substep for which viscosity runs a sweep: the solver's own
/// damping is a hundred times as large.
const LEAST: f32 = 1e-4;

/// Margin over the lattice neighborhood for which sweeps are sized; denser neighborhoods converge less.
const DENSEST: f32 = 1.5;

/// Viscosity of a pair: solids have a negative one, and use that of the fluid.
#[inline(always)]
pub fn pair_viscosity<F: Lane>(own: F, other: F) -> F {
    let (zero, half) = (F::splat(0.0), F::splat(0.5));
    let mean = half * (own + other);
    F::pick_gt(zero, own, other, F::pick_gt(zero, other, own, mean))
}

/// Contribution of one neighbor to Σ (k·x·x·(v_i − v_j) + c·(v_i − v_j)), without V_i: `apart` is x_i − x_j, `against`
/// v_i − v_j, `mu` ten times the viscosity of the pair times h, `drag` that of XSPH times h, both by volume.
#[inline(always)]
pub fn pair_resistance<F: Lane>(
    (value, slope): (F, F),
    apart: V3<F>,
    square: F,
    against: V3<F>,
    small: F,
    (mu, drag): (F, F),
) -> V3<F> {
    let along = apart.dot(against) / (square + small);
    apart * (-slope * mu * along) + against * (value * drag)
}

/// Upper bound of one neighbor's contribution, over |`against`|.
#[inline(always)]
pub fn resistance_bound<F: Lane>((value, slope): (F, F), square: F, small: F, (mu, drag): (F, F)) -> F {
    value * drag - slope * mu * (square / (square + small))
}

/// Tangential resistance of a boundary at distance δ, without 10·μ·V_i: ∫ (−W'/r)·t²/r² over the half-space behind it
/// [1/m²], with t a tangential coordinate. A fit within 1e-3 of its value at the boundary (cubic) and 2e-3 (spiky).
#[inline]
pub fn boundary_resistance(smoothing: Smoothing, reach: f32, delta: f32) -> f32 {
    let q = (delta / reach).clamp(0.0, 1.0);
    let s = 1.0 - q;
    let s2 = s * s;
    let rest = match smoothing {
        Smoothing::Cubic => s2 * s2 * s * (1.8511 + q * (2.3463 + q * (-6.9692 + q * (4.9078 + q * 0.1341)))),
        Smoothing::Poly6 => s2 * s2 * s2 * (2.178 + q * (2.7165 + q * (-8.1603 + q * (24.6386 - q * 15.949)))),
    };
    rest / (reach * reach)
}

/// Solver plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChebyshevPlan {
    /// Sweeps.
    pub sweeps: u32,
    /// Width of the spectrum, whose lower bound is 1.
    pub width: f32,
}

impl ChebyshevPlan {
    /// For the largest kinematic viscosity `nu` [m²/s], substeps of `h` [s] and an XSPH share.
    ///
    /// Gershgorin bounds the spectrum by 1 + 2·Σ_j k_ij·h/m_i. A lattice of spacing 2r contributes 10·ν·h·S with S·H² =
    /// 8.55 for the cubic kernel at H = 4r and 8.01 for spiky; boundaries as much again for particles next to them. The
    /// first sweep measures the actual bound ([`Self::with_measured_width`]).
    pub fn new(smoothing: Smoothing, reach: f32, nu: f32, h: f32, xsph: f32) -> Self {
        let sum = match smoothing {
            Smoothing::Cubic => 8.55,
            Smoothing::Poly6 => 8.01,
        };
        let strength = 10.0 * nu * h * sum / (reach * reach) + xsph;
        if strength < LEAST {
            return Self { sweeps: 0, width: 0.0 };
        }
        let width = 2.0 * DENSEST * strength;
        // Chebyshev: the error after n sweeps is below 2/T_n(middle/half) of the bounds.
        let ratio = f64::from((1.0 + 0.5 * width) / (0.5 * width));
        let wanted = libm::acosh(2.0 / f64::from(TOLERANCE)) / libm::acosh(ratio);
        Self { sweeps: (wanted.ceil().max(1.0) as u32).min(MOST), width }
    }

    /// The same plan with a measured `width`: each row's diagonal minus 1, plus the magnitudes of its off-diagonals.
    /// The iteration diverges beyond its bounds, so no row is omitted; the number of sweeps is unchanged.
    pub fn with_measured_width(self, width: f32) -> Self {
        Self { width: self.width.max(width), ..self }
    }

    /// Whether the viscosity needs more sweeps than the maximum.
    pub fn is_limited(&self) -> bool {
        self.sweeps == MOST
    }

    /// Factors of sweep `k`, from 0: of the previous direction, and of the residual.
    pub fn factors(&self) -> impl Iterator<Item = (f32, f32)> {
        let (middle, half) = (1.0 + 0.5 * self.width, 0.5 * self.width);
        let sigma = middle / half;
        let mut rho = 1.0 / sigma;
        (0..self.sweeps).map(move |k| {
            if k == 0 {
                return (0.0, 1.0 / middle);
            }
            let next = 1.0 / (2.0 * sigma - rho);
            let pair = (next * rho, 2.0 * next / half);
            rho = next;
            pair
        })
    }
}
