//! Uniform records of contact passes. Each has a struct of the same name and layout in WGSL; `tests/gpu/layout.rs`
//! compares them member by member.

use bytemuck::{Pod, Zeroable};

/// Collider contacts, and packing of particles for particle contacts (`contact_passes.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ContactPassUniforms {
    /// 1 for contacts of particles in islands, 0 for those outside.
    pub in_islands: u32,
    /// First vector in `work` of the packed particles for the next contact pass.
    pub packed: u32,
    /// 1 where masses of rigid bodies are split among the contacts of the first iteration.
    pub first_contacts: u32,
    /// 1 for contacts with triangle surfaces only.
    pub surfaces: u32,
    /// Number of bodies, of the passes that mark those near surfaces.
    pub bodies: u32,
    /// First word in `topology` of the bodies of each particle, as above.
    pub row_bodies: u32,
}

/// Contacts between particles (`particle_contacts.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ParticleContactUniforms {
    /// Flags: `PARTS`, `TOUCHES`.
    pub mode: u32,
    /// 1 in the first pass of a substep: impulses start from zero.
    pub fresh: u32,
    /// Static coefficient of friction.
    pub static_friction: f32,
    /// Kinetic coefficient of friction.
    pub kinetic_friction: f32,
    /// Over-relaxation.
    pub omega: f32,
    /// Share of the last change that contacts of rigid bodies add again.
    pub momentum: f32,
    /// First vector in `work` of the packed particles.
    pub packed_in: u32,
    /// First vector in `work` of those for the next pass, or `NONE`.
    pub packed_out: u32,
    /// First of the rest positions and objects in `params`.
    pub rest: u32,
    /// First word in `topology` of what each particle is attached to, or `NONE`.
    pub attachments: u32,
    /// Distance by which overlapping particles may separate [m].
    pub recovery: f32,
}

/// Restitution and rolling resistance (`restitution_colliders.wgsl`, `restitution_particles.wgsl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RestitutionUniforms {
    /// Flags: `BETWEEN`, `AGAINST`.
    pub mode: u32,
    /// First vector in `work` of the velocities at the start of the substep.
    pub velocities_before: u32,
    /// First vector in `work` of the number of contacts that each particle splits its mass among.
    pub shares: u32,
    /// First vector in `work` of the velocities after contacts between particles.
    pub velocities_after: u32,
    /// First vector in `constants` of the restitution laws of the colliders.
    pub collider_laws: u32,
    /// Restitution between particles.
    pub restitution: f32,
    /// Approach speed below which nothing rebounds [m/s].
    pub rest_speed: f32,
    /// Rolling resistance between particles, over a substep.
    pub rolling_damping: f32,
}
