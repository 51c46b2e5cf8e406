//! Forces of constraints on particles after a substep.
//!
//! Elastic elements have forces that follow from positions. A projected constraint has λ/h²·∇C with its multipliers, where
//! ∇C is taken by central differences: its kernel returns corrections, not gradients.

use crate::constraints::group::{BLOCK, Group};
use crate::constraints::inflate::corner_gradient;
use crate::constraints::phantoms::Phantoms;
use crate::constraints::{Constraint, ConstraintKind, Row, Visitor};
use crate::math::{RowData, V3, position};
use crate::methods::vbd::element::stiffness;
use crate::model::Model;
use crate::scene::{Integrator, Method};
use crate::state::State;
use glam::{DVec3, Vec3};
#[cfg(feature = "gpu")]
use std::collections::BTreeSet;
use std::collections::HashMap;

/// Length of a central difference, over that of the constraint.
const DIFFERENCE: f32 = 1e-2;

/// Reason why the forces of a particle are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownForce {
    /// The method is PBD, which has no multipliers.
    Pbd,
}

impl std::fmt::Display for UnknownForce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pbd => "its constraints are projected by PBD, which has no forces: choose method \"xpbd\" or none",
        })
    }
}

/// Inputs of the computation of forces.
#[cfg(feature = "gpu")]
#[derive(Debug, Default)]
pub(crate) struct ForceInputs {
    /// Rows whose positions matter.
    pub rows: BTreeSet<u32>,
    /// Whether multipliers of constraints do.
    pub multipliers: bool,
}

#[cfg(feature = "gpu")]
impl ForceInputs {
    /// Of [`constraint_forces`] on some particles.
    pub(crate) fn of(model: &Model, particles: &[u32]) -> Self {
        let wanted: std::collections::HashSet<u32> = particles.iter().copied().collect();
        let mut all = Self { rows: particles.iter().copied().collect(), multipliers: false };
        let mut descended = vec![false; model.topology.objects.len() + model.spin_inv_inertias.len()];
        for body in &model.bodies {
            body.vertices.iter().for_each(|&row| descended[row as usize] = true);
            if body.vertices.iter().any(|row| wanted.contains(row)) {
                all.rows.extend(&body.vertices);
            }
        }
        for group in &model.groups {
            for (block, lane) in group.slots() {
                let rows = || group.rows_of(block, lane).map(|row| model.phantoms.seen(row));
                let projected = rows().next().is_some_and(|row| !descended[row as usize]);
                if projected && rows().any(|row| wanted.contains(&row)) {
                    all.rows.extend(rows());
                    all.multipliers = true;
                }
            }
        }
        for inflatable in model.inflatables.iter().filter(|i| i.particles.iter().any(|row| wanted.contains(row))) {
            all.rows.extend(&inflatable.particles);
            all.multipliers = true;
        }
        all
    }

    /// Of [`attachment_force`] between some pairs.
    pub(crate) fn of_attachment(model: &Model, pairs: &[[u32; 2]]) -> Self {
        let rows: BTreeSet<u32> = pairs.iter().flatten().copied().collect();
        let descended: std::collections::HashSet<u32> =
            model.bodies.iter().flat_map(|body| body.vertices.iter().copied()).collect();
        let multipliers = pairs.iter().any(|[a, _]| !descended.contains(a));
        Self { rows, multipliers }
    }
}

/// Force of all constraints on each of some particles in the last substep [N].
pub(crate) fn constraint_forces(model: &Model, state: &State, particles: &[u32]) -> Result<Vec<DVec3>, UnknownForce> {
    let mut forces = vec![DVec3::ZERO; particles.len()];
    let places: HashMap<u32, usize> = particles.iter().enumerate().map(|(k, &p)| (p, k)).collect();
    let mut descended = vec![false; state.rows.len()];
    for body in &model.bodies {
        for (v, &row) in body.vertices.iter().enumerate() {
            descended[row as usize] = true;
            if let Some(&k) = places.get(&row) {
                forces[k] += body.force_on(&model.groups, &state.rows, v);
            }
        }
    }
    let known = multipliers_known(model);
    let scale = inverse_square_step(model, state);
    for (group, multipliers) in model.groups.iter().zip(&state.multipliers) {
        for (block, lane) in group.slots() {
            let seen = |row: u32| model.phantoms.seen(row);
            let projected = group.rows_of(block, lane).next().is_some_and(|row| !descended[seen(row) as usize]);
            for (row, particle) in group.rows_of(block, lane).map(seen).enumerate() {
                let Some(&k) = places.get(&particle).filter(|_| projected) else { continue };
                known?;
                let one =
                    Differences { group, phantoms: &model.phantoms, state, multipliers, slot: (block, lane), row };
                forces[k] += group.kind.visit(one) * scale;
            }
        }
    }
    for (inflatable, &lambda) in model.inflatables.iter().zip(&state.inflate_multipliers) {
        for (i, particle) in inflatable.particles.iter().enumerate() {
            let Some(&k) = places.get(particle) else { continue };
            known?;
            let corners = inflatable.offsets[i] as usize..inflatable.offsets[i + 1] as usize;
            // Relative to the particle: the volume does not depend on the origin, its terms do.
            let own = state.rows[*particle as usize];
            let apart = |j: u32| relative(state.rows[j as usize], own);
            let gradient = inflatable.corners[corners].iter().map(|&[b, c]| {
                let g = corner_gradient(apart(b), apart(c));
                DVec3::new(f64::from(g.x), f64::from(g.y), f64::from(g.z))
            });
            forces[k] += gradient.sum::<DVec3>() * (f64::from(lambda) * scale);
        }
    }
    Ok(forces)
}

