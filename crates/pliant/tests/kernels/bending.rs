//! The bending modulus is the flexural rigidity: energies of cylinders and the heavy elastica, on any triangulation.

#[path = "../support/elastica.rs"]
mod elastica;

use crate::sheets::{self, Diagonals, Sheet, energy, samples};
use crate::support::{Double, Sample};
use elastica::elastica;
use glam::DVec3;
use pliant::builder::part::Part;
use pliant::constraints::ConstraintKind;
use pliant::scene::{BendModel, Cloth, Elasticity};
use std::f64::consts::PI;

const MODELS: [(BendModel, ConstraintKind); 2] =
    [(BendModel::Dihedral, ConstraintKind::Bend), (BendModel::Isometric, ConstraintKind::Isometric)];

fn bent(model: BendModel, rigidity: f64, stretch: f64) -> Cloth {
    Cloth {
        bend: Some(Elasticity::Modulus(rigidity as f32)),
        bend_model: model,
        stretch: Elasticity::Compliance((1.0 / stretch) as f32),
        density: 0.25,
        ..Cloth::default()
    }
}

#[test]
fn v18_energy_of_cylinders_in_twelve_directions_is_that_of_the_plate_on_every_triangulation() {
    let (rigidity, curvature) = (0.02, 0.05);
    for sheet in sheets::all() {
        let (areas, outward) = (sheet.areas(), sheet.outward());
        let total: f64 = areas.iter().sum();
        for (model, kind) in MODELS {
            let part = sheet.build(bent(model, rigidity, 1.0));
            let mut range = [f64::INFINITY, 0.0_f64];
            let mut whole = [f64::INFINITY, 0.0_f64];
            for k in 0..12 {
                let angle = PI * f64::from(k) / 12.0;
                let u = DVec3::new(angle.cos(), angle.sin(), 0.0);
                let lift = |p: &DVec3| *p + DVec3::Z * (0.5 * curvature * p.dot(u).powi(2));
                let shape: Vec<DVec3> = sheet.points.iter().map(lift).collect();
                let found = energy(&part, kind, &shape);
                // On its strip of the boundary a sheet has no curvature across it.
                let seen = |n: Option<DVec3>| 1.0 - n.map_or(0.0, |n| n.dot(u).powi(4));
                let plate = |area: f64| 0.5 * rigidity * curvature.powi(2) * area;
                let exact = plate(areas.iter().zip(&outward).map(|(a, &n)| a * seen(n)).sum());
                let ratio = [found / exact, found / plate(total)];
                range = [range[0].min(ratio[0]), range[1].max(ratio[0])];
                whole = [whole[0].min(ratio[1]), whole[1].max(ratio[1])];
            }
            let hinges = samples(&part, kind).len() as f64 / sheet.points.len() as f64;
            eprintln!(
                "{} {model:?}: {:.4} to {:.4} of the plate, with the rim {:.3} to {:.3}, {hinges:.2} hinges per point",
                sheet.name, range[0], range[1], whole[0], whole[1]
            );
            assert!(range[0] > 0.98 && range[1] < 1.02, "{} {model:?}: {range:?}", sheet.name);
        }
    }
}

/// A static problem: all constraints of a part under gravity along −z, some points fixed.
struct Statics {
    constraints: Vec<(Vec<u32>, Sample)>,
    weights: Vec<f64>,
    points: Vec<DVec3>,
    /// First unknown of each free point.
    unknown: Vec<Option<usize>>,
    free: usize,
}

impl Statics {
    fn new(sheet: &Sheet, part: &Part, kinds: &[ConstraintKind], fixed: impl Fn(&DVec3) -> bool) -> Self {
        let mut free = 0;
        let mut number = |p: &DVec3| {
            let at = (!fixed(p)).then_some(free);
            free += if at.is_some() { 3 } else { 0 };
            at
        };
        let unknown = sheet.points.iter().map(&mut number).collect();
        Self {
            constraints: kinds.iter().flat_map(|&k| samples(part, k)).collect(),
            weights: part.masses.iter().map(|&m| 9.81 * f64::from(m)).collect(),
            points: sheet.points.clone(),
            unknown,
            free,
        }
    }

