//! Surface tension, one sweep over all neighbors.

use crate::constraints::group::BLOCK;
use crate::fluid::boundary::{Boundary, boundary_contribution};
use crate::fluid::cpu::boundary::Run;
use crate::fluid::cpu::large_particles;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, Sweep, lane_volumes, total3};
use crate::fluid::cpu::viscosity::FluidNeighborhood;
use crate::fluid::model::FluidModel;
use crate::fluid::parameters::Fluid;
use crate::fluid::sph_kernels::Smooth;
use crate::fluid::surface_tension::{SOLID, pair_stress};
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

/// Surface stress of every particle; zero for solids.
#[derive(Default)]
pub struct SurfaceTensionScratch(Vec<RowData>);

impl SurfaceTensionScratch {
    /// Memory [bytes].
    pub fn bytes(&self) -> u64 {
        of(&self.0)
    }

    /// Applies surface tension over a substep. `packed` and `gradients` are the positions and gradients of the last
    /// density pass.
    pub fn apply(
        &mut self,
        threads: &Threads,
        model: &FluidModel<'_>,
        state: &mut State,
        (packed, gradients): (&[RowData], &[RowData]),
        FluidNeighborhood { near, boundaries, way, h }: FluidNeighborhood<'_>,
    ) {
        let Some(fluid) = &model.fluid else { return };
        let Some(tension) = fluid.surface_tension() else { return };
        let tensions: Vec<f32> = fluid.kinds.iter().map(|kind| fluid.tension(kind, h)).collect();
        let n = state.particles;
        self.0.resize(n, SOLID);
        let stresses = Shared::new(&mut self.0);
        threads.over_numbers(model.runs.len(), |number| {
            let span = model.runs[number].clone();
            // SAFETY: runs do not overlap.
            let stresses = unsafe { stresses.slice(span.clone()) };
            let boundaries = boundaries.run(number);
            for (k, i) in span.enumerate().filter(|(_, i)| fluid.liquids[*i] > 0) {
                let around = boundaries.map_or(&[][..], |boundaries| boundaries.of(k));
                let (share, solid) = solid_contribution(fluid, packed, near.of(i), around, i);
                let [x, y, z, _] = gradients[i];
                let n = tension.surface_gradient(V3::new(x, y, z), solid, share);
                stresses[k] = tension.stress(tensions[fluid.liquids[i] as usize - 1], n);
            }
        });
        let (rows, stresses) = (&state.rows[..n], &self.0[..]);
        let velocities = Shared::new(&mut state.velocities[..n]);
        threads.over_numbers(model.runs.len(), |run| {
            let span = model.runs[run].clone();
            // SAFETY: runs do not overlap.
            let velocities = unsafe { velocities.slice(span.clone()) };
            let boundaries = boundaries.run(run);
            way.run(StressSweep { fluid, near, h, first: span.start, boundaries, rows, stresses, velocities });
        });
    }
}

/// Contribution of solids to the constraint of particle `i` and to its gradient [1/m].
fn solid_contribution(
    fluid: &Fluid,
    packed: &[RowData],
    near: &[u32],
    boundaries: &[Boundary],
    i: usize,
) -> (f32, V3<f32>) {
    let here = position(packed[i]);
    let (mut share, mut gradient) = if boundaries.is_empty() {
        (0.0, Vec3::ZERO)
    } else {
        boundary_contribution(boundaries, fluid.smoothing, fluid.reach, here)
    };
    let large = large_particles::density_sums(fluid, packed, near, packed[i]);
    share += large.density;
    gradient += Vec3::new(large.gradient.x, large.gradient.y, large.gradient.z);
    if !fluid.even {
        for j in near.iter().map(|&j| j as usize).filter(|&j| fluid.liquids[j] == 0) {
            let apart = here - position(packed[j]);
            let (value, slope) = fluid.smoothing.at(fluid.reach, apart.length_squared());
            share += fluid.volumes[j] * value;
            gradient += apart * (fluid.volumes[j] * slope);
        }
    }
    (share, V3::new(gradient.x, gradient.y, gradient.z))
}

struct StressSweep<'a> {
    fluid: &'a Fluid,
    near: &'a Neighbors,
    h: f32,
    first: usize,
    boundaries: Option<&'a Run>,
    rows: &'a [RowData],
    stresses: &'a [RowData],
    velocities: &'a mut [RowData],
}

impl Sweep for StressSweep<'_> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let fluid = self.fluid;
        for (k, v) in self.velocities.iter_mut().enumerate() {
            let i = self.first + k;
            let (row, own) = (self.rows[i], self.stresses[i]);
            if row[3] == 0.0 {
                continue;
            }
            let list = NeighborBlocks::new(self.near.of(i), i as u32);
            // SAFETY: list entries are particle indices, and no thread writes rows or stresses in this sweep.
            let mut sum = unsafe {
                stress_divergence::<F, K, EVEN>(&kernel, fluid, (self.rows, self.stresses), &list, (row, own))
            };
            let solids = self.boundaries.map(|w| w.of(k)).filter(|w| !w.is_empty() && own[3] > 0.0);
            if let Some(boundaries) = solids {
                let (_, g) = boundary_contribution(boundaries, fluid.smoothing, fluid.reach, position(row));
                let own = (V3::new(own[0], own[1], own[2]), own[3]);
                sum = sum + pair_stress(own, (V3::zero(), SOLID[3]), V3::new(g.x, g.y, g.z), fluid.adhesion);
            }
            let by = self.h * row[3] * fluid.viscous_volumes[i];
            for (v, force) in v.iter_mut().zip([sum.x, sum.y, sum.z]) {
                *v += by * force;
            }
        }
    }
}

/// Σ V_j·(T_i + T_j + p_i + p_j)·∇_i W_ij over neighbors.
///
/// # Safety
/// Neighbors are valid indices of rows and stresses, and no thread writes those.
#[inline(always)]
unsafe fn stress_divergence<F: Pack, K: Smooth<F>, const EVEN: bool>(
    kernel: &K,
    fluid: &Fluid,
    (rows, stresses): (&[RowData], &[RowData]),
    near: &NeighborBlocks<'_>,
    (row, own): (RowData, RowData),
) -> V3<f32> {
    let splat = |row: RowData| V3::new(F::splat(row[0]), F::splat(row[1]), F::splat(row[2]));
    let (here, own) = (splat(row), (splat(own), F::splat(own[3])));
    let adhesion = F::splat(fluid.adhesion);
    let mut parts = [V3::<F>::zero(); BLOCK];
    for k in 0..near.len() {
        let (index, live) = near.get(k);
        let volumes_here = lane_volumes::<EVEN>(&fluid.viscous_volumes, &index, live);
        for p in 0..BLOCK / F::WIDTH {
            let at = p * F::WIDTH;
            // SAFETY: promised by the caller.
            let (row, stress) = unsafe { (F::gather(rows, &index[at..]), F::gather(stresses, &index[at..])) };
            let apart = here - row.v;
            let g = apart * (kernel.at(apart.length_squared()).1 * F::load(&volumes_here[at..]));
            parts[p] = parts[p] + pair_stress(own, (stress.v, stress.w), g, adhesion);
        }
    }
    total3(&parts)
}
