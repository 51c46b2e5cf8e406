//! Grains that come into the world between two steps.
//!
//! They are rows like all others, fixed and asleep until their time has come. What came out, and when, depends on the
//! number of substeps alone, and on what drains gave back.

use crate::model::Model;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
#[cfg(feature = "gpu")]
use crate::solver::gpu::Gpu;
use crate::state::State;
use crate::transitions::emitter::Pour;
use crate::transitions::{time, wake};

/// Lets out whose time has come.
pub fn pour(model: &Model, state: &mut State) {
    let time = time(model, state.substeps);
    for number in 0..model.pours.len() {
        enter(model, number, time, state);
    }
}

/// The same where the state lives on a device. Returns whether more are to come.
///
/// The device first does all steps that it was given: those that it froze for want of room would happen with the new
/// grains otherwise, or without, as it comes.
#[cfg(feature = "gpu")]
pub fn pour_on(gpu: &Gpu, model: &Model, aside: &mut State) -> Result<bool, GpuError> {
    let mut open = false;
    for (number, pour) in model.pours.iter().enumerate() {
        let entered = enter(model, number, time(model, gpu.substeps()), aside);
        if !entered.is_empty() {
            gpu.wait(model)?;
            gpu.upload_particles(model, aside, &entered);
        }
        open |= aside.poured[number] < pour.most();
    }
    Ok(open)
}

/// Wakes grains up at the mouth; returns which. Where nobody waits to come out, nobody does, and that moment passes.
fn enter(model: &Model, number: usize, time: f64, state: &mut State) -> Vec<u32> {
    let pour: &Pour = &model.pours[number];
    let mut entered = Vec::new();
    let out = state.poured[number];
    if out >= pour.most() {
        return entered;
    }
    for grain in out..pour.out_at(time) {
        let waiting = (grain < pour.places.len()).then_some((pour.first + grain) as u32);
        if let Some(i) = waiting.or_else(|| state.returned[number].pop_front()) {
            wake(state, i as usize, pour.place_of(grain, time), pour.velocity, (pour.weight, pour.phase));
            entered.push(i);
        }
        state.poured[number] = grain + 1;
    }
    entered
}
