//! Passes of contact.

use crate::contact::model::ContactModel;
use crate::scene::Integrator;
use crate::schedule::passes::Pass;
use crate::schedule::phenomenon::{Field, PassInfo, Phenomenon};

/// Contact in a model, as the schedule sees it.
pub(crate) struct ContactPhenomenon<'a> {
    pub(crate) model: ContactModel<'a>,
    /// Whether there are shape-matched bodies.
    pub(crate) bodies: bool,
    /// Number of runs of particles, the first ones, whose collider contacts are solved with their bodies.
    pub(crate) own_contacts: usize,
}

impl Phenomenon for ContactPhenomenon<'_> {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn passes(&self) -> Vec<PassInfo> {
        use Field::*;
        let model = &self.model;
        let colliders = !model.colliders.is_empty() || !model.bodies.is_empty();
        let particles = model.particle_contact.is_some();
        let bdf2 = model.settings.integrator == Integrator::Bdf2;
        let all: [(bool, Pass, &'static [Field], &'static [Field]); 10] = [
            (model.has_restitution(), Pass::SaveVelocities, &[Velocities], &[SavedVelocities]),
            (self.bodies, Pass::BeginMassSplitting, &[BodyPoses], &[MassShares]),
            (particles, Pass::ContactNeighbors, &[Positions, ParticleKinds], &[ContactNeighbors]),
            (
                particles,
                Pass::SeparateParticles,
                &[ContactNeighbors, StartPositions, ParticleKinds],
                &[Positions, StartPositions],
            ),
            (
                colliders,
                Pass::ColliderBroadPhase,
                &[Positions, StartPositions, ParticleKinds, ContactImpulses],
                &[ColliderContacts],
            ),
            (
                colliders,
                Pass::SeparateColliders,
                &[ColliderContacts, Positions, StartPositions],
                &[Positions, StartPositions],
            ),
            (
                particles,
                Pass::ParticleContacts,
                &[ContactNeighbors, Positions, StartPositions],
                &[Positions, MassShares],
            ),
            (
                colliders && model.runs.len() > self.own_contacts,
                Pass::ColliderContacts,
                &[ColliderContacts, Positions, StartPositions],
                &[Positions, ContactImpulses],
            ),
            (
                self.bodies && model.has_surface(),
                Pass::SurfaceContacts,
                &[ColliderContacts, Positions, StartPositions],
                &[Positions, ContactImpulses],
            ),
            (
                particles && bdf2,
                Pass::ContactOrder,
                &[ContactNeighbors, Positions, StartPositions],
                &[Velocities, IntegrationOrders],
            ),
        ];
        let restitution = (
            model.has_restitution(),
            Pass::Restitution,
            &[SavedVelocities, Velocities, ContactImpulses][..],
            &[Velocities][..],
        );
        let present = all.into_iter().chain([restitution]).filter(|(present, ..)| *present);
        present.map(|(_, pass, reads, writes)| PassInfo { pass, reads, writes }).collect()
    }

    fn kept(&self) -> &'static [Field] {
        &[Field::ContactImpulses, Field::ParticleKinds]
    }
}
