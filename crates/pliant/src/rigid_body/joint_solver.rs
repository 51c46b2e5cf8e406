//! Solution of the rows of joints: directly, or by sequential impulses where there are too many.

use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::contact_solver::{SmallStep, SolverBody};
use crate::rigid_body::joint::WORLD;
use crate::rigid_body::joint_rows::{Row, apply, coupling, rows, speed};
use glam::DVec3;

/// Share of the error of a joint that is removed in a small step.
const CORRECTION: f64 = 0.2;

/// Operations of a factorization beyond which a set of joints is solved by sequential impulses instead.
const MOST_OPERATIONS: f64 = 2e6;

/// Relative softness that keeps loops with redundant rows solvable.
const REGULARIZATION: f64 = 1e-9;

/// Buffers of the joints of a step.
#[derive(Clone, Debug, Default)]
pub struct JointSolver {
    /// Joints of each connected set, in order.
    sets: Vec<Vec<u32>>,
    rows: Vec<Row>,
    bounded: Vec<Row>,
    /// First row of each set, plus the end.
    starts: Vec<usize>,
    /// Whether each set is solved by sequential impulses: its factors would be too large.
    sequential: Vec<bool>,
    /// Lower triangles of the factors from the first entry of each row on, one after the other.
    factors: Vec<f64>,
    /// Of each row of a factor, its first column and where its entries begin, both in the row's set.
    profile: Vec<[usize; 2]>,
    /// First row of each body in the set that is factorized.
    first_rows: Vec<u32>,
    right: Vec<f64>,
    /// Impulses of the last small step, from which sequential sets start.
    last: Vec<f64>,
    last_bounded: Vec<f64>,
}

