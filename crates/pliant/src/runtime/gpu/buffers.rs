//! The buffers that all shaders share: created once, written by the host, read back on request.

use crate::math::RowData;
use crate::runtime::gpu::device::{Device, UNIFORMS};
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::Uniform;
use crate::runtime::gpu::tables::TableArena;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use std::sync::atomic::{AtomicU64, Ordering};
use wgpu::{Buffer, BufferUsages};

/// All buffers, in the order of their bindings.
pub struct Buffers {
    /// Rows.
    pub rows: Buffer,
    /// Start of the substep, velocities, history, forces.
    pub motion: Buffer,
    /// Multipliers.
    pub lambda: Buffer,
    /// Vectors that live for a substep or less.
    pub work: Buffer,
    /// Atomic words.
    pub flags: Buffer,
    /// Read-only numbers.
    pub params: Buffer,
    /// Read-only words.
    pub topology: Buffer,
    /// Read-only vectors.
    pub constants: Buffer,
    /// Uniform records of substeps.
    pub substeps: Buffer,
    /// Uniform records of dispatches.
    pub uniforms: Buffer,
    /// Destination of everything that is read back at once.
    readback: Buffer,
    /// Distance of records in `substeps` and `uniforms` [bytes].
    pub stride: u32,
    /// Size of the record of a substep [bytes].
    pub substep_bytes: usize,
    /// Sizes of the readback of the first five buffers [bytes].
    readback_bytes: [u64; 5],
    /// All of them [bytes].
    pub bytes: u64,
    /// Bytes written by the host so far.
    written: AtomicU64,
    /// Bytes read by the host so far.
    read: AtomicU64,
}

/// Sizes that the tables do not tell.
pub struct Sizes {
    /// Rows.
    pub rows: usize,
    /// Vectors of `constants`, with those that change from substep to substep.
    pub constants: usize,
    /// Uniform records of substeps.
    pub substeps: usize,
    /// Size of such a record [bytes].
    pub substep_bytes: usize,
    /// Extent of a readback: rows, vectors of `motion` and vectors of `work`; all of the other buffers.
    pub readback: [usize; 3],
}

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

impl Buffers {
    /// Creates all of them and writes the tables and uniform records.
    pub fn new(device: &Device, tables: &TableArena, uniforms: &[Uniform], sizes: &Sizes) -> Result<Self, GpuError> {
        let row = size_of::<RowData>();
        let stride = (sizes.substep_bytes.max(Uniform::BYTES) as u32).next_multiple_of(device.alignment);
        let size = |n: usize, each: usize| (n * each).max(16) as u64;
        let mut wanted = [
            ("rows", size(sizes.rows, row)),
            ("motion", size(tables.motion, row)),
            ("lambda", size(tables.lambda, 4)),
            ("work", size(tables.work, row)),
            ("flags", size(tables.flags, 4)),
            ("params", size(tables.params.len(), 4)),
            ("topology", size(tables.topology.len(), 4)),
            ("constants", size(sizes.constants, row)),
            ("substeps", size(sizes.substeps, stride as usize)),
            ("uniforms", size(uniforms.len(), stride as usize)),
            ("readback", 0),
        ];
        let [rows, motion, work] = sizes.readback.map(|n| (n * row) as u64);
        let readback_bytes = [rows, motion, wanted[2].1, work, wanted[4].1];
        wanted[10].1 = readback_bytes.iter().sum();
        let total = wanted.iter().map(|(_, bytes)| bytes).sum();
        let mut made = Vec::new();
        for (buffer, bytes) in wanted {
            let most = if buffer == "readback" { u64::MAX } else { device.binding_bytes };
            if bytes > most {
                return Err(GpuError::TooLarge { buffer, needed: bytes, most, adapter: device.name.clone() });
            }
            let usage = match buffer {
                "readback" => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                "substeps" | "uniforms" => UNIFORMS,
                "rows" => STORAGE | BufferUsages::VERTEX,
                _ => STORAGE,
            };
            let descriptor =
                wgpu::BufferDescriptor { label: Some(buffer), size: bytes, usage, mapped_at_creation: false };
            let one = device.attempt(buffer, || device.device.create_buffer(&descriptor));
            made.push(one.map_err(|_| GpuError::OutOfMemory { buffer, bytes, total })?);
        }
        let mut made = made.into_iter();
        let mut take = || made.next().ok_or(GpuError::NoAdapter);
        let all = Self {
            rows: take()?,
            motion: take()?,
            lambda: take()?,
            work: take()?,
            flags: take()?,
            params: take()?,
            topology: take()?,
            constants: take()?,
            substeps: take()?,
            uniforms: take()?,
            readback: take()?,
            stride,
            substep_bytes: sizes.substep_bytes,
            readback_bytes,
            bytes: total,
            written: AtomicU64::new(0),
            read: AtomicU64::new(0),
        };
        all.write(device, &all.topology, 0, &tables.topology);
        for (k, record) in uniforms.iter().enumerate() {
            all.write(device, &all.uniforms, k as u64 * u64::from(stride), record.words());
        }
        all.upload_params(device, tables);
        Ok(all)
    }

