//! Contact passes on the CPU.

pub mod collider_contacts;
pub mod contact_lists;
pub mod particle_contacts;
pub mod particle_contacts_simd;
pub mod restitution;
pub mod rigid_mass_splitting;
