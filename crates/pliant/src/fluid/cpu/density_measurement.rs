//! Density error and mixing of fluids, for statistics.

use crate::contact::cpu::collider_contacts;
use crate::fluid::boundary::boundary_contribution;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, densities};
use crate::fluid::cpu::{finder_for, large_particles, phase_of};
use crate::fluid::model::FluidModel;
use crate::fluid::sph_kernels::{Cubic, Poly6, Smooth, Smoothing};
use crate::math::V3;
use crate::math::position;
use crate::neighbors::{Cloud, Pairs};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::state::State;

/// Of every fluid particle; NaN for all others.
#[derive(Default)]
pub struct DensityMeasurement {
    /// Constraint value C.
    pub errors: Vec<f32>,
    /// Share of other fluids among the neighboring fluid particles; empty with a single fluid.
    pub foreign: Vec<f32>,
}

/// Density error and mixing of every fluid particle, with a neighbor search of its own.
pub fn measure_density(threads: &Threads, model: &FluidModel<'_>, state: &State) -> DensityMeasurement {
    let Some(fluid) = &model.fluid else { return DensityMeasurement::default() };
    let n = state.particles;
    let radii: Vec<f32> = (0..n).map(|i| fluid.radius_of(i)).collect();
    let phases: Vec<u32> = (0..n).map(|i| phase_of(fluid, state, i)).collect();
    let mut finder = finder_for(fluid);
    let cloud = Cloud { rows: &state.rows[..n], radii: &radii, phases: &phases };
    let near = finder.find_within(threads, cloud, model.environments.separation(), 0.0, Pairs::Both);
    let mut moving_colliders = Vec::new();
    collider_contacts::place_colliders(model.colliders, state.time, state.time, &mut moving_colliders);
    let mut boundaries = crate::fluid::cpu::BoundaryLists::default();
    let sub = Substep { index: state.substeps, h: 1.0, keep: 1.0, start: state.time, end: state.time };
    boundaries.find(threads, model, state, &moving_colliders, &sub);
    let mut errors = vec![f32::NAN; n];
    let mut foreign = vec![f32::NAN; if fluid.kinds.len() > 1 { n } else { 0 }];
    for (i, share) in foreign.iter_mut().enumerate().filter(|(i, _)| phases[*i] == 0) {
        let wet = near.of(i).iter().map(|&j| fluid.liquids[j as usize]).filter(|&l| l > 0);
        let (others, all) = wet.fold((0, 0), |(o, a), l| (o + u32::from(l != fluid.liquids[i]), a + 1));
        *share = others as f32 / (all as f32).max(1.0);
    }
    let shared = Shared::new(&mut errors);
    threads.over_numbers(model.runs.len(), |number| {
        let span = model.runs[number].clone();
        // SAFETY: runs do not overlap.
        let out = unsafe { shared.slice(span.clone()) };
        for (k, i) in span.enumerate() {
            let row = state.rows[i];
            if fluid.liquids[i] == 0 || row[3] == 0.0 {
                continue;
            }
            let (list, place) = (NeighborBlocks::new(near.of(i), i as u32), V3::new(row[0], row[1], row[2]));
            let (rows, volumes) = (&state.rows[..n], &fluid.volumes[..]);
            // SAFETY: list entries are particle indices, and no thread writes rows.
            let (sums, center) = unsafe {
                match fluid.smoothing {
                    Smoothing::Cubic => {
                        let kernel = Cubic::<f32>::new(fluid.reach);
                        (densities::<f32, _, false>(&kernel, rows, volumes, &list, place), kernel.at(0.0).0)
                    }
                    Smoothing::Poly6 => {
                        let kernel = Poly6::<f32>::new(fluid.reach);
                        (densities::<f32, _, false>(&kernel, rows, volumes, &list, place), kernel.at(0.0).0)
                    }
                }
            };
            let share = boundaries
                .run(number)
                .map_or(0.0, |w| boundary_contribution(w.of(k), fluid.smoothing, fluid.reach, position(row)).0);
            let large = large_particles::density_sums(fluid, &state.rows, near.of(i), row).density;
            out[k] = sums.density + volumes[i] * center + share + large - 1.0;
        }
    });
    DensityMeasurement { errors, foreign }
}
