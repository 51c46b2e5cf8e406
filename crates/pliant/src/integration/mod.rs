//! Time integration: the predict and finalize stages of a substep.

pub mod bdf;
pub(crate) mod finalize;
pub mod pins;
pub(crate) mod predict;
