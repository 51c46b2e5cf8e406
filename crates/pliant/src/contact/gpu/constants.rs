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
    /// Shape of a collider: half-space.
    PLANE = 0;
    /// Shape of a collider: sphere.
    SPHERE = 1;
    /// Shape of a collider: capsule.
    CAPSULE = 2;
    /// Shape of a collider: box.
    BOX = 3;
    /// Shape of a collider: convex hull.
    HULL_SHAPE = 4;
    /// Shape of a collider: surface of triangles.
    SURFACE_SHAPE = 5;
    /// Shape of a collider: signed distance field.
    FIELD_SHAPE = 6;

    /// Contact count of a rigid body: the maximum before this iteration.
    CONTACTS_BEFORE = 0;
    /// Contact count of a rigid body: those of this iteration.
    CONTACTS_NOW = 1;
    /// Contact count of a rigid body: those of the first iteration.
    CONTACTS_FIRST = 2;
    /// Contact counts of a rigid body.
    CONTACT_COUNTS = 3;
}
