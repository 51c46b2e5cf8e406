//! Constants that contact passes and the host share.

use crate::contact::cohesion;
use crate::contact::particle_contact;
use crate::geometry::{triangle, triangle_surface};
use crate::runtime::gpu::shader_constants::{shader_constants, shader_values};

shader_constants! {
    /// Flag of particle contacts, fluid pressure and finalize: contacts with colliders follow in the same pass.
    TOUCHES = 2;
    /// Flag of particle contacts: positions at the start of the substep are corrected.
    PARTS = 1;

    /// Flag of restitution: contacts between particles have written new velocities.
    BETWEEN = 1;
    /// Flag of restitution: colliders have restitution or rolling resistance.
    AGAINST = 2;

    /// Vectors of a moving collider in `constants`.
    COLLIDER_VECTORS = 6;
    /// Vectors of a pose in `constants`.
    POSE_VECTORS = 2;

    /// Flag of a collider slot: each environment has its own collider.
    SEPARATE = 0x8000_0000;

    /// Contact count of a rigid body: the maximum before this iteration.
    CONTACTS_BEFORE = 0;
    /// Contact count of a rigid body: those of this iteration.
    CONTACTS_NOW = 1;
    /// Contact count of a rigid body: those of the first iteration.
    CONTACTS_FIRST = 2;
    /// Contact counts of a rigid body.
    CONTACT_COUNTS = 3;
}

shader_values! {
    F32 ROUNDING = particle_contact::ROUNDING;
    F32 AT_REST = particle_contact::AT_REST;
    F32 SURFACE_LAYER = particle_contact::SURFACE_LAYER;
    F32 QUIET_OVERLAP = particle_contact::QUIET_OVERLAP;
    F32 QUIET_OVERLAP_ALONE = particle_contact::QUIET_OVERLAP_ALONE;
    F32 COHESION_RANGE = cohesion::COHESION_RANGE;
    F32 PARALLEL = triangle::PARALLEL;
    F32 FOOT_EDGE = triangle::FOOT_EDGE;
    F32 FOOT_CORNER = triangle::FOOT_CORNER;
    F32 SWEPT_RADIUS = triangle_surface::SWEPT_RADIUS;
    F32 BOX_SLACK = triangle_surface::BOX_SLACK;
    U32 MOST_SLIDES = triangle_surface::MOST_SLIDES as u32;
    U32 MOST_ROUNDS = triangle_surface::MOST_ROUNDS as u32;
}
