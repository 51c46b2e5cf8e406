//! Implicit viscosity of fluids, by sweeps over all neighbors after the position solve. The first sweep also bounds the
//! spectrum, which sets the factors of all sweeps.

use crate::constraints::group::BLOCK;
use crate::fluid::cpu::boundary::BoundaryLists;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, Sweep, SweepVariant, lane_volumes, total, total3};
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smooth;
use crate::fluid::viscosity::{
    ChebyshevPlan, SMALL, boundary_resistance, pair_resistance, pair_viscosity, resistance_bound,
};
use crate::math::RowData;
use crate::math::V3;
use crate::math::position;
use crate::memory::of;
use crate::neighbors::Neighbors;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use crate::state::State;
use glam::Vec3;

/// Solver buffers, per particle.
#[derive(Default)]
pub struct ViscosityScratch {
    /// Step direction of the next sweep [m/s], with the viscosity of the particle's fluid [Pa·s], negative for solids.
    steps: Vec<RowData>,
    /// The same for the following sweep.
    next: Vec<RowData>,
    /// Residual [m/s].
    rest: Vec<RowData>,
    /// Spectrum width of each run of particles.
    widths: Vec<f32>,
    /// The largest of each environment.
    widest: Vec<f32>,
    /// Factors of all sweeps, by environment.
    factors: Vec<(f32, f32)>,
}

impl ViscosityScratch {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.steps) + of(&self.next) + of(&self.rest) + of(&self.widths) + of(&self.widest) + of(&self.factors)
    }

    /// Viscosity of all liquids over one substep of `h` seconds.
    pub fn apply(
        &mut self,
        threads: &Threads,
        model: &FluidModel<'_>,
        state: &mut State,
        around: FluidNeighborhood<'_>,
    ) {
        let Some(fluid) = &model.fluid else { return };
        let plan = fluid.viscosity(around.h);
        if plan.sweeps == 0 {
            return;
        }
        let n = state.particles;
        let mu = |i: usize| fluid.kind(i).map_or(-1.0, |k| k.viscosity);
        self.steps.clear();
        self.steps.extend(state.velocities[..n].iter().enumerate().map(|(i, v)| [v[0], v[1], v[2], mu(i)]));
        self.next.resize(n, [0.0; 4]);
        self.rest.resize(n, [0.0; 4]);
        self.widths.resize(model.runs.len(), 0.0);
        self.sweep(threads, model, state, around, None);
        self.plan_sweeps(model, plan);
        let (sweeps, factors) = (plan.sweeps as usize, &self.factors);
        let (steps, velocities) = (Shared::new(&mut self.steps), Shared::new(&mut state.velocities[..n]));
        threads.over_numbers(model.runs.len(), |run| {
            let span = model.runs[run].clone();
            let (_, first) = factors[model.environments.of(span.start) * sweeps];
            // SAFETY: runs do not overlap.
            let (steps, velocities) = unsafe { (steps.slice(span.clone()), velocities.slice(span.clone())) };
            for ((step, velocity), rest) in steps.iter_mut().zip(velocities).zip(&self.rest[span]) {
                for c in 0..3 {
                    step[c] = rest[c] * first;
                    velocity[c] += step[c];
                }
            }
        });
        for sweep in 1..sweeps {
            self.sweep(threads, model, state, around, Some((sweep, sweeps)));
            std::mem::swap(&mut self.steps, &mut self.next);
        }
    }

    /// Factors of all sweeps of each environment, from the widths that the first sweep has measured.
    fn plan_sweeps(&mut self, model: &FluidModel<'_>, plan: ChebyshevPlan) {
        let Self { widths, widest, factors, .. } = self;
        widest.clear();
        widest.resize(model.environments.count(), 0.0_f32);
        for (run, &width) in model.runs.iter().zip(&*widths) {
            let own = &mut widest[model.environments.of(run.start)];
            *own = own.max(width);
        }
        factors.clear();
        for &width in &*widest {
            factors.extend(plan.with_measured_width(width).factors());
        }
    }

    /// Sweep number `sweep` of all; the first sweep has none, as there are no factors yet.
    fn sweep(
        &mut self,
        threads: &Threads,
        model: &FluidModel<'_>,
        state: &mut State,
        FluidNeighborhood { near, boundaries, way, h }: FluidNeighborhood<'_>,
        sweep: Option<(usize, usize)>,
    ) {
        let Some(fluid) = &model.fluid else { return };
        let n = state.particles;
        let inputs = SweepInputs { fluid, near, h, factors: None, rows: &state.rows[..n], steps: &self.steps };
        let factors = &self.factors;
        let (next, rest) = (Shared::new(&mut self.next), Shared::new(&mut self.rest));
        let (velocities, widths) = (Shared::new(&mut state.velocities[..n]), Shared::new(&mut self.widths));
        threads.over_numbers(model.runs.len(), |run| {
            let span = model.runs[run].clone();
            // SAFETY: runs do not overlap.
            let (next, rest, velocities, width) = unsafe {
                let (next, rest) = (next.slice(span.clone()), rest.slice(span.clone()));
                (next, rest, velocities.slice(span.clone()), widths.get(run))
            };
            let boundaries = boundaries.run(run);
            let of = |(sweep, sweeps): (usize, usize)| factors[model.environments.of(span.start) * sweeps + sweep];
            let work = SweepInputs { factors: sweep.map(of), ..inputs };
            way.run(ChebyshevSweep { work: &work, first: span.start, boundaries, next, rest, velocities, width });
        });
    }
}

