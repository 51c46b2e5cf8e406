//! The uniform record of a substep.

use bytemuck::{Pod, Zeroable};

/// `Substep` of `bindings.wgsl`, which says what the members are. Each phenomenon fills in its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Substep {
    pub gravity: [f32; 3],
    pub h: f32,
    pub wind: [f32; 3],
    pub gust: f32,
    pub inv_h: f32,
    pub keep: f32,
    pub inv_h2: f32,
    pub memory: f32,
    pub gust_period: f32,
    pub sleep: f32,
    pub margin: f32,
    pub omega: f32,
    pub flags: u32,
    pub particles: u32,
    pub solid: u32,
    pub colliders: u32,
    pub stabilization: u32,
    pub moving_colliders: u32,
    pub poses: u32,
    pub radii: u32,
    pub spins: u32,
    pub counts: u32,
    pub island_bits: u32,
    pub seams: u32,
    pub seam_of: u32,
    pub masks: u32,
    pub first_order: u32,
    pub collider_impulses: u32,
    pub forces: u32,
    pub exchange: u32,
    pub copies: u32,
    pub particle_contacts: u32,
    pub predicted: u32,
    pub fields: u32,
    pub carried: u32,
    pub wet: u32,
    pub mass_splitting: u32,
    pub contact_counts: u32,
    pub last_impulses: u32,
    pub cohesion: f32,
    pub surface_bodies: u32,
    pub environments: u32,
    pub body_colliders: u32,
    pub object_contacts: u32,
}
