//! The part of a model that contact passes read.

use crate::collision::{ContactPairs, ContactTable};
use crate::contact::attachment_filter::AttachmentFilter;
use crate::contact::collider::{BodyCollider, Collider};
use crate::contact::collider_contact::{ColliderShape, Friction};
use crate::contact::restitution::RestitutionLaw;
use crate::environments::Environments;
use crate::frame::Topology;
use crate::math::RowData;
use crate::settings::Settings;
use crate::transitions::freeze::Freeze;
use crate::transitions::melt::Melt;
use glam::Vec3;
use std::ops::Range;

/// Parameters of contacts between particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticleContactSettings {
    /// Friction between them.
    pub friction: Friction,
    /// Factor on every correction.
    pub omega: f32,
    /// Mass scaling by height in contacts, lower is heavier [1/m].
    pub stacking: f32,
    /// Whether rigid bodies use mass splitting.
    pub whole: bool,
    /// Coefficient of restitution: speed after over speed before impact.
    pub restitution: f32,
    /// Work of adhesion [J/m²].
    pub cohesion: f32,
    /// Rolling resistance: decay rate of the tangential relative speed of contacts [1/s].
    pub rolling: f32,
    /// Speed at which overlapping particles separate at most [m/s].
    pub recovery_speed: f32,
}

impl Default for ParticleContactSettings {
    fn default() -> Self {
        Self {
            friction: Friction { static_friction: 0.5, kinetic_friction: 0.4 },
            omega: 1.0,
            stacking: 0.0,
            whole: true,
            restitution: 0.0,
            cohesion: 0.0,
            rolling: 0.0,
            recovery_speed: 1.0,
        }
    }
}

/// The part of a model that contact passes read.
#[derive(Clone, Copy)]
pub struct ContactModel<'a> {
    /// Method, step length, gravity.
    pub settings: &'a Settings,
    /// Colliders of the scene.
    pub colliders: &'a [Collider],
    /// Pieces of rigid bodies, numbered after the colliders.
    pub bodies: &'a [BodyCollider],
    /// Environments of a batch, and which of the colliders their particles see.
    pub environments: &'a Environments,
    /// Contact between particles; `None` where it is off.
    pub particle_contact: Option<ParticleContactSettings>,
    /// Runs of particles that one thread processes.
    pub runs: &'a [Range<usize>],
    /// Object of each particle.
    pub topology: &'a Topology,
    /// Rest positions [m] where objects collide with themselves or are attached, else empty.
    pub rest: &'a [Vec3],
    /// Outward direction and depth [m] of each body particle; empty without bodies.
    pub fields: &'a [RowData],
    /// Whether the particles of each object are loose.
    pub loose: &'a [bool],
    /// Attached pairs, which do not collide.
    pub attachment_filter: &'a AttachmentFilter,
    /// Collision groups and surfaces of objects.
    pub table: &'a ContactTable,
    /// Liquid of each particle, from 1; 0 for solids; empty without liquids.
    pub liquids: &'a [u32],
    /// Bodies that melt.
    pub melts: &'a [Melt],
    /// Liquids that freeze.
    pub freezes: &'a [Freeze],
}

impl ContactModel<'_> {
    /// Whether a collider is a triangle surface, which has two sides and no inside.
    pub fn has_surface(&self) -> bool {
        self.colliders.iter().any(|c| matches!(c.shape, ColliderShape::Surface(_)))
    }

    /// Number of colliders, pieces of rigid bodies included.
    pub fn collider_count(&self) -> usize {
        self.colliders.len() + self.bodies.len()
    }

    /// Shapes of all of them.
    pub fn shapes(&self) -> impl Iterator<Item = &ColliderShape> {
        self.colliders.iter().map(|c| &c.shape).chain(self.bodies.iter().map(|b| &b.shape))
    }

    /// Whether any contact changes velocities after the solve stage.
    pub fn has_restitution(&self) -> bool {
        let between = self.particle_contact.is_some_and(|m| m.restitution > 0.0 || m.rolling > 0.0);
        between || self.table.has_restitution() || self.colliders.iter().any(|c| c.restitution > 0.0 || c.rolling > 0.0)
    }

    /// Which particles and colliders touch.
    pub fn pairs(&self) -> ContactPairs<'_> {
        ContactPairs { table: self.table, objects: &self.topology.objects }
    }

    /// Restitution law of each collider with particles of objects without their own: that of the collider, or, for pieces
    /// of rigid bodies, that between particles.
    pub fn collider_laws(&self) -> impl Iterator<Item = RestitutionLaw> {
        let (restitution, rolling) = self.particle_contact.map_or((0.0, 0.0), |m| (m.restitution, m.rolling));
        let colliders = self.colliders.iter().map(|c| (c.restitution, c.rolling));
        let pieces = self.bodies.iter().map(move |piece| (piece.restitution.unwrap_or(restitution), rolling));
        colliders.chain(pieces).map(|(restitution, rolling)| self.restitution_law(restitution, rolling))
    }

    /// Restitution law of contacts with this coefficient and rolling resistance [1/s].
    pub fn restitution_law(&self, restitution: f32, rolling: f32) -> RestitutionLaw {
        RestitutionLaw::new(restitution, rolling, self.settings.gravity, self.settings.substep())
    }
}
