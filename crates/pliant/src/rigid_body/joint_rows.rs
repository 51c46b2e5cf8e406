//! Scalar rows of joints.

use crate::rigid_body::bodies::RigidBodies;
use crate::rigid_body::contact_solver::SolverBody;
use crate::rigid_body::joint::{
    ANY_TURN, Joint, JointDrive, JointKind, JointPose, JointState, TURN, WORLD, frame_of, rotation_between,
};
use glam::{DMat3, DVec3};

/// One scalar constraint between two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRow {
    /// Its joint.
    pub(crate) joint: u32,
    /// Of a bounded row, which of its joint's: axis and what acts.
    pub(crate) part: u32,
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

impl JointRow {
    /// As a damped spring of a stiffness and a damping, integrated implicitly: λ = −h·(k·(C + h·v) + c·(v − u)), with the
    /// speed u of the target. So γ·λ = −(v + γ·h·(k·C − c·u)), γ = 1/(h·(c + h·k)).
    fn sprung(self, [stiffness, damping]: [f64; 2], h: f64) -> Self {
        let softness = 1.0 / (h * (damping + h * stiffness)).max(1e-300);
        let error = softness * h * (stiffness * self.error - damping * self.speed);
        Self { softness, error, speed: 0.0, ..self }
    }

    /// Whether it is a spring.
    pub(crate) fn is_spring(&self) -> bool {
        self.softness > 0.0
    }
}

/// Relative velocity along a row.
pub(crate) fn speed(row: &JointRow, solver: &[SolverBody]) -> f64 {
    let [a, b] = row.bodies.map(|k| &solver[k]);
    row.linear.dot(b.velocity - a.velocity) + row.arms[1].dot(b.spin) - row.arms[0].dot(a.spin)
}

/// Applies an impulse along a row.
pub(crate) fn apply(row: &JointRow, solver: &mut [SolverBody], impulse: f64) {
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
pub(crate) fn coupling(a: &JointRow, b: &JointRow, solver: &[SolverBody]) -> f64 {
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

/// Rows of a joint at the present poses: those that it holds, and those of limits, motors and friction.
pub(crate) fn rows(
    number: u32,
    (joint, own, drives): (&Joint, &JointState, &[JointDrive]),
    state: &RigidBodies,
    solver: &[SolverBody],
    h: f64,
    (out, bounded): (&mut Vec<JointRow>, &mut Vec<JointRow>),
) {
    if own.broken {
        return;
    }
    let world = solver.len() - 1;
    let bodies = joint.bodies.map(|k| if k == WORLD { world } else { k as usize });
    let pose = JointPose::new(joint, own, &state.bodies);
    let centers = joint.bodies.map(|k| frame_of(&state.bodies, k).position);
    let anchors = pose.frames.map(|f| f.position);
    let apart = anchors[1] - anchors[0];
    let base = JointRow {
        joint: number,
        part: 0,
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
    let along = |u: DVec3, at: [DVec3; 2]| JointRow {
        linear: u,
        arms: [(at[0] - centers[0]).cross(u), (at[1] - centers[1]).cross(u)],
        error: apart.dot(u),
        ..base
    };
    let about = |u: DVec3, error: f64| JointRow { arms: [u, u], error, ..base };
    // The first body's arm reaches to the second's anchor, so that a slider has no torque from its travel.
    let shared = [anchors[1], anchors[1]];
    let softened = |row: JointRow, [compliance, damping]: [f64; 2]| match compliance {
        0.0 => row,
        c => row.sprung([1.0 / c, damping], h),
    };
    match joint.kind {
        JointKind::Distance { length, locked } => {
            if locked {
                let error = pose.places[0] - length;
                out.push(softened(JointRow { error, ..along(pose.directions[0], anchors) }, joint.soft));
            }
        }
        JointKind::Axes { locked } => {
            if locked[..TURN] == [true; 3] {
                out.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|u| softened(along(u, anchors), joint.soft)));
            } else {
                let held = (0..TURN).filter(|&k| locked[k]);
                out.extend(held.map(|k| softened(along(pose.directions[k], shared), joint.soft)));
            }
            let held = (TURN..6).filter(|&k| locked[k]);
            match held.clone().count() {
                3 => {
                    let twist = rotation_between(&pose.frames[0].rotation, &pose.frames[1].rotation);
                    let turns = [DVec3::X, DVec3::Y, DVec3::Z].map(|u| about(u, twist.dot(u)));
                    out.extend(turns.map(|row| softened(row, joint.soft_turn)));
                }
                2 => {
                    // The free axis of one body stays on that of the other, whatever the angle about it.
                    let free = (TURN..6).find(|&k| !locked[k]).unwrap_or(TURN);
                    let axes = pose.frames.map(|f| DMat3::from_quat(f.rotation).col(free - TURN));
                    let lean = axes[0].cross(axes[1]);
                    let sides = held.map(|k| pose.directions[k]);
                    out.extend(sides.map(|u| softened(about(u, lean.dot(u)), joint.soft_turn)));
                }
                _ => {
                    let turns = held.map(|k| about(pose.directions[k], pose.places[k]));
                    out.extend(turns.map(|row| softened(row, joint.soft_turn)));
                }
            }
        }
    }
    let distance = matches!(joint.kind, JointKind::Distance { .. });
    for drive in drives.iter().map(|d| d.drive) {
        let axis = drive.axis as usize;
        let part = 4 * drive.axis;
        let free = match axis {
            ANY_TURN => about(relative_spin(solver, bodies), 0.0),
            0..TURN => JointRow { error: 0.0, ..along(pose.directions[axis], if distance { anchors } else { shared }) },
            _ => about(pose.directions[axis], 0.0),
        };
        if drive.friction > 0.0 && (free.linear, free.arms[1]) != (DVec3::ZERO, DVec3::ZERO) {
            bounded.push(JointRow { part, bounds: [-drive.friction * h, drive.friction * h], ..free });
        }
        let Some(&place) = pose.places.get(axis) else { continue };
        if let Some(motor) = drive.motor {
            let row =
                JointRow { part: part + 1, speed: motor.speed, bounds: [-motor.most * h, motor.most * h], ..free };
            bounded.push(match motor.spring {
                Some(spring) => JointRow { error: place - motor.target, ..row }.sprung(spring, h),
                None => row,
            });
        }
        if let Some([low, high]) = drive.limits {
            let flipped = JointRow { linear: -free.linear, arms: free.arms.map(|a| -a), ..free };
            for (side, row, error) in [(2, free, place - low), (3, flipped, high - place)] {
                // Limits that are far and not approached are omitted.
                if error < h * (FAR + 10.0 * speed(&row, solver).abs()) {
                    bounded.push(JointRow { part: part + side, error, bounds: [0.0, f64::INFINITY], ..row });
                }
            }
        }
    }
}

/// Limits that are farther than what a body goes at this speed [m/s] or [rad/s] in a small step are left out, unless they are
/// approached.
const FAR: f64 = 10.0;

/// Direction of the relative angular velocity of two bodies.
fn relative_spin(solver: &[SolverBody], [a, b]: [usize; 2]) -> DVec3 {
    (solver[b].spin - solver[a].spin).normalize_or_zero()
}
