//! Freezing: fluid particles become body particles between two steps.
//!
//! A fluid particle becomes inactive, and a body particle takes its position and mass. The body keeps the linear and
//! angular momentum of its particles; the remaining kinetic energy is dissipated.

use crate::neighbors::INACTIVE;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::shape_matching::{inertia, pseudoinverse_f64};
use crate::state::State;
use crate::transitions::TransitionModel;
use crate::transitions::connectivity::{connected, fields};
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use crate::transitions::freeze::Freeze;
use crate::transitions::{activate, deactivate, time};
use glam::{DMat3, DVec3, Vec3};
use std::ops::Range;

/// Minimum number of particles to start a body: fewer are droplets, which would carry it off.
const LEAST: usize = 4;

/// Freezes all particles in freezing regions.
pub fn freeze(model: &TransitionModel<'_>, state: &mut State) {
    let substeps = state.substeps;
    let mut any = false;
    for (number, freeze) in acting(model, substeps) {
        any |= !freeze_region(freeze, number, time(model, substeps), state).is_empty();
    }
    if any {
        state.weigh_bodies();
    }
}

/// The same for a state on a device. Returns whether more will follow. Only steps in which particles may freeze read
/// back the fluid and the frozen body.
#[cfg(feature = "gpu")]
pub fn freeze_on(gpu: &mut dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<bool, GpuError> {
    let (substeps, mut changed) = (gpu.substeps(), Vec::new());
    let now = time(model, substeps);
    let acting: Vec<_> = acting(model, substeps).collect();
    let there = |state: &State, (number, freeze): (usize, &Freeze)| {
        Some(freeze.body.start..freeze.body.start + state.frozen[number].count).filter(|range| !range.is_empty())
    };
    if !acting.is_empty() {
        gpu.wait()?;
        gpu.read_poses(host)?;
    }
    // Reads all before any particle freezes: two freezes may use the same fluid.
    for &one in &acting {
        for range in one.1.takes.iter().cloned().chain(there(host, one)) {
            gpu.read_all(host, range)?;
        }
    }
    for &(number, freeze) in &acting {
        changed.extend(freeze_region(freeze, number, now, host));
    }
    if !changed.is_empty() {
        host.weigh_bodies();
        changed.sort_unstable();
        gpu.upload_particles(host, &changed);
        gpu.upload_bodies(host);
        gpu.upload_poses(host);
        acting.iter().filter_map(|&one| there(host, one)).for_each(|range| gpu.upload_velocities(host, range));
    }
    Ok(model.freezes.iter().any(|freeze| now < freeze.end))
}

/// Freezes that may act after the given number of substeps.
fn acting<'a>(model: &TransitionModel<'a>, substeps: u64) -> impl Iterator<Item = (usize, &'a Freeze)> {
    let before = substeps.checked_sub(u64::from(model.settings.substeps)).map(|before| time(model, before));
    let now = time(model, substeps);
    model.freezes.iter().enumerate().filter(move |(_, freeze)| freeze.acts(before, now))
}

/// Returns all particles activated or deactivated.
fn freeze_region(freeze: &Freeze, number: usize, now: f64, state: &mut State) -> Vec<u32> {
    let mut changed = Vec::new();
    let before = state.frozen[number].count;
    let place = |i: usize| Vec3::from_slice(&state.rows[i][..3]);
    // Particles pinned by the caller do not freeze.
    let is_cold = |&i: &usize| state.phases[i] != INACTIVE && state.rows[i][3] > 0.0 && freeze.holds(now, place(i));
    let cold: Vec<usize> = freeze.takes.iter().cloned().flatten().filter(is_cold).collect();
    let there = freeze.body.start..freeze.body.start + before;
    let places: Vec<Vec3> = there.chain(cold.iter().copied()).map(place).collect();
    let joins = connected(&places, freeze.radius, before, LEAST);
    let joining = cold.into_iter().zip(&joins[before..]).filter(|(_, joins)| **joins).map(|(i, _)| i);
    for (i, solid) in joining.zip(freeze.body.clone().skip(before)) {
        let ([x, y, z, inv_mass], [vx, vy, vz, _], carried) = (state.rows[i], state.velocities[i], state.carried[i]);
        activate(state, solid, Vec3::new(x, y, z), Vec3::new(vx, vy, vz), (inv_mass, freeze.phase));
        deactivate(state, i);
        // Pressure corrections act in pairs, and the other particle may still be fluid.
        state.carried[solid] = carried;
        changed.extend([solid as u32, i as u32]);
    }
    let count = before + changed.len() / 2;
    if count > before {
        let body = freeze.body.start..freeze.body.start + count;
        project_to_rigid_motion(state, body);
        if let Some(shapes) = &mut state.shapes {
            shapes.join(freeze.number, before..count, &state.rows);
            let places: Vec<Vec3> = shapes.offsets(freeze.number, count).map(Vec3::from).collect();
            state.frozen[number].fields = fields(&places, freeze.radius);
        }
        state.frozen[number].count = count;
    }
    changed
}

