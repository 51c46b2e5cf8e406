//! Aerodynamic lift and drag on triangles, and wind.

pub mod aerodynamics;
pub(crate) mod cpu;
pub mod surfaces;
