//! The density constraint of one particle (S23; D4 3.41–3.51 with E20, E21).
//!
//! C_i = Σ_j V_j·W_ij − 1 ≤ 0 with ∇_k C_i = −V_k·∇_i W_ik and ∇_i C_i = Σ_j V_j·∇_i W_ij (E20), in the form of XPBD:
//!
//! Δλ_i = −ω·(C_i + α̃·λ_i)/(Σ_k w_k·|∇_k C_i|² + α̃ + ε),   λ_i ≤ 0 (E16: what was pushed may be given back),
//!
//! and, gathered by particle, Δx_i = w_i·Σ_j (V_j·Δλ_i + V_i·Δλ_j)·∇_i W_ij (E21): the same for liquids and, with λ = 0, for
//! the solids among them, so that momentum is kept for any masses. λ has units kg·m².
//!
//! All particles are projected at once from the same places (Jacobi). Neighbors push the same gaps, so that the whole
//! correction is too much: beyond ω = 0.8 a column of water shakes. A solid particle that is light would be thrown by all
//! liquid particles around it, each reckoning with the whole of its mass: with n of them it has 1/n of its mass in each
//! constraint (as in contacts, [`crate::kernels::meet`]), and moves by the sum with all of it.

use crate::kernels::{Lane, V3};

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
    /// Nothing yet.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = F::splat(0.0);
        Self { density: zero, gradient: V3::zero(), squares: zero }
    }

    /// With one neighbor more, `apart` from it [m], of inverse mass `weight` [1/kg].
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

/// How multipliers answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Factor on every correction, ω.
    pub omega: f32,
    /// Compliance over h², α̃ [1/(kg·m²)].
    pub compliance: f32,
    /// ε of D4 3.46: share of 1/(m·(2r)²), which is about what a full neighborhood makes twice of. Keeps those
    /// apart who are in one place, where gradients vanish.
    pub relaxation: f32,
}

/// The multiplier after one projection. `c` is the constraint, `stiffness` the sum of w·|∇C|² over all who move.
#[inline(always)]
pub fn multiplier(rule: &Rule, lambda: f32, c: f32, stiffness: f32, epsilon: f32) -> f32 {
    let under = stiffness + rule.compliance + epsilon;
    let step = if under > 1e-30 { rule.omega * (c + rule.compliance * lambda) / under } else { 0.0 };
    (lambda - step).min(0.0)
}
