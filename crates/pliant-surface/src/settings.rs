//! Parameters of a surface reconstruction and their allowed ranges.

use crate::error::SurfaceError;

/// Parameters of a surface reconstruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// Radius of a particle [m]; its rest volume is a cube with an edge of two radii.
    pub radius: f32,
    /// Support radius of the smoothing kernel [m], 3 to 6 particle radii.
    pub reach: f32,
    /// Edge of a marching-cubes cell [m], 0.25 to 2 particle radii. From 1.2 radii on, the grid may miss single
    /// particles.
    pub cell: f32,
    /// Smoothing iterations, at most 1,000.
    pub smoothing: u32,
}

impl SurfaceSettings {
    /// Defaults for particles of a radius [m].
    pub fn new(radius: f32) -> Self {
        Self { radius, reach: 4.0 * radius, cell: 0.75 * radius, smoothing: 10 }
    }

    pub(crate) fn check(&self) -> Result<(), SurfaceError> {
        let range = |name, value: f32, low: f32, high: f32| match value >= low && value <= high {
            true => Ok(()),
            false => Err(SurfaceError::Setting { name, value, low, high }),
        };
        range("radius", self.radius, 1e-6, 1e6)?;
        // The tolerance covers rounding of the caller's multiples of the radius.
        let about = |low: f32, high: f32| (low * self.radius * 0.9999, high * self.radius * 1.0001);
        let (low, high) = about(3.0, 6.0);
        range("reach", self.reach, low, high)?;
        let (low, high) = about(0.25, 2.0);
        range("cell", self.cell, low, high)?;
        range("smoothing", self.smoothing as f32, 0.0, 1000.0)
    }
}
