//! Stage times: timestamp queries if the device supports them, else host time.

use crate::runtime::gpu::device::Device;
use crate::voxel::gpu::VoxelStage;
use crate::voxel::gpu::buffers::{HEAD, VoxelBuffers};

const COUNT: usize = 2 * VoxelStage::ALL.len();
const BYTES: u64 = 8 * COUNT as u64;

/// Timestamp queries and their resolve buffer.
pub struct VoxelTimer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds per tick.
    tick: f64,
}

impl VoxelTimer {
    /// `None` if the device has no timestamps.
    pub fn new(device: &Device) -> Option<Self> {
        let tick = f64::from(device.tick?) * 1e-9;
        let queries = device.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("times of voxels"),
            ty: wgpu::QueryType::Timestamp,
            count: COUNT as u32,
        });
        let resolved = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("times of voxels"),
            size: BYTES,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Some(Self { queries, resolved, tick })
    }

    /// Timestamp writes at the beginning and end of a stage's pass.
    pub fn writes(&self, stage: VoxelStage) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * stage as u32),
            end_of_pass_write_index: Some(2 * stage as u32 + 1),
        }
    }

    /// Encodes the copy of the timestamps to the end of the readback buffer.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, buffers: &VoxelBuffers) {
        encoder.resolve_query_set(&self.queries, 0..COUNT as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, buffers.head(), HEAD - BYTES, BYTES);
    }

    /// Duration of a stage from the words of that buffer [s].
    pub fn seconds(&self, head: &[u32], stage: VoxelStage) -> f64 {
        let words = &head[head.len() - 2 * COUNT..];
        let tick = |k: usize| u64::from(words[2 * k]) | u64::from(words[2 * k + 1]) << 32;
        let (begin, end) = (tick(2 * stage as usize), tick(2 * stage as usize + 1));
        end.saturating_sub(begin) as f64 * self.tick
    }
}
