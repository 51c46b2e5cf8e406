//! Limits, motors and friction of connected joints, after the rows that are held have been eliminated: a small dense problem
//! with bounds.
//!
//! With A = J·M⁻¹·Jᵀ of held rows e and bounded rows b, and A_ee = L·Lᵀ, the impulses of b see S = A_bb + γ − Yᵀ·Y,
//! Y = L⁻¹·A_eb. The bounds are met by guessing which rows are at a bound and solving for the others (block principal
//! pivoting, Júdice and Pires 1994), and by sweeps of projected Gauss–Seidel should that not settle.

use crate::rigid_body::contact_solver::SolverBody;
use crate::rigid_body::joint_rows::{JointRow, apply, coupling};
use crate::rigid_body::joint_solver::Factor;

/// Guesses before sweeps take over.
const GUESSES: usize = 12;
/// Sweeps of projected Gauss–Seidel.
const SWEEPS: usize = 50;
/// Relative softness that keeps motors on redundant axes solvable.
const REGULARIZATION: f64 = 1e-9;

/// Where a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    Low,
    High,
}

/// Buffers of the problem of one set of joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundedProblem {
    /// Rows that take part, by their number in the set.
    members: Vec<usize>,
    /// Y, column by column.
    columns: Vec<f64>,
    /// Length of a column.
    height: usize,
    /// S, row by row.
    matrix: Vec<f64>,
    right: Vec<f64>,
    /// Changes of the impulses.
    changes: Vec<f64>,
    places: Vec<Place>,
    factor: Vec<f64>,
    free: Vec<usize>,
    values: Vec<f64>,
}

impl BoundedProblem {
    /// Starts with the rows for which `acts` holds.
    pub(crate) fn begin(&mut self, rows: &[JointRow], acts: impl Fn(&JointRow) -> bool) {
        self.members.clear();
        self.members.extend((0..rows.len()).filter(|&k| acts(&rows[k])));
        self.changes.clear();
        self.changes.resize(self.members.len(), 0.0);
    }

    /// Whether no row takes part.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Solves for the changes of the impulses of `rows`, which aim at changes of their velocities. [`Self::eliminate`] must
    /// have been called.
    pub(crate) fn solve(&mut self, rows: &[JointRow], wanted: impl Fn(&JointRow) -> f64) {
        let n = self.members.len();
        for (k, &member) in self.members.iter().enumerate() {
            let row = &rows[member];
            self.right[k] += wanted(row) - row.softness * row.impulse;
        }
        let bounds = |this: &Self, k: usize| {
            let row = &rows[this.members[k]];
            row.bounds.map(|bound| bound - row.impulse)
        };
        self.places.clear();
        self.places.resize(n, Place::Free);
        for _ in 0..GUESSES {
            self.solve_free(|this, k| bounds(this, k));
            let mut settled = true;
            for k in 0..n {
                let [low, high] = bounds(self, k);
                let slope = self.right[k] - self.dot(k);
                let now = self.places[k];
                let next = match now {
                    Place::Free if self.changes[k] < low => Place::Low,
                    Place::Free if self.changes[k] > high => Place::High,
                    Place::Low if slope > 1e-12 * self.scale(k) => Place::Free,
                    Place::High if slope < -1e-12 * self.scale(k) => Place::Free,
                    other => other,
                };
                settled &= next == now;
                self.places[k] = next;
            }
            if settled {
                return;
            }
        }
        for _ in 0..SWEEPS {
            for k in 0..n {
                let [low, high] = bounds(self, k);
                let change = (self.right[k] - self.dot(k)) / self.matrix[k * n + k];
                self.changes[k] = (self.changes[k] + change).clamp(low, high);
            }
        }
    }

    /// Row k of S times the changes.
    fn dot(&self, k: usize) -> f64 {
        let n = self.members.len();
        self.matrix[k * n..(k + 1) * n].iter().zip(&self.changes).map(|(m, x)| m * x).sum()
    }

