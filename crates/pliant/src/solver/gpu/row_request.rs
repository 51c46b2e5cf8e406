//! Rows that are copied to the host while steps go on.

use crate::math::RowData;
use crate::runtime::gpu::buffers::copy;
use crate::runtime::gpu::error::GpuError;
use crate::schedule::gpu::constants::STATUS_WORDS;
use crate::solver::gpu::Gpu;
use crate::solver::gpu::status_readback::{self, Signal};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use wgpu::{Buffer, BufferUsages};

const UNDER_WAY: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

/// Bytes of the status words, which tell whether the rows are those that were asked for.
const STATUS: u64 = 4 * STATUS_WORDS as u64;

/// Rows on their way.
#[derive(Debug)]
pub(crate) struct RowRequest {
    buffer: Buffer,
    rows: usize,
    arrived: Arc<AtomicU8>,
}

impl Gpu {
    /// Asks for rows as they are after all steps that were submitted. Does not wait.
    pub(crate) fn request_rows(&self, range: Range<usize>) -> Result<RowRequest, GpuError> {
        self.request(&self.buffers.rows, range)
    }

    /// The same of velocities, of `solid` particles and orientations.
    pub(crate) fn request_velocities(&self, solid: usize, range: Range<usize>) -> Result<RowRequest, GpuError> {
        self.request(&self.buffers.motion, range.start + solid..range.end + solid)
    }

    fn request(&self, from: &Buffer, range: Range<usize>) -> Result<RowRequest, GpuError> {
        let size = size_of::<RowData>() as u64 * range.len() as u64;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let descriptor =
            wgpu::BufferDescriptor { label: Some("rows"), size: STATUS + size, usage, mapped_at_creation: false };
        let buffer = self.device.attempt("requested rows", || self.device.device.create_buffer(&descriptor))?;
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.buffers.flags, 0, &buffer, 0, STATUS);
        if size > 0 {
            let at = size_of::<RowData>() as u64 * range.start as u64;
            encoder.copy_buffer_to_buffer(from, at, &buffer, STATUS, size);
        }
        self.device.queue.submit([encoder.finish()]);
        self.buffers.count_read(size);
        let arrived = Arc::new(AtomicU8::new(UNDER_WAY));
        let there = arrived.clone();
        buffer.map_async(wgpu::MapMode::Read, .., move |done| {
            there.store(if done.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
        Ok(RowRequest { buffer, rows: range.len(), arrived })
    }

    /// The rows, if they have arrived. Does not wait. They are missing in the answer if lists of neighbors were full: then they
    /// would be those of an earlier substep.
    pub(crate) fn poll_rows(&self, request: &RowRequest) -> Result<Option<Option<Vec<RowData>>>, GpuError> {
        let polled = self.device.device.poll(wgpu::PollType::Poll);
        polled.map_err(|e| GpuError::Lost(e.to_string()))?;
        self.device.alive()?;
        match request.arrived.load(Ordering::Acquire) {
            READY => {}
            FAILED => return Err(GpuError::Lost("requested rows could not be read".to_owned())),
            _ => return Ok(None),
        }
        let view = request.buffer.get_mapped_range(..).map_err(|e| GpuError::Lost(e.to_string()))?;
        let (status, rows) = view.split_at(STATUS as usize);
        let late = matches!(status_readback::read(bytemuck::cast_slice(status))?, Signal::ListsFull { .. });
        let mut all = vec![[0.0; 4]; request.rows];
        copy(&mut all, rows);
        Ok(Some((!late).then_some(all)))
    }
}