    fn energy(&mut self, points: &[DVec3]) -> f64 {
        let elastic: f64 =
            self.constraints.iter_mut().map(|(rows, s)| s.placed(rows, points).measure::<Double>()[1]).sum();
        elastic + points.iter().zip(&self.weights).map(|(p, w)| w * p.z).sum::<f64>()
    }

    /// Gradient of the energy and its Gauss–Newton matrix Σ ∇C·∇Cᵀ/α, banded by the numbering of the points.
    fn linearize(&mut self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut gradient = vec![0.0; self.free];
        let mut matrix = vec![vec![0.0; self.free]; self.free];
        for (u, w) in self.unknown.iter().zip(&self.weights) {
            if let Some(u) = u {
                gradient[u + 2] += w;
            }
        }
        for (rows, sample) in &mut self.constraints {
            if sample.kind == ConstraintKind::Isometric {
                // Flat at rest: linear in each coordinate, where |s| has no slope at 0.
                assert!(sample.params[4] == 0.0);
                let stiffness = 1.0 / sample.params[5];
                for c in 0..3 {
                    let value: f64 = (0..4).map(|k| sample.params[k] * self.points[rows[k] as usize][c]).sum();
                    for (i, ri) in rows.iter().enumerate() {
                        let Some(ui) = self.unknown[*ri as usize] else { continue };
                        gradient[ui + c] += stiffness * value * sample.params[i];
                        for (j, rj) in rows.iter().enumerate() {
                            let Some(uj) = self.unknown[*rj as usize] else { continue };
                            matrix[ui + c][uj + c] += stiffness * sample.params[i] * sample.params[j];
                        }
                    }
                }
                continue;
            }
            let stiffness = 1.0 / sample.params[sample.kind.layout().softness.unwrap()];
            let value = sample.placed(rows, &self.points).evaluate::<Double>()[0];
            let mut slopes = Vec::new();
            for (k, row) in rows.iter().enumerate() {
                let Some(u) = self.unknown[*row as usize] else { continue };
                for c in 0..3 {
                    let step = 1e-7;
                    let at = sample.rows[k][c];
                    sample.rows[k][c] = at + step;
                    let ahead = sample.evaluate::<Double>()[0];
                    sample.rows[k][c] = at - step;
                    let behind = sample.evaluate::<Double>()[0];
                    sample.rows[k][c] = at;
                    slopes.push((u + c, (ahead - behind) / (2.0 * step)));
                }
            }
            for &(i, gi) in &slopes {
                gradient[i] += stiffness * value * gi;
                slopes.iter().for_each(|&(j, gj)| matrix[i][j] += stiffness * gi * gj);
            }
        }
        (gradient, matrix)
    }

    /// Levenberg–Marquardt until steps are below 1e-8 m or lower the energy by less than 1e-12 of it.
    fn minimize(&mut self) -> usize {
        let mut damping = 1.0;
        let mut energy = self.energy(&self.points.clone());
        for round in 0..400 {
            let (gradient, matrix) = self.linearize();
            loop {
                let step = solve(&matrix, &gradient, damping);
                let mut trial = self.points.clone();
                for (p, u) in trial.iter_mut().zip(&self.unknown) {
                    if let &Some(u) = u {
                        *p -= DVec3::new(step[u], step[u + 1], step[u + 2]);
                    }
                }
                let lower = self.energy(&trial);
                let size = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
                if size < 1e-8 || (lower <= energy && energy - lower < 1e-12 * energy.abs()) {
                    return round;
                }
                if lower < energy {
                    (self.points, energy) = (trial, lower);
                    damping *= 0.2;
                    break;
                }
                damping *= 4.0;
            }
        }
        panic!("no minimum");
    }
}

