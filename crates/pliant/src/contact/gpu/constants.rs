//! Constants that contact passes and the host share.

use crate::runtime::gpu::shader_constants::shader_constants;

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
