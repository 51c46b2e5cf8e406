//! Contact passes on the GPU.

pub mod collider_tables;
pub mod particle_contacts;
pub mod passes;
pub mod rigid_mass_splitting;