    /// Writes numbers at an offset [bytes].
    pub fn write<T: Pod>(&self, device: &Device, buffer: &Buffer, at: u64, data: &[T]) {
        if !data.is_empty() {
            self.written.fetch_add(size_of_val(data) as u64, Ordering::Relaxed);
            device.queue.write_buffer(buffer, at, cast_slice(data));
        }
    }

    /// Bytes written by the host so far.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Counts what the host writes elsewhere [bytes].
    pub fn count_written(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read by the host so far, as far as they were counted.
    pub fn read_so_far(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Counts what the host reads [bytes].
    pub fn count_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Goes on counting where other buffers, which these replace, have stopped.
    pub fn count_on(&self, old: &Self) {
        self.written.fetch_add(old.written(), Ordering::Relaxed);
        self.count_read(old.read_so_far());
    }

    /// Writes `params` and the fixed part of `constants`.
    pub fn upload_params(&self, device: &Device, tables: &TableArena) {
        self.write(device, &self.params, 0, &tables.params);
        self.write(device, &self.constants, 0, &tables.constants);
    }

    /// Size of what a readback has [bytes].
    pub fn moving_bytes(&self) -> u64 {
        self.readback_bytes.iter().sum()
    }

    /// Encodes a copy of what a readback has to another buffer of the device.
    pub fn copy_moving_to(&self, encoder: &mut wgpu::CommandEncoder, to: &Buffer) {
        let mut at = 0;
        for (buffer, bytes) in self.moving() {
            encoder.copy_buffer_to_buffer(buffer, 0, to, at, bytes);
            at += bytes;
        }
    }

    /// The same back.
    pub fn copy_moving_from(&self, encoder: &mut wgpu::CommandEncoder, from: &Buffer) {
        let mut at = 0;
        for (buffer, bytes) in self.moving() {
            encoder.copy_buffer_to_buffer(from, at, buffer, 0, bytes);
            at += bytes;
        }
    }

    /// Buffers that are read back, and how much of them, in order.
    fn moving(&self) -> impl Iterator<Item = (&Buffer, u64)> {
        let from = [&self.rows, &self.motion, &self.lambda, &self.work, &self.flags];
        from.into_iter().zip(self.readback_bytes).filter(|(_, bytes)| *bytes > 0)
    }

    /// Waits, and calls `read` with what is read back of rows, motion, lambda, work and flags.
    pub fn read_back(&self, device: &Device, read: impl FnOnce([&[u8]; 5])) -> Result<(), GpuError> {
        device.alive()?;
        let mut encoder = device.device.create_command_encoder(&Default::default());
        self.copy_moving_to(&mut encoder, &self.readback);
        device.queue.submit([encoder.finish()]);
        self.count_read(self.moving_bytes());
        let bytes = mapped(device, &self.readback)?;
        let mut rest = &bytes[..];
        read(self.readback_bytes.map(|size| {
            let (part, others) = rest.split_at(size as usize);
            rest = others;
            part
        }));
        drop(bytes);
        self.readback.unmap();
        Ok(())
    }
}

fn mapped(device: &Device, buffer: &Buffer) -> Result<wgpu::BufferView, GpuError> {
    let (send, receive) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |done| {
        let _ = send.send(done);
    });
    device.wait()?;
    let lost = |e: String| GpuError::Lost(e);
    receive.recv().map_err(|e| lost(e.to_string()))?.map_err(|e| lost(e.to_string()))?;
    buffer.get_mapped_range(..).map_err(|e| lost(e.to_string()))
}

/// Reads vectors of a buffer back, from one on.
pub fn read(device: &Device, buffer: &Buffer, first: usize, to: &mut [RowData]) -> Result<(), GpuError> {
    let row = size_of::<RowData>();
    let words = device.download_some(buffer, (first * row) as u64, size_of_val(to) as u64)?;
    copy(to, cast_slice(&words));
    Ok(())
}

/// Copies as many numbers as `to` has.
pub fn copy<T: Pod>(to: &mut [T], from: &[u8]) {
    let bytes: &mut [u8] = cast_slice_mut(to);
    bytes.copy_from_slice(&from[..bytes.len()]);
}
