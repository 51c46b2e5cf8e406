//! The triangles that aerodynamic forces act on.

use crate::aero::aerodynamics::Air;

/// Triangles that feel the air.
#[derive(Clone, Debug, Default)]
pub struct AeroSurfaces {
    /// Triangles, particle numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Coefficients of each triangle: an index into `airs`.
    pub air: Vec<u16>,
    /// Distinct coefficients.
    pub airs: Vec<Air<f32>>,
    /// Particles that some triangle touches.
    pub particles: Vec<u32>,
    /// For each of `particles`, where its triangles start in `incident`; one more at the end.
    pub offsets: Vec<u32>,
    /// Triangle numbers.
    pub incident: Vec<u32>,
}
