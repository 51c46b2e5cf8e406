//! Changes of the state by the host between two steps: emission, draining, melting and freezing.
//!
//! The host edits the state, in the same way for every backend. If the state is on a device, the host waits for it,
//! reads back the affected particles, and uploads those that have changed; `host` is its copy, in which only those are
//! current.

pub mod connectivity;
#[cfg(feature = "gpu")]
pub mod device_state;
pub mod drain;
pub mod drain_step;
pub mod emitter;
pub mod emitter_step;
pub mod freeze;
pub mod freeze_step;
pub mod melt;
pub mod melt_step;

use crate::math::RowData;
use crate::neighbors::INACTIVE;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};
use crate::settings::Settings;
use crate::state::State;
use crate::transitions::drain::Drain;
use crate::transitions::drain_step::Taken;
use crate::transitions::emitter::Emitter;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
#[cfg(feature = "gpu")]
use device_state::DeviceState;
use glam::Vec3;

/// The part of a model that transitions read.
#[derive(Clone, Copy)]
pub struct TransitionModel<'a> {
    /// Step length and substeps.
    pub settings: &'a Settings,
    /// Emitters of grains and liquids.
    pub emitters: &'a [Emitter],
    /// Regions that remove particles.
    pub drains: &'a [Drain],
    /// Bodies that melt.
    pub melts: &'a [Melt],
    /// Liquids that freeze.
    pub freezes: &'a [Freeze],
}

impl Phenomenon for TransitionModel<'_> {
    fn name(&self) -> &'static str {
        "transitions"
    }

    /// None: the host edits the state between steps.
    fn passes(&self) -> Vec<PassInfo> {
        Vec::new()
    }

    fn kept(&self) -> &'static [Field] {
        &[Field::Transitions, Field::ParticleKinds]
    }
}

/// Before a step: emission, melting and freezing.
pub fn before(model: &TransitionModel<'_>, state: &mut State) {
    emitter_step::emit(model, state);
    melt_step::melt(model, state);
    freeze_step::freeze(model, state);
}

/// After a step: draining. Returns the particles that were removed.
pub fn after(model: &TransitionModel<'_>, state: &mut State) -> Vec<Taken> {
    drain_step::drain(model, state)
}

/// [`before`] for a state on a device. Returns whether the step must be submitted alone, because a change follows it or
/// may precede the next.
#[cfg(feature = "gpu")]
pub fn before_on(gpu: &mut dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<bool, GpuError> {
    let emitters = emitter_step::emit_on(gpu, model, host)?;
    let melts = melt_step::melt_on(gpu, model, host)?;
    let freezes = freeze_step::freeze_on(gpu, model, host)?;
    Ok(emitters || melts || freezes || !model.drains.is_empty())
}

/// [`after`] for a state on a device.
#[cfg(feature = "gpu")]
pub fn after_on(
    gpu: &mut dyn DeviceState,
    model: &TransitionModel<'_>,
    host: &mut State,
) -> Result<Vec<Taken>, GpuError> {
    drain_step::drain_on(gpu, model, host)
}

/// Time after the given number of substeps [s].
fn time(model: &TransitionModel<'_>, substeps: u64) -> f64 {
    model.settings.time_after(substeps)
}

/// Deactivates a particle: fixed, at rest, in the inactive phase.
fn deactivate(state: &mut State, i: usize) {
    let [x, y, z, _] = state.rows[i];
    activate(state, i, Vec3::new(x, y, z), Vec3::ZERO, (0.0, INACTIVE));
}

/// Activates a particle with its inverse mass [1/kg] and its phase.
fn activate(state: &mut State, i: usize, p: Vec3, v: Vec3, (inv_mass, phase): (f32, u32)) {
    let (row, velocity): (RowData, RowData) = ([p.x, p.y, p.z, inv_mass], [v.x, v.y, v.z, 0.0]);
    (state.rows[i], state.previous[i], state.velocities[i]) = (row, row, velocity);
    state.phases[i] = phase;
    // No history: the first substep is of first order, without pressure warm start.
    if let Some(first) = state.first_order.get_mut(i) {
        (*first, state.older[i], state.older_velocities[i]) = (true, row, velocity);
    }
    if let Some(carried) = state.carried.get_mut(i) {
        (*carried, state.pressures[i]) = ([0.0; 4], 0.0);
    }
}
