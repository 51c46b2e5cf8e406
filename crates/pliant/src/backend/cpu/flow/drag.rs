//! Velocities of liquids after a substep: viscosity, by sweeps over all neighbors.

use super::sums::{Eights, Sweep, Way, spaces, total3};
use super::walls::Walls;
use crate::backend::cpu::contacts::position;
use crate::backend::cpu::rows::Pack;
use crate::backend::cpu::shared::Shared;
use crate::backend::cpu::threads::Threads;
use crate::kernels::V3;
use crate::kernels::fluid::smooth::Smooth;
use crate::kernels::fluid::viscous::{SMALL, between, resist, wall};
use crate::memory::of;
use crate::model::{BLOCK, Fluid, Model};
use crate::space::Neighbors;
use crate::state::{RowData, State};
use glam::Vec3;

/// Buffers of the solve, by particle.
#[derive(Default)]
pub struct Drag {
    /// Direction of the next change [m/s], with the viscosity of the particle's liquid [Pa·s], negative for solids.
    steps: Vec<RowData>,
    /// The same for the sweep after.
    next: Vec<RowData>,
    /// What is left to be done [m/s].
    rest: Vec<RowData>,
}

impl Drag {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.steps) + of(&self.next) + of(&self.rest)
    }

    /// Viscosity of all liquids over one substep of `h` seconds.
    pub fn settle(
        &mut self,
        threads: &Threads,
        model: &Model,
        state: &mut State,
        Around { near, walls, way, h }: Around<'_>,
    ) {
        let Some(fluid) = &model.fluid else { return };
        let plan = fluid.viscosity(h);
        if plan.half == 0.0 {
            return;
        }
        let n = state.particles;
        let mu = |i: usize| fluid.kind(i).map_or(-1.0, |k| k.viscosity);
        self.steps.clear();
        self.steps.extend(state.velocities[..n].iter().enumerate().map(|(i, v)| [v[0], v[1], v[2], mu(i)]));
        self.next.resize(n, [0.0; 4]);
        self.rest.resize(n, [0.0; 4]);
        for (number, (keep, take)) in plan.factors().enumerate() {
            let rows = &state.rows[..n];
            let work = Work { fluid, near, h, keep, take, first: number == 0, rows, steps: &self.steps };
            let (next, rest) = (Shared::new(&mut self.next), Shared::new(&mut self.rest));
            let velocities = Shared::new(&mut state.velocities[..n]);
            threads.over_numbers(model.runs.len(), |run| {
                let span = model.runs[run].clone();
                // SAFETY: runs do not overlap.
                let (next, rest, velocities) =
                    unsafe { (next.slice(span.clone()), rest.slice(span.clone()), velocities.slice(span.clone())) };
                let walls = walls.run(run);
                way.run(Settle { work: &work, first: span.start, walls, next, rest, velocities });
            });
            std::mem::swap(&mut self.steps, &mut self.next);
        }
    }
}

/// Who is near, and how to go through them in a substep of `h` seconds.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub near: &'a Neighbors,
    pub walls: &'a Walls,
    pub way: Way,
    pub h: f32,
}

/// What a sweep reads.
struct Work<'a> {
    fluid: &'a Fluid,
    near: &'a Neighbors,
    h: f32,
    keep: f32,
    take: f32,
    first: bool,
    rows: &'a [RowData],
    steps: &'a [RowData],
}

struct Settle<'a> {
    work: &'a Work<'a>,
    first: usize,
    walls: Option<&'a super::walls::Run>,
    next: &'a mut [RowData],
    rest: &'a mut [RowData],
    velocities: &'a mut [RowData],
}

impl Sweep for Settle<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let Work { fluid, near, h, keep, take, first, rows, steps } = *self.work;
        for k in 0..self.next.len() {
            let i = self.first + k;
            let ([x, y, z, weight], own) = (rows[i], steps[i]);
            let list = near.of(i);
            let mut force = Vec3::ZERO;
            if weight > 0.0 {
                let eights = Eights::new(list, i as u32);
                // SAFETY: lists name particles, and nobody writes rows or steps in this sweep.
                let sum = unsafe { resistance::<F, K, EVEN>(&kernel, fluid, (rows, steps), &eights, i, h) };
                force = Vec3::new(sum.x, sum.y, sum.z) * fluid.grips[i];
                for w in self.walls.map_or(&[][..], |walls| walls.of(k)) {
                    // Later sweeps are about changes, which walls do not make.
                    let velocity = if first { w.velocity } else { Vec3::ZERO };
                    let (at, normal) = w.apart(Vec3::new(x, y, z));
                    let at = at - fluid.setback;
                    let against = position(own) - velocity;
                    let along = against - normal * against.dot(normal);
                    // What is behind the wall goes the other way, so that the liquid is at rest on its surface.
                    let mirror = 1.0 + fluid.radius / at.max(fluid.radius);
                    let factor = 10.0 * own[3].max(0.0) * h * wall(fluid.smoothing, fluid.reach, at) * mirror;
                    force += along * (factor * fluid.grips[i]);
                }
            }
            let lost = force * weight;
            let left = if first { -lost } else { position(self.rest[k]) - position(own) - lost };
            let step = if first { left * take } else { position(own) * keep + left * take };
            self.rest[k] = [left.x, left.y, left.z, 0.0];
            self.next[k] = [step.x, step.y, step.z, own[3]];
            let v = position(self.velocities[k]) + step;
            self.velocities[k] = [v.x, v.y, v.z, 0.0];
        }
    }
}

/// h·Σ (k·x·x·(v_i − v_j) + …) over neighbors, for one cubic meter of particle i.
///
/// # Safety
/// Neighbors are numbers of rows and steps, which nobody writes.
#[inline(always)]
unsafe fn resistance<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    fluid: &Fluid,
    (rows, steps): (&[RowData], &[RowData]),
    near: &Eights<'_>,
    i: usize,
    h: f32,
) -> V3<f32> {
    let grips = &fluid.grips[..rows.len()];
    let splat = |row: RowData| V3::new(F::splat(row[0]), F::splat(row[1]), F::splat(row[2]));
    let (here, own, mine) = (splat(rows[i]), splat(steps[i]), F::splat(steps[i][3]));
    let small = F::splat(SMALL * fluid.reach * fluid.reach);
    let (ten, drag) = (F::splat(10.0 * h), F::splat(fluid.drag()));
    let zero = F::splat(0.0);
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let spaces = spaces::<EVEN>(grips, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, step) =
                unsafe { (F::gather(rows.as_ptr(), &index[at..]), F::gather(steps.as_ptr(), &index[at..])) };
            let apart = here - row.v;
            let square = apart.length_squared();
            let space = F::load(&spaces[at..]);
            let mu = between(mine, step.w) * ten * space;
            // XSPH is for liquids among themselves.
            let wet = F::pick_gt(zero, mine.min(step.w), zero, drag) * space;
            let against = own - step.v;
            parts[p] = parts[p] + resist(kernel.at(square), apart, square, against, small, (mu, wet));
        }
    }
    total3(&parts)
}
