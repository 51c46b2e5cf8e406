//! The buffers of a simulation on the device: made once, filled from model and state, read back when asked.

use crate::math::RowData;
use crate::model::Model;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::solver::gpu::layouts::Substep;
use crate::solver::gpu::model_packing::{NONE, Tables};
use crate::solver::gpu::pass_uniforms::Uniform;
use crate::solver::gpu::shader_constants::{
    DIVERGED_PREDICT, DIVERGED_SOLVE, FROZEN, LOWEST, MARKS, RUNNING_PREDICT, RUNNING_SOLVE, SUBSTEPS,
};
use crate::state::State;
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use std::ops::Range;
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
    /// Pushes, slots, gradients.
    pub work: Buffer,
    /// Counter, alarm, masks.
    pub marks: Buffer,
    /// Parameters.
    pub params: Buffer,
    /// Tables.
    pub topology: Buffer,
    /// Obstacles, coefficients, pins.
    pub fixtures: Buffer,
    /// Uniforms of substeps.
    pub substeps: Buffer,
    /// Uniforms of dispatches.
    pub pass_uniforms: Buffer,
    /// Where everything that changes is copied for the host.
    readback: Buffer,
    /// Distance of records in `substeps` and `pass_uniforms` [bytes].
    pub stride: u32,
    /// Arrays of rows in `motion`.
    arrays: usize,
    /// What is read back of the first five buffers [bytes].
    moving: [u64; 5],
    /// All of them [bytes].
    pub bytes: u64,
    /// What the host has written so far [bytes].
    written: AtomicU64,
}

/// Sizes that the backend decides.
pub struct Sizes {
    /// Uniforms of substeps.
    pub substeps: usize,
    /// Vectors of `fixtures`.
    pub fixtures: usize,
}

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

