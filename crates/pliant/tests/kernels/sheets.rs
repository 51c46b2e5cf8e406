//! Triangulations of a rectangle and energies of the constraints that a scene builds on them, in double precision.

use crate::support::{Double, Rng, Sample};
use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::builder::cloth::cloth;
use pliant::builder::part::Part;
use pliant::constraints::ConstraintKind;
use pliant::scene::{Cloth, InlineMesh};

/// A flat mesh in the plane z = 0, `cells` cells of size `cell`.
#[derive(Clone)]
pub struct Sheet {
    pub name: &'static str,
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Diagonals of a grid's cells.
#[derive(Clone, Copy)]
pub enum Diagonals {
    OneWay,
    Alternating,
}

pub fn grid(name: &'static str, cells: [usize; 2], cell: [f64; 2], diagonals: Diagonals) -> Sheet {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| (j * (cells[0] + 1) + i) as u32;
    for j in 0..=cells[1] {
        points.extend((0..=cells[0]).map(|i| DVec3::new(i as f64 * cell[0], j as f64 * cell[1], 0.0)));
    }
    for (i, j) in (0..cells[1]).flat_map(|j| (0..cells[0]).map(move |i| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        match diagonals {
            Diagonals::Alternating if (i + j) % 2 == 1 => triangles.extend([[a, b, d], [b, c, d]]),
            _ => triangles.extend([[a, b, c], [a, c, d]]),
        }
    }
    Sheet { name, points, triangles }
}

/// Equilateral triangles of side `side`, rows shifted by half a side in turn.
pub fn equilateral(cells: [usize; 2], side: f64) -> Sheet {
    let mut sheet = grid("equilateral", cells, [side, side * 0.75_f64.sqrt()], Diagonals::OneWay);
    let columns = cells[0] + 1;
    for (k, p) in sheet.points.iter_mut().enumerate() {
        p.x -= 0.5 * side * (k / columns) as f64;
    }
    sheet
}

/// A grid whose inner points (from the second column on) are moved by up to `jitter` of a cell, with Delaunay triangles.
pub fn delaunay(cells: [usize; 2], cell: f64, jitter: f64, seed: u64) -> Sheet {
    let mut sheet = grid("Delaunay", cells, [cell; 2], Diagonals::OneWay);
    let mut rng = Rng(seed);
    let columns = cells[0] + 1;
    for (k, p) in sheet.points.iter_mut().enumerate() {
        let (i, j) = (k % columns, k / columns);
        if i > 1 && i < cells[0] && j > 0 && j < cells[1] {
            *p += DVec3::new(rng.range(-jitter, jitter), rng.range(-jitter, jitter), 0.0) * cell;
        }
    }
    while flip_one_round(&mut sheet) {}
    sheet
}

/// Lawson's flips: whether an edge was flipped.
fn flip_one_round(sheet: &mut Sheet) -> bool {
    let mut flipped = false;
    for hinge in pliant::mesh::topology::hinges(sheet.points.len(), &sheet.triangles) {
        let [t0, t1] = hinge.triangles.map(|t| t as usize);
        let [w0, w1] = hinge.wings;
        let [a, b] = hinge.edge;
        // A flip of this round may have changed its triangles.
        let intact = |t: usize, wing: u32| [a, b, wing].iter().all(|v| sheet.triangles[t].contains(v));
        if !(intact(t0, w0) && intact(t1, w1)) {
            continue;
        }
        let p = |v: u32| sheet.points[v as usize];
        let angle = |at: u32| (p(a) - p(at)).angle_between(p(b) - p(at));
        let area = |x: u32, y: u32, z: u32| (p(y) - p(x)).cross(p(z) - p(x)).z;
        if angle(w0) + angle(w1) > std::f64::consts::PI + 1e-9 && area(w0, a, w1) > 0.0 && area(w1, b, w0) > 0.0 {
            sheet.triangles[t0] = [w0, a, w1];
            sheet.triangles[t1] = [w1, b, w0];
            flipped = true;
        }
    }
    flipped
}

/// The triangulations that moduli are proved on.
pub fn all() -> Vec<Sheet> {
    vec![
        grid("one diagonal", [20, 20], [0.02; 2], Diagonals::OneWay),
        grid("alternating", [20, 20], [0.02; 2], Diagonals::Alternating),
        grid("cells of 4:1", [20, 20], [0.08, 0.02], Diagonals::OneWay),
        grid("alternating 1:8", [20, 20], [0.01, 0.08], Diagonals::Alternating),
        equilateral([20, 20], 0.02),
        delaunay([20, 20], 0.02, 0.25, 1),
        delaunay([20, 20], 0.02, 0.45, 2),
    ]
}

impl Sheet {
    /// What the scene builds from a cloth of this mesh.
    pub fn build(&self, spec: Cloth) -> Part {
        let points = self.points.iter().map(|p| p.as_vec3().to_array()).collect();
        let inline = InlineMesh { points, triangles: self.triangles.clone(), masses: None };
        cloth(&Cloth { inline: Some(inline), ..spec }, 0.0, |p| p, &NoMeshes, &mut Vec::new()).unwrap()
    }

    /// A third of the triangles at each point.
    pub fn areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.points.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| self.points[i as usize]);
            t.iter().for_each(|&i| areas[i as usize] += (b - a).cross(c - a).length() / 6.0);
        }
        areas
    }

    /// Outward unit normal of the boundary at each of its points.
    pub fn outward(&self) -> Vec<Option<DVec3>> {
        let mut sum = vec![DVec3::ZERO; self.points.len()];
        let hinges = pliant::mesh::topology::hinges(self.points.len(), &self.triangles);
        for t in &self.triangles {
            for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                if !hinges.iter().any(|h| h.edge == [from.min(to), from.max(to)]) {
                    let out = (self.points[to as usize] - self.points[from as usize]).cross(DVec3::Z);
                    sum[from as usize] += out;
                    sum[to as usize] += out;
                }
            }
        }
        sum.into_iter().map(DVec3::try_normalize).collect()
    }
}

/// One constraint of a part with its rows at `points`.
pub fn samples(part: &Part, kind: ConstraintKind) -> Vec<(Vec<u32>, Sample)> {
    let (layout, Some(raw)) = (kind.layout(), part.constraints.get(&kind)) else { return Vec::new() };
    let params = raw.params.chunks(layout.params).map(|p| p.iter().map(|&v| f64::from(v)).collect());
    let rows = raw.rows.chunks(layout.rows);
    rows.zip(params).map(|(r, params)| (r.to_vec(), Sample { kind, params, rows: vec![[0.0; 4]; r.len()] })).collect()
}

impl Sample {
    /// The same constraint with its rows taken from `points`.
    pub fn placed(&mut self, rows: &[u32], points: &[DVec3]) -> &mut Self {
        for (row, &i) in self.rows.iter_mut().zip(rows) {
            let p = points[i as usize];
            *row = [p.x, p.y, p.z, 1.0];
        }
        self
    }
}

/// Energy of all constraints of a kind with the particles at `points` [J].
pub fn energy(part: &Part, kind: ConstraintKind, points: &[DVec3]) -> f64 {
    samples(part, kind).iter_mut().map(|(rows, s)| s.placed(rows, points).measure::<Double>()[1]).sum()
}
