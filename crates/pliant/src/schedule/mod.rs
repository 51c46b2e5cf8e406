//! A step as data: the list of passes, and the statistics measured while running it.

#[cfg(feature = "gpu")]
pub mod gpu;
pub mod passes;
pub mod stage;
pub mod stats;
pub(crate) mod substep;

pub use stage::Stage;