impl JointSolver {
    /// Finds the connected sets of joints whose bodies are awake.
    pub fn begin(&mut self, model: &RigidBodyModel, is_awake: impl Fn(u32) -> bool) {
        self.sets.clear();
        self.profile.clear();
        self.last.clear();
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
        for (k, joint) in model.joints.iter().enumerate().filter(|(_, joint)| is_awake(joint.bodies[1])) {
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
        for set in &self.sets {
            self.starts.push(self.rows.len());
            for &k in set {
                let (joint, own) = (&model.joints[k as usize], &state.joints[k as usize]);
                rows(k, joint, own, state, solver.len() - 1, h, (&mut self.rows, &mut self.bounded));
            }
        }
        self.starts.push(self.rows.len());
        if self.profile.len() != self.rows.len() {
            self.find_profiles(solver);
        }
        self.factors.clear();
        for (set, pair) in self.starts.windows(2).enumerate() {
            let (own, profile) = (&mut self.rows[pair[0]..pair[1]], &self.profile[pair[0]..pair[1]]);
            if self.sequential[set] {
                own.iter_mut().for_each(|row| row.inverse = coupling(row, row, solver) + row.softness);
            } else {
                factorize(own, profile, solver, &mut self.factors);
            }
        }
    }

    /// Which rows of each set come first among those that share a body with a row: they stay the same in a step.
    fn find_profiles(&mut self, solver: &[SolverBody]) {
        self.profile.clear();
        self.sequential.clear();
        self.first_rows.clear();
        self.first_rows.resize(solver.len(), u32::MAX);
        for pair in self.starts.windows(2) {
            let own = &self.rows[pair[0]..pair[1]];
            let (mut entries, mut operations) = (0, 0.0);
            for (i, row) in own.iter().enumerate() {
                let mut first = i as u32;
                for &body in row.bodies.iter().filter(|&&body| solver[body].inverse_mass > 0.0) {
                    self.first_rows[body] = self.first_rows[body].min(i as u32);
                    first = first.min(self.first_rows[body]);
                }
                self.profile.push([first as usize, entries]);
                entries += i + 1 - first as usize;
                operations += ((i - first as usize) as f64).powi(2);
            }
            own.iter().flat_map(|row| row.bodies).for_each(|body| self.first_rows[body] = u32::MAX);
            self.sequential.push(operations > MOST_OPERATIONS);
        }
    }

    /// One solution. With `biased` errors are removed, and springs and motors act.
    pub fn solve(&mut self, solver: &mut [SolverBody], small: &SmallStep, biased: bool) {
        let h = small.h;
        for row in &mut self.bounded {
            let bias = if biased && row.error != 0.0 { CORRECTION * row.error / h } else { 0.0 };
            // An open limit may close within this small step.
            let bias = if row.bounds[0] == 0.0 && row.error > 0.0 { row.error / h } else { bias };
            let inverse = coupling(row, row, solver) + row.softness;
            let total = row.impulse - (speed(row, solver) - row.speed + bias) / inverse;
            let total = total.clamp(row.bounds[0], row.bounds[1]);
            apply(row, solver, total - row.impulse);
            row.impulse = total;
        }
        let mut at = 0;
        for (set, pair) in self.starts.windows(2).enumerate() {
            let (rows, profile) = (&mut self.rows[pair[0]..pair[1]], &self.profile[pair[0]..pair[1]]);
            if self.sequential[set] {
                sequential(rows, solver, small, biased);
                continue;
            }
            let Some(&[first, begins]) = profile.last() else { continue };
            let factor = &self.factors[at..at + begins + rows.len() - first];
            at += factor.len();
            self.right.clear();
            self.right.extend(rows.iter().map(|row| -(speed(row, solver) + bias(row, h, biased))));
            for (right, row) in self.right.iter_mut().zip(&*rows) {
                // A spring has done its work in the first solution: only its rate is kept.
                if row.softness > 0.0 && !biased {
                    *right = 0.0;
                }
            }
            back_substitute(factor, profile, &mut self.right);
            for (row, &impulse) in rows.iter_mut().zip(&self.right) {
                row.impulse += impulse;
                apply(row, solver, impulse);
            }
        }
    }

    /// Starts sequential sets from the impulses of the last small step.
    pub fn warm_start(&mut self, state: &RigidBodies, solver: &mut [SolverBody], h: f64) {
        let known = self.last.len() == self.rows.len();
        for (set, pair) in self.starts.windows(2).enumerate() {
            if !self.sequential[set] {
                continue;
            }
            for k in pair[0]..pair[1] {
                let row = &mut self.rows[k];
                let [force, torque] = state.joints[row.joint as usize].force;
                let kept = if row.linear == DVec3::ZERO { torque.dot(row.arms[1]) } else { force.dot(row.linear) };
                row.impulse = if known { self.last[k] } else { kept * h };
                apply(row, solver, row.impulse);
            }
        }
    }

    /// Prepares and solves again after bodies have moved, without removing errors. Impulses go on: bounds are those of
    /// both solutions together.
    pub fn relax(&mut self, model: &RigidBodyModel, state: &RigidBodies, solver: &mut [SolverBody], small: &SmallStep) {
        self.last.clear();
        self.last.extend(self.rows.iter().map(|row| row.impulse));
        self.last_bounded.clear();
        self.last_bounded.extend(self.bounded.iter().map(|row| row.impulse));
        self.prepare(model, state, solver, small.h);
        self.rows.iter_mut().zip(&self.last).for_each(|(row, &impulse)| row.impulse = impulse);
        self.bounded.iter_mut().zip(&self.last_bounded).for_each(|(row, &impulse)| row.impulse = impulse);
        self.solve(solver, small, false);
        self.last.clear();
        self.last.extend(self.rows.iter().map(|row| row.impulse));
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

/// Velocity that removes the error of a row, or that its spring aims at.
fn bias(row: &Row, h: f64, biased: bool) -> f64 {
    match (biased, row.softness > 0.0) {
        (false, _) => 0.0,
        (true, true) => row.error,
        (true, false) => CORRECTION * row.error / h,
    }
}

/// One pass of sequential impulses over rows, which are as soft as contacts: loops have stresses that nothing but softness
/// removes, and they would drive the bodies.
fn sequential(rows: &mut [Row], solver: &mut [SolverBody], small: &SmallStep, biased: bool) {
    for row in rows {
        if row.softness > 0.0 && !biased {
            continue;
        }
        let change = if row.softness > 0.0 {
            -(speed(row, solver) + row.error + row.softness * row.impulse) / row.inverse
        } else if biased {
            let wanted = speed(row, solver) + small.bias_rate * row.error;
            -small.mass_scale * wanted / row.inverse - small.impulse_scale * row.impulse
        } else {
            -speed(row, solver) / row.inverse
        };
        row.impulse += change;
        apply(row, solver, change);
    }
}

/// Appends the Cholesky factor of the rows: its lower triangle, row by row. Entries left of the first one of a row are 0
/// and are left out, so that chains cost in proportion to their length.
#[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
fn factorize(rows: &[Row], profile: &[[usize; 2]], solver: &[SolverBody], out: &mut Vec<f64>) {
    let base = out.len();
    for (i, &[first, line]) in profile.iter().enumerate() {
        let line = base + line;
        for j in first..i {
            let [other_first, other] = profile[j];
            let other = base + other;
            let mut value = coupling(&rows[i], &rows[j], solver);
            for k in first.max(other_first)..j {
                value -= out[line + k - first] * out[other + k - other_first];
            }
            let pivot = out[other + j - other_first];
            out.push(value / pivot);
        }
        let own = (coupling(&rows[i], &rows[i], solver) + rows[i].softness) * (1.0 + REGULARIZATION);
        let mut value = own;
        for entry in &out[line..] {
            value -= entry * entry;
        }
        // A redundant row: rounding may leave nothing of it.
        out.push(value.max(REGULARIZATION * own).max(f64::MIN_POSITIVE).sqrt());
    }
}

#[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
fn back_substitute(factor: &[f64], profile: &[[usize; 2]], x: &mut [f64]) {
    for i in 0..x.len() {
        let [first, line] = profile[i];
        let mut value = x[i];
        for k in first..i {
            value -= factor[line + k - first] * x[k];
        }
        x[i] = value / factor[line + i - first];
    }
    for i in (0..x.len()).rev() {
        let [first, line] = profile[i];
        x[i] /= factor[line + i - first];
        let value = x[i];
        for k in first..i {
            x[k] -= factor[line + k - first] * value;
        }
    }
}
