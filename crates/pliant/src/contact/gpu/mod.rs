//! Contact passes on the GPU.

pub mod collider_tables;
pub(crate) mod particle_contacts;
pub(crate) mod passes;
pub(crate) mod rigid_mass_splitting;
