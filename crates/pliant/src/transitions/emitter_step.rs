//! Emission of particles between two steps.
//!
//! They are ordinary rows, fixed and inactive until emitted. Emission depends only on the number of substeps and on the
//! particles returned by drains.

#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::state::State;
use crate::transitions::TransitionModel;
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use crate::transitions::emitter::Emitter;
use crate::transitions::{activate, time};

/// Emits all particles that are due.
pub fn emit(model: &TransitionModel<'_>, state: &mut State) {
    let time = time(model, state.substeps);
    for number in 0..model.emitters.len() {
        emit_due(model, number, time, state);
    }
}

/// The same for a state on a device. Returns whether more will follow.
///
/// First waits for all submitted steps: steps frozen by a list overflow would otherwise run with or without the new
/// particles, depending on timing.
#[cfg(feature = "gpu")]
pub fn emit_on(gpu: &dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<bool, GpuError> {
    let mut open = false;
    for (number, emitter) in model.emitters.iter().enumerate() {
        let entered = emit_due(model, number, time(model, gpu.substeps()), host);
        if !entered.is_empty() {
            gpu.wait()?;
            gpu.upload_particles(host, &entered);
        }
        open |= host.emitted[number] < emitter.most();
    }
    Ok(open)
}

/// Activates the due particles of an emitter and returns them. An emission slot without an available particle is
/// skipped.
fn emit_due(model: &TransitionModel<'_>, number: usize, time: f64, state: &mut State) -> Vec<u32> {
    let emitter: &Emitter = &model.emitters[number];
    let mut entered = Vec::new();
    let out = state.emitted[number];
    if out >= emitter.most() {
        return entered;
    }
    for grain in out..emitter.out_at(time) {
        let waiting = (grain < emitter.places.len()).then_some((emitter.first + grain) as u32);
        if let Some(i) = waiting.or_else(|| state.returned[number].pop_front()) {
            activate(
                state,
                i as usize,
                emitter.place_of(grain, time),
                emitter.velocity,
                (emitter.inv_mass, emitter.phase),
            );
            entered.push(i);
        }
        state.emitted[number] = grain + 1;
    }
    entered
}
