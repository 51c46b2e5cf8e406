//! Grains that come into the world between two steps.
//!
//! They are rows like all others, fixed and asleep until their time has come. What came out, and when, depends on the
//! number of substeps alone, and on what drains gave back.

#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::state::State;
use crate::transitions::TransitionModel;
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use crate::transitions::emitter::Emitter;
use crate::transitions::{time, wake};

/// Lets out whose time has come.
pub fn emit(model: &TransitionModel<'_>, state: &mut State) {
    let time = time(model, state.substeps);
    for number in 0..model.emitters.len() {
        enter(model, number, time, state);
    }
}

/// The same where the state lives on a device. Returns whether more are to come.
///
/// The device first does all steps that it was given: those that it froze for want of room would happen with the new
/// grains otherwise, or without, as it comes.
#[cfg(feature = "gpu")]
pub fn emit_on(gpu: &dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<bool, GpuError> {
    let mut open = false;
    for (number, emitter) in model.emitters.iter().enumerate() {
        let entered = enter(model, number, time(model, gpu.substeps()), host);
        if !entered.is_empty() {
            gpu.wait()?;
            gpu.upload_particles(host, &entered);
        }
        open |= host.emitted[number] < emitter.most();
    }
    Ok(open)
}

/// Wakes grains up at the mouth; returns which. Where nobody waits to come out, nobody does, and that moment passes.
fn enter(model: &TransitionModel<'_>, number: usize, time: f64, state: &mut State) -> Vec<u32> {
    let emitter: &Emitter = &model.emitters[number];
    let mut entered = Vec::new();
    let out = state.emitted[number];
    if out >= emitter.most() {
        return entered;
    }
    for grain in out..emitter.out_at(time) {
        let waiting = (grain < emitter.places.len()).then_some((emitter.first + grain) as u32);
        if let Some(i) = waiting.or_else(|| state.returned[number].pop_front()) {
            wake(state, i as usize, emitter.place_of(grain, time), emitter.velocity, (emitter.weight, emitter.phase));
            entered.push(i);
        }
        state.emitted[number] = grain + 1;
    }
    entered
}
