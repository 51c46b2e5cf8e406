//! Part of stage predict: forces of the air on triangles, gathered by particle.

use crate::aero::aerodynamics::{triangle_force, wind_at};
use crate::aero::surfaces::AeroSurfaces;
use crate::math::RowData;
use crate::math::V3;
use crate::math::vector;
use crate::memory::of;
use crate::runtime::cpu::threads::Threads;
use crate::schedule::substep::Substep;
use crate::settings::Wind;
use crate::state::State;

/// Buffers of the aerodynamic pass; empty without surfaces.
#[derive(Default)]
pub(crate) struct AeroScratch {
    /// Force on each particle [N].
    pub(crate) forces: Vec<RowData>,
    triangle_forces: Vec<V3<f32>>,
    surface_forces: Vec<V3<f32>>,
}

impl AeroScratch {
    /// For the surfaces of a model with this many particles.
    pub(crate) fn new(surfaces: &AeroSurfaces, particles: usize) -> Self {
        Self {
            forces: if surfaces.triangles.is_empty() { Vec::new() } else { vec![[0.0; 4]; particles] },
            triangle_forces: vec![V3::zero(); surfaces.triangles.len()],
            surface_forces: vec![V3::zero(); surfaces.particles.len()],
        }
    }

    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.forces) + of(&self.triangle_forces) + of(&self.surface_forces)
    }
}

/// Writes the force on every particle that belongs to a triangle in the air.
///
/// Two passes, triangles then particles, so that every sum has one order on any number of threads.
pub(crate) fn wind_forces(
    threads: &Threads,
    (aero_surfaces, wind): (&AeroSurfaces, Wind),
    state: &State,
    scratch: &mut AeroScratch,
    sub: &Substep,
) {
    if aero_surfaces.triangles.is_empty() {
        return;
    }
    let third = 1.0 / 3.0;
    threads.chunks(&mut scratch.triangle_forces, 1, |first, forces| {
        for (k, force) in forces.iter_mut().enumerate() {
            let t = aero_surfaces.triangles[first + k];
            let corners = t.map(|i| vector(state.rows[i as usize]));
            let velocity = t.map(|i| vector(state.velocities[i as usize]));
            let center = (corners[0] + corners[1] + corners[2]) * third;
            let mean = (velocity[0] + velocity[1] + velocity[2]) * third;
            let air = wind_at(&wind, center, sub.start as f32);
            *force =
                triangle_force(&aero_surfaces.airs[usize::from(aero_surfaces.air[first + k])], corners, air - mean);
        }
    });
    let triangle_forces = &scratch.triangle_forces;
    threads.chunks(&mut scratch.surface_forces, 1, |first, forces| {
        for (k, force) in forces.iter_mut().enumerate() {
            let range = aero_surfaces.offsets[first + k] as usize..aero_surfaces.offsets[first + k + 1] as usize;
            *force = aero_surfaces.incident[range]
                .iter()
                .fold(V3::zero(), |sum, &t| sum + triangle_forces[t as usize] * third);
        }
    });
    for (&i, f) in aero_surfaces.particles.iter().zip(&scratch.surface_forces) {
        scratch.forces[i as usize] = [f.x, f.y, f.z, 0.0];
    }
}
