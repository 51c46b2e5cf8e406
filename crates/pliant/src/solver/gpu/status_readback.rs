//! Detection of divergence, read back without waiting.
//!
//! Shaders record the first particle that diverged and the number of substeps done. The host examines a copy when it has
//! arrived, and waits for it only when the state is read.

use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::shader_constants::NONE;
use crate::schedule::Stage;
use crate::schedule::gpu::constants::{
    DIVERGED_PREDICT, DIVERGED_SOLVE, FROZEN, LISTS_FULL, STATUS_WORDS, STUCK, SUBSTEPS,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const IDLE: u8 = 0;
const UNDER_WAY: u8 = 1;
const READY: u8 = 2;
const FAILED: u8 = 3;

/// Bytes of the status words at the start of `flags`.
const BYTES: u64 = 4 * STATUS_WORDS as u64;

/// The first particle that diverged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Stage in which it was detected.
    pub stage: Stage,
    /// Index of the particle.
    pub particle: usize,
    /// Substeps done, including the one that diverged.
    pub substeps: u64,
}

/// Status of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// No error.
    Fine,
    /// A particle diverged.
    Diverged(Divergence),
    /// Lists of neighbors had no room: so many substeps were done (modulo 2³²), and none since.
    ListsFull {
        /// Substeps.
        done: u32,
    },
}

/// A copy of the status words on its way to the host.
pub struct StatusReadback {
    buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

impl StatusReadback {
    /// Makes the place it is copied to.
    pub fn new(device: &Device) -> Self {
        let buffer = device.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("status"),
            size: BYTES,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, state: Arc::new(AtomicU8::new(IDLE)) }
    }

    /// Encodes a copy, unless the last one has not been read. Returns whether [`Self::send`] is due.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, flags: &wgpu::Buffer) -> bool {
        let idle = self.state.load(Ordering::Acquire) == IDLE;
        if idle {
            encoder.copy_buffer_to_buffer(flags, 0, &self.buffer, 0, BYTES);
        }
        idle
    }

    /// Asks for the copy, after the commands were submitted.
    pub fn send(&self) {
        self.state.store(UNDER_WAY, Ordering::Release);
        let state = self.state.clone();
        self.buffer.map_async(wgpu::MapMode::Read, .., move |done| {
            state.store(if done.is_ok() { READY } else { FAILED }, Ordering::Release);
        });
    }

    /// Status in the copy, if it has arrived.
    pub fn poll(&self, device: &Device) -> Result<Signal, GpuError> {
        if self.state.load(Ordering::Acquire) == UNDER_WAY {
            let polled = device.device.poll(wgpu::PollType::Poll);
            polled.map_err(|e| GpuError::Lost(e.to_string()))?;
        }
        device.alive()?;
        match self.state.load(Ordering::Acquire) {
            READY => {}
            FAILED => return Err(GpuError::Lost("the status could not be read".to_owned())),
            _ => return Ok(Signal::Fine),
        }
        let view = self.buffer.get_mapped_range(..).map_err(|e| GpuError::Lost(e.to_string()))?;
        let found = read(bytemuck::cast_slice(&view));
        drop(view);
        self.buffer.unmap();
        self.state.store(IDLE, Ordering::Release);
        found
    }
}

/// Status in the words at the start of `flags`.
pub fn read(flags: &[u32]) -> Result<Signal, GpuError> {
    let [substeps, predict, solve, frozen, stuck] =
        [SUBSTEPS, DIVERGED_PREDICT, DIVERGED_SOLVE, FROZEN, STUCK].map(|word| flags[word as usize]);
    if stuck != 0 {
        let reason = "workgroups no longer run side by side".to_owned();
        return Err(GpuError::Refused { what: "pieces that wait for each other".to_owned(), reason });
    }
    let (stage, particle) = if predict != NONE { (Stage::Predict, predict) } else { (Stage::Solve, solve) };
    let found = Divergence { stage, particle: particle as usize, substeps: u64::from(substeps) };
    Ok(match (particle, frozen) {
        (NONE, LISTS_FULL) => Signal::ListsFull { done: substeps },
        (NONE, _) => Signal::Fine,
        _ => Signal::Diverged(found),
    })
}
