//! Scalar rows of joints.

use crate::rigid_body::bodies::RigidBodies;
use crate::rigid_body::contact_solver::SolverBody;
use crate::rigid_body::joint::{Joint, JointKind, JointState, WORLD, frame_of};
use glam::{DQuat, DVec3};

/// One scalar constraint between two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its joint.
    pub(crate) joint: u32,
    /// Solver bodies.
    pub(crate) bodies: [usize; 2],
    /// Direction of the force on the second body; zero for a torque.
    pub(crate) linear: DVec3,
    /// Directions of the torques on both.
    pub(crate) arms: [DVec3; 2],
    /// Error [m] or [rad].
    pub(crate) error: f64,
    /// 1/(h·(c + h·k)) of a spring, else 0.
    pub(crate) softness: f64,
    /// Bounds of the impulse of a small step; infinite rows are solved directly.
    pub(crate) bounds: [f64; 2],
    /// Velocity that the row aims at.
    pub(crate) speed: f64,
    /// Impulse of this small step.
    pub(crate) impulse: f64,
    /// Its own entry of J·M⁻¹·Jᵀ, where it is solved by itself.
    pub(crate) inverse: f64,
}

/// Relative velocity along a row.
pub(crate) fn speed(row: &Row, solver: &[SolverBody]) -> f64 {
    let [a, b] = row.bodies.map(|k| &solver[k]);
    row.linear.dot(b.velocity - a.velocity) + row.arms[1].dot(b.spin) - row.arms[0].dot(a.spin)
}

/// Applies an impulse along a row.
pub(crate) fn apply(row: &Row, solver: &mut [SolverBody], impulse: f64) {
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let body = &mut solver[row.bodies[side]];
        if body.inverse_mass > 0.0 {
            body.velocity += row.linear * (sign * impulse * body.inverse_mass);
            body.spin += body.inverse_inertia * row.arms[side] * (sign * impulse);
            body.touched = true;
        }
    }
}

/// Entry of J·M⁻¹·Jᵀ.
pub(crate) fn coupling(a: &Row, b: &Row, solver: &[SolverBody]) -> f64 {
    let mut sum = 0.0;
    for (i, &body) in a.bodies.iter().enumerate() {
        for (j, &other) in b.bodies.iter().enumerate() {
            if body == other && solver[body].inverse_mass > 0.0 {
                let own = &solver[body];
                let value = own.inverse_mass * a.linear.dot(b.linear) + a.arms[i].dot(own.inverse_inertia * b.arms[j]);
                sum += if i == j { value } else { -value };
            }
        }
    }
    sum
}

/// Rows of a joint at the present poses.
pub(crate) fn rows(
    number: u32,
    joint: &Joint,
    own: &JointState,
    state: &RigidBodies,
    world: usize,
    h: f64,
    (out, bounded): (&mut Vec<Row>, &mut Vec<Row>),
) {
    let bodies = joint.bodies.map(|k| if k == WORLD { world } else { k as usize });
    let frames = [0, 1].map(|k| frame_of(&state.bodies, joint.bodies[k]).then(&own.frames[k]));
    let centers = joint.bodies.map(|k| frame_of(&state.bodies, k).position);
    let apart = frames[1].position - frames[0].position;
    let base = Row {
        joint: number,
        bodies,
        linear: DVec3::ZERO,
        arms: [DVec3::ZERO; 2],
        error: 0.0,
        softness: 0.0,
        bounds: [f64::NEG_INFINITY, f64::INFINITY],
        speed: 0.0,
        impulse: 0.0,
        inverse: 0.0,
    };
    // The first body's arm reaches to the second's anchor, so that a slider has no torque from its travel.
    let along = |u: DVec3, at: [DVec3; 2]| Row {
        linear: u,
        arms: [(at[0] - centers[0]).cross(u), (at[1] - centers[1]).cross(u)],
        error: apart.dot(u),
        ..base
    };
    let about = |u: DVec3, error: f64| Row { arms: [u, u], error, ..base };
    let anchors = [frames[0].position, frames[1].position];
    let axis = frames[0].rotation * DVec3::X;
    let sides = [frames[0].rotation * DVec3::Y, frames[0].rotation * DVec3::Z];
    let twist = rotation_between(&frames[0].rotation, &frames[1].rotation);
    match joint.kind {
        JointKind::Ball | JointKind::Hinge | JointKind::Fixed => {
            out.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|u| along(u, anchors)));
        }
        JointKind::Slider => {
            let shared = [anchors[1], anchors[1]];
            out.extend(sides.map(|u| along(u, shared)));
        }
        JointKind::Distance { length, spring } => {
            let distance = apart.length();
            let u = if distance > 1e-9 { apart / distance } else { axis };
            let mut row = along(u, anchors);
            row.error = distance - length;
            if let Some([stiffness, damping]) = spring {
                // Implicit: λ = −γ⁻¹·(v + h·k·C·γ), γ = 1/(h·(c + h·k)).
                let softness = 1.0 / (h * (damping + h * stiffness)).max(1e-300);
                (row.softness, row.error) = (softness, h * stiffness * row.error * softness);
            }
            out.push(row);
        }
    }
    match joint.kind {
        JointKind::Hinge => {
            let lean = axis.cross(frames[1].rotation * DVec3::X);
            out.extend(sides.map(|u| about(u, lean.dot(u))));
        }
        JointKind::Slider | JointKind::Fixed => {
            out.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|u| about(u, twist.dot(u))));
        }
        JointKind::Ball | JointKind::Distance { .. } => {}
    }
    // Limits and motors act about or along the axis.
    let (position, free) = match joint.kind {
        JointKind::Hinge => (twist.dot(axis), about(axis, 0.0)),
        JointKind::Slider => (apart.dot(axis), Row { error: 0.0, ..along(axis, [anchors[1], anchors[1]]) }),
        _ => return,
    };
    if let Some(motor) = joint.motor {
        bounded.push(Row { speed: motor.speed, bounds: [-motor.most * h, motor.most * h], ..free });
    }
    if let Some([low, high]) = joint.limits {
        bounded.push(Row { error: position - low, bounds: [0.0, f64::INFINITY], ..free });
        let flipped = Row { linear: -free.linear, arms: free.arms.map(|a| -a), ..free };
        bounded.push(Row { error: high - position, bounds: [0.0, f64::INFINITY], ..flipped });
    }
}

/// The rotation vector from one orientation to another, in world axes [rad].
fn rotation_between(a: &DQuat, b: &DQuat) -> DVec3 {
    let q = *b * a.conjugate();
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin < 1e-12 { v * 2.0 } else { v * (2.0 * libm::atan2(sin, q.w) / sin) }
}
