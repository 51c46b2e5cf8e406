//! Viscosity (S24): velocities of neighbors even out along the line between them.
//!
//! Force on i: F_i = 10·Σ_j μ·V_i·V_j·((v_i − v_j)·x_ij)/(|x_ij|² + 0.01·H²)·∇_i W_ij, the Laplacian of Monaghan for three
//! dimensions (2(d + 2) = 10), in which μ is the viscosity in Pa·s. Forces of a pair are opposite and along their line:
//! linear and angular momentum are kept. XSPH, a share of the velocity against neighbors per substep, is the same with
//! c·ρ·V_i·V_j·W/h in place of the tensor.
//!
//! Velocities are those at the end of the substep (implicit): (I + h·M⁻¹·D)·v = v*, by Chebyshev's iteration. It needs
//! no inner products, only bounds of the spectrum, so sums have no order to agree on; and it starts at v*, so that every
//! step of it keeps momentum, converged or not.

use crate::fluid::sph_kernels::Smoothing;
use crate::math::{Lane, V3};

/// Share of H² that keeps the quotient finite.
pub const SMALL: f32 = 0.01;

/// What is left of the error of v − v* at the end.
const TOLERANCE: f32 = 0.01;

/// Sweeps at most.
const MOST: u32 = 200;

/// Share of its velocity against its neighbors that a particle must lose in a substep for viscosity to be worth a sweep:
/// the solver itself takes a hundred times as much.
const LEAST: f32 = 1e-4;

/// Share of the neighborhood on a lattice that sweeps are reckoned for; those of denser ones end less exact.
const DENSEST: f32 = 1.5;

/// What a liquid and a solid make of a viscosity: solids have a negative one, and take that of the liquid.
#[inline(always)]
pub fn between<F: Lane>(own: F, other: F) -> F {
    let (zero, half) = (F::splat(0.0), F::splat(0.5));
    let mean = half * (own + other);
    F::pick_gt(zero, own, other, F::pick_gt(zero, other, own, mean))
}

/// One neighbor's part of Σ (k·x·x·(v_i − v_j) + c·(v_i − v_j)), without V_i: `apart` is x_i − x_j, `against` v_i − v_j,
/// `mu` ten times the viscosity of the pair times h, `drag` that of XSPH times h, both by volume.
#[inline(always)]
pub fn resist<F: Lane>(
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

/// The most that one neighbor's part of it can be, over the size of `against`.
#[inline(always)]
pub fn hold<F: Lane>((value, slope): (F, F), square: F, small: F, (mu, drag): (F, F)) -> F {
    value * drag - slope * mu * (square / (square + small))
}

/// Tangential resistance of a wall at distance δ, without 10·μ·V_i: ∫ (−W'/r)·t²/r² over the half-space behind it
/// [1/m²], t a coordinate along the wall. A fit to within 1e-3 of its value at the wall (cubic) and 2e-3 (spiky).
#[inline]
pub fn wall(smoothing: Smoothing, reach: f32, delta: f32) -> f32 {
    let q = (delta / reach).clamp(0.0, 1.0);
    let s = 1.0 - q;
    let s2 = s * s;
    let rest = match smoothing {
        Smoothing::Cubic => s2 * s2 * s * (1.8511 + q * (2.3463 + q * (-6.9692 + q * (4.9078 + q * 0.1341)))),
        Smoothing::Poly6 => s2 * s2 * s2 * (2.178 + q * (2.7165 + q * (-8.1603 + q * (24.6386 - q * 15.949)))),
    };
    rest / (reach * reach)
}

/// How velocities are solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Sweeps.
    pub sweeps: u32,
    /// Distance of the spectrum's bounds, of which the lower is 1.
    pub width: f32,
}

impl Plan {
    /// For a viscosity over density `nu` [m²/s], the greatest there is, substeps of `h` [s] and an XSPH share.
    ///
    /// Gershgorin bounds the spectrum by 1 + 2·Σ_j k_ij·h/m_i. Of the sum a lattice of spacing 2r makes 10·ν·h·S
    /// with S·H² = 8.55 for the cubic kernel at H = 4r and 8.01 for spiky; walls as much again where particles are at
    /// them. What it really is the first sweep finds ([`Self::bearing`]).
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

    /// The same where particles were found to be `width` wide: each row's diagonal without 1, plus the sizes of all else
    /// in it. Beyond its bounds the iteration would grow without end, so none is left out; sweeps stay as many.
    pub fn bearing(self, width: f32) -> Self {
        Self { width: self.width.max(width), ..self }
    }

    /// Whether so viscous a liquid takes more sweeps than are made.
    pub fn is_cut(&self) -> bool {
        self.sweeps == MOST
    }

    /// Factors of sweep `k`, from 0: what the direction keeps of itself, and what it takes of the rest.
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
