//! Copies of the state that stay on the device.

use crate::rigid_body::bodies::RigidBodies;
use crate::runtime::gpu::error::GpuError;
use crate::solver::gpu::Gpu;
use crate::state::State;
use wgpu::{Buffer, BufferUsages};

/// A moment of a simulation in buffers of the device: all that a step reads of the steps before it. What belongs to the
/// host is kept beside it.
pub(crate) struct DeviceSnapshot {
    /// Number of the backend that made it.
    backend: u64,
    /// Contents of a readback: rows, motion, multipliers, contacts, flags.
    state: Buffer,
    /// Poses of bodies.
    poses: Option<Buffer>,
    substeps: u64,
    /// Phases and radii, which only callers change.
    phases: Vec<u32>,
    radii: Vec<f32>,
    /// Rigid bodies, which the host moves.
    rigid_bodies: RigidBodies,
}

impl DeviceSnapshot {
    /// Whether a backend has made it.
    pub(crate) fn is_of(&self, gpu: &Gpu) -> bool {
        self.backend == gpu.number
    }

    /// Memory on the device [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        self.state.size() + self.poses.as_ref().map_or(0, Buffer::size)
    }
}

impl Gpu {
    /// Copies the state within the device, into the buffers of `reused` if they fit. `host` has the phases and radii.
    pub(crate) fn keep(&self, host: &State, reused: Option<DeviceSnapshot>) -> Result<DeviceSnapshot, GpuError> {
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let new = |label: &'static str, bytes: u64| self.device.buffer(label, bytes.max(16), usage);
        let (state, poses) = match reused.filter(|old| old.backend == self.number) {
            Some(old) => (old.state, old.poses),
            None => {
                let poses = self.bodies.as_ref().map(|bodies| new("kept poses", bodies.poses().size())).transpose()?;
                (new("kept state", self.buffers.moving_bytes())?, poses)
            }
        };
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        self.buffers.copy_moving_to(&mut encoder, &state);
        if let (Some(bodies), Some(kept)) = (&self.bodies, &poses) {
            encoder.copy_buffer_to_buffer(bodies.poses(), 0, kept, 0, bodies.poses().size());
        }
        self.device.queue.submit([encoder.finish()]);
        self.device.alive()?;
        let (phases, radii) = (host.phases.clone(), host.radii.clone());
        let (substeps, rigid_bodies) = (self.substeps, self.rigid_bodies.state.clone());
        Ok(DeviceSnapshot { backend: self.number, state, poses, substeps, phases, radii, rigid_bodies })
    }

    /// Returns to a moment that this backend has kept. `host` gets its phases and radii.
    pub(crate) fn put_back(&mut self, kept: &DeviceSnapshot, host: &mut State) -> Result<(), GpuError> {
        // Reports of later steps do not apply to this state.
        self.device.wait()?;
        let _ = self.status.poll(&self.device);
        self.in_flight.clear();
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        self.buffers.copy_moving_from(&mut encoder, &kept.state);
        if let (Some(bodies), Some(poses)) = (&self.bodies, &kept.poses) {
            encoder.copy_buffer_to_buffer(poses, 0, bodies.poses(), 0, bodies.poses().size());
        }
        self.device.queue.submit([encoder.finish()]);
        self.substeps = kept.substeps;
        self.rigid_bodies.put(&kept.rigid_bodies);
        host.radii.copy_from_slice(&kept.radii);
        let changed = self.tables.change_radii(&kept.radii);
        let at = 4 * changed.start as u64;
        self.buffers.write(&self.device, &self.buffers.params, at, &self.tables.arena.params[changed]);
        if host.phases != kept.phases {
            host.phases.copy_from_slice(&kept.phases);
            if let Some(particles) = self.tables.contact.particles {
                particles.upload_phases(&self.device, &self.buffers, host, 0..host.phases.len());
            }
        }
        self.device.alive()
    }
}
