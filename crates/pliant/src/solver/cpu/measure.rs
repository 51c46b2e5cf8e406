//! Residuals, energies and momenta: sums over the state, in f64 and in a fixed order.

use crate::constraints::cpu::volume;
use crate::constraints::group::{BLOCK, Group};
use crate::constraints::phantoms::Phantoms;
use crate::constraints::{Constraint, ConstraintKind, Row, Visitor};
use crate::fluid::cpu::{self, DensityMeasurement};
use crate::fluid::parameters::Fluid;
use crate::math::RowData;
use crate::math::V3;
use crate::model::Model;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::stats::{DENSITY, INFLATE, LiquidProbe, Probe, Residual, Residuals};
use crate::state::State;
use glam::DVec3;
use std::ops::Range;

/// Mean and maximum relative error by kind, and statistics of fluids, if any: one neighbor search for both.
pub fn everything(threads: &Threads, model: &Model, state: &State) -> (Residuals, Option<LiquidProbe>) {
    let density = cpu::measure_density(threads, &model.fluid_model(), state);
    let liquids = model.fluid.as_ref().map(|fluid| fluid_probe(fluid, model, state, &density));
    (residuals(threads, model, state, &density), liquids)
}

fn residuals(threads: &Threads, model: &Model, state: &State, density: &DensityMeasurement) -> Residuals {
    let mut all = Residuals::new();
    for kind in ConstraintKind::ALL {
        let groups = model.groups.iter().filter(|g| g.kind == kind && g.count > 0);
        let sums = groups.map(|g| sum(threads, model, g, &state.rows)).fold(Sums::default(), Sums::join);
        if sums.count > 0 {
            all.insert(kind.name(), Residual { mean: sums.error / sums.count as f64, max: sums.worst });
        }
    }
    if !model.inflatables.is_empty() {
        let errors = model.inflatables.iter().map(|body| {
            let wanted = f64::from(body.pressure * body.rest_volume);
            // Without pressure nothing is wanted: the error is then relative to the volume at rest.
            let scale = if wanted > 0.0 { wanted } else { f64::from(body.rest_volume) };
            ((volume(threads, body, &state.rows) - wanted) / scale).abs()
        });
        let (total, max) = errors.fold((0.0, 0.0_f64), |(t, m), e| (t + e, m.max(e)));
        all.insert(INFLATE, Residual { mean: total / model.inflatables.len() as f64, max });
    }
    if model.fluid.is_some() {
        // Only compression is an error: surface particles have neighbors on one side.
        let errors = density.errors.iter().copied().filter(|c| !c.is_nan());
        let start = (0.0, 0.0_f64, 0_usize);
        let join = |(t, m, n): (f64, f64, usize), c: f32| (t + f64::from(c.max(0.0)), m.max(f64::from(c)), n + 1);
        let (total, max, count) = errors.fold(start, join);
        all.insert(DENSITY, Residual { mean: total / count.max(1) as f64, max });
    }
    all
}

/// Energies and momenta.
pub fn probe(threads: &Threads, model: &Model, state: &State) -> Probe {
    let gravity = model.settings.gravity.as_dvec3();
    let parts = threads.map(state.particles, |range| {
        let mut p = Probe::default();
        let (mut linear, mut angular, mut center) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for i in range {
            let row = state.rows[i];
            if row[3] == 0.0 {
                continue;
            }
            let m = 1.0 / f64::from(row[3]);
            let (x, v) = (point(row), point(state.velocities[i]));
            p.kinetic += 0.5 * m * v.length_squared();
            p.gravitational -= m * gravity.dot(x);
            p.mass += m;
            linear += m * v;
            angular += m * x.cross(v);
            center += m * x;
        }
        (p, linear, angular, center)
    });
    let mut probe = Probe::default();
    let (mut linear, mut angular, mut center) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for (p, l, a, c) in parts {
        probe.kinetic += p.kinetic;
        probe.gravitational += p.gravitational;
        probe.mass += p.mass;
        linear += l;
        angular += a;
        center += c;
    }
    for g in &model.groups {
        probe.elastic += sum(threads, model, g, &state.rows).energy;
    }
    for (rate, w) in state.velocities[state.particles..].iter().zip(&model.spin_inv_inertias) {
        // ½·I·|ω|² with |ω| = 2|q̇| and I = 1/(4wq).
        let squared: f64 = rate.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        if *w > 0.0 {
            probe.kinetic += 0.5 * squared / f64::from(*w);
        }
    }
    for (params, body) in model.rigid_bodies.bodies.iter().zip(&state.rigid_bodies.bodies) {
        let (m, x, v) = (params.shape.mass.mass, body.position, body.velocity);
        let local = body.rotation.conjugate() * body.spin;
        let spin = params.shape.mass.inertia * local;
        probe.kinetic += 0.5 * m * v.length_squared() + 0.5 * local.dot(spin);
        probe.gravitational -= m * gravity.dot(x);
        probe.mass += m;
        linear += m * v;
        angular += m * x.cross(v) + body.rotation * spin;
        center += m * x;
    }
    probe.linear = linear.to_array();
    probe.angular = angular.to_array();
    probe.center = if probe.mass > 0.0 { (center / probe.mass).to_array() } else { [0.0; 3] };
    probe
}

fn point(row: RowData) -> DVec3 {
    DVec3::new(f64::from(row[0]), f64::from(row[1]), f64::from(row[2]))
}

#[derive(Clone, Copy, Default)]
struct Sums {
    error: f64,
    worst: f64,
    energy: f64,
    count: usize,
}

impl Sums {
    fn join(self, o: Self) -> Self {
        Self {
            error: self.error + o.error,
            worst: self.worst.max(o.worst),
            energy: self.energy + o.energy,
            count: self.count + o.count,
        }
    }
}

