//! The coarse matrix of a body: its Hessian in the space of affine motions of aggregates, factored.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::element::{Mode, linear, outer, params, stiffness, triangle_shape};
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::plan::Body;
use crate::methods::vbd::sheet::{SheetStiffness, Stretched};
use crate::rigid::rotation::polar;
use glam::{Mat3, Vec3};
use std::collections::BTreeMap;

/// A factored coarse matrix.
pub(super) struct Coarse {
    matrix: Envelope,
    unknowns: Vec<f64>,
    /// Rotation of each aggregate, where there are tetrahedra.
    rotations: Vec<Mat3>,
    /// Blocks of tetrahedra at rest, summed by the aggregate that they turn with: aggregate, row, column.
    tets: Vec<([u32; 3], Mat3)>,
    springs: Vec<SpringGroup>,
    sheets: Vec<SheetGroup>,
    /// Numbers of the other elements.
    others: Vec<u32>,
}

/// Membrane triangles that the same modes deform.
struct SheetGroup {
    /// Unknowns of the modes, ascending.
    unknowns: Vec<u32>,
    triangles: Vec<Triangle>,
}

struct Triangle {
    rows: [u32; 3],
    /// Shape gradients of the second and third corner [1/m].
    shape: [[f32; 2]; 2],
    stiffness: SheetStiffness,
    /// Gradients of the modes [1/m].
    modes: [[f32; 2]; 12],
}

/// Springs that the same modes lengthen: those within an aggregate, or between two.
struct SpringGroup {
    /// Unknowns of the modes.
    unknowns: Vec<u32>,
    springs: Vec<Spring>,
}

struct Spring {
    rows: [u32; 2],
    rest: f32,
    k: f32,
    /// Difference of each mode between the two ends.
    weights: [f32; 8],
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
    /// Contacts that hold vertices, with the stiffness of the vertex [N/m].
    pub(super) holds: &'a [(u32, Hold, f32)],
}

/// Stiffness of a contact in the matrix, relative to that of the vertex.
const CONTACT: f32 = 10.0;
/// Least lateral stiffness of springs in the matrix of a sheet without bending stiffness, relative to that along them.
pub(super) const LATERAL: f32 = 0.05;

impl Coarse {
    pub(super) fn new(body: &Body, groups: &[Group]) -> Self {
        let matrix = Envelope::new(body.coarse.first.clone());
        let unknowns = vec![0.0; body.coarse.first.len()];
        let mut springs: BTreeMap<Vec<u32>, Vec<Spring>> = BTreeMap::new();
        let mut sheets: BTreeMap<Vec<u32>, Vec<Triangle>> = BTreeMap::new();
        let mut others = Vec::new();
        let mut tets: BTreeMap<[u32; 3], Mat3> = BTreeMap::new();
        for (number, element) in body.elements.iter().enumerate() {
            let p = params(element, groups);
            match element.kind {
                ConstraintKind::Stretch => {
                    let rows = [element.rows[0], element.rows[1]];
                    let mut terms: Vec<(u32, f32)> = modes_of(body, &rows).map(|(u, w)| (u, w[0] - w[1])).collect();
                    terms.sort_by_key(|(unknown, _)| *unknown);
                    let mut weights = [0.0; 8];
                    weights.iter_mut().zip(&terms).for_each(|(own, (_, weight))| *own = *weight);
                    let unknowns = terms.into_iter().map(|(unknown, _)| unknown).collect();
                    let spring = Spring { rows, rest: p[0], k: stiffness(p[1]), weights };
                    springs.entry(unknowns).or_default().push(spring);
                }
                ConstraintKind::NeoHookeanTet => {
                    let own = linear(element.kind, &p, &[[0.0; 4]; 4], Mat3::IDENTITY);
                    let rotation = body.coarse.aggregate[element.rows[0] as usize];
                    let modes: Vec<_> = modes_of(body, &element.rows).map(|(u, w)| (u, own.mode(&w))).collect();
                    for (a, first) in &modes {
                        for (b, second) in modes.iter().filter(|(b, _)| b <= a) {
                            *tets.entry([rotation, *a, *b]).or_insert(Mat3::ZERO) += own.modes(first, second);
                        }
                    }
                }
                ConstraintKind::Membrane => {
                    let rows = [element.rows[0], element.rows[1], element.rows[2]];
                    let shape = triangle_shape(&p);
                    let mut terms: Vec<_> = modes_of(body, &rows).collect();
                    terms.sort_by_key(|(unknown, _)| *unknown);
                    let mut modes = [[0.0; 2]; 12];
                    for (own, (_, w)) in modes.iter_mut().zip(&terms) {
                        *own = [0, 1].map(|a| w[0] * shape[0][a] + w[1] * shape[1][a] + w[2] * shape[2][a]);
                    }
                    let unknowns = terms.into_iter().map(|(unknown, _)| unknown).collect();
                    let stiffness = SheetStiffness::new(&p);
                    let triangle = Triangle { rows, shape: [shape[1], shape[2]], stiffness, modes };
                    sheets.entry(unknowns).or_default().push(triangle);
                }
                _ => others.push(number as u32),
            }
        }
        let tets = tets.into_iter().collect();
        let springs = springs.into_iter().map(|(unknowns, springs)| SpringGroup { unknowns, springs }).collect();
        let sheets = sheets.into_iter().map(|(unknowns, triangles)| SheetGroup { unknowns, triangles }).collect();
        Self { matrix, unknowns, rotations: Vec::new(), tets, springs, sheets, others }
    }

