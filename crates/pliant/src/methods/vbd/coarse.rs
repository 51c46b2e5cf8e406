//! The coarse matrix of a body: its Hessian in the space of affine motions of aggregates, factored.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::{RowData, position};
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::element::{Mode, linear, outer, params};
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::plan::Body;
use crate::rigid::rotation::polar;
use glam::{Mat3, Vec3};

/// A factored coarse matrix.
#[derive(Default)]
pub(super) struct Coarse {
    matrix: Envelope,
    unknowns: Vec<f64>,
    rotations: Vec<Mat3>,
}

/// What the matrix is assembled from.
pub(super) struct Inputs<'a> {
    pub(super) groups: &'a [Group],
    /// Rows of the body.
    pub(super) x: &'a [RowData],
    /// Mass of each vertex [kg], or inertia [kg·m²]; 0 where it is fixed.
    pub(super) masses: &'a [f32],
    /// 1/h² [1/s²].
    pub(super) inv_h2: f32,
    /// Contacts that hold vertices.
    pub(super) holds: &'a [(u32, Hold)],
}

/// Stiffness of a contact in the matrix, relative to that of the vertex.
const CONTACT: f32 = 10.0;

impl Coarse {
    pub(super) fn new(body: &Body) -> Self {
        let matrix = Envelope::new(body.coarse.first.clone());
        Self { matrix, unknowns: vec![0.0; body.coarse.first.len()], rotations: Vec::new() }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.matrix.bytes() + 8 * self.unknowns.len() as u64 + 36 * self.rotations.len() as u64
    }

    /// Assembles and factors the matrix.
    pub(super) fn build(&mut self, body: &Body, inputs: &Inputs<'_>) {
        self.matrix.clear();
        self.fit_rotations(body, inputs);
        let space = &body.coarse;
        let mut stiffness = vec![Mat3::ZERO; if inputs.holds.is_empty() { 0 } else { body.vertices.len() }];
        let mut modes: Vec<(usize, Mode)> = Vec::with_capacity(16);
        for element in &body.elements {
            let n = element.kind.layout().rows;
            let rows = element.rows;
            let x = rows.map(|r| inputs.x[r as usize]);
            let p = params(element, inputs.groups);
            let rotation = self.rotations.get(space.aggregate[rows[0] as usize] as usize).copied();
            let own = linear(element.kind, &p, &x, rotation.unwrap_or(Mat3::IDENTITY));
            if !stiffness.is_empty() {
                (0..n).for_each(|k| stiffness[rows[k] as usize] += own.block(k, k));
            }
            modes.clear();
            for k in 0..n {
                let aggregate = space.aggregate[rows[k] as usize];
                if (0..k).any(|j| space.aggregate[rows[j] as usize] == aggregate) {
                    continue;
                }
                for m in 0..space.counts[aggregate as usize] as usize {
                    let weights = std::array::from_fn(|j| {
                        let row = rows[j] as usize;
                        let moves = j < n && space.aggregate[row] == aggregate && inputs.masses[row] > 0.0;
                        if moves { space.modes[row][m] } else { 0.0 }
                    });
                    modes.push((space.unknowns[aggregate as usize] as usize + 3 * m, own.mode(&weights)));
                }
            }
            for (i, (a, first)) in modes.iter().enumerate() {
                for (b, second) in &modes[..=i] {
                    // The lower triangle: the later unknown is the row.
                    if a >= b {
                        self.add(*a, *b, own.modes(first, second));
                    } else {
                        self.add(*b, *a, own.modes(second, first));
                    }
                }
            }
        }
        for v in 0..body.vertices.len() {
            let mass = Mat3::from_diagonal(Vec3::splat(inputs.masses[v] * inputs.inv_h2));
            self.add_vertex(body, v, inputs.masses, mass);
        }
        for (v, hold) in inputs.holds {
            let v = *v as usize;
            let k = stiffness[v];
            let size = CONTACT * (k.x_axis.x + k.y_axis.y + k.z_axis.z + inputs.masses[v] * inputs.inv_h2);
            let block = if hold.sticks {
                Mat3::from_diagonal(Vec3::splat(size))
            } else {
                outer(hold.normal * size, hold.normal)
            };
            self.add_vertex(body, v, inputs.masses, block);
        }
        self.matrix.factor();
    }

    /// Adds the block of one vertex.
    fn add_vertex(&mut self, body: &Body, v: usize, masses: &[f32], block: Mat3) {
        if masses[v] == 0.0 {
            return;
        }
        let space = &body.coarse;
        let aggregate = space.aggregate[v] as usize;
        let first = space.unknowns[aggregate] as usize;
        let modes = space.modes[v];
        for m in 0..space.counts[aggregate] as usize {
            for n in 0..=m {
                self.add(first + 3 * m, first + 3 * n, block * (modes[m] * modes[n]));
            }
        }
    }

    /// Adds a block with its first entry at `row` ≥ `column`.
    fn add(&mut self, row: usize, column: usize, block: Mat3) {
        for r in 0..3 {
            let most = if row == column { r + 1 } else { 3 };
            for c in 0..most {
                self.matrix.add(row + r, column + c, f64::from(block.col(c)[r]));
            }
        }
    }

    /// Rotation of each aggregate, where there are tetrahedra.
    fn fit_rotations(&mut self, body: &Body, inputs: &Inputs<'_>) {
        if !body.elements.iter().any(|e| e.kind == ConstraintKind::FemTet) {
            return;
        }
        let count = body.coarse.counts.len();
        let mut sums = vec![(Vec3::ZERO, Vec3::ZERO, 0.0_f32); count];
        for (v, &a) in body.coarse.aggregate.iter().enumerate() {
            let sum = &mut sums[a as usize];
            *sum = (sum.0 + position(inputs.x[v]), sum.1 + body.rest[v], sum.2 + 1.0);
        }
        let mut moments = vec![Mat3::ZERO; count];
        for (v, &a) in body.coarse.aggregate.iter().enumerate() {
            let (x, rest, n) = sums[a as usize];
            moments[a as usize] += outer(position(inputs.x[v]) - x / n, body.rest[v] - rest / n);
        }
        let rotation = |m: &Mat3| Mat3::from_cols_array_2d(&polar(&m.to_cols_array_2d()));
        self.rotations.clear();
        self.rotations.extend(moments.iter().map(rotation));
    }

    /// The step of the coarse space for the forces on the vertices.
    pub(super) fn solve(&mut self, body: &Body, masses: &[f32], forces: &[Vec3], step: &mut [Vec3]) {
        let space = &body.coarse;
        self.unknowns.fill(0.0);
        for (v, force) in forces.iter().enumerate() {
            let aggregate = space.aggregate[v] as usize;
            let first = space.unknowns[aggregate] as usize;
            if masses[v] > 0.0 {
                for m in 0..space.counts[aggregate] as usize {
                    let part = *force * space.modes[v][m];
                    (0..3).for_each(|c| self.unknowns[first + 3 * m + c] += f64::from(part[c]));
                }
            }
        }
        self.matrix.solve(&mut self.unknowns);
        for (v, step) in step.iter_mut().enumerate() {
            let aggregate = space.aggregate[v] as usize;
            let first = space.unknowns[aggregate] as usize;
            *step = Vec3::ZERO;
            if masses[v] > 0.0 {
                for m in 0..space.counts[aggregate] as usize {
                    let at = first + 3 * m;
                    let y = Vec3::new(self.unknowns[at] as f32, self.unknowns[at + 1] as f32, self.unknowns[at + 2] as f32);
                    *step += y * space.modes[v][m];
                }
            }
        }
    }
}