    /// Size of the numbers in row k.
    fn scale(&self, k: usize) -> f64 {
        let n = self.members.len();
        let sum: f64 = self.matrix[k * n..(k + 1) * n].iter().zip(&self.changes).map(|(m, x)| (m * x).abs()).sum();
        sum + self.right[k].abs()
    }

    /// Rows at a bound stay there; the others are solved for by Cholesky.
    fn solve_free(&mut self, bounds: impl Fn(&Self, usize) -> [f64; 2]) {
        let n = self.members.len();
        self.free.clear();
        for k in 0..n {
            match self.places[k] {
                Place::Free => self.free.push(k),
                Place::Low => self.changes[k] = bounds(self, k)[0],
                Place::High => self.changes[k] = bounds(self, k)[1],
            }
        }
        let m = self.free.len();
        self.factor.clear();
        self.factor.resize(m * m, 0.0);
        let mut x = std::mem::take(&mut self.values);
        x.clear();
        x.resize(m, 0.0);
        for i in 0..m {
            let line = self.free[i] * n;
            for j in 0..=i {
                let mut value = self.matrix[line + self.free[j]];
                for k in 0..j {
                    value -= self.factor[i * m + k] * self.factor[j * m + k];
                }
                let own = self.matrix[line + self.free[i]];
                let least = (REGULARIZATION * own).max(f64::MIN_POSITIVE);
                self.factor[i * m + j] = if i == j { value.max(least).sqrt() } else { value / self.factor[j * m + j] };
            }
            let held: f64 = (0..n)
                .filter(|&k| self.places[k] != Place::Free)
                .map(|k| self.matrix[line + k] * self.changes[k])
                .sum();
            x[i] = self.right[self.free[i]] - held;
        }
        for i in 0..m {
            let known: f64 = (0..i).map(|k| self.factor[i * m + k] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i * m + i];
        }
        for i in (0..m).rev() {
            let known: f64 = (i + 1..m).map(|k| self.factor[k * m + i] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i * m + i];
        }
        for (&k, &value) in self.free.iter().zip(&x) {
            self.changes[k] = value;
        }
        self.values = x;
    }

    /// L⁻¹ of what held rows shall do, after the bounded rows have done theirs.
    pub(crate) fn correct(&self, right: &mut [f64]) {
        for (column, change) in self.columns.chunks_exact(self.height.max(1)).zip(&self.changes) {
            right.iter_mut().zip(column).for_each(|(r, y)| *r -= y * change);
        }
    }

    /// Applies the changes.
    pub(crate) fn apply(&self, rows: &mut [JointRow], solver: &mut [SolverBody]) {
        for (&member, &change) in self.members.iter().zip(&self.changes) {
            rows[member].impulse += change;
            apply(&rows[member], solver, change);
        }
    }

    /// Finds Y, S and −Yᵀ·z, where z is L⁻¹ of what `held` rows shall do.
    pub(crate) fn eliminate(
        &mut self,
        (held, bounded): (&[JointRow], &[JointRow]),
        factor: &Factor<'_>,
        done: &[f64],
        solver: &[SolverBody],
    ) {
        let (n, height) = (self.members.len(), held.len());
        self.height = height;
        self.columns.clear();
        self.columns.resize(n * height, 0.0);
        self.right.clear();
        for (k, &member) in self.members.iter().enumerate() {
            let column = &mut self.columns[k * height..(k + 1) * height];
            for (entry, row) in column.iter_mut().zip(held) {
                *entry = coupling(row, &bounded[member], solver);
            }
            factor.forward(column);
            self.right.push(-column.iter().zip(done).map(|(y, z)| y * z).sum::<f64>());
        }
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                let (a, b) = (&bounded[self.members[i]], &bounded[self.members[j]]);
                let [p, q] = [i, j].map(|k| &self.columns[k * height..(k + 1) * height]);
                let own = coupling(a, b, solver) + if i == j { a.softness } else { 0.0 };
                let value = own - p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
                let value = if i == j { value.max(REGULARIZATION * own).max(f64::MIN_POSITIVE) } else { value };
                (self.matrix[i * n + j], self.matrix[j * n + i]) = (value, value);
            }
        }
    }
}