impl Buffers {
    /// Makes all of them.
    pub fn new(
        device: &Device,
        model: &Model,
        state: &State,
        tables: &Tables,
        uniforms: &[Uniform],
        sizes: &Sizes,
    ) -> Result<Self, GpuError> {
        let solid = state.velocities.len();
        let arrays = if state.older.is_empty() { 2 } else { 4 };
        let copies = model.phantoms.owners.len() + if tables.fused { model.phantoms.seams } else { 0 };
        let row = size_of::<RowData>();
        let stride = (size_of::<Substep>().max(Uniform::BYTES) as u32).next_multiple_of(device.alignment);
        let size = |n: usize, each: usize| (n * each).max(16) as u64;
        let mut wanted = [
            ("rows", size(solid + copies, row)),
            ("motion", size(tables.motion, row)),
            ("lambda", size(tables.lambda, 4)),
            ("work", size(tables.work, row)),
            ("marks", size(tables.marks, 4)),
            ("params", size(tables.params.len(), 4)),
            ("topology", size(tables.topology.len(), 4)),
            ("fixtures", size(sizes.fixtures, row)),
            ("substeps", size(sizes.substeps, stride as usize)),
            ("pass_uniforms", size(uniforms.len(), stride as usize)),
            ("readback", 0),
        ];
        let moving = [
            (solid * row) as u64,
            (arrays * solid * row) as u64,
            wanted[2].1,
            (work_seen(model, state, tables) * row) as u64,
            wanted[4].1,
        ];
        wanted[10].1 = moving.iter().sum();
        let total = wanted.iter().map(|(_, bytes)| bytes).sum();
        let mut made = Vec::new();
        for (buffer, bytes) in wanted {
            let most = if buffer == "readback" { u64::MAX } else { device.binding_bytes };
            if bytes > most {
                return Err(GpuError::TooLarge { buffer, needed: bytes, most, adapter: device.name.clone() });
            }
            let usage = match buffer {
                "readback" => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                "substeps" | "pass_uniforms" => BufferUsages::UNIFORM | BufferUsages::COPY_DST,
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
            marks: take()?,
            params: take()?,
            topology: take()?,
            fixtures: take()?,
            substeps: take()?,
            pass_uniforms: take()?,
            readback: take()?,
            stride,
            arrays,
            moving,
            bytes: total,
            written: AtomicU64::new(0),
        };
        all.write(device, &all.topology, 0, &tables.topology);
        for (k, record) in uniforms.iter().enumerate() {
            all.write(device, &all.pass_uniforms, k as u64 * u64::from(stride), record.words());
        }
        all.upload_params(device, tables);
        all.upload_state(device, state, tables);
        Ok(all)
    }

    /// Writes numbers at a place [bytes].
    pub fn write<T: Pod>(&self, device: &Device, buffer: &Buffer, at: u64, data: &[T]) {
        if !data.is_empty() {
            self.written.fetch_add(size_of_val(data) as u64, Ordering::Relaxed);
            device.queue.write_buffer(buffer, at, cast_slice(data));
        }
    }

    /// What the host has written so far [bytes].
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Parameters of constraints and particles.
    pub fn upload_params(&self, device: &Device, tables: &Tables) {
        self.write(device, &self.params, 0, &tables.params);
        self.write(device, &self.fixtures, 0, &tables.fixtures);
    }

    /// Everything that moves.
    pub fn upload_state(&self, device: &Device, state: &State, tables: &Tables) {
        let solid = (state.velocities.len() * size_of::<RowData>()) as u64;
        self.write(device, &self.rows, 0, &state.rows);
        let arrays = [&state.previous, &state.velocities, &state.older, &state.older_velocities];
        for (k, array) in arrays.into_iter().take(self.arrays).enumerate() {
            self.write(device, &self.motion, k as u64 * solid, array);
        }
        let mut dealt = state.multipliers.clone();
        tables.patches.packed_batches.iter().for_each(|packed_batch| packed_batch.deal(&mut dealt));
        let lambda: Vec<f32> = dealt.iter().flatten().chain(&state.inflate_multipliers).copied().collect();
        self.write(device, &self.lambda, 0, &lambda);
        let mut header = [0; MARKS as usize];
        header[SUBSTEPS as usize] = state.substeps as u32;
        for word in [DIVERGED_PREDICT, DIVERGED_SOLVE, RUNNING_PREDICT, RUNNING_SOLVE, LOWEST] {
            header[word as usize] = NONE;
        }
        self.write(device, &self.marks, 0, &header);
        // Nothing of the iterations to come: pieces that run side by side know them by the highest byte.
        let past = (state.substeps as u32).wrapping_mul(tables.iterations) << 24;
        let nothing = vec![past; tables.marks - tables.exchange as usize];
        self.write(device, &self.marks, 4 * u64::from(tables.exchange), &nothing);
        if tables.mass_splitting != NONE {
            // Nothing goes on from the substep before, and no body has contacts yet.
            let masks = vec![0_u32; (tables.first_order - tables.masks) as usize];
            self.write(device, &self.marks, 4 * u64::from(tables.masks), &masks);
            let counts = vec![0_u32; tables.marks - tables.contact_counts as usize];
            self.write(device, &self.marks, 4 * u64::from(tables.contact_counts), &counts);
        }
        let first_order: Vec<u32> = state.first_order.iter().map(|&f| u32::from(f)).collect();
        self.write(device, &self.marks, 4 * u64::from(tables.first_order), &first_order);
    }

    /// What moves of some particles.
    pub fn upload_particles(&self, device: &Device, state: &State, tables: &Tables, range: Range<usize>) {
        let row = size_of::<RowData>() as u64;
        let at = range.start as u64 * row;
        self.write(device, &self.rows, at, &state.rows[range.clone()]);
        let arrays = [&state.previous, &state.velocities, &state.older, &state.older_velocities];
        for (k, array) in arrays.into_iter().take(self.arrays).enumerate() {
            let whole = (state.velocities.len() * k) as u64 * row;
            self.write(device, &self.motion, whole + at, &array[range.clone()]);
        }
        self.upload_orders(device, state, tables, range);
    }

    /// How fast some particles are, who have no past.
    pub fn upload_velocities(&self, device: &Device, state: &State, tables: &Tables, range: Range<usize>) {
        for (k, array) in [(1, &state.velocities), (3, &state.older_velocities)] {
            if k < self.arrays {
                let at = (state.velocities.len() * k + range.start) * size_of::<RowData>();
                self.write(device, &self.motion, at as u64, &array[range.clone()]);
            }
        }
        self.upload_orders(device, state, tables, range);
    }

    fn upload_orders(&self, device: &Device, state: &State, tables: &Tables, range: Range<usize>) {
        if !state.first_order.is_empty() {
            let first_order: Vec<u32> = state.first_order[range.clone()].iter().map(|&f| u32::from(f)).collect();
            self.write(device, &self.marks, 4 * (u64::from(tables.first_order) + range.start as u64), &first_order);
        }
    }

    /// Reads back where some particles are.
    pub fn read_places(&self, device: &Device, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        read(device, &self.rows, range.start, &mut state.rows[range])
    }

    /// Reads back how fast some particles are.
    pub fn read_velocities(&self, device: &Device, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        read(device, &self.motion, state.velocities.len() + range.start, &mut state.velocities[range])
    }

    /// Lets go on what was frozen for want of room.
    pub fn unfreeze(&self, device: &Device) {
        self.write(device, &self.marks, 4 * u64::from(FROZEN), &[0_u32]);
        self.write(device, &self.marks, 4 * u64::from(LOWEST), &[NONE]);
    }

    /// Reads back everything that moves, and calls `also` with the contacts' pushes and masks.
    pub fn download(
        &self,
        device: &Device,
        state: &mut State,
        tables: &Tables,
        also: impl FnOnce(&[RowData], &[u32]),
    ) -> Result<(), GpuError> {
        device.alive()?;
        let from = [&self.rows, &self.motion, &self.lambda, &self.work, &self.marks];
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut at = 0;
        for (buffer, bytes) in from.into_iter().zip(self.moving) {
            if bytes > 0 {
                encoder.copy_buffer_to_buffer(buffer, 0, &self.readback, at, bytes);
            }
            at += bytes;
        }
        device.queue.submit([encoder.finish()]);
        let bytes = self.mapped(device, &self.readback)?;
        let mut parts = Vec::new();
        let mut at = 0;
        for bytes_of in self.moving {
            let end = at + bytes_of as usize;
            parts.push(&bytes[at..end]);
            at = end;
        }
        let solid = state.velocities.len();
        copy(&mut state.rows[..solid], parts[0]);
        let whole = solid * size_of::<RowData>();
        let arrays = [&mut state.previous, &mut state.velocities, &mut state.older, &mut state.older_velocities];
        for (k, array) in arrays.into_iter().take(self.arrays).enumerate() {
            copy(array, &parts[1][k * whole..]);
        }
        let mut lambda = parts[2];
        for group in state.multipliers.iter_mut().chain(std::iter::once(&mut state.inflate_multipliers)) {
            let (own, rest) = lambda.split_at(4 * group.len());
            copy(group, own);
            lambda = rest;
        }
        let marks: &[u32] = cast_slice(parts[4]);
        for (flag, &mark) in state.first_order.iter_mut().zip(&marks[tables.first_order as usize..]) {
            *flag = mark != 0;
        }
        also(cast_slice(parts[3]), marks);
        drop(bytes);
        self.readback.unmap();
        Ok(())
    }

    fn mapped(&self, device: &Device, buffer: &Buffer) -> Result<wgpu::BufferView, GpuError> {
        let (send, receive) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |done| {
            let _ = send.send(done);
        });
        device.wait()?;
        let lost = |e: String| GpuError::Lost(e);
        receive.recv().map_err(|e| lost(e.to_string()))?.map_err(|e| lost(e.to_string()))?;
        buffer.get_mapped_range(..).map_err(|e| lost(e.to_string()))
    }
}

/// Vectors of `work` that the host looks at: pushes of colliders, then what particles that touch each other keep.
fn work_seen(model: &Model, state: &State, tables: &Tables) -> usize {
    if tables.meets == NONE {
        let flow = if model.fluid.is_some() { state.particles } else { 0 };
        return state.rows.len() * model.colliders.len() + flow;
    }
    tables.meets as usize + state.particles
}

/// Reads vectors of a buffer back, from one on.
pub fn read(device: &Device, buffer: &Buffer, first: usize, to: &mut [RowData]) -> Result<(), GpuError> {
    let row = size_of::<RowData>();
    let words = device.download_some(buffer, (first * row) as u64, size_of_val(to) as u64)?;
    copy(to, cast_slice(&words));
    Ok(())
}

/// Copies as many numbers as `to` has.
fn copy<T: Pod>(to: &mut [T], from: &[u8]) {
    let bytes: &mut [u8] = cast_slice_mut(to);
    bytes.copy_from_slice(&from[..bytes.len()]);
}
