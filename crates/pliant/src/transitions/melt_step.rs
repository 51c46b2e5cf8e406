//! Melting: body particles become fluid particles between two steps.
//!
//! A body particle becomes inactive, and its fluid counterpart takes its position, velocity and mass.

use crate::neighbors::LIQUID;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::state::State;
use crate::transitions::TransitionModel;
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use crate::transitions::melt::Melt;
use crate::transitions::{activate, deactivate, time};
use glam::Vec3;

/// Melts all particles that the front has reached.
pub fn melt(model: &TransitionModel<'_>, state: &mut State) {
    let now = time(model, state.substeps);
    let mut any = false;
    for (number, melt) in model.melts.iter().enumerate() {
        any |= !melt_reached(melt, number, now, state).is_empty();
    }
    if any {
        state.weigh_bodies();
    }
}

/// The same for a state on a device. Returns whether more will follow. Only steps in which particles melt read the body
/// back.
#[cfg(feature = "gpu")]
pub fn melt_on(gpu: &mut dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<bool, GpuError> {
    let now = time(model, gpu.substeps());
    let mut changed = Vec::new();
    for (number, melt) in model.melts.iter().enumerate() {
        if melt.melted_at(now) > host.melted[number] {
            gpu.wait()?;
            gpu.read_particles(host, melt.body.clone())?;
            changed.extend(melt_reached(melt, number, now, host));
        }
    }
    if !changed.is_empty() {
        host.weigh_bodies();
        changed.sort_unstable();
        gpu.upload_particles(host, &changed);
        gpu.upload_bodies(host);
    }
    Ok(model.melts.iter().zip(&host.melted).any(|(melt, &melted)| melted < melt.order.len()))
}

/// Returns all changed particles.
fn melt_reached(melt: &Melt, number: usize, now: f64, state: &mut State) -> Vec<u32> {
    let mut changed = Vec::new();
    let (before, after) = (state.melted[number], melt.melted_at(now));
    for &(_, k) in melt.order.get(before..after).unwrap_or_default() {
        let (solid, liquid) = (melt.body.start + k as usize, melt.counterparts + k as usize);
        let ([x, y, z, inv_mass], [vx, vy, vz, _]) = (state.rows[solid], state.velocities[solid]);
        // Particles pinned by the caller do not melt.
        if inv_mass > 0.0 {
            activate(state, liquid, Vec3::new(x, y, z), Vec3::new(vx, vy, vz), (inv_mass, LIQUID));
            deactivate(state, solid);
            if let Some(shapes) = &mut state.shapes {
                shapes.leave(solid);
            }
            changed.extend([solid as u32, liquid as u32]);
        }
        state.melted[number] += 1;
    }
    changed
}
