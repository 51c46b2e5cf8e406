//! Vorticity confinement, two sweeps over all neighbors.

use crate::constraints::group::BLOCK;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, Sweep, spaces, total3};
use crate::fluid::cpu::viscosity::FluidNeighborhood;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smooth;
use crate::fluid::vorticity::{Drive, Spin};
use crate::math::RowData;
use crate::math::V3;
use crate::neighbors::Neighbors;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use crate::state::State;

/// What solids, which do not turn, have in place of a vorticity's size.
const SOLID: f32 = -1.0;

/// Drives the vortices of all liquids for one substep. Only the next pass over densities needs what is in `velocities` and
/// `curls`, and writes it anew.
pub fn swirl(
    threads: &Threads,
    model: &FluidModel<'_>,
    state: &mut State,
    (velocities, curls): (&mut [RowData], &mut [RowData]),
    FluidNeighborhood { near, way, h, .. }: FluidNeighborhood<'_>,
) {
    let Some(fluid) = &model.fluid else { return };
    let Some(drive) = fluid.drive(h) else { return };
    let n = state.particles;
    let rows = &state.rows[..n];
    for ((to, v), &liquid) in velocities.iter_mut().zip(&state.velocities).zip(&fluid.liquids) {
        *to = [v[0], v[1], v[2], if liquid > 0 { 0.0 } else { SOLID }];
    }
    let work = Work { fluid, near, rows, velocities };
    let out = Shared::new(&mut curls[..n]);
    threads.over_numbers(model.runs.len(), |run| {
        let span = model.runs[run].clone();
        // SAFETY: runs do not overlap.
        let curls = unsafe { out.slice(span.clone()) };
        way.run(Curl { work: &work, first: span.start, curls });
    });
    let curls = &curls[..n];
    let out = Shared::new(&mut state.velocities[..n]);
    threads.over_numbers(model.runs.len(), |run| {
        let span = model.runs[run].clone();
        // SAFETY: runs do not overlap.
        let velocities = unsafe { out.slice(span.clone()) };
        way.run(Push { work: &work, drive, first: span.start, curls, velocities });
    });
}

/// What both sweeps read.
struct Work<'a> {
    fluid: &'a Fluid,
    near: &'a Neighbors,
    rows: &'a [RowData],
    /// Velocities, with [`SOLID`] or 0.
    velocities: &'a [RowData],
}

impl Work<'_> {
    /// Whether particle `i` turns.
    #[inline(always)]
    fn turns(&self, i: usize) -> bool {
        self.velocities[i][3] == 0.0 && self.rows[i][3] > 0.0
    }
}

struct Curl<'a> {
    work: &'a Work<'a>,
    first: usize,
    curls: &'a mut [RowData],
}

impl Sweep for Curl<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let work = self.work;
        for (k, to) in self.curls.iter_mut().enumerate() {
            let i = self.first + k;
            *to = [0.0, 0.0, 0.0, SOLID];
            if work.turns(i) {
                let list = NeighborBlocks::new(work.near.of(i), i as u32);
                // SAFETY: lists name particles, and nobody writes rows or velocities in this sweep.
                let curl = unsafe { spins::<F, K, EVEN>(&kernel, work, &list, i) }.curl();
                *to = [curl.x, curl.y, curl.z, curl.length()];
            }
        }
    }
}

struct Push<'a> {
    work: &'a Work<'a>,
    drive: Drive,
    first: usize,
    curls: &'a [RowData],
    velocities: &'a mut [RowData],
}

impl Sweep for Push<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let work = self.work;
        for (k, v) in self.velocities.iter_mut().enumerate() {
            let i = self.first + k;
            if work.turns(i) {
                let list = NeighborBlocks::new(work.near.of(i), i as u32);
                // SAFETY: lists name particles, and nobody writes rows or curls in this sweep.
                let rise = unsafe { rises::<F, K, EVEN>(&kernel, work, self.curls, &list, i) };
                let [x, y, z, _] = self.curls[i];
                let by = self.drive.push(V3::new(x, y, z), rise);
                for (v, by) in v.iter_mut().zip([by.x, by.y, by.z]) {
                    *v += by;
                }
            }
        }
    }
}

#[inline(always)]
fn splat<F: Pack>(row: RowData) -> V3<F> {
    V3::new(F::splat(row[0]), F::splat(row[1]), F::splat(row[2]))
}

/// How the liquid turns around particle `i`.
///
/// # Safety
/// Neighbors are numbers of rows and velocities, which nobody writes.
#[inline(always)]
unsafe fn spins<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    work: &Work<'_>,
    near: &NeighborBlocks<'_>,
    i: usize,
) -> Spin<f32> {
    let Work { fluid, rows, velocities, .. } = *work;
    let volumes = &fluid.volumes[..rows.len()];
    let (here, own) = (splat::<F>(rows[i]), splat::<F>(velocities[i]));
    let zero = F::splat(0.0);
    let mut parts = [Spin::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let spaces = spaces::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, other) = unsafe { (F::gather(rows, &index[at..]), F::gather(velocities, &index[at..])) };
            let apart = here - row.v;
            let space = F::pick_gt(zero, other.w, zero, F::load(&spaces[at..]));
            let weight = -kernel.at(apart.length_squared()).1 * space;
            parts[p] = parts[p].with(apart, own - other.v, weight);
        }
    }
    Spin {
        across: total3(&parts.map(|s| s.across)),
        beside: total3(&parts.map(|s| s.beside)),
        swirl: total3(&parts.map(|s| s.swirl)),
    }
}

/// Where vorticity rises around particle `i`, Σ V_j·(|ω_j| − |ω_i|)·∇_i W_ij.
///
/// # Safety
/// Neighbors are numbers of rows and curls, which nobody writes.
#[inline(always)]
unsafe fn rises<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    work: &Work<'_>,
    curls: &[RowData],
    near: &NeighborBlocks<'_>,
    i: usize,
) -> V3<f32> {
    let Work { fluid, rows, .. } = *work;
    let volumes = &fluid.volumes[..rows.len()];
    let (here, own, zero) = (splat::<F>(rows[i]), F::splat(curls[i][3]), F::splat(0.0));
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let spaces = spaces::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, other) = unsafe { (F::gather(rows, &index[at..]), F::gather(curls, &index[at..])) };
            let apart = here - row.v;
            let more = F::pick_gt(zero, other.w, zero, other.w - own);
            let slope = kernel.at(apart.length_squared()).1;
            parts[p] = parts[p] + apart * (slope * more * F::load(&spaces[at..]));
        }
    }
    total3(&parts)
}
