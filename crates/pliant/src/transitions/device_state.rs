//! Access of transitions to a state on a device.

use crate::runtime::gpu::GpuError;
use crate::state::State;
use std::ops::Range;

/// Access to the particles of a state on a device. `host` is the host's copy, current only
/// where it was read back.
pub trait DeviceState {
    /// Substeps submitted since the start.
    fn substeps(&self) -> u64;
    /// Simulated time that was submitted [s].
    fn time(&self) -> f64;
    /// Waits until all submitted steps are done.
    fn wait(&self) -> Result<(), GpuError>;
    /// Reads positions of particles.
    fn read_places(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError>;
    /// Reads positions and velocities of particles.
    fn read_particles(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError>;
    /// Reads positions, velocities and pressure displacements of particles.
    fn read_all(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError>;
    /// Reads the poses of shape-matching bodies.
    fn read_poses(&self, host: &mut State) -> Result<(), GpuError>;
    /// Writes the poses of shape-matching bodies.
    fn upload_poses(&self, host: &State);
    /// Writes velocities of particles and clears their history.
    fn upload_velocities(&self, host: &State, range: Range<usize>);
    /// Writes the state of some particles, in ascending order.
    fn upload_particles(&self, host: &State, particles: &[u32]);
    /// Writes masses and surface fields of bodies.
    fn upload_bodies(&mut self, host: &State);
}