/// Projects the motion of some particles onto the rigid motion with the same linear and angular momentum: v + ω×r, with
/// ω = I⁻¹L. That is the nearest rigid motion, by mass, so kinetic energy never increases.
fn project_to_rigid_motion(state: &mut State, body: Range<usize>) {
    let vector = |row: [f32; 4]| DVec3::new(f64::from(row[0]), f64::from(row[1]), f64::from(row[2]));
    let mass = |i: usize| 1.0 / f64::from(state.rows[i][3]);
    // Particles of the body pinned by the caller do not contribute.
    let free: Vec<usize> = body.filter(|&i| state.rows[i][3] > 0.0).collect();
    let total: f64 = free.iter().map(|&i| mass(i)).sum();
    let mean = |of: &dyn Fn(usize) -> DVec3| free.iter().map(|&i| of(i) * mass(i)).sum::<DVec3>() / total;
    let center = mean(&|i| vector(state.rows[i]));
    let velocity = mean(&|i| vector(state.velocities[i]));
    let (mut turn, mut second) = (DVec3::ZERO, DMat3::ZERO);
    for &i in &free {
        let arm = vector(state.rows[i]) - center;
        turn += mass(i) * arm.cross(vector(state.velocities[i]) - velocity);
        second += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * mass(i);
    }
    // A line of particles has no rotation about itself.
    let (inverse, _) = pseudoinverse_f64(inertia(&second.to_cols_array_2d()));
    let spin = DMat3::from_cols_array_2d(&inverse) * turn;
    for i in free {
        let v = (velocity + spin.cross(vector(state.rows[i]) - center)).as_vec3();
        state.velocities[i] = [v.x, v.y, v.z, 0.0];
        if let Some(first) = state.first_order.get_mut(i) {
            (*first, state.older_velocities[i]) = (true, state.velocities[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(state: &State) -> (DVec3, DVec3, f64) {
        let vector = |row: [f32; 4]| DVec3::new(f64::from(row[0]), f64::from(row[1]), f64::from(row[2]));
        let (mut linear, mut angular, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (row, velocity) in state.rows.iter().zip(&state.velocities) {
            let (m, x, v) = (1.0 / f64::from(row[3]), vector(*row), vector(*velocity));
            linear += m * v;
            angular += m * x.cross(v);
            energy += 0.5 * m * v.length_squared();
        }
        (linear, angular, energy)
    }

    #[test]
    fn s16_rigid_projection_conserves_momenta_and_loses_energy() {
        let any = |k: usize| ((k as f32 * 12.9898).sin() * 437.585_45).fract();
        let rows = |flat: f32, count: usize| -> Vec<[f32; 4]> {
            (0..count)
                .map(|k| [any(3 * k), flat * any(3 * k + 1), flat * any(3 * k + 2), 1.0 + any(k + 7).abs()])
                .collect()
        };
        // A block, a rod, which has no rotation about itself, and a single particle.
        for (rows, loss) in [(rows(1.0, 60), 0.5), (rows(0.0, 60), 0.3), (rows(1.0, 1), 0.0)] {
            let velocities: Vec<_> =
                (0..rows.len()).map(|k| [1.0 + any(5 * k + 1), any(5 * k + 2), any(5 * k + 3), 0.0]).collect();
            let mut state = State { particles: rows.len(), rows, velocities, ..State::default() };
            let (linear, angular, energy) = sums(&state);
            let all = 0..state.particles;
            project_to_rigid_motion(&mut state, all);
            let (linear_after, angular_after, energy_after) = sums(&state);
            // Velocities are rounded to 6e-8 of a meter per second.
            assert!((linear_after - linear).length() < 1e-6 * linear.length());
            assert!((angular_after - angular).length() < 1e-6 * linear.length());
            assert!(energy_after <= energy * (1.0 - 0.3 * loss) + 1e-9, "{energy_after} of {energy} J");
            let again = state.clone();
            let all = 0..state.particles;
            project_to_rigid_motion(&mut state, all);
            let off = state.velocities.iter().flatten().zip(again.velocities.iter().flatten());
            assert!(off.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) < 1e-6, "a rigid motion is unchanged");
        }
    }
}
