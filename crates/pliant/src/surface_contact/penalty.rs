//! Contact of an elastic body's triangles with the corners, edges and faces of colliders and rigid bodies, as its solver sees
//! it: a penalty on the nearest point, with a multiplier.
//!
//! Projecting such pairs between the sweeps of a solver, with masses alone, holds the vertices where they are but not against
//! the elastic force on them: a rigid body would feel less than it takes to stretch the surface, and get more back. Here the
//! solver balances the contact against the elastic forces, and what it finds is the force on the rigid body.

use crate::collision::Friction;
use crate::surface_contact::model::NO_PARTICLE;
use glam::{Mat3, Vec3};

/// A pair of features one of which is carried by a collider: ½k·(distance − n·Σ βᵢxᵢ)² where that is overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureContact {
    /// Number of the pair.
    pub(crate) pair: u32,
    /// Particles; [`NO_PARTICLE`] for corners of the collider.
    pub(crate) particles: [u32; 4],
    /// Weights βᵢ of the nearest points.
    pub(crate) weights: [f32; 4],
    /// From the second feature to the first.
    pub(crate) normal: Vec3,
    /// Where n·Σ βᵢxᵢ of the particles is larger, nothing touches [m].
    pub(crate) distance: f32,
    /// Thickness of the pair [m].
    pub(crate) thickness: f32,
    /// Whether its features face each other.
    pub(crate) faces: bool,
    /// Σ βᵢxᵢ of the particles without slip since the start of the substep [m].
    pub(crate) origin: Vec3,
    /// Friction of the pair.
    pub(crate) friction: Friction,
    /// Whether a solver has taken it: it is not projected then.
    pub(crate) taken: bool,
    /// What the solver found: the force on the first feature, times the square of the step length [kg·m].
    pub(crate) impulse: Vec3,
}

/// Force of a contact on its nearest point, and the derivative of what it resists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FeatureForce {
    /// On the first feature [N].
    pub(crate) force: Vec3,
    /// Positive semidefinite [N/m].
    pub(crate) hessian: Mat3,
    /// Whether static friction holds.
    pub(crate) sticks: bool,
}

impl FeatureContact {
    /// Of a pair; its nearest points are not known yet.
    pub(crate) fn new(pair: u32, particles: [u32; 4], friction: Friction) -> Self {
        Self {
            pair,
            particles,
            weights: [0.0; 4],
            normal: Vec3::ZERO,
            distance: 0.0,
            thickness: 0.0,
            faces: false,
            origin: Vec3::ZERO,
            friction,
            taken: false,
            impulse: Vec3::ZERO,
        }
    }

    /// Whether it touches, or comes within half of its thickness of that.
    pub(crate) fn is_near(&self, point: Vec3) -> bool {
        self.faces && self.normal.dot(point) < self.distance + 0.5 * self.thickness
    }

    /// Σ βᵢxᵢ of the particles.
    pub(crate) fn point(&self, x: impl Fn(usize) -> Vec3) -> Vec3 {
        self.own().fold(Vec3::ZERO, |sum, k| sum + x(k) * self.weights[k])
    }

    /// Places of the particles.
    pub(crate) fn own(&self) -> impl Iterator<Item = usize> + use<> {
        let particles = self.particles;
        (0..4).filter(move |&k| particles[k] != NO_PARTICLE)
    }

    /// The force at a point, for a stiffness [N/m] and the force found before [N]: none if nothing touches.
    pub(crate) fn force(&self, point: Vec3, stiffness: f32, before: Vec3) -> Option<FeatureForce> {
        if !self.faces {
            return None;
        }
        let n = self.normal;
        let normal = before.dot(n) + stiffness * (self.distance - n.dot(point));
        if normal <= 0.0 {
            return None;
        }
        let slip = point - self.origin;
        let pull = before - slip * stiffness;
        let across = pull - n * n.dot(pull);
        let size = across.length();
        let along = outer(n);
        let plane = Mat3::IDENTITY - along;
        let sticks = size <= self.friction.static_friction * normal;
        if sticks {
            return Some(FeatureForce { force: n * normal + across, hessian: Mat3::IDENTITY * stiffness, sticks });
        }
        let share = (self.friction.kinetic_friction * normal / size).min(1.0);
        Some(FeatureForce {
            force: n * normal + across * share,
            hessian: along * stiffness + plane * (stiffness * share),
            sticks,
        })
    }
}

fn outer(n: Vec3) -> Mat3 {
    Mat3::from_cols(n * n.x, n * n.y, n * n.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact() -> FeatureContact {
        FeatureContact {
            pair: 0,
            particles: [NO_PARTICLE, 0, 1, 2],
            weights: [1.0, -0.5, -0.25, -0.25],
            normal: Vec3::Y,
            distance: 0.01,
            thickness: 0.01,
            faces: true,
            origin: Vec3::ZERO,
            friction: Friction { static_friction: 0.5, kinetic_friction: 0.4 },
            taken: true,
            impulse: Vec3::ZERO,
        }
    }

    #[test]
    fn forces_push_out_of_overlap_and_stay_in_the_cone() {
        let c = contact();
        assert!(c.force(Vec3::new(0.0, 0.011, 0.0), 1e3, Vec3::ZERO).is_none());
        let held = c.force(Vec3::new(0.001, 0.0, 0.0), 1e3, Vec3::ZERO).unwrap();
        assert!(held.sticks && (held.force - Vec3::new(-1.0, 10.0, 0.0)).length() < 1e-5);
        let slides = c.force(Vec3::new(0.02, 0.0, 0.0), 1e3, Vec3::ZERO).unwrap();
        assert!(!slides.sticks && (slides.force - Vec3::new(-4.0, 10.0, 0.0)).length() < 1e-5);
    }

    #[test]
    fn the_force_found_before_goes_on_without_overlap() {
        let held = contact().force(Vec3::new(0.0, 0.01, 0.0), 1e3, Vec3::new(1.0, 10.0, 0.0)).unwrap();
        assert!((held.force - Vec3::new(1.0, 10.0, 0.0)).length() < 1e-5);
    }
}
