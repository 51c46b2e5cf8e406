//! Part of stage predict: aerodynamic forces on triangles, gathered per particle.

use crate::aero::aerodynamics::{triangle_force, wind_at};
use crate::integration::predict::vector;
use crate::math::V3;
use crate::model::Model;
use crate::runtime::cpu::threads::Threads;
use crate::solver::cpu::{Scratch, Substep};
use crate::state::State;

/// Writes the force on every particle of an aerodynamic triangle.
///
/// Two passes, triangles then particles, so that every sum has a fixed order for any thread count.
pub fn wind_forces(threads: &Threads, model: &Model, state: &State, scratch: &mut Scratch, sub: &Substep) {
    let aero_surfaces = &model.aero_surfaces;
    if aero_surfaces.triangles.is_empty() {
        return;
    }
    let wind = model.settings.wind;
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
