//! Rigid bodies in the projection of velocities: walls that pressure moves.
//!
//! Bodies take the pressure on their surface ([`crate::fluid::body_surface`]) in their small steps, like gravity: an impulse
//! at the start of a substep would lift a body at rest by g·h²/2 each time. Pressures depend on how a body will move in the
//! next substep, and that on the pressures. Both are found in rounds: pressures for the change of velocity of the last round,
//! then the change by these pressures. It is relaxed by m/(m + a) with an estimate of the added mass a: with the true one the
//! second round is exact, and rounds converge for any body whose added mass is less than twice the estimate plus its mass.

use crate::rigid_body::bodies::{BodyShape, BodyState, RigidBodyModel};
use crate::rigid_body::integrate::velocity_changes;
use glam::DVec3;

/// Added mass of a body over the mass of the liquid it displaces: 0.5 for a sphere, 0.67 for a cube.
const ADDED_MASS: f64 = 0.6;
/// Rounds where a body touches a liquid.
pub const ROUNDS: u32 = 2;

/// Share of a newly found change of motion that a round takes over, in a liquid of a density [kg/m³].
pub fn relaxation(shape: &BodyShape, density: f64) -> f64 {
    shape.mass.mass / (shape.mass.mass + ADDED_MASS * density * shape.volume)
}

/// Changes of velocity and spin that bodies will have from gravity, contacts and joints: those of this substep, from
/// `before` on, unless an impact was among them.
pub fn expected_changes(
    model: &RigidBodyModel,
    (before, after): (&[BodyState], &[BodyState]),
    gravity: DVec3,
    h: f64,
    out: &mut Vec<[DVec3; 2]>,
) {
    out.clear();
    let most = 2.0 * gravity.length() * h;
    for ((params, a), b) in model.bodies.iter().zip(before).zip(after) {
        let pushed = velocity_changes(&params.shape, a.rotation, a.push);
        let (linear, angular) = (b.velocity - a.velocity - pushed[0], b.spin - a.spin - pushed[1]);
        let calm = (linear - gravity * h).length() <= most && angular.length() * params.shape.reach <= most;
        out.push(if calm { [linear, angular] } else { [gravity * h, DVec3::ZERO] });
    }
}
