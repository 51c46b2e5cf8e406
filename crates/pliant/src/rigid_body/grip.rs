//! Grips on rigid bodies: a damped spring of limited force between a point of a body and a target.

use crate::rigid_body::bodies::{BodyShape, BodyState};
use crate::rigid_body::contact_solver::SolverBody;
use glam::{DMat3, DVec3};

/// A grip on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyGrip {
    /// The body.
    pub body: u32,
    /// The gripped point relative to the center of mass, in the body's axes [m].
    pub local: DVec3,
    /// Where the point shall be [m].
    pub target: DVec3,
    /// Compliance α of the spring [m/N].
    pub compliance: f64,
    /// Maximum force [N].
    pub max_force: f64,
    /// Distance beyond which the target is approached no faster [m].
    pub reach: f64,
}

impl BodyGrip {
    /// Pulls for a small step of `h` seconds and returns the impulse [N·s].
    ///
    /// Implicit Euler on a spring of stiffness 1/α with the damping c = 2·√(m/α), critical for the mass of the body:
    /// (K + γ)·P = −(v + β·e) with β = 1/(αc + h), γ = α·β/h, and K the inverse mass at the point. The small steps have
    /// next to no damping of their own, so that without c a held body would swing.
    pub fn apply(&self, shape: &BodyShape, body: &BodyState, solver: &mut SolverBody, h: f64) -> DVec3 {
        let arm = body.rotation * self.local;
        let error = (body.position + arm - self.target).clamp_length_max(self.reach);
        let velocity = solver.velocity + solver.spin.cross(arm);
        let beta = 1.0 / (2.0 * (shape.mass.mass * self.compliance).sqrt() + h);
        let softness = self.compliance * beta / h;
        let cross = DMat3::from_cols(
            DVec3::new(0.0, arm.z, -arm.y),
            DVec3::new(-arm.z, 0.0, arm.x),
            DVec3::new(arm.y, -arm.x, 0.0),
        );
        let inverse_mass = DMat3::from_diagonal(DVec3::splat(solver.inverse_mass + softness))
            + cross.transpose() * solver.inverse_inertia * cross;
        let wanted = inverse_mass.inverse() * -(velocity + error * beta);
        let impulse = wanted.clamp_length_max(self.max_force * h);
        solver.velocity += impulse * solver.inverse_mass;
        solver.spin += solver.inverse_inertia * arm.cross(impulse);
        impulse
    }
}
