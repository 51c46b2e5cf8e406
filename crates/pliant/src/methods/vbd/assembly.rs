//! Elements as the coarse matrix sums them: in groups that the same modes deform, with the parts of the modes known.

use crate::constraints::ConstraintKind;
use crate::constraints::Row;
use crate::constraints::bend;
use crate::constraints::group::Group;
use crate::math::{RowData, V3, position};
use crate::memory::of;
use crate::methods::vbd::element::{Mode, linear, outer, params, stiffness, triangle_shape};
use crate::methods::vbd::plan::Body;
use crate::methods::vbd::sheet::{SheetStiffness, Stretched};
use glam::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Modes of a group at most: four aggregates with four each.
const MODES: usize = 16;
/// Pairs of its modes.
const PAIRS: usize = MODES * (MODES + 1) / 2;
/// Least lateral stiffness of springs in the matrix of a sheet without bending stiffness, relative to that along them.
pub(super) const LATERAL: f32 = 0.05;

/// Elements that the same modes deform: those within an aggregate, or between the same few.
#[derive(Default)]
pub(super) struct ElementGroup {
    /// Unknowns of the modes, ascending.
    pub(super) unknowns: Vec<u32>,
    /// Hessian blocks of all pairs of modes, row by row of the lower triangle.
    pub(super) sums: Vec<Mat3>,
    lines: Vec<Line>,
    sheets: Vec<Triangle>,
    scalars: Vec<Scalar>,
    /// Numbers of the other elements.
    others: Vec<u32>,
    /// Parts of the modes in the elements: one for lines, two for sheets, one per row for scalars.
    line_modes: Vec<f32>,
    sheet_modes: Vec<[f32; 2]>,
    scalar_modes: Vec<[f32; 4]>,
    /// Lateral stiffness that springs and sheets have at least, relative to that along them.
    least: f32,
}

/// Energy ½k(|s| − rest)² of s = Σ wᵢxᵢ: springs, bending of ropes and of isometric hinges.
struct Line {
    rows: [u32; 4],
    weights: [f32; 4],
    rest: f32,
    k: f32,
    least: f32,
}

/// A membrane triangle.
struct Triangle {
    rows: [u32; 3],
    /// Shape gradients of the second and third corner [1/m].
    shape: [[f32; 2]; 2],
    stiffness: SheetStiffness,
}

/// Energy ½kc² of an angle or a volume.
struct Scalar {
    rows: [u32; 4],
    k: f32,
    angle: bool,
}