fn sum(threads: &Threads, model: &Model, group: &Group, rows: &[RowData]) -> Sums {
    let phantoms = &model.phantoms;
    // Batches of patches are small: threads share all of them, not each.
    let mut batches = vec![Sums::default(); group.batches.len()];
    threads.each(&mut batches, |k, sums| {
        let batch = &group.batches[k];
        let part = |range| group.kind.visit(BatchPart { group, phantoms, rows, first: batch.first, range });
        *sums = threads.map(batch.count, part).into_iter().fold(Sums::default(), Sums::join);
    });
    batches.into_iter().fold(Sums::default(), Sums::join)
}

/// Elastic energy of the constraints whose first row is one of some rows, attachments aside, and of inflatables of some
/// objects [J].
pub(crate) fn elastic_energy(
    model: &Model,
    rows: &[RowData],
    owns: impl Fn(usize) -> bool,
    objects: Range<usize>,
) -> f64 {
    let phantoms = &model.phantoms;
    let mut energy = 0.0;
    for group in model.groups.iter().filter(|group| group.kind != ConstraintKind::Attach) {
        for (block, lane) in group.slots() {
            let first = group.rows_of(block, lane).next().map(|row| phantoms.seen(row));
            if first.is_some_and(|row| owns(row as usize)) {
                energy += group.kind.visit(One { group, phantoms, rows, slot: (block, lane) });
            }
        }
    }
    for body in model.inflatables.iter().filter(|b| objects.contains(&(b.object as usize)) && b.softness > 0.0) {
        let apart = volume(&Threads::one(), body, rows) - f64::from(body.pressure * body.rest_volume);
        energy += 0.5 * apart * apart / f64::from(body.softness);
    }
    energy
}

struct One<'a> {
    group: &'a Group,
    phantoms: &'a Phantoms,
    rows: &'a [RowData],
    slot: (usize, usize),
}

impl Visitor for One<'_> {
    type Output = f64;
    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> f64 {
        let (group, (block, lane)) = (self.group, self.slot);
        let params: [f32; P] = std::array::from_fn(|k| group.params[(block * P + k) * BLOCK + lane]);
        let rows: [Row<f32>; N] = std::array::from_fn(|k| {
            let row = self.rows[self.phantoms.seen(group.rows[(block * N + k) * BLOCK + lane]) as usize];
            Row { v: V3::new(row[0], row[1], row[2]), w: row[3] }
        });
        f64::from(K::energy(&params, &rows))
    }
}

struct BatchPart<'a> {
    group: &'a Group,
    phantoms: &'a Phantoms,
    rows: &'a [RowData],
    first: usize,
    range: Range<usize>,
}

impl Visitor for BatchPart<'_> {
    type Output = Sums;
    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) -> Sums {
        let mut sums = Sums { count: self.range.len(), ..Sums::default() };
        for i in self.range {
            let (block, lane) = (self.first + i / BLOCK, i % BLOCK);
            let rows = std::array::from_fn(|k| {
                // Errors are evaluated at the particles, not at their copies.
                let row = self.phantoms.seen(self.group.rows[(block * N + k) * BLOCK + lane]);
                let [x, y, z, w] = self.rows[row as usize];
                Row { v: V3::new(x, y, z), w }
            });
            let p = std::array::from_fn(|k| self.group.params[(block * P + k) * BLOCK + lane]);
            let error = f64::from(K::residual(&p, &rows));
            sums.error += error;
            // Propagates NaN, which `max` would ignore.
            sums.worst = if error > sums.worst || error.is_nan() { error } else { sums.worst };
            sums.energy += f64::from(K::energy(&p, &rows));
        }
        sums
    }
}

/// Pressure of each fluid particle in the last substep [Pa], 0 for all others; empty without fluids.
pub fn pressures(model: &Model, state: &State) -> Vec<f32> {
    let Some(fluid) = &model.fluid else { return Vec::new() };
    let h = model.settings.dt / model.settings.substeps as f32;
    // Forces are λ·∇C/h², and those of a pressure p·V·∇C.
    let one = |i: usize| -state.pressures[i] / (fluid.volumes[i] * h * h);
    (0..state.particles).map(|i| if fluid.liquids[i] > 0 { one(i) } else { 0.0 }).collect()
}

fn fluid_probe(fluid: &Fluid, model: &Model, state: &State, density: &DensityMeasurement) -> LiquidProbe {
    let pressures = pressures(model, state);
    let there = || (0..state.particles).filter(|&i| !density.errors[i].is_nan());
    let pressure = |i: usize| f64::from(pressures[i]);
    let count = there().count().max(1) as f64;
    // Ratio of a cube of two radii to the volume in the sums; melted particles may be larger or smaller.
    let cube = (2.0 * f64::from(fluid.radius)).powi(3) / f64::from(fluid.volume);
    let space = |i: usize| cube * f64::from(fluid.volumes[i]);
    let mut parts = vec![0.0; fluid.kinds.len()];
    there().for_each(|i| parts[fluid.liquids[i] as usize - 1] += 1.0 / count);
    let apart = 1.0 - parts.iter().map(|p| p * p).sum::<f64>();
    let foreign = there().filter_map(|i| density.foreign.get(i)).map(|&f| f64::from(f)).sum::<f64>() / count;
    LiquidProbe {
        pressure_mean: there().map(pressure).sum::<f64>() / count,
        pressure_max: there().map(pressure).fold(0.0, f64::max),
        volume: there().map(|i| space(i) / (1.0 + f64::from(density.errors[i].max(0.0)))).sum(),
        mixing: if apart > 1e-9 { foreign / apart } else { 0.0 },
    }
}
