//! The part of a model that fluid passes read.

use crate::collision::ContactPairs;
use crate::contact::collider::{BodyCollider, Collider};
use crate::environments::Environments;
use crate::fluid::parameters::Fluid;
use crate::rigid_body::bodies::RigidBodyModel;
use crate::settings::Settings;
use std::ops::Range;

/// The part of a model that fluid passes read.
#[derive(Clone, Copy)]
pub struct FluidModel<'a> {
    /// Method, step length, gravity.
    pub settings: &'a Settings,
    /// Liquids, where there are any.
    pub fluid: Option<&'a Fluid>,
    /// Runs of particles that one thread processes.
    pub runs: &'a [Range<usize>],
    /// Colliders, which act as boundaries.
    pub colliders: &'a [Collider],
    /// Rigid bodies, whose pieces follow the colliders.
    pub rigid_bodies: &'a RigidBodyModel,
    /// Pieces of rigid bodies.
    pub body_colliders: &'a [BodyCollider],
    /// Environments of a batch, and which of the colliders their particles see.
    pub environments: &'a Environments,
    /// Which particles and colliders touch.
    pub pairs: ContactPairs<'a>,
}
