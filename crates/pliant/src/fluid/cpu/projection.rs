//! The passes of [`crate::fluid::projection`] on the CPU.

use crate::fluid::body_coupling::ROUNDS;
use crate::fluid::boundary::{Boundary, boundary_contribution};
use crate::fluid::cpu::body_coupling::{BodyCoupling, BodyWall};
use crate::fluid::cpu::boundary::BoundaryLists;
use crate::fluid::cpu::pair_sums::PairSums;
use crate::fluid::cpu::projection_terms::{Compression, Difference, Laplacian, Moments, PressureForce, Shift};
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::projection::{
    EXTRA_SWEEPS, FILTER, FILTER_AT_BODY, FIRST_ROUNDS, RELAXATION, Symmetric, Wall, add_outer, allowed_rate,
    body_wall, closed_diagonal, correction, diagonal, inner_share, lattice_diagonal, momentum_after, nearness,
    stop_at_wall, times, wall,
};
use crate::math::{RowData, position};
use crate::memory::of;
use crate::runtime::cpu::shared_slice::Shared;
use crate::state::State;
use glam::{DVec3, Vec3};

/// Buffers of the passes, per particle.
#[derive(Default)]
pub struct ProjectionScratch {
    /// L: xx, xy, xz, yy.
    first: Vec<RowData>,
    /// L: yz, zz; the diagonal of the Laplacian [1/m²]; the allowed rate of compression [1/s].
    second: Vec<RowData>,
    /// Derivative of the rate of compression by the own velocity [1/m], and the rate by moving walls [1/s].
    own: Vec<RowData>,
    /// λ·L, in two rows.
    scaled: [Vec<RowData>; 2],
    /// Velocities, smoothed and not.
    velocities: [Vec<RowData>; 2],
    /// Positions with the change of λ, for two sweeps.
    changes: [Vec<RowData>; 2],
    /// Change of λ after the last sweep.
    last: Vec<f32>,
    /// Right-hand side [kg/s].
    rates: Vec<f32>,
    /// Multipliers of the correction of positions [kg·m²].
    pub multipliers: Vec<f32>,
    /// Corrections of positions in this substep.
    pub corrections: u32,
    bodies: BodyCoupling,
    /// Where there are bodies: L·Σ V·∇W, and the share of the exact gradient.
    plain: Vec<RowData>,
    /// Forces by the difference of pressures at bodies from that of particles, and the largest such difference.
    body_forces: Vec<RowData>,
}

/// Positions of particles and their neighborhoods.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub sums: PairSums<'a>,
    pub fluid: &'a Fluid,
    pub boundaries: &'a BoundaryLists,
    pub h: f32,
}

impl Surroundings<'_> {
    fn walls(&self, run: usize, k: usize) -> &[Boundary] {
        self.boundaries.run(run).map_or(&[], |run| run.of(k))
    }

    /// Rigid body of each wall, if it is one.
    fn bodies(&self, run: usize, k: usize) -> impl Iterator<Item = Option<u32>> + '_ {
        let model = self.sums.model;
        let colliders = self.boundaries.run(run).map_or(&[][..], |run| run.colliders_of(k));
        let body = |&c: &u32| Some(model.body_colliders.get((c as usize).checked_sub(model.colliders.len())?)?.body);
        colliders.iter().map(body)
    }

    /// Walls of particle `k` of a run at `x`, each with its rigid body, if it is one.
    fn all_walls(&self, run: usize, k: usize, x: Vec3) -> impl Iterator<Item = (Wall, Option<u32>)> + '_ {
        let fluid = self.fluid;
        self.walls(run, k).iter().zip(self.bodies(run, k)).map(move |(boundary, body)| {
            (if body.is_some() { body_wall(fluid, boundary, x) } else { wall(fluid, boundary, x) }, body)
        })
    }

    /// Proximity of a particle to a rigid body, 0 to 1.
    fn nearness(&self, run: usize, k: usize, x: Vec3) -> f32 {
        let of_bodies = self.all_walls(run, k, x).filter(|(_, body)| body.is_some());
        of_bodies.map(|(wall, _)| nearness(self.fluid, wall.gap + self.fluid.radius)).fold(0.0, f32::max)
    }
}

