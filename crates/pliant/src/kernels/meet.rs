//! Contact of two particles, with friction (S10, S18).
//!
//! Non-penetration: C(x) = |x_a − x_b| − (r_a + r_b) ≥ 0, for all contacts of a particle at once from the same positions
//! (averaged Jacobi, D4 §3.1.3). A particle with n contacts has 1/n of its mass in each of them: then what one side
//! gains the other loses, momentum is kept, and corrections need not be divided afterwards (the phantoms of S12, with
//! contacts in place of colors).
//! Friction: D4 3.38–3.40 with the sign of E19; bounded by μ times the whole push of the substep, as in
//! [`super::contact`].
//!
//! Everything is odd in the exchange of a and b, to the bit: both sides may compute it for themselves.

use super::contact::{Friction, Push};
use glam::Vec3;

/// Share of the smallest radius by which lists of neighbors reach farther than particles touch now.
pub const MARGIN: f32 = 0.1;

/// Share of a radius that stabilization leaves inside: contacts at rest are the solver's.
pub const SLOP: f32 = 0.005;

/// Particles of an object that are nearer at rest than so many times the sum of their radii are held by it.
pub const AT_REST: f32 = 1.5;

/// One of the two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// Position [m].
    pub x: Vec3,
    /// Position at the start of the substep [m].
    pub start: Vec3,
    /// Radius [m].
    pub radius: f32,
    /// Inverse of the mass that it has in this contact [1/kg].
    pub weight: f32,
    /// Number of the particle: tells sides apart that are in one place.
    pub number: u32,
}

/// Whether two particles at `a` and `b` are inside each other, their radii included.
#[inline]
pub fn overlap(a: Vec3, b: Vec3, radii: f32) -> bool {
    a.distance_squared(b) < radii * radii
}

/// Projects one contact once. Returns the impulse on `a` [kg·m] (`b` has its opposite) and what the contact has done
/// since the substep began [kg·m].
#[inline]
pub fn meet(a: &Side, b: &Side, friction: Friction, omega: f32, push: Push) -> (Vec3, Push) {
    let weight = a.weight + b.weight;
    if weight == 0.0 {
        return (Vec3::ZERO, push);
    }
    let apart = a.x - b.x;
    let distance = apart.length();
    let normal = if distance > 1e-12 {
        apart * (1.0 / distance)
    } else if a.number < b.number {
        Vec3::Y
    } else {
        Vec3::NEG_Y
    };
    let inside = (a.radius + b.radius) - distance;
    let scale = omega / weight;
    // E16: an inequality is clamped, but what was pushed before may be given back.
    let total = (push.normal + inside * scale).max(0.0);
    if total == 0.0 && push.normal == 0.0 {
        return (Vec3::ZERO, push);
    }
    let moved = (a.x - a.start) - (b.x - b.start);
    let slip = moved - normal * moved.dot(normal);
    let free = push.tangent - slip * scale;
    let (square, bound) = (free.length_squared(), friction.stick * total);
    // Most contacts stick, and need no root.
    let tangent = if square <= bound * bound { free } else { free * (friction.slide * total / square.sqrt()).min(1.0) };
    (normal * (total - push.normal) + (tangent - push.tangent), Push { normal: total, tangent })
}
