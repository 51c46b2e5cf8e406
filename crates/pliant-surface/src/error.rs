//! Errors of a surface reconstruction.

/// Reason why a surface cannot be reconstructed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// A setting outside its range.
    #[error("surface: {name} is {value}, allowed is {low} to {high}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f32,
        /// Least value.
        low: f32,
        /// Greatest value.
        high: f32,
    },
    /// A position that is NaN or infinite.
    #[error("surface: particle {0} has no finite position")]
    NotFinite(usize),
    /// A particle so far from the origin that double precision does not resolve the cells there.
    #[error("surface: particle {particle} is {distance:e} m off, allowed is {most:e} m with cells of {cell} m")]
    TooFar {
        /// Number of the particle.
        particle: usize,
        /// Largest coordinate [m].
        distance: f64,
        /// Largest coordinate allowed [m].
        most: f64,
        /// Edge of a cell [m].
        cell: f32,
    },
    /// A connected component that spans more cells than 63-bit cell indices allow.
    #[error("surface: a connected part of the liquid is {size:e} m long, allowed is {most:e} m with cells of {cell} m")]
    TooLong {
        /// Length of the component [m].
        size: f64,
        /// Length allowed [m].
        most: f64,
        /// Edge of a cell [m].
        cell: f32,
    },
    /// More vertices than 32-bit indices allow.
    #[error("surface: {0} vertices, allowed are 4294967295")]
    TooMany(usize),
    /// Error of `splashsurf_lib`.
    #[error("surface: {0}")]
    Reconstruction(String),
}