/// (M + d·1)⁻¹·b by Cholesky.
fn solve(matrix: &[Vec<f64>], b: &[f64], damping: f64) -> Vec<f64> {
    let n = b.len();
    let mut l = matrix.to_vec();
    let mut y = b.to_vec();
    // First column with an entry in each row: the factor stays within this skyline.
    let first: Vec<usize> = (0..n).map(|i| (0..=i).find(|&j| matrix[i][j] != 0.0).unwrap_or(i)).collect();
    for i in 0..n {
        for j in first[i]..=i {
            let from = first[i].max(first[j]);
            let sum: f64 = (from..j).map(|k| l[i][k] * l[j][k]).sum();
            l[i][j] = if i == j { (l[i][i] + damping - sum).sqrt() } else { (l[i][j] - sum) / l[j][j] };
        }
        y[i] = (y[i] - (first[i]..i).map(|k| l[i][k] * y[k]).sum::<f64>()) / l[i][i];
    }
    for i in (0..n).rev() {
        y[i] /= l[i][i];
        let v = y[i];
        (first[i]..i).for_each(|k| y[k] -= l[i][k] * v);
    }
    y
}

#[test]
fn v18_clamped_strips_hang_as_the_heavy_elastica_on_every_triangulation() {
    let (cells, cell) = ([24, 4], 0.01_f64);
    // The second column of pins is the clamp. Its hinges bend over a whole cell, half of which lies within the clamp.
    let length = 23.0 * cell;
    let load = 0.25 * 9.81;
    let rigidity = load * length.powi(3) / 4.0;
    let exact = elastica(rigidity, load, length + 0.5 * cell);
    let mut strips = vec![
        sheets::grid("one diagonal", cells, [cell; 2], Diagonals::OneWay),
        sheets::grid("alternating", cells, [cell; 2], Diagonals::Alternating),
        sheets::grid("cells of 1:3", cells, [cell, 3.0 * cell], Diagonals::OneWay),
        sheets::delaunay(cells, cell, 0.25, 3),
        sheets::delaunay(cells, cell, 0.4, 4),
    ];
    // Columns first: a narrow matrix.
    strips.iter_mut().for_each(by_columns);
    for strip in &strips {
        for (model, kind) in MODELS {
            let part = strip.build(bent(model, rigidity, 3e4 * load * length));
            let mut statics = Statics::new(strip, &part, &[ConstraintKind::Stretch, kind], |p| p.x < 1.01 * cell);
            let rounds = statics.minimize();
            let tip = |p: &&DVec3| p.x > 23.9 * cell;
            let count = strip.points.iter().filter(tip).count() as f64;
            let ends = strip.points.iter().zip(&statics.points).filter(|(p, _)| tip(p));
            let drop = -ends.map(|(_, p)| p.z).sum::<f64>() / count;
            eprintln!(
                "strip, {} {model:?}: {:.2} mm against {:.2} mm ({:+.2} %), {rounds} rounds",
                strip.name,
                1e3 * drop,
                1e3 * exact,
                100.0 * (drop / exact - 1.0)
            );
            // Of the first order in the cell: how hinges at the clamp share its half cell.
            assert!((drop / exact - 1.0).abs() < 0.02, "{} {model:?}: {drop} against {exact}", strip.name);
        }
    }
}

fn by_columns(sheet: &mut Sheet) {
    let mut order: Vec<u32> = (0..sheet.points.len() as u32).collect();
    order.sort_by(|&a, &b| sheet.points[a as usize].x.total_cmp(&sheet.points[b as usize].x));
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
    sheet.points = order.iter().map(|&v| sheet.points[v as usize]).collect();
    sheet.triangles.iter_mut().for_each(|t| *t = t.map(|v| place[v as usize]));
}
