//! Time integration: the predict and finalize stages of a substep.

pub mod bdf;
pub(crate) mod cpu;
pub(crate) mod finalize;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod momentum;
#[cfg(feature = "gpu")]
pub mod momentum_gpu;
mod phenomenon;
pub mod pins;
pub(crate) mod predict;
pub mod sleeping;
#[cfg(feature = "gpu")]
pub mod sleeping_gpu;
