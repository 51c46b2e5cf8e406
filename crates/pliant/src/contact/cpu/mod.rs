//! Contact passes on the CPU.

pub mod collider_contacts;
pub mod contact_lists;
pub mod particle_contacts;
pub mod particle_contacts_simd;
pub mod restitution;
pub mod rigid_mass_splitting;

use crate::contact::collider_contact::MovingCollider;
use crate::memory::{nested, of};
use collider_contacts::Contact;
use particle_contacts::ParticleContacts;
use restitution::RestitutionScratch;
use rigid_mass_splitting::RigidMassSplitting;

/// Buffers of the contact passes.
#[derive(Default)]
pub(crate) struct ContactScratch {
    /// Poses of the colliders in this substep.
    pub(crate) moving_colliders: Vec<MovingCollider>,
    /// The same without friction, for liquids; empty without liquids.
    pub(crate) slippery: Vec<MovingCollider>,
    /// Contacts with colliders, by run of particles.
    pub(crate) contacts: Vec<Vec<Contact>>,
    /// Contacts between particles.
    pub(crate) particle_contacts: ParticleContacts,
    /// Rigid bodies behind contacts.
    pub(crate) mass_splitting: RigidMassSplitting,
    /// Velocities for restitution.
    pub(crate) restitution: RestitutionScratch,
}

impl ContactScratch {
    /// For this many runs of particles and colliders.
    pub(crate) fn new(runs: usize, colliders: usize) -> Self {
        Self { moving_colliders: Vec::with_capacity(colliders), contacts: vec![Vec::new(); runs], ..Self::default() }
    }

    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        let colliders = of(&self.moving_colliders) + of(&self.slippery) + nested(&self.contacts);
        colliders + self.particle_contacts.bytes() + self.mass_splitting.bytes()
    }
}
