//! A substep as data: stages, passes, what phenomena declare, and the statistics measured while running it.

#[cfg(feature = "gpu")]
pub mod gpu;
pub mod passes;
pub mod phenomenon;
pub mod stage;
pub mod stats;
pub(crate) mod substep;

pub use stage::Stage;
