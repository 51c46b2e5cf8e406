//! The passes of a substep, decided once from the model.
//!
//! Backends walk this list and never ask why the order is what it is. Stage names here are those of the
//! timers and of the statistics.

use crate::model::{Group, Inflatable};
use crate::scene::Partition;

/// A stage of a substep, as timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Forces, velocities, predicted positions; multipliers reset.
    Predict,
    /// Which particles are near which colliders.
    Contacts,
    /// Penetration left from before is removed without adding velocity.
    Stabilize,
    /// Iterations over all constraints and contacts.
    Solve,
    /// Velocities from positions, sleeping, check for divergence.
    Finalize,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 5] = [Self::Predict, Self::Contacts, Self::Stabilize, Self::Solve, Self::Finalize];

    /// Name in files, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Contacts => "contacts",
            Self::Stabilize => "stabilize",
            Self::Solve => "solve",
            Self::Finalize => "finalize",
        }
    }
}

/// One pass of an iteration. Everything within a pass may run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// One batch of one group: Gauss–Seidel between passes, no row twice within.
    Batch {
        /// Group number.
        group: usize,
        /// Batch number.
        batch: usize,
    },
    /// One group, constraint after constraint.
    Serial {
        /// Group number.
        group: usize,
    },
    /// All groups at once from the same positions, corrections averaged; scattered by constraint.
    JacobiScatter,
    /// The same, gathered by particle.
    JacobiGather,
    /// Volumes of the inflatables.
    Inflate,
    /// Contacts with the environment.
    Touch,
}

/// The passes of one iteration, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Repeated for every iteration.
    pub iteration: Vec<Pass>,
}

impl Schedule {
    /// The list for groups that are already split.
    pub fn new(partition: Partition, groups: &[Group], inflatables: &[Inflatable], touches: Touches) -> Self {
        let mut iteration = Vec::new();
        match partition {
            Partition::Serial => iteration.extend((0..groups.len()).map(|group| Pass::Serial { group })),
            Partition::Jacobi => iteration.push(Pass::JacobiScatter),
            Partition::JacobiGather => iteration.push(Pass::JacobiGather),
            Partition::Color | Partition::Auto => {
                for (group, g) in groups.iter().enumerate() {
                    iteration.extend((0..g.batches.len()).map(|batch| Pass::Batch { group, batch }));
                }
            }
        }
        if groups.is_empty() {
            iteration.clear();
        }
        if !inflatables.is_empty() {
            iteration.push(Pass::Inflate);
        }
        if touches == Touches::Some {
            iteration.push(Pass::Touch);
        }
        Self { iteration }
    }
}

/// Whether anything can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// There are colliders.
    Some,
    /// There are none.
    None,
}
