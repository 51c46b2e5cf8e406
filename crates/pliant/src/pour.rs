//! Grains that come into the world between two steps.
//!
//! They are rows like all others, fixed and asleep until their time has come; letting one out is an edit of the state by
//! the host, the same on every backend. What came out, and when, depends on the number of substeps alone.

#[cfg(feature = "gpu")]
use crate::gpu::{Gpu, GpuError};
use crate::model::{Model, Pour};
use crate::state::{RowData, State};
use std::ops::Range;

/// Lets out whose time has come.
pub fn pour(model: &Model, state: &mut State) {
    for (number, pour) in model.pours.iter().enumerate() {
        if let Some(grains) = due(model, pour, state.poured[number], state.substeps) {
            state.poured[number] = grains.end;
            enter(pour, grains, time(model, state.substeps), state);
        }
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
        if let Some(grains) = due(model, pour, aside.poured[number], gpu.substeps()) {
            gpu.wait(model)?;
            aside.poured[number] = grains.end;
            let rows = enter(pour, grains, time(model, gpu.substeps()), aside);
            gpu.upload_particles(model, aside, rows);
        }
        open |= aside.poured[number] < pour.places.len();
    }
    Ok(open)
}

fn time(model: &Model, substeps: u64) -> f64 {
    substeps as f64 * (f64::from(model.settings.dt) / f64::from(model.settings.substeps))
}

fn due(model: &Model, pour: &Pour, out: usize, substeps: u64) -> Option<Range<usize>> {
    let now = if out < pour.places.len() { pour.out_at(time(model, substeps)) } else { out };
    (now > out).then_some(out..now)
}

/// Wakes grains up at the mouth; returns their rows.
fn enter(pour: &Pour, grains: Range<usize>, time: f64, state: &mut State) -> Range<usize> {
    let v = pour.velocity;
    let velocity: RowData = [v.x, v.y, v.z, 0.0];
    for grain in grains.clone() {
        let (i, p) = (pour.first + grain, pour.place_of(grain, time));
        let row = [p.x, p.y, p.z, pour.weight];
        (state.rows[i], state.previous[i], state.velocities[i]) = (row, row, velocity);
        state.phases[i] = pour.phase;
        // No past: the first substep is of first order.
        if let Some(first) = state.first_order.get_mut(i) {
            (*first, state.older[i], state.older_velocities[i]) = (true, row, velocity);
        }
    }
    pour.first + grains.start..pour.first + grains.end
}
