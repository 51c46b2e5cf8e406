//! Who runs the passes. Backends hold no physics: they gather, call a kernel and scatter.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
