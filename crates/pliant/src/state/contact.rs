//! Collider contacts, which rigid bodies carry from one substep to the next.

use glam::Vec3;

/// Accumulated corrections of one contact in this substep. Same layout as a row, for SIMD gathers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Push {
    /// Sum of the friction corrections [m].
    pub tangent: Vec3,
    /// Sum of the normal corrections [m].
    pub normal: f32,
}

/// One particle near one collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Particle index.
    pub particle: u32,
    /// Collider index.
    pub collider: u32,
    /// Accumulated correction of this substep.
    pub push: Push,
    /// Correction of the previous iteration; rigid bodies only.
    pub last: Push,
    /// Whether it penetrated when it was found; rigid bodies only.
    pub inside: bool,
}
