//! Surfaces of liquids: from particles to a closed triangle mesh.
//!
//! Home of everything between positions and a mesh that renderers and files take. The surface is where the particles'
//! smoothed volume crosses a threshold, found by marching cubes (`splashsurf_lib`). Nothing here knows the engine: a
//! caller lends positions and says how large particles are.
//!
//! Invariants: every edge of a mesh belongs to exactly two triangles; the same particles give the same bytes for any
//! number of threads; memory is bounded by the number of particles, however far they are apart.
//!
//! ```
//! use glam::Vec3;
//! use pliant_surface::{Settings, surface};
//!
//! let drop = [Vec3::ZERO, Vec3::new(0.04, 0.0, 0.0)];
//! let mesh = surface(&drop, &Settings::new(0.02)).unwrap();
//! assert!(mesh.volume() > 0.0);
//! ```

mod islands;
mod mesh;
mod order;
mod reconstruct;
mod threshold;

pub use mesh::SurfaceMesh;
pub use reconstruct::surface;

/// How particles become a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Radius of a particle [m]; each stands for a cube of two radii.
    pub radius: f32,
    /// How far a particle reaches [m]: beyond, it adds nothing to the liquid's volume. 3 to 6 radii.
    pub reach: f32,
    /// Edge of the cubes that the surface is cut from [m]; a quarter of a radius to two of them. From 1.2 radii on, lone
    /// drops may slip between the corners.
    pub cell: f32,
    /// Rounds of smoothing, at most 1,000.
    pub smoothing: u32,
}

impl Settings {
    /// What suits particles of a radius [m].
    pub fn new(radius: f32) -> Self {
        Self { radius, reach: 4.0 * radius, cell: 0.75 * radius, smoothing: 10 }
    }

    fn check(&self) -> Result<(), SurfaceError> {
        let range = |name, value: f32, low: f32, high: f32| match value >= low && value <= high {
            true => Ok(()),
            false => Err(SurfaceError::Setting { name, value, low, high }),
        };
        range("radius", self.radius, 1e-6, 1e6)?;
        // Bounds are multiples of what may have been rounded, hence the sliver.
        let about = |low: f32, high: f32| (low * self.radius * 0.9999, high * self.radius * 1.0001);
        let (low, high) = about(3.0, 6.0);
        range("reach", self.reach, low, high)?;
        let (low, high) = about(0.25, 2.0);
        range("cell", self.cell, low, high)?;
        range("smoothing", self.smoothing as f32, 0.0, 1000.0)
    }
}

/// Why there is no surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A setting that makes no sense.
    #[error("surface: {name} is {value}, allowed is {low} to {high}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// What it is.
        value: f32,
        /// Least value.
        low: f32,
        /// Greatest value.
        high: f32,
    },
    /// A particle that is nowhere.
    #[error("surface: particle {0} has no finite position")]
    NotFinite(usize),
    /// A particle so far off that cells cannot be told apart there.
    #[error("surface: particle {particle} is {distance:e} m off, allowed is {most:e} m with cells of {cell} m")]
    TooFar {
        /// Number of the particle.
        particle: usize,
        /// How far it is off along an axis [m].
        distance: f64,
        /// How far it may be [m].
        most: f64,
        /// Edge of a cell [m].
        cell: f32,
    },
    /// Particles that hang together over too many cells to be numbered.
    #[error("surface: a connected part of the liquid is {size:e} m long, allowed is {most:e} m with cells of {cell} m")]
    TooLong {
        /// How long the part is [m].
        size: f64,
        /// How long it may be [m].
        most: f64,
        /// Edge of a cell [m].
        cell: f32,
    },
    /// More vertices than a mesh can number.
    #[error("surface: {0} vertices, allowed are 4294967295")]
    TooMany(usize),
    /// What the reconstruction said.
    #[error("surface: {0}")]
    Reconstruction(String),
}
