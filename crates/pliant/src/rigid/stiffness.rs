//! How far matching moves particles, and how much each counts (D4 4.8, §4.1.2).

/// How much of the way to its goal a particle goes.
///
/// The part given holds for a whole substep. Iterations share it: with 1 − (1 − α)^(1/n) each, n of them go as far as
/// one with α would, because moving all particles toward their goals leaves the goals where they are. D4 applies α in
/// every iteration, and notes that bodies get stiffer with their number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// α of D4 4.8, from 0 to 1 in a substep; 1 is rigid. Depends on the length of the substep.
    Fraction(f32),
    /// Time constant τ [s] of the return: α = 1 − exp(−h/τ), for h ≪ τ D4's h/τ. Deviations fall to 1/e in τ for any
    /// substep; 0 is rigid.
    Time(f32),
    /// τ [s] as in D4 and [MHTG]: α = h/τ, at most 1. All of the way where h ≥ τ; 0 is rigid.
    LinearTime(f32),
}

impl Stiffness {
    /// Whether the number is one that means something.
    pub fn is_valid(self) -> bool {
        match self {
            Self::Fraction(alpha) => (0.0..=1.0).contains(&alpha),
            Self::Time(tau) | Self::LinearTime(tau) => tau >= 0.0,
        }
    }

    /// Whether particles go all of the way in every substep, however short.
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

/// Most that a particle's mass is multiplied by in matching: the number that D4 found by trying (Fig 4.2).
pub const PEAK_WEIGHT: f32 = 32.0;

/// Factor on a particle's mass in matching after contacts have moved it by `moved` [m] (D4 §4.1.2, Fig 4.2).
///
/// Matching takes back most of what a contact did to one particle of many; heavier, it takes the body along. D4 has
/// the idea and the number 32, but no formula. Here: 1 where nothing moved, growing evenly to [`PEAK_WEIGHT`] at
/// `scale` [m], for which a particle's radius will do. Momentum is then kept only for the masses so changed, which is
/// why D4 warns of implausible turns where there is little friction; use it for contacts that converge badly.
#[inline(always)]
pub fn adaptive_weight(moved: f32, scale: f32) -> f32 {
    let part = if moved < scale { moved / scale } else { 1.0 };
    if moved > 0.0 { 1.0 + (PEAK_WEIGHT - 1.0) * part } else { 1.0 }
}