/// Neighbor lists and sweep variant for a substep of `h` seconds.
#[derive(Clone, Copy)]
pub struct FluidNeighborhood<'a> {
    pub near: &'a Neighbors,
    pub boundaries: &'a BoundaryLists,
    pub way: SweepVariant,
    pub h: f32,
}

/// Inputs of a sweep.
#[derive(Clone, Copy)]
struct SweepInputs<'a> {
    fluid: &'a Fluid,
    near: &'a Neighbors,
    h: f32,
    factors: Option<(f32, f32)>,
    rows: &'a [RowData],
    steps: &'a [RowData],
}

struct ChebyshevSweep<'a> {
    work: &'a SweepInputs<'a>,
    first: usize,
    boundaries: Option<&'a crate::fluid::cpu::boundary::Run>,
    next: &'a mut [RowData],
    rest: &'a mut [RowData],
    velocities: &'a mut [RowData],
    width: &'a mut f32,
}

impl Sweep for ChebyshevSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let SweepInputs { fluid, near, h, factors, rows, steps } = *self.work;
        let first = factors.is_none();
        let mut widest = 0.0_f32;
        for k in 0..self.next.len() {
            let i = self.first + k;
            let ([x, y, z, weight], own) = (rows[i], steps[i]);
            let list = near.of(i);
            let (mut force, mut width) = (Vec3::ZERO, 0.0);
            if weight > 0.0 {
                let blocks = NeighborBlocks::new(list, i as u32);
                let data = (rows, steps);
                // SAFETY: list entries are particle indices, and no thread writes rows or steps in this sweep.
                let (sum, bound) = unsafe {
                    if first {
                        resistance::<F, K, EVEN, true>(&kernel, fluid, data, &blocks, i, h)
                    } else {
                        resistance::<F, K, EVEN, false>(&kernel, fluid, data, &blocks, i, h)
                    }
                };
                force = Vec3::new(sum.x, sum.y, sum.z) * fluid.viscous_volumes[i];
                width = 2.0 * bound * fluid.viscous_volumes[i];
                for w in self.boundaries.map_or(&[][..], |boundaries| boundaries.of(k)) {
                    // Later sweeps act on changes, to which boundaries do not contribute.
                    let velocity = if first { w.velocity } else { Vec3::ZERO };
                    let (at, normal) = w.apart(Vec3::new(x, y, z));
                    let at = at - fluid.setback;
                    let against = position(own) - velocity;
                    let along = against - normal * against.dot(normal);
                    // No-slip boundary: velocities behind it are mirrored, so that the fluid is at rest on its surface.
                    let mirror = 1.0 + fluid.radius / at.max(fluid.radius);
                    let factor =
                        10.0 * own[3].max(0.0) * h * boundary_resistance(fluid.smoothing, fluid.reach, at) * mirror;
                    force += along * (factor * fluid.viscous_volumes[i]);
                    width += factor * fluid.viscous_volumes[i];
                }
            }
            widest = widest.max(width * weight);
            let lost = force * weight;
            let Some((keep, take)) = factors else {
                self.rest[k] = [-lost.x, -lost.y, -lost.z, 0.0];
                continue;
            };
            let left = position(self.rest[k]) - position(own) - lost;
            let step = position(own) * keep + left * take;
            self.rest[k] = [left.x, left.y, left.z, 0.0];
            self.next[k] = [step.x, step.y, step.z, own[3]];
            let v = position(self.velocities[k]) + step;
            self.velocities[k] = [v.x, v.y, v.z, 0.0];
        }
        *self.width = widest;
    }
}

/// h·Σ (k·x·x·(v_i − v_j) + …) over neighbors, per unit volume of particle i; with `BOUND` also its upper bound over
/// |v_i|.
///
/// # Safety
/// Neighbors are valid indices of rows and steps, and no thread writes those.
#[inline(always)]
unsafe fn resistance<F: Pack, K: Smooth<F>, const EVEN: bool, const BOUND: bool>(
    kernel: &K,
    fluid: &Fluid,
    (rows, steps): (&[RowData], &[RowData]),
    near: &NeighborBlocks<'_>,
    i: usize,
    h: f32,
) -> (V3<f32>, f32) {
    let viscous_volumes = &fluid.viscous_volumes[..rows.len()];
    let splat = |row: RowData| V3::new(F::splat(row[0]), F::splat(row[1]), F::splat(row[2]));
    let (here, own, mine) = (splat(rows[i]), splat(steps[i]), F::splat(steps[i][3]));
    let small = F::splat(SMALL * fluid.reach * fluid.reach);
    let (ten, drag) = (F::splat(10.0 * h), F::splat(fluid.xsph_drag()));
    let zero = F::splat(0.0);
    let (mut parts, mut bounds) = ([V3::<F>::zero(); BLOCK], [zero; BLOCK]);
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(viscous_volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, step) = unsafe { (F::gather(rows, &index[at..]), F::gather(steps, &index[at..])) };
            let apart = here - row.v;
            let square = apart.length_squared();
            let space = F::load(&volumes_here[at..]);
            let mu = pair_viscosity(mine, step.w) * ten * space;
            // XSPH acts only between fluid particles.
            let wet = F::pick_gt(zero, mine.min(step.w), zero, drag) * space;
            let against = own - step.v;
            let value = kernel.at(square);
            parts[p] = parts[p] + pair_resistance(value, apart, square, against, small, (mu, wet));
            if BOUND {
                bounds[p] = bounds[p] + resistance_bound(value, square, small, (mu, wet));
            }
        }
    }
    (total3(&parts), if BOUND { total(&bounds) } else { 0.0 })
}
