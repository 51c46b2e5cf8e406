//! Device times by stage.

use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;

/// Maximum number of substeps whose stages are timed by one submission.
pub const MOST: u32 = 256;

/// Maximum number of passes timed by one submission: a set has at most 4096 queries, two for each.
pub const MOST_PASSES: usize = 2048;

/// Queries and the buffers they go through.
pub struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
    tick: f32,
    /// Compute passes of a substep that are timed.
    stages: usize,
}

impl Timer {
    /// For a device that has timestamps: times this many passes of each of [`MOST`] substeps.
    pub fn new(device: &Device, stages: usize) -> Option<Self> {
        Self::of(device, stages, MOST)
    }

    /// Times this many passes of each of some substeps.
    pub fn of(device: &Device, stages: usize, substeps: u32) -> Option<Self> {
        let tick = device.tick?;
        let count = substeps * 2 * stages as u32;
        let buffer = |usage| {
            let size = u64::from(count) * 8;
            let label = Some("times");
            device.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        };
        Some(Self {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("times"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            tick,
            stages,
        })
    }

    /// Timestamp writes of a stage's pass.
    pub fn writes(&self, substep: u32, stage: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        let first = 2 * (substep * self.stages as u32 + stage as u32);
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }
    }

    /// Encodes the copy of the timestamps to a readback buffer.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, substeps: u32) {
        let count = substeps * 2 * self.stages as u32;
        encoder.resolve_query_set(&self.queries, 0..count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readback, 0, u64::from(count) * 8);
    }

    /// Seconds of each stage, over all substeps; waits for them.
    pub fn read(&self, device: &Device, substeps: u32) -> Result<Vec<f64>, GpuError> {
        let bytes = u64::from(substeps * 2 * self.stages as u32) * 8;
        let slice = self.readback.slice(..bytes);
        slice.map_async(wgpu::MapMode::Read, |_| {});
        device.wait()?;
        let view = slice.get_mapped_range().map_err(|e| GpuError::Lost(e.to_string()))?;
        let ticks: &[u64] = bytemuck::cast_slice(&view);
        let mut seconds = vec![0.0; self.stages];
        for substep in ticks.chunks_exact(2 * self.stages) {
            for (sum, pair) in seconds.iter_mut().zip(substep.chunks_exact(2)) {
                *sum += pair[1].saturating_sub(pair[0]) as f64 * f64::from(self.tick) * 1e-9;
            }
        }
        drop(view);
        self.readback.unmap();
        Ok(seconds)
    }
}
