//! The substep on either runtime: stages in order, and the solution methods of the solve stage.

pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
