//! Aerodynamic lift and drag on triangles, and wind.

pub mod aerodynamics;
pub(crate) mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod surfaces;
