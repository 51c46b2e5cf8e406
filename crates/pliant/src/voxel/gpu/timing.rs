//! Times of stages: the device's own where it has a clock, else the host's.

use crate::runtime::gpu::device::Device;
use crate::voxel::gpu::VoxelStage;
use crate::voxel::gpu::buffers::{HEAD, VoxelBuffers};

const COUNT: usize = 2 * VoxelStage::ALL.len();
const BYTES: u64 = 8 * COUNT as u64;

/// Queries and the buffer that they are resolved into.
pub struct VoxelTimer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds of a tick.
    tick: f64,
}

impl VoxelTimer {
    /// For a device that has timestamps.
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

    /// Where the pass of a stage writes its begin and its end.
    pub fn writes(&self, stage: VoxelStage) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * stage as u32),
            end_of_pass_write_index: Some(2 * stage as u32 + 1),
        }
    }

    /// Encodes the way of the times to the head, where they are last.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, buffers: &VoxelBuffers) {
        encoder.resolve_query_set(&self.queries, 0..COUNT as u32, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, buffers.head(), HEAD - BYTES, BYTES);
    }

    /// Seconds of a stage from the words of the head.
    pub fn seconds(&self, head: &[u32], stage: VoxelStage) -> f64 {
        let words = &head[head.len() - 2 * COUNT..];
        let tick = |k: usize| u64::from(words[2 * k]) | u64::from(words[2 * k + 1]) << 32;
        let (begin, end) = (tick(2 * stage as usize), tick(2 * stage as usize + 1));
        end.saturating_sub(begin) as f64 * self.tick
    }
}