impl ProjectionScratch {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        let rows = [&self.first, &self.second, &self.own].into_iter().chain(&self.scaled).chain(&self.velocities);
        let rows: u64 = rows.chain(&self.changes).chain([&self.plain, &self.body_forces]).map(of).sum();
        rows + of(&self.last) + of(&self.rates) + of(&self.multipliers) + self.bodies.bytes()
    }

    /// Starts a substep.
    pub fn begin(&mut self, n: usize) {
        self.multipliers.clear();
        self.multipliers.resize(n, 0.0);
        self.corrections = 0;
    }

    fn resize(&mut self, n: usize, bodies: bool) {
        let rows = [&mut self.first, &mut self.second, &mut self.own];
        let rows = rows.into_iter().chain(&mut self.scaled).chain(&mut self.velocities).chain(&mut self.changes);
        rows.for_each(|rows| rows.resize(n, [0.0; 4]));
        self.last.resize(n, 0.0);
        self.rates.resize(n, 0.0);
        let of_bodies = [&mut self.plain, &mut self.body_forces];
        of_bodies.into_iter().for_each(|rows| rows.resize(if bodies { n } else { 0 }, [0.0; 4]));
    }

    /// Finds the pressures of the next substep and the displacement by them. `gravity` is what velocities gain until
    /// they act [m/s²], `expected` what rigid bodies gain from all but liquids.
    pub fn solve(
        &mut self,
        model: &FluidModel<'_>,
        state: &mut State,
        around: Surroundings<'_>,
        gravity: Vec3,
        expected: &[[DVec3; 2]],
    ) {
        self.resize(state.particles, !around.fluid.body_surfaces.is_empty());
        self.measure(around, state, false);
        let first = state.pressures.iter().all(|&p| p == 0.0);
        let (rounds, sweeps) = (if first { FIRST_ROUNDS } else { 1 }, model.settings.iterations + EXTRA_SWEEPS);
        if self.bodies.acts() {
            let sweeps = if first { around.fluid.first_sweeps } else { sweeps };
            self.solve_with_bodies(model, state, (around, gravity), expected, (rounds.max(ROUNDS), sweeps));
        } else {
            for _ in 0..rounds {
                self.accelerate(around, state);
                self.rate(around, state, gravity);
                self.sweep(around, state, sweeps);
            }
        }
        self.bodies.store(&mut state.rigid_bodies.bodies);
        self.accelerate(around, state);
        let h = around.h;
        let changes = &self.velocities[0];
        for (carried, change) in state.carried.iter_mut().zip(changes) {
            *carried = [change[0] * h, change[1] * h, change[2] * h, 0.0];
        }
    }

    /// Rounds of pressures and of the motion of bodies.
    fn solve_with_bodies(
        &mut self,
        model: &FluidModel<'_>,
        state: &mut State,
        (around, gravity): (Surroundings<'_>, Vec3),
        expected: &[[DVec3; 2]],
        (rounds, sweeps): (u32, u32),
    ) {
        let mut unknown = state.pressures.iter().all(|&p| p == 0.0);
        if unknown {
            self.measure(around, state, true);
        }
        let bodies = &state.rigid_bodies.bodies;
        // Without gravity to come, velocities have all that bodies gain.
        self.bodies.begin(model, bodies, expected, gravity == Vec3::ZERO);
        self.bodies.measure(model, &state.rows, bodies);
        for _ in 0..rounds {
            self.accelerate(around, state);
            self.rate(around, state, gravity);
            self.bodies.add_rates(&state.rows, &mut self.rates);
            self.sweep(around, state, sweeps);
            self.bodies.update(around.fluid, &state.pressures, model.settings.gravity, around.h);
            if std::mem::take(&mut unknown) {
                self.measure(around, state, false);
            }
        }
    }

    /// Matrices, diagonals and allowed rates at the current positions. `closed`: for a solution without earlier pressures.
    fn measure(&mut self, around: Surroundings<'_>, state: &State, closed: bool) {
        let Surroundings { sums, fluid, h, .. } = around;
        let (volume, center) = (fluid.volume, fluid.smoothing.at(fluid.reach, 0.0).0);
        let full = lattice_diagonal(fluid.smoothing, fluid.reach, fluid.radius, volume);
        let (first, second) = (Shared::new(&mut self.first), Shared::new(&mut self.second));
        let (own, plain) = (Shared::new(&mut self.own), Shared::new(&mut self.plain));
        let with_bodies = !fluid.body_surfaces.is_empty();
        self.bodies.clear(sums.model.runs.len());
        let body_walls = Shared::new(&mut self.bodies.walls);
        sums.sweep(Moments, |run, k, i, found| {
            let [value, slope, gx, gy, gz, rest @ ..] = found.map(|sum| sum * volume);
            let x = position(state.rows[i]);
            let mut moments: Symmetric = rest;
            let boundaries = around.walls(run, k);
            let near = if with_bodies { around.nearness(run, k, x) } else { 0.0 };
            for (wall, _) in around.all_walls(run, k, x) {
                add_outer(&mut moments, wall.normal, wall.moment);
            }
            let l = correction(moments);
            let unbounded = times(l, Vec3::new(gx, gy, gz));
            let mut gradient = unbounded;
            let (mut moving, mut behind) = (0.0, 0.0);
            for (wall, body) in around.all_walls(run, k, x) {
                let by = wall.normal * (wall.normal.dot(times(l, wall.normal)) * wall.slope);
                gradient -= by;
                if let Some(body) = body {
                    if wall.slope == 0.0 || state.rows[i][3] == 0.0 {
                        continue;
                    }
                    let point = x - wall.normal * (wall.gap + fluid.radius);
                    // SAFETY: a run is processed by one thread.
                    unsafe { body_walls.get(run) }.push(BodyWall { particle: i as u32, body, slope: by, point });
                } else {
                    moving += by.dot(wall.velocity);
                }
            }
            if !boundaries.is_empty() {
                behind = boundary_contribution(boundaries, fluid.smoothing, fluid.reach, x).0;
            }
            let compression = value + volume * center - 1.0 + behind;
            let sum = -2.0 * slope;
            let across = if closed { closed_diagonal(sum, full, behind) } else { diagonal(sum, full, behind) };
            let exact = if near > 0.0 { near * inner_share(sum, full, behind) } else { 0.0 };
            // SAFETY: each particle is called once, and only its own entries are written.
            unsafe {
                *first.get(i) = [l[0], l[1], l[2], l[3]];
                *second.get(i) = [l[4], l[5], across, allowed_rate(compression, h)];
                if with_bodies {
                    *plain.get(i) = [unbounded.x, unbounded.y, unbounded.z, exact];
                }
                *own.get(i) = [gradient.x, gradient.y, gradient.z, moving];
            }
        });
    }

    /// Smoothed change of velocity by all pressures [m/s], into the first set of velocities.
    fn accelerate(&mut self, around: Surroundings<'_>, state: &State) {
        let Surroundings { sums, fluid, h, .. } = around;
        let Self { first, second, own, scaled: [a, b], velocities: [smooth, rough], .. } = self;
        let arrays = (&mut a[..], &mut b[..], &mut smooth[..]);
        sums.threads.zip(arrays, |start, a, b, _| {
            for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
                let i = start + k;
                let lambda = -state.pressures[i] / h;
                *a = first[i].map(|l| l * lambda);
                *b = [second[i][0] * lambda, second[i][1] * lambda, lambda, 0.0];
            }
        });
        let pushes = PressureForce { first: a, second: b };
        let out = Shared::new(&mut rough[..]);
        let adjoint = |i: usize, push: Vec3| position(own[i]) * (-state.pressures[i] / h) + push * fluid.volume;
        if self.bodies.acts() {
            let forces = &mut self.body_forces;
            let scale = fluid.kinds[0].density * fluid.volume;
            self.bodies.forces(&state.rows, sums.model.settings.gravity * h, scale, forces);
            let (plain, forces) = (&self.plain[..], &forces[..]);
            sums.sweep(pushes.with_gradient(), |_, _, i, [x, y, z, gx, gy, gz]| {
                let (lambda, exact, largest) = (-state.pressures[i] / h, plain[i][3], forces[i][3]);
                let l = [first[i][0], first[i][1], first[i][2], first[i][3], second[i][0], second[i][1]];
                let gradient = times(l, Vec3::new(gx, gy, gz) * fluid.volume) - position(plain[i]) * lambda;
                // A wall does not pull, nor does it push with more than twice the pressure.
                let share = if largest > lambda { lambda / largest } else { 1.0 };
                let force = adjoint(i, Vec3::new(x, y, z)) * (1.0 - exact) + gradient * exact;
                let change = (force - position(forces[i]) * share) * -state.rows[i][3];
                // SAFETY: each particle is called once, and only its own entry is written.
                unsafe { *out.get(i) = [change.x, change.y, change.z, 0.0] };
            });
        } else {
            sums.sweep(pushes, |_, _, i, push| {
                let change = adjoint(i, Vec3::from_array(push)) * -state.rows[i][3];
                // SAFETY: each particle is called once, and only its own entry is written.
                unsafe { *out.get(i) = [change.x, change.y, change.z, 0.0] };
            });
        }
        smoothed(around, rough, smooth);
    }

    /// Rate of compression of the smoothed velocities, less what is allowed, times mass [kg/s].
    fn rate(&mut self, around: Surroundings<'_>, state: &State, gravity: Vec3) {
        let Surroundings { sums, fluid, h, .. } = around;
        let Self { first, second, own, velocities: [changes, rough], rates, .. } = self;
        let out = Shared::new(&mut rough[..]);
        sums.threads.over_numbers(sums.model.runs.len(), |run| {
            for (k, i) in sums.model.runs[run].clone().enumerate() {
                let mut v = position(state.velocities[i]) + position(changes[i]);
                if state.rows[i][3] > 0.0 {
                    v += gravity * h;
                    let x = position(state.rows[i]);
                    for boundary in around.walls(run, k) {
                        v = stop_at_wall(&wall(fluid, boundary, x), v, h);
                    }
                }
                // SAFETY: runs do not overlap.
                unsafe { *out.get(i) = [v.x, v.y, v.z, 0.0] };
            }
        });
        smoothed(around, rough, changes);
        let (out, velocities) = (Shared::new(&mut rates[..]), &changes[..]);
        sums.sweep(Compression { first, second, velocities }, |_, _, i, [sum]| {
            let [_, _, _, moving] = own[i];
            let rate = position(own[i]).dot(position(velocities[i])) - sum * fluid.volume + moving - second[i][3];
            let inv_mass = state.rows[i][3];
            // SAFETY: each particle is called once, and only its own entry is written.
            unsafe { *out.get(i) = if inv_mass > 0.0 { rate / inv_mass } else { 0.0 } };
        });
    }

    /// Sweeps of the Laplacian, and the multipliers after them.
    fn sweep(&mut self, around: Surroundings<'_>, state: &mut State, sweeps: u32) {
        let Surroundings { sums, fluid, h, .. } = around;
        let Self { second, changes: [now, next], last, rates, .. } = self;
        for (change, &[x, y, z, _]) in now.iter_mut().zip(&state.rows) {
            *change = [x, y, z, 0.0];
        }
        last.fill(0.0);
        let mut momentum = 1.0_f32;
        for _ in 0..sweeps {
            let ahead = momentum_after(momentum);
            let beta = (momentum - 1.0) / ahead;
            momentum = ahead;
            let (out, kept) = (Shared::new(&mut next[..]), Shared::new(&mut last[..]));
            let (second, rates, packed) = (&second[..], &rates[..], &now[..]);
            let pressures = &state.pressures[..];
            PairSums { rows: packed, ..sums }.sweep(Laplacian { packed }, |_, _, i, [sum]| {
                let ([x, y, z, q], across) = (packed[i], second[i][2]);
                let rest = rates[i] - across * q - 2.0 * fluid.volume * sum;
                // λ + Δλ ≥ 0: pressure does not pull.
                let change = (q + RELAXATION * rest / across).max(pressures[i] / h);
                // SAFETY: each particle is called once, and only its own entries are written.
                unsafe {
                    let before = kept.get(i);
                    *out.get(i) = [x, y, z, change + beta * (change - *before)];
                    *before = change;
                }
            });
            std::mem::swap(now, next);
        }
        for (pressure, change) in state.pressures.iter_mut().zip(&*last) {
            *pressure = (*pressure - change * h).min(0.0);
        }
    }

    /// Removes motion of single particles against their neighbors.
    pub fn filter(&mut self, around: Surroundings<'_>, state: &mut State) {
        self.resize(state.particles, !around.fluid.body_surfaces.is_empty());
        let Self { velocities: [a, b], .. } = self;
        let volume = around.fluid.volume;
        let out = Shared::new(&mut a[..]);
        around.sums.sweep(Difference { of: &state.velocities[..state.particles] }, |_, _, i, sum| {
            let [x, y, z] = sum.map(|s| s * volume);
            // SAFETY: each particle is called once, and only its own entry is written.
            unsafe { *out.get(i) = [x, y, z, 0.0] };
        });
        let out = Shared::new(&mut b[..]);
        let a = &a[..];
        let with_bodies = !around.fluid.body_surfaces.is_empty();
        let rows = &state.rows[..];
        around.sums.sweep(Difference { of: a }, |run, k, i, sum| {
            let near = if with_bodies { around.nearness(run, k, position(rows[i])) } else { 0.0 };
            let strength = FILTER * (1.0 - (1.0 - FILTER_AT_BODY) * near);
            let [x, y, z] = sum.map(|s| s * volume * strength);
            // SAFETY: the same.
            unsafe { *out.get(i) = [x, y, z, 0.0] };
        });
        for ((v, lost), row) in state.velocities.iter_mut().zip(&*b).zip(&state.rows) {
            if row[3] > 0.0 {
                // A difference of differences: its sign is that of the velocity against its neighbors.
                *v = [v[0] - lost[0], v[1] - lost[1], v[2] - lost[2], 0.0];
            }
        }
    }

    /// Moves particles by the changes of the density multipliers (`packed`, with positions), their velocities unchanged.
    pub fn correct_positions(
        &self,
        around: Surroundings<'_>,
        state: &mut State,
        (packed, gradients): (&[RowData], &[RowData]),
    ) {
        let Surroundings { sums, fluid, .. } = around;
        let n = state.particles;
        let (rows, previous) = (Shared::new(&mut state.rows[..n]), Shared::new(&mut state.previous[..n]));
        PairSums { rows: packed, ..sums }.sweep(Shift { packed }, |run, k, i, push| {
            // SAFETY: each particle is called once, and only its own rows are read and written.
            let (row, before) = unsafe { (rows.get(i), previous.get(i)) };
            let inv_mass = row[3];
            if inv_mass == 0.0 {
                return;
            }
            let gradient = position(gradients[i]);
            let mut shift = (Vec3::from_array(push) * fluid.volume + gradient * packed[i][3]) * inv_mass;
            let x = position(*row);
            for boundary in around.walls(run, k) {
                // Walls stop a correction that contact would have to undo, with velocity.
                let toward = (-shift.dot(boundary.normal)).max(0.0);
                let inside = -wall(fluid, boundary, x + shift).gap;
                shift += boundary.normal * inside.clamp(0.0, toward);
            }
            for (axis, by) in shift.to_array().into_iter().enumerate() {
                row[axis] += by;
                before[axis] += by;
            }
        });
    }
}

/// S·v of velocities.
fn smoothed(around: Surroundings<'_>, of: &[RowData], to: &mut [RowData]) {
    let out = Shared::new(to);
    let volume = around.fluid.volume;
    around.sums.sweep(Difference { of }, |_, _, i, sum| {
        let [x, y, z, _] = of[i];
        // SAFETY: each particle is called once, and only its own entry is written.
        unsafe { *out.get(i) = [x - sum[0] * volume, y - sum[1] * volume, z - sum[2] * volume, 0.0] };
    });
}
