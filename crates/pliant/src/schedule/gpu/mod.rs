//! Shared by all shaders of a substep: bindings, the uniform record of the substep, status words.

pub mod constants;
pub mod substep;

pub use substep::Substep;

/// Bindings of group 0, the record of the substep, and access to both. In front of every module.
pub const BINDINGS: &str = include_str!("bindings.wgsl");

/// Where the start position, the velocity and the row of a particle are, if all of its copies share them.
pub const SHARED_MOTION: &str = include_str!("motion_shared.wgsl");