    pub(super) fn bytes(&self) -> u64 {
        let springs = self.springs.iter().map(|group| of(&group.springs) + of(&group.unknowns)).sum::<u64>();
        let sheets = self.sheets.iter().map(|group| of(&group.triangles) + of(&group.unknowns)).sum::<u64>();
        let lists = of(&self.tets) + springs + sheets + of(&self.others);
        self.matrix.bytes() + of(&self.unknowns) + of(&self.rotations) + lists
    }

    /// Assembles and factors the matrix.
    pub(super) fn build(&mut self, body: &Body, inputs: &Inputs<'_>) {
        self.matrix.clear();
        if !self.tets.is_empty() {
            self.fit_rotations(body, inputs);
        }
        for ([rotation, row, column], block) in &self.tets {
            let r = self.rotations[*rotation as usize];
            add(&mut self.matrix, *row as usize, *column as usize, r * *block * r.transpose());
        }
        self.add_springs(body.coarse.exact, inputs);
        self.add_sheets(body.coarse.exact, inputs);
        let mut modes: Vec<(u32, Mode)> = Vec::with_capacity(16);
        for &number in &self.others {
            let element = &body.elements[number as usize];
            let x = element.rows.map(|r| inputs.x[r as usize]);
            let own = linear(element.kind, &params(element, inputs.groups), &x, Mat3::IDENTITY);
            modes.clear();
            let rows = &element.rows[..element.kind.layout().rows];
            modes.extend(modes_of(body, rows).map(|(unknown, weights)| (unknown, own.mode(&weights))));
            for (a, first) in &modes {
                for (b, second) in modes.iter().filter(|(b, _)| b <= a) {
                    add(&mut self.matrix, *a as usize, *b as usize, own.modes(first, second));
                }
            }
        }
        for v in 0..body.vertices.len() {
            let mass = Mat3::from_diagonal(Vec3::splat(inputs.masses[v] * inputs.inv_h2));
            self.add_vertex(body, v, inputs.masses, mass);
        }
        for (v, hold, stiffness) in inputs.holds {
            let v = *v as usize;
            let size = CONTACT * (stiffness + inputs.masses[v] * inputs.inv_h2);
            let block = if hold.sticks {
                Mat3::from_diagonal(Vec3::splat(size))
            } else {
                outer(hold.normal * size, hold.normal)
            };
            self.add_vertex(body, v, inputs.masses, block);
        }
        self.matrix.factor();
    }