impl ElementGroup {
    /// Groups of all elements of a body. Tetrahedra are left out, except in chains.
    pub(super) fn all(body: &Body, groups: &[Group]) -> Vec<Self> {
        use ConstraintKind::{Bend, Isometric, Membrane, NeoHookeanTet, RopeBending, Stretch, Volume};
        let exact = body.coarse.exact;
        // A flat sheet without tension or bending has no lateral stiffness; a little keeps steps of the matrix short.
        let plain = body.elements.iter().all(|e| matches!(e.kind, Stretch | Membrane | NeoHookeanTet));
        let least = if plain && !exact { LATERAL } else { 0.0 };
        let mut found: BTreeMap<Vec<u32>, Self> = BTreeMap::new();
        for (number, element) in body.elements.iter().enumerate() {
            if element.kind == NeoHookeanTet && !exact {
                continue;
            }
            let p = params(element, groups);
            let rows = &element.rows[..element.kind.layout().rows];
            let mut terms: Vec<(u32, [f32; 4])> = modes_of(body, rows).collect();
            terms.sort_by_key(|(unknown, _)| *unknown);
            let unknowns: Vec<u32> = terms.iter().map(|(unknown, _)| *unknown).collect();
            let group = found.entry(unknowns).or_default();
            match element.kind {
                Stretch | RopeBending | Isometric => {
                    let (weights, rest, k, least) = match element.kind {
                        Stretch => ([1.0, -1.0, 0.0, 0.0], p[0], p[1], least),
                        RopeBending => ([1.0, -2.0, 1.0, 0.0], p[0], p[1], 0.0),
                        _ => ([p[0], p[1], p[2], p[3]], p[4], p[5], 0.0),
                    };
                    let part = |mode: &[f32; 4]| (0..4).fold(0.0, |sum, i| sum + weights[i] * mode[i]);
                    let size = |mode: &[f32; 4]| (0..4).fold(0.0, |sum, i| sum + (weights[i] * mode[i]).abs());
                    // Affine motions do not bend a flat hinge.
                    if terms.iter().all(|(_, mode)| part(mode).abs() <= 1e-5 * size(mode)) {
                        continue;
                    }
                    group.line_modes.extend(terms.iter().map(|(_, mode)| part(mode)));
                    group.lines.push(Line { rows: element.rows, weights, rest, k: stiffness(k), least });
                }
                Membrane => {
                    let shape = triangle_shape(&p);
                    let part = |w: &[f32; 4], a: usize| (0..3).fold(0.0, |sum, i| sum + w[i] * shape[i][a]);
                    group.sheet_modes.extend(terms.iter().map(|(_, w)| [part(w, 0), part(w, 1)]));
                    let rows = [rows[0], rows[1], rows[2]];
                    let triangle = Triangle { rows, shape: [shape[1], shape[2]], stiffness: SheetStiffness::new(&p) };
                    group.sheets.push(triangle);
                }
                Bend | Volume => {
                    group.scalar_modes.extend(terms.iter().map(|(_, mode)| *mode));
                    let angle = element.kind == Bend;
                    group.scalars.push(Scalar { rows: element.rows, k: stiffness(p[1]), angle });
                }
                _ => group.others.push(number as u32),
            }
        }
        let finish = |(unknowns, mut group): (Vec<u32>, Self)| {
            group.sums = vec![Mat3::ZERO; unknowns.len() * (unknowns.len() + 1) / 2];
            (group.unknowns, group.least) = (unknowns, least);
            group
        };
        found.into_iter().map(finish).collect()
    }

    pub(super) fn bytes(&self) -> u64 {
        let modes = of(&self.line_modes) + of(&self.sheet_modes) + of(&self.scalar_modes);
        let elements = of(&self.lines) + of(&self.sheets) + of(&self.scalars) + of(&self.others);
        of(&self.unknowns) + of(&self.sums) + modes + elements
    }

    /// Sums the Hessians at the positions `x`.
    pub(super) fn sum(&mut self, body: &Body, groups: &[Group], x: &[RowData]) {
        self.sums.fill(Mat3::ZERO);
        self.add_lines(x);
        self.add_sheets(x);
        self.add_scalars(x);
        let rows_of = |rows: [u32; 4]| rows.map(|r| x[r as usize]);
        for &number in &self.others {
            let element = &body.elements[number as usize];
            let own = linear(element.kind, &params(element, groups), &rows_of(element.rows), Mat3::IDENTITY);
            let mut modes: [Option<(u32, Mode)>; MODES] = [const { None }; MODES];
            let rows = &element.rows[..element.kind.layout().rows];
            let found = modes_of(body, rows).map(|(unknown, weights)| Some((unknown, own.mode(&weights))));
            modes.iter_mut().zip(found).for_each(|(own, mode)| *own = mode);
            let modes = &mut modes[..self.unknowns.len()];
            modes.sort_by_key(|mode| mode.as_ref().map(|(unknown, _)| *unknown));
            let mut sums = self.sums.iter_mut();
            for (m, first) in modes.iter().enumerate() {
                for (second, sum) in modes[..=m].iter().zip(&mut sums) {
                    if let (Some((_, first)), Some((_, second))) = (first, second) {
                        *sum += own.modes(first, second);
                    }
                }
            }
        }
    }

