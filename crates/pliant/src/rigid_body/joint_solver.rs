//! Solution of the rows of joints: directly, or by sequential impulses where there are too many.
//!
//! Rows that are held are eliminated by their Cholesky factor; what remains for limits, motors and friction is a small dense
//! problem with bounds (`bounded.rs`). So a motor turns what hangs on its joint, not its body alone.

use crate::rigid_body::bodies::{RigidBodies, RigidBodyModel};
use crate::rigid_body::bounded::BoundedProblem;
use crate::rigid_body::contact_solver::{SmallStep, SolverBody};
use crate::rigid_body::joint::WORLD;
use crate::rigid_body::joint_rows::{JointRow, apply, coupling, rows, speed};
use glam::DVec3;
use std::ops::Range;

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
    rows: Vec<JointRow>,
    bounded: Vec<JointRow>,
    /// First row and first bounded row of each set, plus the end.
    starts: Vec<[usize; 2]>,
    /// Whether each set is solved by sequential impulses: its factors would be too large.
    sequential: Vec<bool>,
    /// Lower triangles of the factors from the first entry of each row on, one after the other.
    factors: Vec<f64>,
    /// Of each row of a factor, its first column and where its entries begin, both in the row's set.
    profile: Vec<[usize; 2]>,
    /// First row of each body in the set that is factorized.
    first_rows: Vec<u32>,
    right: Vec<f64>,
    problem: BoundedProblem,
    /// Impulses of the last small step, from which sequential sets start.
    last: Vec<f64>,
    /// Bounded rows of the first solution of a small step, and where those of each set begin.
    first: (Vec<JointRow>, Vec<[usize; 2]>),
    /// Impulse on each joint's second body in this step [N·s], and its torque about the anchor [N·m·s].
    sums: Vec<[DVec3; 2]>,
    time: f64,
}

impl JointSolver {
    /// Finds the connected sets of joints whose bodies are awake.
    pub fn begin(&mut self, model: &RigidBodyModel, state: &RigidBodies, is_awake: impl Fn(u32) -> bool) {
        self.sets.clear();
        self.profile.clear();
        self.last.clear();
        self.sums.clear();
        self.time = 0.0;
        if model.joints.is_empty() {
            return;
        }
        self.sums.resize(model.joints.len(), [DVec3::ZERO; 2]);
        let mut root: Vec<u32> = (0..model.bodies.len() as u32).collect();
        fn find(root: &mut [u32], mut k: u32) -> u32 {
            while root[k as usize] != k {
                root[k as usize] = root[root[k as usize] as usize];
                k = root[k as usize];
            }
            k
        }
        let whole = || model.joints.iter().enumerate().filter(|(k, _)| !state.joints[*k].broken);
        for (_, joint) in whole().filter(|(_, j)| j.bodies[0] != WORLD) {
            let [a, b] = joint.bodies.map(|k| find(&mut root, k));
            root[a.max(b) as usize] = a.min(b);
        }
        let mut set_of = vec![usize::MAX; model.bodies.len()];
        for (k, joint) in whole().filter(|(_, joint)| is_awake(joint.bodies[1])) {
            let body = find(&mut root, joint.bodies[1]) as usize;
            if set_of[body] == usize::MAX {
                set_of[body] = self.sets.len();
                self.sets.push(Vec::new());
            }
            self.sets[set_of[body]].push(k as u32);
        }
    }

    /// Bodies that the joints of this step hold; those of several joints more than once.
    pub fn bodies(&self, model: &RigidBodyModel) -> impl Iterator<Item = usize> {
        let joints = self.sets.iter().flatten().map(|&k| &model.joints[k as usize]);
        joints.flat_map(|joint| joint.bodies).filter(|&body| body != WORLD).map(|body| body as usize)
    }

