//! Stiffness of shape matching, and adaptive weights (D4 4.8, §4.1.2).

/// Share of the distance to its goal that a particle moves.
///
/// The share holds for a whole substep. Iterations split it: with 1 − (1 − α)^(1/n) each, n iterations move as far as
/// one with α, because moving all particles toward their goals leaves the goals unchanged. D4 applies α in every
/// iteration, and notes that bodies become stiffer with their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// α of D4 4.8, from 0 to 1 in a substep; 1 is rigid. Depends on the length of the substep.
    Fraction(f32),
    /// Time constant τ [s] of the return: α = 1 − exp(−h/τ), for h ≪ τ D4's h/τ. Deviations fall to 1/e in τ for any
    /// substep; 0 is rigid.
    Time(f32),
    /// τ [s] as in D4 and [MHTG]: α = h/τ, at most 1. Rigid if h ≥ τ; 0 is rigid.
    LinearTime(f32),
}

impl Stiffness {
    /// Whether the value is in range.
    pub fn is_valid(self) -> bool {
        match self {
            Self::Fraction(alpha) => (0.0..=1.0).contains(&alpha),
            Self::Time(tau) | Self::LinearTime(tau) => tau >= 0.0,
        }
    }

    /// Whether particles move all the way in every substep, however short.
    pub fn is_rigid(self) -> bool {
        match self {
            Self::Fraction(alpha) => alpha >= 1.0,
            Self::Time(tau) | Self::LinearTime(tau) => tau == 0.0,
        }
    }

    /// α of one of `iterations` in a substep of h seconds.
    pub fn per_iteration(self, h: f32, iterations: u32) -> f32 {
        let n = iterations.max(1) as f32;
        let share = |alpha: f32| if alpha >= 1.0 { 1.0 } else { -libm::expm1f(libm::log1pf(-alpha) / n) };
        match self {
            Self::Fraction(alpha) => share(alpha.clamp(0.0, 1.0)),
            Self::Time(tau) if tau > 0.0 => -libm::expm1f(-h / (tau * n)),
            Self::LinearTime(tau) if tau > 0.0 => share((h / tau).min(1.0)),
            _ => 1.0,
        }
    }
}

/// Maximum factor on a particle's mass in matching, determined experimentally by D4 (Fig 4.2).
pub const PEAK_WEIGHT: f32 = 32.0;

/// Factor on a particle's mass in matching after contacts have moved it by `moved` [m] (D4 §4.1.2, Fig 4.2).
///
/// Matching undoes most of a contact's displacement of one particle among many; a heavier particle moves the body
/// along. D4 gives the idea and the number 32, but no formula. Here: 1 without displacement, growing linearly to
/// [`PEAK_WEIGHT`] at `scale` [m], for which a particle's radius is suitable. Momentum is then conserved only for the
/// modified masses, which is why D4 warns of implausible rotations at low friction; use it for contacts that converge
/// poorly.
#[inline(always)]
pub fn adaptive_weight(moved: f32, scale: f32) -> f32 {
    let part = if moved < scale { moved / scale } else { 1.0 };
    if moved > 0.0 { 1.0 + (PEAK_WEIGHT - 1.0) * part } else { 1.0 }
}
