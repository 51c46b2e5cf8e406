//! Draining: particles removed between two steps.
//!
//! Particles in a drain at the end of a step become inactive where they are, like those waiting in an emitter: no mass,
//! no contacts, no volume in fluids, not rendered.

use crate::neighbors::INACTIVE;
#[cfg(feature = "gpu")]
use crate::runtime::gpu::GpuError;
use crate::state::State;
use crate::transitions::TransitionModel;
use crate::transitions::deactivate;
#[cfg(feature = "gpu")]
use crate::transitions::device_state::DeviceState;
use glam::Vec3;

/// A particle that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Index of the drain.
    pub drain: u32,
    /// The particle.
    pub particle: u32,
}

/// Deactivates the particles in drains at the end of a step and returns them.
pub fn drain(model: &TransitionModel<'_>, state: &mut State) -> Vec<Taken> {
    let time = state.time;
    remove_drained(model, state, time)
}

/// The same for a state on a device. Reads positions back.
#[cfg(feature = "gpu")]
pub fn drain_on(gpu: &dyn DeviceState, model: &TransitionModel<'_>, host: &mut State) -> Result<Vec<Taken>, GpuError> {
    let ranges = || model.drains.iter().flat_map(|d| &d.takes);
    let (first, end) = (ranges().map(|r| r.start).min(), ranges().map(|r| r.end).max());
    let (Some(first), Some(end)) = (first, end) else { return Ok(Vec::new()) };
    gpu.wait()?;
    gpu.read_places(host, first..end)?;
    let taken = remove_drained(model, host, gpu.time());
    // Drains take particles one after the other.
    let mut particles: Vec<u32> = taken.iter().map(|taken| taken.particle).collect();
    particles.sort_unstable();
    gpu.upload_particles(host, &particles);
    Ok(taken)
}

/// Processes drains and particles in order; a particle in several drains is removed by the first.
fn remove_drained(model: &TransitionModel<'_>, state: &mut State, time: f64) -> Vec<Taken> {
    let mut taken = Vec::new();
    for (number, drain) in model.drains.iter().enumerate() {
        let pose = drain.motion.pose(time);
        for i in drain.takes.iter().cloned().flatten() {
            let [x, y, z, _] = state.rows[i];
            if state.phases[i] == INACTIVE || !drain.holds(&pose, Vec3::new(x, y, z)) {
                continue;
            }
            deactivate(state, i);
            taken.push(Taken { drain: number as u32, particle: i as u32 });
            let of = |p: &crate::transitions::emitter::Emitter| p.particles().contains(&i);
            if let Some(emitter) = model.emitters.iter().position(of).filter(|_| drain.recycle) {
                state.returned[emitter].push_back(i as u32);
            }
        }
    }
    state.drained += taken.len() as u64;
    taken
}
