//! Grains that come into the world between two steps.
//!
//! They are rows like all others, fixed and asleep until their time has come; letting one out is an edit of the state by
//! the host, the same on every backend. What came out, and when, depends on the number of substeps alone, and on what
//! drains gave back.

#[cfg(feature = "gpu")]
use crate::gpu::{Gpu, GpuError};
use crate::model::{Model, Pour};
use crate::space::ASLEEP;
use crate::state::{RowData, State};
use glam::Vec3;

/// Lets out whose time has come.
pub fn pour(model: &Model, state: &mut State) {
    let time = time(model, state.substeps);
    for number in 0..model.pours.len() {
        enter(model, number, time, state);
    }
}

/// The same where the state lives on a device; `aside` is the host's copy from before. Returns whether more are to come.
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

/// Time after so many substeps [s].
pub fn time(model: &Model, substeps: u64) -> f64 {
    substeps as f64 * (f64::from(model.settings.dt) / f64::from(model.settings.substeps))
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

/// Takes a particle out of the world: fixed, asleep, at rest where it is.
pub fn sleep(state: &mut State, i: usize) {
    let [x, y, z, _] = state.rows[i];
    wake(state, i, Vec3::new(x, y, z), Vec3::ZERO, (0.0, ASLEEP));
}

/// Puts a particle into the world, with its inverse mass [1/kg] and its phase.
pub fn wake(state: &mut State, i: usize, p: Vec3, v: Vec3, (weight, phase): (f32, u32)) {
    let (row, velocity): (RowData, RowData) = ([p.x, p.y, p.z, weight], [v.x, v.y, v.z, 0.0]);
    (state.rows[i], state.previous[i], state.velocities[i]) = (row, row, velocity);
    state.phases[i] = phase;
    // No past: the first substep is of first order, and no pressure is carried over.
    if let Some(first) = state.first_order.get_mut(i) {
        (*first, state.older[i], state.older_velocities[i]) = (true, row, velocity);
    }
    if let Some(carried) = state.carried.get_mut(i) {
        (*carried, state.pressures[i]) = ([0.0; 4], 0.0);
    }
}
