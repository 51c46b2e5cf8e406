//! Transitions between steps on a device.

use crate::model::Model;
use crate::runtime::gpu::GpuError;
use crate::solver::gpu::Gpu;
use crate::state::State;
use crate::transitions::device_state::DeviceState;
use std::ops::Range;

/// A device with the model that it runs.
pub(crate) struct DeviceModel<'a> {
    pub(crate) gpu: &'a mut Gpu,
    pub(crate) model: &'a Model,
}

impl DeviceState for DeviceModel<'_> {
    fn substeps(&self) -> u64 {
        self.gpu.substeps()
    }
    fn time(&self) -> f64 {
        self.gpu.time()
    }
    fn wait(&self) -> Result<(), GpuError> {
        self.gpu.wait(self.model)
    }
    fn read_places(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.gpu.read_places(host, range)
    }
    fn read_particles(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.gpu.read_particles(host, range)
    }
    fn read_all(&self, host: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.gpu.read_all(host, range)
    }
    fn read_poses(&self, host: &mut State) -> Result<(), GpuError> {
        self.gpu.read_poses(host)
    }
    fn upload_poses(&self, host: &State) {
        self.gpu.upload_poses(host);
    }
    fn upload_velocities(&self, host: &State, range: Range<usize>) {
        self.gpu.upload_velocities(host, range);
    }
    fn upload_particles(&self, host: &State, particles: &[u32]) {
        self.gpu.upload_particles(self.model, host, particles);
    }
    fn upload_bodies(&mut self, host: &State) {
        self.gpu.upload_bodies(self.model, host);
    }
}
