//! What a contact does to velocities once positions are settled: rebound and rolling resistance (S18).
//!
//! Rebound: Newton's law, v_n' = −e·v_n, for contacts that come in faster than what gravity does in two substeps
//! (Müller et al., *Detailed Rigid Body Simulation with Extended Position Based Dynamics*, 2020, eq. 34). Slower ones
//! are at rest.
//! Rolling resistance: viscous, the third of the models that Ai et al. compare (*Assessment of rolling resistance
//! models in discrete element simulations*, Powder Technology 2011). Particles have no orientation, so what rolls is
//! what moves along the contact: its speed decays at a rate, however small the force on the contact is, where friction
//! would be small too.

use glam::Vec3;

/// How a contact gives back what it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RestitutionLaw {
    /// Restitution e: speed after over speed before.
    pub restitution: f32,
    /// Slower contacts do not bounce [m/s].
    pub still: f32,
    /// Share of the speed along the contact that rolling resistance takes in a substep: 1 − e^(−rate·h).
    pub drag: f32,
}

impl RestitutionLaw {
    /// For substeps of `h` [s] under `gravity` [m/s²], with a rolling resistance of `rolling` [1/s].
    pub fn new(restitution: f32, rolling: f32, gravity: Vec3, h: f32) -> Self {
        Self { restitution, still: 2.0 * gravity.length() * h, drag: -libm::expm1f(-rolling * h) }
    }

    /// Whether it does anything.
    pub fn acts(&self) -> bool {
        self.restitution > 0.0 || self.drag > 0.0
    }
}

/// Change of the relative velocity of a contact that pushed, from `before` the substep to `now` [m/s]; `normal` points
/// to the side whose velocity minus the other's they are.
#[inline]
pub fn rebound(bounce: &RestitutionLaw, normal: Vec3, before: Vec3, now: Vec3) -> Vec3 {
    let (approach, speed) = (normal.dot(before), normal.dot(now));
    let along = now - normal * speed;
    let wanted = -bounce.restitution * approach;
    let bounces = bounce.restitution > 0.0 && approach < -bounce.still && speed < wanted;
    normal * (if bounces { wanted - speed } else { 0.0 }) - along * bounce.drag
}
