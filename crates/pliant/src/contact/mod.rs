//! Contacts: particles with colliders, particles with each other, friction, restitution, cohesion.

pub mod attachment_filter;
pub mod cohesion;
pub mod collider;
pub mod collider_contact;
pub mod collider_shape;
pub(crate) mod cpu;
pub mod force_scale;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod model;
pub mod particle_contact;
pub(crate) mod phenomenon;
pub mod restitution;
