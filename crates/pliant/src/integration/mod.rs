//! Time integration: the predict and finalize stages of a substep.

pub mod bdf;
pub(crate) mod finalize;
pub(crate) mod predict;