    /// Rows and factors at the present poses.
    pub fn prepare(&mut self, model: &RigidBodyModel, state: &RigidBodies, solver: &[SolverBody], h: f64) {
        self.rows.clear();
        self.bounded.clear();
        self.starts.clear();
        for set in &self.sets {
            self.starts.push([self.rows.len(), self.bounded.len()]);
            for &k in set {
                let joint = (&model.joints[k as usize], &state.joints[k as usize], state.drives_of(k));
                rows(k, joint, state, solver, h, (&mut self.rows, &mut self.bounded));
            }
        }
        self.starts.push([self.rows.len(), self.bounded.len()]);
        if self.profile.len() != self.rows.len() || self.sequential.len() != self.sets.len() {
            self.find_profiles(solver);
        }
        self.factors.clear();
        for set in 0..self.sets.len() {
            let [held, _] = self.ranges(set);
            let (own, profile) = (&mut self.rows[held.clone()], &self.profile[held]);
            if self.sequential[set] {
                own.iter_mut().for_each(|row| row.inverse = coupling(row, row, solver) + row.softness);
            } else {
                factorize(own, profile, solver, &mut self.factors);
            }
        }
    }

    /// Rows and bounded rows of a set.
    fn ranges(&self, set: usize) -> [Range<usize>; 2] {
        [0, 1].map(|k| self.starts[set][k]..self.starts[set + 1][k])
    }

    /// Which rows of each set come first among those that share a body with a row: they stay the same in a step.
    fn find_profiles(&mut self, solver: &[SolverBody]) {
        self.profile.clear();
        self.sequential.clear();
        self.first_rows.clear();
        self.first_rows.resize(solver.len(), u32::MAX);
        for set in 0..self.sets.len() {
            let [held, bounded] = self.ranges(set);
            let own = &self.rows[held];
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
            let more = bounded.len() as f64;
            let operations = operations + more * entries as f64 + more * more * (own.len() as f64 + more);
            self.sequential.push(operations > MOST_OPERATIONS);
        }
    }

    /// One solution. With `biased` errors are removed, and springs act.
    pub fn solve(&mut self, solver: &mut [SolverBody], small: &SmallStep, biased: bool) {
        let mut at = 0;
        for set in 0..self.sets.len() {
            let [held, bounded] = self.ranges(set);
            let bounded = &mut self.bounded[bounded];
            let (rows, profile) = (&mut self.rows[held.clone()], &self.profile[held]);
            if self.sequential[set] {
                one_by_one(bounded, solver, small.h, biased);
                sequential(rows, solver, small, biased);
                continue;
            }
            let length = profile.last().map_or(0, |&[first, begins]| begins + rows.len() - first);
            let factor = Factor { entries: &self.factors[at..at + length], profile };
            at += length;
            self.right.clear();
            // A spring has done its work in the first solution: only its rate is kept.
            self.right.extend(rows.iter().map(|row| match row.is_spring() && !biased {
                true => 0.0,
                false => -(speed(row, solver) + bias(row, small.h, biased)),
            }));
            factor.forward(&mut self.right);
            self.problem.begin(bounded, |row| biased || !row.is_spring());
            if !self.problem.is_empty() {
                self.problem.eliminate((rows, bounded), &factor, &self.right, solver);
                self.problem.solve(bounded, |row| -(speed(row, solver) + bounded_bias(row, small.h, biased)));
                self.problem.correct(&mut self.right);
            }
            factor.backward(&mut self.right);
            for (row, &impulse) in rows.iter_mut().zip(&self.right) {
                row.impulse += impulse;
                apply(row, solver, impulse);
            }
            self.problem.apply(bounded, solver);
        }
    }

