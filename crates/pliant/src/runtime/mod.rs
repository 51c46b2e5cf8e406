//! The two runtimes. They execute passes and hold no physics.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
