//! The stages of a substep.

/// A stage of a substep, as timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Forces, velocities, predicted positions; multipliers reset.
    Predict,
    /// Neighbor search between particles.
    Neighbors,
    /// Broad phase between particles and colliders.
    Contacts,
    /// Removes penetration without adding velocity.
    Stabilize,
    /// Iterations over all constraints and contacts.
    Solve,
    /// Velocities from positions, sleeping, divergence check.
    Finalize,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 6] =
        [Self::Predict, Self::Neighbors, Self::Contacts, Self::Stabilize, Self::Solve, Self::Finalize];

    /// Name in files, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Neighbors => "neighbors",
            Self::Contacts => "contacts",
            Self::Stabilize => "stabilize",
            Self::Solve => "solve",
            Self::Finalize => "finalize",
        }
    }
}
