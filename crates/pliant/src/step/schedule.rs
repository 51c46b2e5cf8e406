//! The passes of a substep, decided once from the model.
//!
//! Backends walk this list and never ask why the order is what it is. Stage names here are those of the
//! timers and of the statistics.

use crate::build::partition::islands::GLOBAL;
use crate::model::{Group, Inflatable};
use crate::scene::Partition;
use std::ops::Range;

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

/// What is done in an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Islands: each runs all of its iterations by itself, batches of its groups in order, then contacts.
    pub islands: Vec<Vec<(usize, Range<usize>)>>,
    /// The passes of everything else, repeated for every iteration.
    pub iteration: Vec<Pass>,
}

impl Schedule {
    /// The list for groups that are already split.
    pub fn new(partition: Partition, groups: &[Group], inflatables: &[Inflatable], touches: Touches) -> Self {
        let mut iteration = Vec::new();
        let mut islands: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
        match partition {
            Partition::Serial => iteration.extend((0..groups.len()).map(|group| Pass::Serial { group })),
            Partition::Jacobi => iteration.push(Pass::JacobiScatter),
            Partition::JacobiGather => iteration.push(Pass::JacobiGather),
            Partition::Color | Partition::Auto => {
                for (group, g) in groups.iter().enumerate() {
                    for (batch, b) in g.batches.iter().enumerate() {
                        if b.island == GLOBAL {
                            iteration.push(Pass::Batch { group, batch });
                        } else {
                            add_to_island(&mut islands, b.island as usize, group, batch);
                        }
                    }
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
        Self { islands, iteration }
    }
}

fn add_to_island(islands: &mut Vec<Vec<(usize, Range<usize>)>>, island: usize, group: usize, batch: usize) {
    if islands.len() <= island {
        islands.resize(island + 1, Vec::new());
    }
    match islands[island].last_mut() {
        Some((g, batches)) if *g == group && batches.end == batch => batches.end += 1,
        _ => islands[island].push((group, batch..batch + 1)),
    }
}

/// Whether anything outside islands can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// There are colliders, and particles outside islands.
    Some,
    /// There are not.
    None,
}
