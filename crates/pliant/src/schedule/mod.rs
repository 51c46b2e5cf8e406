//! A step as data: the list of passes, and what was measured while walking it.

pub mod passes;
pub mod stage;
pub mod stats;
pub(crate) mod substep;

pub use stage::Stage;