/// Sum of the forces of attachments on the first particles of some pairs in the last substep [N]. Pairs that no constraint
/// joins are left out.
pub(crate) fn attachment_force(model: &Model, state: &State, pairs: &[[u32; 2]]) -> Result<DVec3, UnknownForce> {
    let wanted: std::collections::HashSet<[u32; 2]> = pairs.iter().copied().collect();
    let descended: std::collections::HashSet<u32> =
        model.bodies.iter().flat_map(|body| body.vertices.iter().copied()).collect();
    let scale = inverse_square_step(model, state);
    let mut sum = DVec3::ZERO;
    let groups = model.groups.iter().zip(&state.multipliers);
    for (group, multipliers) in groups.filter(|(group, _)| group.kind == ConstraintKind::Attach) {
        for (block, lane) in group.slots() {
            let mut rows = group.rows_of(block, lane).map(|row| model.phantoms.seen(row));
            let (Some(a), Some(b)) = (rows.next(), rows.next()) else { continue };
            if !wanted.contains(&[a, b]) {
                continue;
            }
            if descended.contains(&a) {
                let apart = position(state.rows[a as usize]) - position(state.rows[b as usize]);
                let compliance = group.params_of(block, lane).next().unwrap_or(0.0);
                sum -= apart.as_dvec3() * f64::from(stiffness(compliance));
                continue;
            }
            multipliers_known(model)?;
            let lambda = |m: usize| f64::from(multipliers[(block * 3 + m) * BLOCK + lane]);
            sum += DVec3::new(lambda(0), lambda(1), lambda(2)) * scale;
        }
    }
    Ok(sum)
}

/// Whether multipliers of projected constraints tell their forces.
fn multipliers_known(model: &Model) -> Result<(), UnknownForce> {
    if model.settings.method == Method::Pbd { Err(UnknownForce::Pbd) } else { Ok(()) }
}

/// From multipliers to forces [1/s²]: 1/h², under BDF2 9/(4h²) after the first substep (E12).
fn inverse_square_step(model: &Model, state: &State) -> f64 {
    let h = f64::from(model.settings.substep());
    let second = model.settings.integrator == Integrator::Bdf2 && state.substeps > 1;
    if second { 2.25 / (h * h) } else { 1.0 / (h * h) }
}

fn relative(row: RowData, origin: RowData) -> V3<f32> {
    V3::new(row[0] - origin[0], row[1] - origin[1], row[2] - origin[2])
}

/// Σ λ·∂C/∂x at one row of a constraint.
struct Differences<'a> {
    group: &'a Group,
    phantoms: &'a Phantoms,
    state: &'a State,
    multipliers: &'a [f32],
    slot: (usize, usize),
    row: usize,
}

impl Visitor for Differences<'_> {
    type Output = DVec3;

    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> DVec3 {
        let (block, lane) = self.slot;
        let seen = |k: usize| self.phantoms.seen(self.group.rows[(block * N + k) * BLOCK + lane]) as usize;
        let origin = self.state.rows[seen(self.row)];
        let rows: [Row<f32>; N] = std::array::from_fn(|k| {
            let (row, is_particle) = (self.state.rows[seen(k)], seen(k) < self.state.particles);
            // Small numbers leave more digits to the differences; orientations are no places.
            let v = if is_particle { relative(row, origin) } else { V3::new(row[0], row[1], row[2]) };
            Row { v, w: row[3] }
        });
        let params = std::array::from_fn(|k| self.group.params[(block * P + k) * BLOCK + lane]);
        let far = |k: usize| if seen(k) < self.state.particles { rows[k].v.length() } else { 0.0 };
        let step = DIFFERENCE * (0..N).map(far).fold(1e-6, f32::max);
        let along = |axis: Vec3| {
            let at = |by: f32| {
                let mut rows = rows;
                rows[self.row].v = rows[self.row].v + V3::new(axis.x * by, axis.y * by, axis.z * by);
                K::evaluate(&params, &rows)
            };
            let (ahead, behind) = (at(step), at(-step));
            let term = |m: usize| {
                let lambda = f64::from(self.multipliers[(block * M + m) * BLOCK + lane]);
                lambda * f64::from(ahead[m] - behind[m]) / f64::from(2.0 * step)
            };
            (0..M).map(term).sum::<f64>()
        };
        DVec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z))
    }
}