    /// Starts sequential sets from the impulses of the last small step.
    pub fn warm_start(&mut self, state: &RigidBodies, solver: &mut [SolverBody], h: f64) {
        let known = self.last.len() == self.rows.len();
        for set in (0..self.sets.len()).filter(|&set| self.sequential[set]) {
            let [held, _] = self.ranges(set);
            for k in held {
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
        std::mem::swap(&mut self.bounded, &mut self.first.0);
        std::mem::swap(&mut self.starts, &mut self.first.1);
        self.prepare(model, state, solver, small.h);
        self.rows.iter_mut().zip(&self.last).for_each(|(row, &impulse)| row.impulse = impulse);
        self.go_on();
        self.solve(solver, small, false);
        self.last.clear();
        self.last.extend(self.rows.iter().map(|row| row.impulse));
        self.rows.iter().chain(&self.bounded).for_each(|row| add(&mut self.sums, row));
        self.time += small.h;
    }

    /// Bounded rows take over the impulses of the first solution. Limits may have come near or gone far since: what is no
    /// more keeps what it has done.
    fn go_on(&mut self) {
        let (before, starts) = std::mem::take(&mut self.first);
        for (set, pair) in starts.windows(2).enumerate() {
            let mut old = before[pair[0][1]..pair[1][1]].iter().peekable();
            let [_, own] = self.ranges(set);
            for row in &mut self.bounded[own] {
                let key = |r: &JointRow| (r.joint, r.part);
                while let Some(gone) = old.next_if(|o| key(o) < key(row)) {
                    add(&mut self.sums, gone);
                }
                if let Some(same) = old.next_if(|o| key(o) == key(row)) {
                    row.impulse = same.impulse;
                }
            }
            old.for_each(|gone| add(&mut self.sums, gone));
        }
        self.first = (before, starts);
    }

    /// Keeps the mean forces of the step, and finds joints that break by them.
    pub fn store(&self, model: &RigidBodyModel, state: &mut RigidBodies) {
        for set in &self.sets {
            for &k in set {
                let (joint, own) = (&model.joints[k as usize], &mut state.joints[k as usize]);
                own.force = self.sums[k as usize].map(|sum| sum / self.time);
                own.broken = (0..2).any(|i| own.force[i].length() > joint.strength[i]);
            }
        }
    }

    /// Whether there are joints.
    pub fn acts(&self) -> bool {
        !self.sets.is_empty()
    }
}

/// Adds the impulse of a row to the force and torque of its joint.
fn add(sums: &mut [[DVec3; 2]], row: &JointRow) {
    let sum = &mut sums[row.joint as usize];
    sum[0] += row.linear * row.impulse;
    if row.linear == DVec3::ZERO {
        sum[1] += row.arms[1] * row.impulse;
    }
}

/// Velocity that removes the error of a row, or that its spring aims at.
fn bias(row: &JointRow, h: f64, biased: bool) -> f64 {
    match (biased, row.is_spring()) {
        (false, _) => 0.0,
        (true, true) => row.error,
        (true, false) => CORRECTION * row.error / h,
    }
}

/// The same for a limit, a motor or friction.
fn bounded_bias(row: &JointRow, h: f64, biased: bool) -> f64 {
    // An open limit may close within this small step.
    match row.bounds[0] == 0.0 && row.error > 0.0 {
        true => row.error / h,
        false => bias(row, h, biased) - row.speed,
    }
}

/// One pass over bounded rows of a set that is solved by sequential impulses.
fn one_by_one(rows: &mut [JointRow], solver: &mut [SolverBody], h: f64, biased: bool) {
    for row in rows.iter_mut().filter(|row| biased || !row.is_spring()) {
        let inverse = coupling(row, row, solver) + row.softness;
        let wanted = speed(row, solver) + bounded_bias(row, h, biased) + row.softness * row.impulse;
        let total = (row.impulse - wanted / inverse).clamp(row.bounds[0], row.bounds[1]);
        apply(row, solver, total - row.impulse);
        row.impulse = total;
    }
}

/// One pass of sequential impulses over rows, which are as soft as contacts: loops have stresses that nothing but softness
/// removes, and they would drive the bodies.
fn sequential(rows: &mut [JointRow], solver: &mut [SolverBody], small: &SmallStep, biased: bool) {
    for row in rows {
        if row.is_spring() && !biased {
            continue;
        }
        let change = if row.is_spring() {
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
fn factorize(rows: &[JointRow], profile: &[[usize; 2]], solver: &[SolverBody], out: &mut Vec<f64>) {
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

/// A Cholesky factor L, row by row from the first entry on.
pub(crate) struct Factor<'a> {
    entries: &'a [f64],
    profile: &'a [[usize; 2]],
}

impl Factor<'_> {
    /// x becomes L⁻¹·x.
    #[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
    pub(crate) fn forward(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let [first, line] = self.profile[i];
            let mut value = x[i];
            for k in first..i {
                value -= self.entries[line + k - first] * x[k];
            }
            x[i] = value / self.entries[line + i - first];
        }
    }

    /// x becomes L⁻ᵀ·x.
    #[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
    fn backward(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            let [first, line] = self.profile[i];
            x[i] /= self.entries[line + i - first];
            let value = x[i];
            for k in first..i {
                x[k] -= self.entries[line + k - first] * value;
            }
        }
    }
}
