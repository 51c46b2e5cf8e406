//! Velocity response of a contact after the position solve: restitution and rolling resistance (S18).
//!
//! Restitution: Newton's law, v_n' = −e·v_n, for contacts that approach faster than twice the velocity gravity adds in
//! a substep (Müller et al., *Detailed Rigid Body Simulation with Extended Position Based Dynamics*, 2020, eq. 34).
//! Slower contacts are at rest.
//! Under gravity the speed of the impact is not that at the start of its substep: the substep may begin anywhere above the
//! surface, and symplectic Euler falls farther than a body by ½·g·h·t. In free flight it conserves ½v² + g·y − ½·g·h·v
//! exactly, so that e² times that, from the start of the substep to its end on the surface, is a rebound to e² times the
//! height for any substep.
//! Rolling resistance: viscous, the third of the models that Ai et al. compare (*Assessment of rolling resistance
//! models in discrete element simulations*, Powder Technology 2011). Particles have no orientation, so rolling is
//! tangential motion: its speed decays at a given rate, independent of the contact force, where friction would vanish
//! with it.

use glam::Vec3;

/// Restitution and rolling resistance of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RestitutionLaw {
    /// Restitution e: speed after over speed before impact.
    pub restitution: f32,
    /// Approach speed below which there is no restitution [m/s].
    pub rest_speed: f32,
    /// Share of the tangential speed that rolling resistance removes in a substep: 1 − e^(−rate·h).
    pub rolling_damping: f32,
    /// Length of a substep [s].
    pub h: f32,
}

impl RestitutionLaw {
    /// For substeps of `h` [s] under `gravity` [m/s²], with a rolling resistance of `rolling` [1/s].
    pub fn new(restitution: f32, rolling: f32, gravity: Vec3, h: f32) -> Self {
        Self { restitution, rest_speed: 2.0 * gravity.length() * h, rolling_damping: -libm::expm1f(-rolling * h), h }
    }

    /// Whether it has any effect.
    pub fn acts(&self) -> bool {
        self.restitution > 0.0 || self.rolling_damping > 0.0
    }
}

/// Change of the relative velocity of an active contact, from `before` the substep to `now` [m/s]; `normal` points to
/// the side whose velocity is the minuend. The contact was `gap` [m] wide before, and `gravity` [m/s²] accelerates that side
/// relative to the other.
#[inline]
pub fn velocity_change(
    law: &RestitutionLaw,
    normal: Vec3,
    before: Vec3,
    now: Vec3,
    (gap, gravity): (f32, Vec3),
) -> Vec3 {
    let (approach, speed) = (normal.dot(before), normal.dot(now));
    let along = now - normal * speed;
    let normal_gravity = -gravity.dot(normal);
    let energy = 0.5 * approach * approach + normal_gravity * gap - 0.5 * normal_gravity * law.h * approach;
    let half = 0.5 * normal_gravity * law.h;
    let wanted = (half * half + 2.0 * law.restitution * law.restitution * energy).max(0.0).sqrt() + half;
    let rebounds = law.restitution > 0.0 && approach < -law.rest_speed && speed < wanted;
    normal * (if rebounds { wanted - speed } else { 0.0 }) - along * law.rolling_damping
}