    fn add_lines(&mut self, x: &[RowData]) {
        if self.lines.is_empty() {
            return;
        }
        let modes = self.unknowns.len();
        // Symmetric entries of the blocks: xx, yy, zz, xy, xz, yz.
        let mut sums = [[0.0_f32; 8]; PAIRS];
        for (line, parts) in self.lines.iter().zip(self.line_modes.chunks_exact(modes)) {
            let at = |k: usize| position(x[line.rows[k] as usize]);
            let mut s = (at(1) - at(0)) * line.weights[1];
            // Springs have no third and fourth row; far from the origin the sum would lose a small curvature.
            if line.weights[2] != 0.0 {
                s += (at(2) - at(0)) * line.weights[2] + (at(3) - at(0)) * line.weights[3];
            }
            let length = s.length().max(1e-12);
            let ratio = if line.rest > 0.0 { (1.0 - line.rest / length).max(line.least) } else { 1.0 };
            let lateral = line.k * ratio;
            let along = s * ((line.k - lateral) / (length * length));
            let block = [
                along.x * s.x + lateral,
                along.y * s.y + lateral,
                along.z * s.z + lateral,
                along.x * s.y,
                along.x * s.z,
                along.y * s.z,
                0.0,
                0.0,
            ];
            let mut pairs = sums.iter_mut();
            for m in 0..modes {
                for (n, sum) in (0..=m).zip(&mut pairs) {
                    let weight = parts[m] * parts[n];
                    sum.iter_mut().zip(&block).for_each(|(sum, value)| *sum += weight * value);
                }
            }
        }
        for (sum, [xx, yy, zz, xy, xz, yz, ..]) in self.sums.iter_mut().zip(&sums) {
            *sum += Mat3::from_cols_array(&[*xx, *xy, *xz, *xy, *yy, *yz, *xz, *yz, *zz]);
        }
    }

    fn add_sheets(&mut self, x: &[RowData]) {
        let modes = self.unknowns.len();
        for (t, parts) in self.sheets.iter().zip(self.sheet_modes.chunks_exact(modes)) {
            let [a, b, c] = t.rows.map(|r| position(x[r as usize]));
            let (e, n) = ([b - a, c - a], t.shape);
            let f = [e[0] * n[0][0] + e[1] * n[1][0], e[0] * n[0][1] + e[1] * n[1][1]];
            let [mut a00, mut a11, a01] = Stretched::new(f, &t.stiffness).matrices(&t.stiffness);
            let even = Mat3::from_diagonal(Vec3::splat(self.least * t.stiffness.normal));
            (a00, a11) = (a00 + even, a11 + even);
            let a10 = a01.transpose();
            let mut sums = self.sums.iter_mut();
            for m in 0..modes {
                let [x, y] = parts[m];
                let (left, right) = (a00 * x + a10 * y, a01 * x + a11 * y);
                for (q, sum) in parts[..=m].iter().zip(&mut sums) {
                    *sum += left * q[0] + right * q[1];
                }
            }
        }
    }

    fn add_scalars(&mut self, x: &[RowData]) {
        let modes = self.unknowns.len();
        for (scalar, parts) in self.scalars.iter().zip(self.scalar_modes.chunks_exact(modes)) {
            let rows = scalar.rows.map(|r| x[r as usize]);
            let g = if scalar.angle { angle_gradients(&rows) } else { volume_gradients(&rows) };
            let mut along = [Vec3::ZERO; MODES];
            for (along, w) in along.iter_mut().zip(parts) {
                *along = g[0] * w[0] + g[1] * w[1] + g[2] * w[2] + g[3] * w[3];
            }
            let mut sums = self.sums.iter_mut();
            for m in 0..modes {
                let first = along[m] * scalar.k;
                for (second, sum) in along[..=m].iter().zip(&mut sums) {
                    *sum += outer(first, *second);
                }
            }
        }
    }
}

#[inline]
fn angle_gradients(x: &[RowData; 4]) -> [Vec3; 4] {
    let rows = x.map(|x| Row { v: V3::new(x[0], x[1], x[2]), w: x[3] });
    bend::angle(&rows).1.map(|g| Vec3::new(g.x, g.y, g.z))
}

#[inline]
fn volume_gradients(x: &[RowData; 4]) -> [Vec3; 4] {
    let at = |k: usize| position(x[k]) - position(x[0]);
    let e = [at(1), at(2), at(3)];
    let g = [e[1].cross(e[2]) / 6.0, e[2].cross(e[0]) / 6.0, e[0].cross(e[1]) / 6.0];
    [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]]
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
