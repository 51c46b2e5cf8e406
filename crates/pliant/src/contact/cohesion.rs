//! Contact of two particles that hold on to each other: cohesion (S18).
//!
//! Model: Derjaguin, Muller, Toporov 1975. ContactPair spheres attract each other with 2π·w·R, w the work of adhesion
//! [J/m²] and 1/R = 1/r_a + 1/r_b; no more and no less, until they part. At position level the multiplier of the
//! contact may go down to minus that force times h² in place of 0 (E16), and friction is bounded by μ·(N + 2π·w·R):
//! Mohr and Coulomb's law.
//!
//! As [`super::meet`], everything is odd in the exchange of a and b, to the bit.

use crate::contact::collider_contact::Push;
use crate::contact::particle_contact::{Rule, Side, way_out};
use glam::Vec3;

/// Particles that are farther apart than so many times the sum of their radii have parted.
pub const RANGE: f32 = 1.01;

/// Pull that two touching particles resist [kg·m], which is force times h²; `strength` is 2π·w·h² [kg].
#[inline]
pub fn hold(strength: f32, a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum > 0.0 { strength * (a * b / sum) } else { 0.0 }
}

/// Projects one contact once, as [`super::meet::meet`] does, with a pull of at most `hold` [kg·m].
#[inline]
pub fn cohere(a: &Side, b: &Side, rule: Rule, hold: f32, push: Push) -> (Vec3, Push) {
    let weight = a.weight + b.weight;
    if weight == 0.0 {
        return (Vec3::ZERO, push);
    }
    let (normal, inside) = way_out(a, b, rule.parts);
    let scale = rule.omega / weight;
    let total = (push.normal + inside * scale).max(-hold);
    let moved = (a.x - a.start) - (b.x - b.start);
    let slip = moved - normal * moved.dot(normal);
    let free = push.tangent - slip * scale;
    let (square, load) = (free.length_squared(), total + hold);
    let bound = rule.friction.static_friction * load;
    let tangent = if square <= bound * bound {
        free
    } else {
        free * (rule.friction.kinetic_friction * load / square.sqrt()).min(1.0)
    };
    (normal * (total - push.normal) + (tangent - push.tangent), Push { normal: total, tangent })
}
