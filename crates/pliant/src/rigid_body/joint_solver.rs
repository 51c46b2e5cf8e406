//! Rows of joints, and their direct solution.

use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::contact_solver::SolverBody;
use crate::rigid_body::joint::{Joint, JointKind, JointState, WORLD, frame_of};
use glam::{DQuat, DVec3};

/// Share of the error of a joint that is removed in a small step.
const CORRECTION: f64 = 0.2;

/// Relative softness that keeps loops with redundant rows solvable.
const REGULARIZATION: f64 = 1e-9;

/// One scalar constraint between two bodies.
#[derive(Clone, Copy, Debug)]
struct Row {
    joint: u32,
    bodies: [usize; 2],
    linear: DVec3,
    arms: [DVec3; 2],
    /// Error [m] or [rad].
    error: f64,
    /// 1/(h·(c + h·k)) of a spring, else 0.
    softness: f64,
    /// Bounds of the impulse of a small step; infinite rows are solved directly.
    bounds: [f64; 2],
    /// Velocity that the row aims at.
    speed: f64,
    impulse: f64,
}

/// Buffers of the joints of a step.
#[derive(Clone, Debug, Default)]
pub struct JointSolver {
    /// Joints of each connected set, in order.
    sets: Vec<Vec<u32>>,
    rows: Vec<Row>,
    bounded: Vec<Row>,
    /// First row of each set, plus the end.
    starts: Vec<usize>,
    /// Lower triangles of the factors, one after the other, row by row.
    factors: Vec<f64>,
    right: Vec<f64>,
}

impl JointSolver {
    /// Finds the connected sets of joints.
    pub fn begin(&mut self, model: &RigidBodyModel) {
        self.sets.clear();
        if model.joints.is_empty() {
            return;
        }
        let mut root: Vec<u32> = (0..model.bodies.len() as u32).collect();
        fn find(root: &mut [u32], mut k: u32) -> u32 {
            while root[k as usize] != k {
                root[k as usize] = root[root[k as usize] as usize];
                k = root[k as usize];
            }
            k
        }
        for joint in model.joints.iter().filter(|j| j.bodies[0] != WORLD) {
            let [a, b] = joint.bodies.map(|k| find(&mut root, k));
            root[a.max(b) as usize] = a.min(b);
        }
        let mut set_of = vec![usize::MAX; model.bodies.len()];
        for (k, joint) in model.joints.iter().enumerate() {
            let body = find(&mut root, joint.bodies[1]) as usize;
            if set_of[body] == usize::MAX {
                set_of[body] = self.sets.len();
                self.sets.push(Vec::new());
            }
            self.sets[set_of[body]].push(k as u32);
        }
    }

    /// Rows and factors at the present poses.
    pub fn prepare(&mut self, model: &RigidBodyModel, state: &RigidBodies, solver: &[SolverBody], h: f64) {
        self.rows.clear();
        self.bounded.clear();
        self.starts.clear();
        self.factors.clear();
        for set in &self.sets {
            self.starts.push(self.rows.len());
            for &k in set {
                let (joint, own) = (&model.joints[k as usize], &state.joints[k as usize]);
                rows(k, joint, own, state, solver.len() - 1, h, (&mut self.rows, &mut self.bounded));
            }
        }
        self.starts.push(self.rows.len());
        for pair in self.starts.windows(2) {
            factorize(&self.rows[pair[0]..pair[1]], solver, &mut self.factors);
        }
    }

    /// One solution. With `biased` errors are removed, and springs and motors act.
    pub fn solve(&mut self, solver: &mut [SolverBody], h: f64, biased: bool) {
        for row in &mut self.bounded {
            let bias = if biased && row.error != 0.0 { CORRECTION * row.error / h } else { 0.0 };
            // An open limit may close within this small step.
            let bias = if row.bounds[0] == 0.0 && row.error > 0.0 { row.error / h } else { bias };
            let inverse = diagonal(row, solver);
            let total = row.impulse - (speed(row, solver) - row.speed + bias) / inverse;
            let total = total.clamp(row.bounds[0], row.bounds[1]);
            apply(row, solver, total - row.impulse);
            row.impulse = total;
        }
        let mut at = 0;
        for pair in self.starts.windows(2) {
            let rows = &mut self.rows[pair[0]..pair[1]];
            let n = rows.len();
            let factor = &self.factors[at..at + n * (n + 1) / 2];
            at += factor.len();
            self.right.clear();
            self.right.extend(rows.iter().map(|row| {
                if row.softness > 0.0 {
                    // A spring has done its work in the first solution: only its rate is kept.
                    return if biased { -(speed(row, solver) + row.error) } else { 0.0 };
                }
                let bias = if biased { CORRECTION * row.error / h } else { 0.0 };
                -(speed(row, solver) + bias)
            }));
            back_substitute(factor, &mut self.right);
            for (row, &impulse) in rows.iter_mut().zip(&self.right) {
                row.impulse += impulse;
                apply(row, solver, impulse);
            }
        }
    }

