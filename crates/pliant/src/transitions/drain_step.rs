//! Particles that leave the world between two steps.
//!
//! Who is in a drain when a step ends is put to sleep where it is, as those that wait to be poured: no mass, no contact, no
//! space among liquids, not to be seen.

use crate::neighbors::ASLEEP;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::state::State;
use crate::transitions::TransitionModel;
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use crate::transitions::sleep;
use glam::Vec3;

/// Takes away who is in a drain at the end of a step; returns who.
pub fn drain(model: &TransitionModel<'_>, state: &mut State) -> Vec<u32> {
    let time = state.time;
    take(model, state, time)
}

/// The same where the state lives on a device. Reads back where particles are.
#[cfg(feature = "gpu")]
pub fn drain_on(gpu: &dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<(), GpuError> {
    let ranges = || model.drains.iter().flat_map(|d| &d.takes);
    let (first, end) = (ranges().map(|r| r.start).min(), ranges().map(|r| r.end).max());
    let (Some(first), Some(end)) = (first, end) else { return Ok(()) };
    gpu.wait()?;
    gpu.read_places(host, first..end)?;
    let taken = take(model, host, gpu.time());
    gpu.upload_particles(host, &taken);
    Ok(())
}

/// In the order of drains and particles; one that is in several is taken by the first.
fn take(model: &TransitionModel<'_>, state: &mut State, time: f64) -> Vec<u32> {
    let mut taken = Vec::new();
    for drain in model.drains {
        let pose = drain.motion.pose(time);
        for i in drain.takes.iter().cloned().flatten() {
            let [x, y, z, _] = state.rows[i];
            if state.phases[i] == ASLEEP || !drain.holds(&pose, Vec3::new(x, y, z)) {
                continue;
            }
            sleep(state, i);
            taken.push(i as u32);
            let of = |p: &crate::transitions::emitter::Emitter| (p.first..p.first + p.places.len()).contains(&i);
            if let Some(emitter) = model.emitters.iter().position(of).filter(|_| drain.recycle) {
                state.returned[emitter].push_back(i as u32);
            }
        }
    }
    state.drained += taken.len() as u64;
    taken
}
