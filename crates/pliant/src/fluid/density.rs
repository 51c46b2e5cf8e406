//! Density constraint of one particle (S23; D4 3.41–3.51 with E20, E21).
//!
//! C_i = Σ_j V_j·W_ij − 1 ≤ 0 with ∇_k C_i = −V_k·∇_i W_ik and ∇_i C_i = Σ_j V_j·∇_i W_ij (E20), in the form of XPBD:
//!
//! Δλ_i = −ω·(C_i + α̃·λ_i)/(Σ_k w_k·|∇_k C_i|² + α̃ + ε),   λ_i ≤ 0 (E16: earlier corrections may be undone),
//!
//! and, gathered per particle, Δx_i = w_i·Σ_j (V_j·Δλ_i + V_i·Δλ_j)·∇_i W_ij (E21): the same for fluids and, with λ =
//! 0, for solids in them, so that momentum is conserved for any masses. λ has units kg·m².
//!
//! All particles are projected at once from the same positions (Jacobi). Neighbors correct the same gaps, so that the
//! full correction overshoots: beyond ω = 0.8 a column of water oscillates. A light solid particle would be thrown by
//! the fluid particles around it, each of which uses its whole mass: with n of them it has 1/n of its mass in each
//! constraint (as in [`crate::contact::particle_contact`]), and moves by the sum with its whole mass.

use crate::fluid::sph_kernels::Smoothing;
use crate::math::{Lane, V3};

/// Sums over the neighbors of a particle.
#[derive(Clone, Copy, Debug)]
pub struct Sums<F> {
    /// Σ V_j·W_ij.
    pub density: F,
    /// Σ V_j·∇_i W_ij [1/m].
    pub gradient: V3<F>,
    /// Σ w_j·|V_j·∇_i W_ij|² [1/(kg·m²)].
    pub squares: F,
}

impl<F: Lane> Sums<F> {
    /// Zero sums.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = F::splat(0.0);
        Self { density: zero, gradient: V3::zero(), squares: zero }
    }

    /// Adds one neighbor at offset `apart` [m], of inverse mass `weight` [1/kg].
    #[inline(always)]
    pub fn with(self, (value, slope): (F, F), apart: V3<F>, square: F, volume: F, weight: F) -> Self {
        let g = slope * volume;
        Self {
            density: self.density + value * volume,
            gradient: self.gradient + apart * g,
            squares: self.squares + weight * (g * g * square),
        }
    }
}

/// Parameters of the multiplier update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DensityParams {
    /// Relaxation factor of every correction, ω.
    pub omega: f32,
    /// Compliance over h², α̃ [1/(kg·m²)].
    pub compliance: f32,
    /// ε of D4 3.46: share of 1/(m·(2r)²), about half of what a full neighborhood contributes. Regularizes coincident
    /// particles, whose gradients vanish.
    pub relaxation: f32,
}

/// Multiplier after one projection. `c` is the constraint, `stiffness` the sum of w·|∇C|² over all movable particles.
#[inline(always)]
pub fn multiplier(params: &DensityParams, lambda: f32, c: f32, stiffness: f32, epsilon: f32) -> f32 {
    let under = stiffness + params.compliance + epsilon;
    let step = if under > 1e-30 { params.omega * (c + params.compliance * lambda) / under } else { 0.0 };
    (lambda - step).min(0.0)
}

/// Reference distance of artificial pressure, over the kernel radius.
const REFERENCE_DISTANCE: f32 = 0.2;

/// Artificial pressure (D4 3.51): an additional multiplier per pair, −s·(W(r)/W(0.2·H))⁴, which prevents pairing of
/// particles with few neighbors, whose density constraint is inactive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArtificialPressure {
    /// s per particle volume [kg/m]: each particle of a pair multiplies by the volume of the other.
    pub strength: f32,
    /// 1/W(0.2·H) [m³].
    pub scale: f32,
}

impl ArtificialPressure {
    /// A pair at 0.2 kernel radii separates as if compressed by `share`. `density` is that of the fluid [kg/m³].
    pub fn new(smoothing: Smoothing, reach: f32, radius: f32, density: f32, share: f32) -> Self {
        let scale = 1.0 / smoothing.at(reach, (REFERENCE_DISTANCE * reach) * (REFERENCE_DISTANCE * reach)).0;
        // A full neighborhood has Σ w·|∇C|² of about 2/(m·(2r)²).
        Self { strength: share * 2.0 * density * radius * radius, scale }
    }

    /// Multiplier of a pair per volume [kg/m], for the kernel value `value` [1/m³].
    #[inline(always)]
    pub fn of<F: Lane>(&self, value: F) -> F {
        let near = value * F::splat(self.scale);
        let square = near * near;
        square * square * F::splat(-self.strength)
    }
}