    /// Prepares and solves again after bodies have moved, without removing errors. Impulses go on: bounds are those of
    /// both solutions together.
    pub fn relax(&mut self, model: &RigidBodyModel, state: &RigidBodies, solver: &mut [SolverBody], h: f64) {
        let [rows, bounded] =
            [&self.rows, &self.bounded].map(|list| list.iter().map(|r| r.impulse).collect::<Vec<_>>());
        self.prepare(model, state, solver, h);
        self.rows.iter_mut().zip(rows).for_each(|(row, impulse)| row.impulse = impulse);
        self.bounded.iter_mut().zip(bounded).for_each(|(row, impulse)| row.impulse = impulse);
        self.solve(solver, h, false);
    }

    /// Keeps the forces of the last small step.
    pub fn store(&self, state: &mut RigidBodies, h: f64) {
        state.joints.iter_mut().for_each(|j| j.force = [DVec3::ZERO; 2]);
        for row in self.rows.iter().chain(&self.bounded) {
            let own = &mut state.joints[row.joint as usize];
            own.force[0] += row.linear * (row.impulse / h);
            if row.linear == DVec3::ZERO {
                own.force[1] += row.arms[1] * (row.impulse / h);
            }
        }
    }

    /// Whether there are joints.
    pub fn acts(&self) -> bool {
        !self.sets.is_empty()
    }
}

fn speed(row: &Row, solver: &[SolverBody]) -> f64 {
    let [a, b] = row.bodies.map(|k| &solver[k]);
    row.linear.dot(b.velocity - a.velocity) + row.arms[1].dot(b.spin) - row.arms[0].dot(a.spin)
}

fn apply(row: &Row, solver: &mut [SolverBody], impulse: f64) {
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let body = &mut solver[row.bodies[side]];
        if body.inverse_mass > 0.0 {
            body.velocity += row.linear * (sign * impulse * body.inverse_mass);
            body.spin += body.inverse_inertia * row.arms[side] * (sign * impulse);
            body.touched = true;
        }
    }
}

fn diagonal(row: &Row, solver: &[SolverBody]) -> f64 {
    coupling(row, row, solver) + row.softness
}

/// Entry of J·M⁻¹·Jᵀ.
fn coupling(a: &Row, b: &Row, solver: &[SolverBody]) -> f64 {
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

/// Appends the Cholesky factor of the rows: its lower triangle, row by row. Entries left of the first one of a row stay 0
/// and are skipped, so that chains cost in proportion to their length squared.
#[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
fn factorize(rows: &[Row], solver: &[SolverBody], out: &mut Vec<f64>) {
    let base = out.len();
    let mut firsts: Vec<usize> = Vec::with_capacity(rows.len());
    for i in 0..rows.len() {
        let line = out.len();
        let connects = |j: &Row| j.bodies.iter().any(|b| rows[i].bodies.contains(b) && solver[*b].inverse_mass > 0.0);
        let first = rows[..i].iter().position(connects).unwrap_or(i);
        firsts.push(first);
        out.resize(line + first, 0.0);
        for j in first..i {
            let other = base + j * (j + 1) / 2;
            let mut value = coupling(&rows[i], &rows[j], solver);
            for k in first.max(firsts[j])..j {
                value -= out[line + k] * out[other + k];
            }
            let pivot = out[other + j];
            out.push(value / pivot);
        }
        let own = diagonal(&rows[i], solver) * (1.0 + REGULARIZATION);
        let mut value = own;
        for k in first..i {
            value -= out[line + k] * out[line + k];
        }
        // A redundant row: rounding may leave nothing of it.
        out.push(value.max(REGULARIZATION * own).max(f64::MIN_POSITIVE).sqrt());
    }
}

#[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
fn back_substitute(factor: &[f64], x: &mut [f64]) {
    let at = |i: usize| i * (i + 1) / 2;
    for i in 0..x.len() {
        let mut value = x[i];
        for k in 0..i {
            value -= factor[at(i) + k] * x[k];
        }
        x[i] = value / factor[at(i) + i];
    }
    for i in (0..x.len()).rev() {
        x[i] /= factor[at(i) + i];
        let value = x[i];
        for k in 0..i {
            x[k] -= factor[at(i) + k] * value;
        }
    }
}

/// Rows of a joint at the present poses.
fn rows(
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
