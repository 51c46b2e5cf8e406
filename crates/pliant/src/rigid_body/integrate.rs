//! Motion of a free body over a small step.

use crate::rigid_body::bodies::{BodyShape, BodyState};
use glam::{DMat3, DQuat, DVec3};

/// Inverse inertia in world axes.
pub fn world_inverse_inertia(shape: &BodyShape, rotation: DQuat) -> DMat3 {
    if shape.isotropic {
        return shape.inverse_inertia;
    }
    let r = DMat3::from_quat(rotation);
    r * shape.inverse_inertia * r.transpose()
}

/// Changes of velocity [m/s] and spin [rad/s] by an impulse [N·s] and an angular impulse [N·m·s].
pub fn velocity_changes(shape: &BodyShape, rotation: DQuat, [linear, angular]: [DVec3; 2]) -> [DVec3; 2] {
    [linear / shape.mass.mass, world_inverse_inertia(shape, rotation) * angular]
}

/// Rotates a free body for `h` seconds. The angular momentum stays; the spin follows it, so that the gyroscopic torque is
/// included: Euler's equations, by the classic Runge–Kutta method on the orientation.
pub fn rotate(shape: &BodyShape, body: &mut BodyState, h: f64) {
    let angle = body.spin.length_squared() * h * h;
    if shape.isotropic || angle < 1e-14 {
        let rotation = turn(body.spin * h) * body.rotation;
        // A short turn keeps the length to rounding; a step ends with a normalization.
        body.rotation = if angle < 1e-4 { rotation } else { rotation.normalize() };
        return;
    }
    let q = body.rotation;
    let local_spin = q.conjugate() * body.spin;
    let momentum = q * (shape.mass.inertia * local_spin);
    let spin_at = |q: DQuat| q * (shape.inverse_inertia * (q.conjugate() * momentum));
    let k1 = body.spin;
    let k2 = spin_at((turn(k1 * (0.5 * h)) * q).normalize());
    let k3 = spin_at((turn(k2 * (0.5 * h)) * q).normalize());
    let k4 = spin_at((turn(k3 * h) * q).normalize());
    // Rotation vectors do not add up exactly: the commutator of the first and last spin is of third order.
    let mean = (k1 + (k2 + k3) * 2.0 + k4) / 6.0 - k1.cross(k4) * (h / 12.0);
    body.rotation = (turn(mean * h) * q).normalize();
    body.spin = spin_at(body.rotation);
}

const SIXTH: f64 = 1.0 / 6.0;
/// Ratios of the terms of sin(x)/x.
const SINES: [f64; 4] = [1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0];
/// Ratios of the terms of cos(x) from the third on.
const COSINES: [f64; 4] = [1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0];

/// The rotation by a vector [rad].
pub fn turn(by: DVec3) -> DQuat {
    let square = 0.25 * by.length_squared();
    // sin(x)/x and cos(x) of half the angle; series are exact to rounding.
    let (sinc, cos) = if square < 1e-5 {
        let s = square;
        (1.0 - s * SIXTH * (1.0 - s * SINES[0]), 1.0 - s * 0.5 * (1.0 - s * COSINES[0] * (1.0 - s * COSINES[1])))
    } else if square < 0.02 {
        let s = square;
        let rest = 1.0 - s * SINES[1] * (1.0 - s * SINES[2] * (1.0 - s * SINES[3]));
        let sinc = 1.0 - s * SIXTH * (1.0 - s * SINES[0] * rest);
        let rest = 1.0 - s * COSINES[1] * (1.0 - s * COSINES[2] * (1.0 - s * COSINES[3]));
        let cos = 1.0 - s * 0.5 * (1.0 - s * COSINES[0] * rest);
        (sinc, cos)
    } else {
        let half = square.sqrt();
        (libm::sin(half) / half, libm::cos(half))
    };
    let v = by * (0.5 * sinc);
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}
