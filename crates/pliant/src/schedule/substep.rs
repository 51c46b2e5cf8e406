//! Shared by all stages of a substep on the CPU: its times, and the first particle that diverged.

use crate::math::V3;
use crate::runtime::cpu::{Isa, Threads};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Beyond this a single-precision position resolves less than a decimeter [m].
pub(crate) const MAX_POSITION: f32 = 1e6;
/// No scene of this engine's scale moves so fast [m/s].
pub(crate) const MAX_SPEED: f32 = 1e4;

/// Shared by all stages of a substep.
pub(crate) struct Substep {
    /// Number of the substep since the start.
    pub(crate) index: u64,
    /// Length [s].
    pub(crate) h: f32,
    /// Share of velocity kept by damping.
    pub(crate) keep: f32,
    /// Time at its start [s].
    pub(crate) start: f64,
    /// Time at its end [s].
    pub(crate) end: f64,
}

/// Context of every pass on the CPU.
#[derive(Clone, Copy)]
pub(crate) struct CpuContext<'a> {
    /// The thread pool.
    pub(crate) threads: &'a Threads,
    /// Instruction set of the kernels.
    pub(crate) isa: Isa,
    /// The substep.
    pub(crate) substep: &'a Substep,
    /// Where passes report particles that diverge.
    pub(crate) divergence: &'a DivergenceFlag,
}

/// The first particle that diverged, on any thread.
pub(crate) struct DivergenceFlag(AtomicUsize);

impl DivergenceFlag {
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
    #[inline(always)]
    pub(crate) fn check(&self, particle: usize, x: V3<f32>) {
        self.check_size(particle, x, MAX_POSITION);
    }
    #[inline(always)]
    pub(crate) fn check_speed(&self, particle: usize, v: V3<f32>) {
        self.check_size(particle, v, MAX_SPEED);
    }
    #[inline(always)]
    pub(crate) fn check_size(&self, particle: usize, v: V3<f32>, most: f32) {
        // The comparison is false for NaN, so NaN is caught too.
        let fine = v.length_squared() <= most * most;
        if !fine {
            self.0.fetch_min(particle, Ordering::Relaxed);
        }
    }
    pub(crate) fn first(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&i| i != usize::MAX)
    }
}
