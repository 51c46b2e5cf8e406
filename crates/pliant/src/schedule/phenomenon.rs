//! Interface of a phenomenon (contact, fluid, …) to the schedule.

use crate::schedule::passes::Pass;

/// Arrays that passes read and write. Those that a phenomenon keeps persist from one substep to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Rows: positions and inverse masses, orientations.
    Positions,
    /// Rows at the start of the substep.
    StartPositions,
    /// Velocities, and rates of orientations.
    Velocities,
    /// Positions and velocities one substep earlier (BDF2).
    History,
    /// Which particles use BDF1 in this substep (BDF2).
    IntegrationOrders,
    /// Radii and phases of particles.
    ParticleKinds,
    /// Multipliers of constraints.
    Multipliers,
    /// Rotations, centers and rest shapes of bodies.
    BodyPoses,
    /// Positions, orientations and velocities of rigid bodies, and the impulses of their contacts.
    RigidBodies,
    /// Largest strain of each body in this substep.
    BodyStrains,
    /// Pressures of fluid particles and the displacements by them.
    Pressures,
    /// Impulses of collider contacts of rigid bodies, from which the next substep starts.
    ContactImpulses,
    /// Counts of emitters and drains, progress of melting and freezing.
    Transitions,

    /// Velocities at the start of the substep.
    SavedVelocities,
    /// Forces of the air.
    AeroForces,
    /// Momentum of free islands at the end of the substep.
    SavedMomentum,
    /// Mass shares of particles of rigid bodies.
    MassShares,
    /// Neighbor lists for contact.
    ContactNeighbors,
    /// Neighbor lists of fluids.
    FluidNeighbors,
    /// Colliders near particles.
    ColliderContacts,
    /// Colliders near fluid particles.
    FluidBoundary,
    /// Positions at the start of the substep, before anything has moved them.
    SavedPositions,
    /// Features of triangles that may touch.
    TrianglePairs,
}

/// A pass with the data it needs and changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Which pass.
    pub pass: Pass,
    /// Inputs: kept, or written by an earlier pass.
    pub reads: &'static [Field],
    /// Outputs.
    pub writes: &'static [Field],
}

/// A phenomenon as the schedule sees it: its passes, with what they read and write, and what it keeps.
///
/// Implemented by the part of a model that the phenomenon reads, so that a scene without liquids has no fluid passes.
/// [`crate::schedule::passes::Schedule::with`] puts the passes of all phenomena in order and checks their data flow.
pub trait Phenomenon {
    /// Name of its folder.
    fn name(&self) -> &'static str;

    /// Its passes. Their order and stages are those of [`crate::schedule::passes::SUBSTEP`].
    fn passes(&self) -> Vec<PassInfo>;

    /// Arrays that it keeps from one substep to the next. All of them must be part of a snapshot.
    fn kept(&self) -> &'static [Field];
}