    fn add_springs(&mut self, exact: bool, inputs: &Inputs<'_>) {
        // A flat sheet without tension or bending has no lateral stiffness; a little keeps steps of the matrix short.
        let least = if exact || !self.others.is_empty() { 0.0 } else { LATERAL };
        for group in &self.springs {
            let modes = group.unknowns.len();
            // Blocks of all pairs of modes: their symmetric entries, xx, yy, zz, xy, xz, yz.
            let mut sums = [[0.0_f32; 6]; 36];
            for s in &group.springs {
                let [a, b] = s.rows.map(|r| position(inputs.x[r as usize]));
                let d = a - b;
                let length = d.length().max(1e-12);
                let lateral = s.k * (1.0 - s.rest / length).max(least);
                let along = d * ((s.k - lateral) / (length * length));
                let block = [
                    along.x * d.x + lateral,
                    along.y * d.y + lateral,
                    along.z * d.z + lateral,
                    along.x * d.y,
                    along.x * d.z,
                    along.y * d.z,
                ];
                let mut pair = 0;
                for m in 0..modes {
                    for n in 0..=m {
                        let weight = s.weights[m] * s.weights[n];
                        sums[pair].iter_mut().zip(&block).for_each(|(sum, value)| *sum += weight * value);
                        pair += 1;
                    }
                }
            }
            let mut pair = 0;
            for m in 0..modes {
                for n in 0..=m {
                    let [xx, yy, zz, xy, xz, yz] = sums[pair];
                    let block = Mat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
                    add(&mut self.matrix, group.unknowns[m] as usize, group.unknowns[n] as usize, block);
                    pair += 1;
                }
            }
        }
    }

    fn add_sheets(&mut self, exact: bool, inputs: &Inputs<'_>) {
        // As for springs: a flat sheet without tension or bending has no lateral stiffness.
        let least = if exact || !self.others.is_empty() { 0.0 } else { LATERAL };
        for group in &self.sheets {
            let modes = group.unknowns.len();
            let mut sums = [Mat3::ZERO; 78];
            for t in &group.triangles {
                let [a, b, c] = t.rows.map(|r| position(inputs.x[r as usize]));
                let (e, n) = ([b - a, c - a], t.shape);
                let f = [e[0] * n[0][0] + e[1] * n[1][0], e[0] * n[0][1] + e[1] * n[1][1]];
                let [mut a00, mut a11, a01] = Stretched::new(f, &t.stiffness).matrices(&t.stiffness);
                let even = Mat3::from_diagonal(Vec3::splat(least * t.stiffness.normal));
                (a00, a11) = (a00 + even, a11 + even);
                let a10 = a01.transpose();
                let mut pair = 0;
                for m in 0..modes {
                    let [x, y] = t.modes[m];
                    let (left, right) = (a00 * x + a10 * y, a01 * x + a11 * y);
                    for q in &t.modes[..=m] {
                        sums[pair] += left * q[0] + right * q[1];
                        pair += 1;
                    }
                }
            }
            let mut pair = 0;
            for m in 0..modes {
                for n in 0..=m {
                    add(&mut self.matrix, group.unknowns[m] as usize, group.unknowns[n] as usize, sums[pair]);
                    pair += 1;
                }
            }
        }
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
                add(&mut self.matrix, first + 3 * m, first + 3 * n, block * (modes[m] * modes[n]));
            }
        }
    }

    /// Rotation of each aggregate, where there are tetrahedra.
    fn fit_rotations(&mut self, body: &Body, inputs: &Inputs<'_>) {
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
                    let y =
                        Vec3::new(self.unknowns[at] as f32, self.unknowns[at + 1] as f32, self.unknowns[at + 2] as f32);
                    *step += y * space.modes[v][m];
                }
            }
        }
    }
}

/// Unknowns that move an element, each with its weights at the element's rows.
pub(super) fn modes_of<'a>(body: &'a Body, rows: &'a [u32]) -> impl Iterator<Item = (u32, [f32; 4])> + 'a {
    let space = &body.coarse;
    let aggregate = move |k: usize| space.aggregate[rows[k] as usize];
    let new = move |k: &usize| (0..*k).all(|j| aggregate(j) != aggregate(*k));
    (0..rows.len()).filter(new).flat_map(move |k| {
        let own = aggregate(k);
        (0..space.counts[own as usize]).map(move |m| {
            let weight = |j: usize| {
                let moves = j < rows.len() && aggregate(j) == own;
                if moves { space.modes[rows[j] as usize][m as usize] } else { 0.0 }
            };
            (space.unknowns[own as usize] + 3 * m, std::array::from_fn(weight))
        })
    })
}

/// Adds a block with its first entry at `row` ≥ `column`.
#[inline]
fn add(matrix: &mut Envelope, row: usize, column: usize, block: Mat3) {
    let columns = block.to_cols_array_2d();
    for r in 0..3 {
        let most = if row == column { r + 1 } else { 3 };
        for c in 0..most {
            matrix.add(row + r, column + c, f64::from(columns[c][r]));
        }
    }
}
