//! The buffers of a voxelizer: they grow on demand and are reused between calls.

use crate::runtime::gpu::device::{Device, UNIFORMS};
use crate::runtime::gpu::error::GpuError;
use crate::voxel::gpu::plan::{STARTS, STATUS, Sizes, VoxelUniforms};
use crate::voxel::gpu::shaders::Pipelines;
use bytemuck::cast_slice;
use std::ops::Range;
use wgpu::{Buffer, BufferUsages};

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

/// Names of the shader buffers, by binding; the last are records.
const NAMES: [&str; 9] =
    ["mesh", "voxels", "distances", "other distances", "blocks", "masks", "centers", "gradients", "records"];

/// Binding indices of some of them.
pub const MESH: usize = 0;
pub const WORDS: usize = 1;
pub const CODES: usize = 2;
pub const MASKS: usize = 5;
pub const PLACES: usize = 6;
pub const SHAPES: usize = 7;
const RECORDS: usize = 8;

/// Maximum records: two of distances, four of levels.
const MOST_RECORDS: u64 = 8;

/// Bytes of a particle in each of its two buffers.
pub const PARTICLE: u64 = 16;

/// Bytes that are always read back: the status, the starts, and six timestamps.
pub const HEAD: u64 = 4 * (STATUS + STARTS) as u64 + 8 * 6;

/// All buffers, and their bind groups.
pub struct VoxelBuffers {
    buffers: Vec<Buffer>,
    /// In order, and with `codes` and `others` swapped.
    bindings: [wgpu::BindGroup; 2],
    /// Buffer for host reads.
    readback: Buffer,
    /// Stride of records [bytes].
    pub stride: u32,
}

impl VoxelBuffers {
    /// Creates buffers of minimal size.
    pub fn new(device: &Device, pipelines: &Pipelines) -> Result<Self, GpuError> {
        let stride = (size_of::<VoxelUniforms>() as u32).next_multiple_of(device.alignment);
        let least = |k: usize| if k == RECORDS { MOST_RECORDS * u64::from(stride) } else { 256 };
        let buffers = (0..NAMES.len()).map(|k| make(device, k, least(k), 0)).collect::<Result<Vec<_>, _>>()?;
        let bindings = bind(device, pipelines, &buffers, stride)?;
        Ok(Self { bindings, readback: readback(device, HEAD)?, buffers, stride })
    }

    /// Grows buffers that are too small for this number of particles. On an error nothing changes, so that buffers
    /// and bind groups match.
    pub fn grow(
        &mut self,
        device: &Device,
        pipelines: &Pipelines,
        sizes: &Sizes,
        particles: u64,
    ) -> Result<(), GpuError> {
        let particles = PARTICLE * particles.max(1);
        let wanted =
            [sizes.mesh, sizes.words, sizes.codes, sizes.codes, sizes.blocks, sizes.masks, particles, particles];
        let total = wanted.iter().sum();
        let mut buffers = self.buffers.clone();
        for (k, bytes) in wanted.into_iter().enumerate().filter(|(k, bytes)| self.buffers[*k].size() < *bytes) {
            buffers[k] = make(device, k, bytes, total)?;
        }
        if buffers != self.buffers {
            self.bindings = bind(device, pipelines, &buffers, self.stride)?;
            self.buffers = buffers;
        }
        Ok(())
    }

    /// Particle capacity.
    pub fn capacity(&self) -> u32 {
        u32::try_from(self.buffers[PLACES].size() / PARTICLE).unwrap_or(u32::MAX)
    }

    /// A buffer by its binding.
    pub fn buffer(&self, number: usize) -> &Buffer {
        &self.buffers[number]
    }

    /// The bind group.
    pub fn bindings(&self, swapped: bool) -> &wgpu::BindGroup {
        &self.bindings[usize::from(swapped)]
    }

