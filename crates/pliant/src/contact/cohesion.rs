//! Particle contact with cohesion (S18).
//!
//! Model: Derjaguin, Muller, Toporov 1975. Spheres in contact attract each other with the constant force 2π·w·R until
//! they separate, with w the work of adhesion [J/m²] and 1/R = 1/r_a + 1/r_b. At position level the lower bound of the
//! contact multiplier is minus that force times h² instead of 0 (E16), and friction is bounded by μ·(N + 2π·w·R)
//! (Mohr-Coulomb).
//!
//! As in [`super::particle_contact`], everything is bitwise odd in the exchange of a and b.

use crate::contact::collider_contact::Push;
use crate::contact::particle_contact::{ContactParams, Side, normal_and_depth};
use glam::Vec3;

/// Contacts separate beyond this multiple of the sum of the radii.
pub const COHESION_RANGE: f32 = 1.01;

/// Tensile limit of a contact [kg·m], force times h²; `strength` is 2π·w·h² [kg].
#[inline]
pub fn tensile_limit(strength: f32, a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum > 0.0 { strength * (a * b / sum) } else { 0.0 }
}

/// Projects one contact once, like [`super::particle_contact::project`], with a tensile limit of `limit` [kg·m].
#[inline]
pub fn project(a: &Side, b: &Side, params: ContactParams, limit: f32, push: Push) -> (Vec3, Push) {
    let inv_mass = a.inv_mass + b.inv_mass;
    if inv_mass == 0.0 {
        return (Vec3::ZERO, push);
    }
    let (normal, inside) = normal_and_depth(a, b, params.parts);
    let scale = params.omega / inv_mass;
    let total = (push.normal + inside * scale).max(-limit);
    let moved = (a.x - a.start) - (b.x - b.start);
    let slip = moved - normal * moved.dot(normal);
    let free = push.tangent - slip * scale;
    let (square, load) = (free.length_squared(), total + limit);
    let bound = params.friction.static_friction * load;
    let tangent = if square <= bound * bound {
        free
    } else {
        free * (params.friction.kinetic_friction * load / square.sqrt()).min(1.0)
    };
    (normal * (total - push.normal) + (tangent - push.tangent), Push { normal: total, tangent })
}
