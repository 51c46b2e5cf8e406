//! Vorticity confinement, two sweeps over all neighbors.

use crate::constraints::group::BLOCK;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, Sweep, lane_volumes, total3};
use crate::fluid::cpu::viscosity::FluidNeighborhood;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smooth;
use crate::fluid::vorticity::{Confinement, RotationSums};
use crate::math::RowData;
use crate::math::V3;
use crate::neighbors::Neighbors;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use crate::state::State;

/// Marks solids, which have no vorticity, in place of its magnitude.
const SOLID: f32 = -1.0;

/// Applies vorticity confinement over one substep. `velocities` and `curls` are scratch buffers that the next density
/// pass overwrites.
pub fn confine(
    threads: &Threads,
    model: &FluidModel<'_>,
    state: &mut State,
    (velocities, curls): (&mut [RowData], &mut [RowData]),
    FluidNeighborhood { near, way, h, .. }: FluidNeighborhood<'_>,
) {
    let Some(fluid) = &model.fluid else { return };
    let Some(confinement) = fluid.confinement(h) else { return };
    let n = state.particles;
    let rows = &state.rows[..n];
    for ((to, v), &liquid) in velocities.iter_mut().zip(&state.velocities).zip(&fluid.liquids) {
        *to = [v[0], v[1], v[2], if liquid > 0 { 0.0 } else { SOLID }];
    }
    let work = SweepInputs { fluid, near, rows, velocities };
    let out = Shared::new(&mut curls[..n]);
    threads.over_numbers(model.runs.len(), |run| {
        let span = model.runs[run].clone();
        // SAFETY: runs do not overlap.
        let curls = unsafe { out.slice(span.clone()) };
        way.run(CurlSweep { work: &work, first: span.start, curls });
    });
    let curls = &curls[..n];
    let out = Shared::new(&mut state.velocities[..n]);
    threads.over_numbers(model.runs.len(), |run| {
        let span = model.runs[run].clone();
        // SAFETY: runs do not overlap.
        let velocities = unsafe { out.slice(span.clone()) };
        way.run(ConfinementSweep { work: &work, confinement, first: span.start, curls, velocities });
    });
}

/// Inputs of both sweeps.
struct SweepInputs<'a> {
    fluid: &'a Fluid,
    near: &'a Neighbors,
    rows: &'a [RowData],
    /// Velocities, with [`SOLID`] or 0.
    velocities: &'a [RowData],
}

impl SweepInputs<'_> {
    /// Whether particle `i` has vorticity.
    #[inline(always)]
    fn has_vorticity(&self, i: usize) -> bool {
        self.velocities[i][3] == 0.0 && self.rows[i][3] > 0.0
    }
}

struct CurlSweep<'a> {
    work: &'a SweepInputs<'a>,
    first: usize,
    curls: &'a mut [RowData],
}

impl Sweep for CurlSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let work = self.work;
        for (k, to) in self.curls.iter_mut().enumerate() {
            let i = self.first + k;
            *to = [0.0, 0.0, 0.0, SOLID];
            if work.has_vorticity(i) {
                let list = NeighborBlocks::new(work.near.of(i), i as u32);
                // SAFETY: list entries are particle indices, and no thread writes rows or velocities in this sweep.
                let curl = unsafe { rotation_sums::<F, K, EVEN>(&kernel, work, &list, i) }.curl();
                *to = [curl.x, curl.y, curl.z, curl.length()];
            }
        }
    }
}

struct ConfinementSweep<'a> {
    work: &'a SweepInputs<'a>,
    confinement: Confinement,
    first: usize,
    curls: &'a [RowData],
    velocities: &'a mut [RowData],
}

impl Sweep for ConfinementSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let work = self.work;
        for (k, v) in self.velocities.iter_mut().enumerate() {
            let i = self.first + k;
            if work.has_vorticity(i) {
                let list = NeighborBlocks::new(work.near.of(i), i as u32);
                // SAFETY: list entries are particle indices, and no thread writes rows or curls in this sweep.
                let gradient = unsafe { vorticity_gradient::<F, K, EVEN>(&kernel, work, self.curls, &list, i) };
                let [x, y, z, _] = self.curls[i];
                let by = self.confinement.velocity_change(V3::new(x, y, z), gradient);
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

/// Rotation of the fluid around particle `i`.
///
/// # Safety
/// Neighbors are valid indices of rows and velocities, and no thread writes those.
#[inline(always)]
unsafe fn rotation_sums<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    work: &SweepInputs<'_>,
    near: &NeighborBlocks<'_>,
    i: usize,
) -> RotationSums<f32> {
    let SweepInputs { fluid, rows, velocities, .. } = *work;
    let volumes = &fluid.volumes[..rows.len()];
    let (here, own) = (splat::<F>(rows[i]), splat::<F>(velocities[i]));
    let zero = F::splat(0.0);
    let mut parts = [RotationSums::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, other) = unsafe { (F::gather(rows, &index[at..]), F::gather(velocities, &index[at..])) };
            let apart = here - row.v;
            let space = F::pick_gt(zero, other.w, zero, F::load(&volumes_here[at..]));
            let weight = -kernel.at(apart.length_squared()).1 * space;
            parts[p] = parts[p].with(apart, own - other.v, weight);
        }
    }
    RotationSums {
        diagonal: total3(&parts.map(|s| s.diagonal)),
        off_diagonal: total3(&parts.map(|s| s.off_diagonal)),
        angular: total3(&parts.map(|s| s.angular)),
    }
}

/// Gradient of the vorticity magnitude at particle `i`, Σ V_j·(|ω_j| − |ω_i|)·∇_i W_ij.
///
/// # Safety
/// Neighbors are valid indices of rows and curls, and no thread writes those.
#[inline(always)]
unsafe fn vorticity_gradient<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    work: &SweepInputs<'_>,
    curls: &[RowData],
    near: &NeighborBlocks<'_>,
    i: usize,
) -> V3<f32> {
    let SweepInputs { fluid, rows, .. } = *work;
    let volumes = &fluid.volumes[..rows.len()];
    let (here, own, zero) = (splat::<F>(rows[i]), F::splat(curls[i][3]), F::splat(0.0));
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, other) = unsafe { (F::gather(rows, &index[at..]), F::gather(curls, &index[at..])) };
            let apart = here - row.v;
            let more = F::pick_gt(zero, other.w, zero, other.w - own);
            let slope = kernel.at(apart.length_squared()).1;
            parts[p] = parts[p] + apart * (slope * more * F::load(&volumes_here[at..]));
        }
    }
    total3(&parts)
}