    /// Memory on the device [bytes].
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::size).sum::<u64>() + self.readback.size()
    }

    /// Uploads a table and records.
    pub fn send(&self, device: &Device, table: &[u32], records: &[VoxelUniforms]) {
        device.queue.write_buffer(&self.buffers[MESH], 0, cast_slice(table));
        for (k, record) in records.iter().enumerate() {
            let at = k as u64 * u64::from(self.stride);
            device.queue.write_buffer(&self.buffers[RECORDS], at, bytemuck::bytes_of(record));
        }
    }

    /// Readback buffer of the status, the starts and the timestamps.
    pub fn head(&self) -> &Buffer {
        &self.readback
    }

    /// The words of that buffer, after the copy.
    pub fn read_head(&self, device: &Device) -> Result<Vec<u32>, GpuError> {
        read(device, &self.readback, HEAD)
    }

    /// Reads words of buffers, one range [bytes] of each, concatenated.
    pub fn fetch(&mut self, device: &Device, parts: &[(usize, Range<u64>)]) -> Result<Vec<u32>, GpuError> {
        let bytes: u64 = parts.iter().map(|(_, range)| range.end - range.start).sum();
        if bytes == 0 {
            return Ok(Vec::new());
        }
        if self.readback.size() < bytes {
            self.readback = readback(device, bytes)?;
        }
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for (number, range) in parts.iter().filter(|(_, range)| !range.is_empty()) {
            let size = range.end - range.start;
            encoder.copy_buffer_to_buffer(&self.buffers[*number], range.start, &self.readback, at, size);
            at += size;
        }
        device.queue.submit([encoder.finish()]);
        read(device, &self.readback, bytes)
    }
}

fn make(device: &Device, number: usize, bytes: u64, total: u64) -> Result<Buffer, GpuError> {
    let (buffer, most) = (NAMES[number], device.binding_bytes);
    if bytes > most {
        return Err(GpuError::TooLarge { buffer, needed: bytes, most, adapter: device.name.clone() });
    }
    let usage = if number == RECORDS { UNIFORMS } else { STORAGE };
    let descriptor = wgpu::BufferDescriptor { label: Some(buffer), size: bytes, usage, mapped_at_creation: false };
    let made = device.attempt(buffer, || device.device.create_buffer(&descriptor));
    made.map_err(|_| GpuError::OutOfMemory { buffer, bytes, total })
}

fn readback(device: &Device, size: u64) -> Result<Buffer, GpuError> {
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: Some("readback"), size, usage, mapped_at_creation: false };
    let made = device.attempt("readback", || device.device.create_buffer(&descriptor));
    made.map_err(|_| GpuError::OutOfMemory { buffer: "readback", bytes: size, total: size })
}

fn read(device: &Device, buffer: &Buffer, bytes: u64) -> Result<Vec<u32>, GpuError> {
    let slice = buffer.slice(..bytes);
    slice.map_async(wgpu::MapMode::Read, |_| {});
    device.wait()?;
    let view = slice.get_mapped_range().map_err(|e| GpuError::Lost(e.to_string()))?;
    let words = cast_slice(&view).to_vec();
    drop(view);
    buffer.unmap();
    Ok(words)
}

fn bind(
    device: &Device,
    pipelines: &Pipelines,
    buffers: &[Buffer],
    stride: u32,
) -> Result<[wgpu::BindGroup; 2], GpuError> {
    let group = |order: [usize; 9]| {
        let entries = std::array::from_fn::<_, 9, _>(|k| {
            let whole = wgpu::BufferBinding { buffer: &buffers[order[k]], offset: 0, size: None };
            let size = if k == RECORDS { std::num::NonZeroU64::new(u64::from(stride)) } else { None };
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { size, ..whole });
            wgpu::BindGroupEntry { binding: k as u32, resource }
        });
        let (label, layout) = (Some("voxels"), &pipelines.layout);
        device.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
    };
    device
        .attempt("the bindings of voxels", || [group([0, 1, 2, 3, 4, 5, 6, 7, 8]), group([0, 1, 3, 2, 4, 5, 6, 7, 8])])
}
