//! The two sweeps of a density iteration.

use crate::fluid::boundary::boundary_contribution;
use crate::fluid::cpu::boundary::{BoundaryLists, Run};
use crate::fluid::cpu::large_particles;
use crate::fluid::cpu::neighbor_sums::{
    NeighborBlocks, Span, Sweep, SweepVariant, artificial_pressures, densities, multiplier_gradients,
};
use crate::fluid::density::{ArtificialPressure, DensityParams, multiplier};
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smooth;
use crate::math::RowData;
use crate::math::V3;
use crate::math::position;
use crate::neighbors::Neighbors;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use crate::state::State;

/// Inputs of both sweeps.
#[derive(Clone, Copy)]
pub struct DensityPass<'a> {
    pub fluid: &'a Fluid,
    pub params: DensityParams,
    pub artificial_pressure: Option<ArtificialPressure>,
    pub near: &'a Neighbors,
    pub way: SweepVariant,
}

/// Packed positions and gradients, per particle.
type Buffers<'a> = (&'a mut Vec<RowData>, &'a mut Vec<RowData>);

impl DensityPass<'_> {
    /// Computes the multipliers of all fluid particles.
    pub fn update_multipliers(
        &self,
        threads: &Threads,
        model: &FluidModel<'_>,
        rows: &[RowData],
        lambdas: &mut [f32],
        (boundaries, seen): (&BoundaryLists, &[RowData]),
        (packed, gradients): Buffers<'_>,
    ) {
        let seen = if self.fluid.even { rows } else { &seen[..rows.len()] };
        let lambdas = Shared::new(lambdas);
        let (packed, gradients) = (Shared::new(&mut packed[..]), Shared::new(&mut gradients[..]));
        threads.over_numbers(model.runs.len(), |number| {
            let span = model.runs[number].clone();
            // SAFETY: runs do not overlap.
            let (lambdas, packed, gradients) =
                unsafe { (lambdas.slice(span.clone()), packed.slice(span.clone()), gradients.slice(span.clone())) };
            let boundaries = boundaries.run(number);
            self.way.run(MultiplierSweep { work: self, span, rows, seen, boundaries, lambdas, packed, gradients });
        });
    }

    /// Moves all particles.
    pub fn update_positions(&self, threads: &Threads, state: &mut State, (packed, gradients): Buffers<'_>) {
        let n = state.particles;
        let carried = Shared::new(&mut state.carried);
        let (packed, gradients) = (&packed[..], &gradients[..]);
        threads.chunks(&mut state.rows[..n], 1, |first, rows| {
            // SAFETY: chunks do not overlap.
            let carried = unsafe { carried.slice(first..first + rows.len()) };
            self.way.run(PositionSweep { work: self, first, packed, gradients, rows, carried });
        });
    }
}

/// First sweep: multipliers.
struct MultiplierSweep<'a> {
    work: &'a DensityPass<'a>,
    span: Span,
    rows: &'a [RowData],
    seen: &'a [RowData],
    boundaries: Option<&'a Run>,
    lambdas: &'a mut [f32],
    packed: &'a mut [RowData],
    gradients: &'a mut [RowData],
}

impl Sweep for MultiplierSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let DensityPass { fluid, params, near, .. } = *self.work;
        let volumes = &fluid.volumes[..self.rows.len()];
        let mut center = [0.0; crate::constraints::group::BLOCK];
        kernel.at(F::splat(0.0)).0.store(&mut center);
        for (k, i) in self.span.clone().enumerate() {
            let row = self.rows[i];
            let [x, y, z, weight] = row;
            if fluid.liquids[i] == 0 || weight == 0.0 {
                (self.packed[k], self.gradients[k]) = ([x, y, z, 0.0], [0.0; 4]);
                continue;
            }
            let place = V3::new(x, y, z);
            let list = NeighborBlocks::new(near.of(i), i as u32);
            // SAFETY: list entries are particle indices, and no thread writes rows in this sweep.
            let sums = unsafe { densities::<F, K, EVEN>(&kernel, self.seen, volumes, &list, place) };
            let (mut c, mut g) = (sums.density + volumes[i] * center[0] - 1.0, sums.gradient);
            let mut squares = sums.squares;
            if !fluid.large_particles.is_empty() {
                let more = large_particles::density_sums(fluid, self.seen, near.of(i), row);
                (c, g, squares) = (c + more.density, g + more.gradient, squares + more.squares);
            }
            if let Some(boundaries) = self.boundaries.map(|w| w.of(k)).filter(|w| !w.is_empty()) {
                let (share, rate) = boundary_contribution(boundaries, fluid.smoothing, fluid.reach, position(row));
                c += share;
                g = g + V3::new(rate.x, rate.y, rate.z);
            }
            let stiffness = weight * g.length_squared() + squares;
            let lambda = self.lambdas[k];
            let next = multiplier(&params, lambda, c, stiffness, params.relaxation * weight);
            self.lambdas[k] = next;
            self.packed[k] = [x, y, z, next - lambda];
            self.gradients[k] = [g.x, g.y, g.z, c];
        }
    }
}

/// Second sweep: positions.
struct PositionSweep<'a> {
    work: &'a DensityPass<'a>,
    first: usize,
    packed: &'a [RowData],
    gradients: &'a [RowData],
    rows: &'a mut [RowData],
    carried: &'a mut [RowData],
}

impl Sweep for PositionSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let DensityPass { fluid, near, artificial_pressure, .. } = *self.work;
        for (k, row) in self.rows.iter_mut().enumerate() {
            let i = self.first + k;
            let list = near.of(i);
            let [x, y, z, change] = self.packed[i];
            if row[3] == 0.0 || (list.is_empty() && change == 0.0) {
                continue;
            }
            let (blocks, place) = (NeighborBlocks::new(list, i as u32), V3::new(x, y, z));
            // SAFETY: list entries are particle indices, and no thread writes packed positions in this sweep.
            let mut push = unsafe { multiplier_gradients(&kernel, self.packed, &blocks, place) };
            if let Some(artificial_pressure) = &artificial_pressure {
                let packed = self.packed;
                // SAFETY: the same.
                let more = unsafe {
                    artificial_pressures::<F, K, EVEN>(
                        &kernel,
                        packed,
                        &fluid.volumes,
                        &blocks,
                        (place, artificial_pressure),
                    )
                };
                push = push + more;
            }
            let [gx, gy, gz, _] = self.gradients[i];
            // E21: V_i·Σ Δλ_j·∇W and Δλ_i·Σ V_j·∇W, the latter sum from the first sweep.
            let mut shift = (push * fluid.volumes[i] + V3::new(gx, gy, gz) * change) * row[3];
            if !fluid.large_particles.is_empty() {
                shift = shift + large_particles::multiplier_gradient(fluid, self.packed, list, i) * row[3];
            }
            for (axis, by) in [shift.x, shift.y, shift.z].into_iter().enumerate() {
                row[axis] += by;
                self.carried[k][axis] += by;
            }
        }
    }
}
