//! Contact passes on the CPU.

pub mod collider_contacts;
pub mod contact_lists;
pub mod particle_contacts;
pub mod particle_contacts_simd;
pub mod restitution;
pub mod rigid_mass_splitting;

use crate::contact::collider_contact::MovingCollider;
use crate::contact::model::ContactModel;
use crate::math::Pose;
use crate::memory::of;
use crate::schedule::passes::Pass;
use crate::schedule::substep::CpuContext;
use crate::shape_matching;
use crate::state::State;
use particle_contacts::ParticleContacts;
use restitution::RestitutionScratch;
use rigid_mass_splitting::RigidMassSplitting;

/// Buffers of the contact passes.
#[derive(Default)]
pub(crate) struct ContactScratch {
    /// Poses of the colliders in this substep.
    pub(crate) moving_colliders: Vec<MovingCollider>,
    /// Poses of rigid bodies at the start of the substep.
    pub(crate) body_starts: Vec<Pose>,
    /// The same without friction, for liquids; empty without liquids.
    pub(crate) slippery: Vec<MovingCollider>,
    /// The same with the friction of each class of objects, one set after the other; empty where none has its own.
    pub(crate) by_class: Vec<MovingCollider>,
    /// Friction class of each particle, from 1, or 0 for the friction of the colliders alone; empty where no object has
    /// its own.
    pub(crate) friction_classes: Vec<u32>,
    /// Contacts between particles.
    pub(crate) particle_contacts: ParticleContacts,
    /// Rigid bodies behind contacts.
    pub(crate) mass_splitting: RigidMassSplitting,
    /// Velocities for restitution.
    pub(crate) restitution: RestitutionScratch,
}

impl ContactScratch {
    /// For this many colliders.
    pub(crate) fn new(colliders: usize) -> Self {
        Self { moving_colliders: Vec::with_capacity(colliders), ..Self::default() }
    }

    /// The colliders of this substep.
    pub(crate) fn seen_colliders(&self) -> SeenColliders<'_> {
        SeenColliders {
            all: &self.moving_colliders,
            by_class: &self.by_class,
            friction_classes: &self.friction_classes,
        }
    }

    /// Memory [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        let colliders =
            of(&self.moving_colliders) + of(&self.slippery) + of(&self.by_class) + of(&self.friction_classes);
        colliders + self.particle_contacts.bytes() + self.mass_splitting.bytes()
    }
}

/// The colliders of a substep, with the friction that each particle has with them.
#[derive(Clone, Copy)]
pub(crate) struct SeenColliders<'a> {
    /// For particles of objects without their own friction.
    pub(crate) all: &'a [MovingCollider],
    by_class: &'a [MovingCollider],
    friction_classes: &'a [u32],
}

impl<'a> SeenColliders<'a> {
    /// A collider as a particle sees it.
    #[inline]
    pub(crate) fn of(&self, particle: usize, collider: usize) -> &'a MovingCollider {
        match self.friction_classes.get(particle) {
            None | Some(0) => &self.all[collider],
            Some(&class) => &self.by_class[(class as usize - 1) * self.all.len() + collider],
        }
    }
}

/// Runs a pass. The collider contacts of the first `own_contacts` runs of particles are solved with their bodies.
pub(crate) fn run(
    pass: &Pass,
    cx: &CpuContext<'_>,
    model: &ContactModel<'_>,
    own_contacts: usize,
    state: &mut State,
    scratch: &mut ContactScratch,
) {
    let CpuContext { threads, isa, substep, .. } = *cx;
    match pass {
        Pass::SaveVelocities => scratch.restitution.save_velocities(model, state),
        Pass::BeginMassSplitting => scratch.mass_splitting.begin(model, state, substep),
        Pass::ContactNeighbors => {
            scratch.particle_contacts.find(threads, model, state, &scratch.mass_splitting);
        }
        Pass::SeparateParticles => {
            // Particles stopped by a surface are out of their body's shape; shape matching would move them through it.
            let skip = scratch.mass_splitting.near_surface();
            scratch.particle_contacts.stabilize((threads, isa), model, state, |shapes, rows| {
                shape_matching::cpu::match_all((threads, isa), model.settings.extraction, skip, shapes, rows);
            });
        }
        Pass::ColliderBroadPhase => collider_contacts::find(threads, model, state, scratch, substep),
        Pass::SeparateColliders => collider_contacts::stabilize(threads, model, state, scratch),
        Pass::ParticleContacts => {
            let ContactScratch { particle_contacts, mass_splitting, .. } = scratch;
            let counts = particle_contacts.count_contacts(threads, state);
            mass_splitting.count(counts, &state.rows, &state.contacts, model.settings.iterations);
            particle_contacts.project_all((threads, isa), model, state, mass_splitting);
        }
        Pass::ColliderContacts | Pass::SurfaceContacts => {
            collider_contacts::project_all(threads, own_contacts, state, scratch, *pass == Pass::SurfaceContacts);
        }
        Pass::ContactOrder => scratch.particle_contacts.fall_back(model, state, 1.0 / substep.h),
        Pass::Restitution => restitution::apply(threads, model, state, scratch, substep),
        other => unreachable!("{other:?} is no pass of contact"),
    }
}
