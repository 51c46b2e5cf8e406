//! The passes of a substep, decided once from the model.
//!
//! Backends walk this list and never ask why the order is what it is. Stage names here are those of the
//! timers and of the statistics.

use crate::build::partition::islands::GLOBAL;
use crate::build::partition::{Plan, TieRun};
use crate::model::{Group, Inflatable};
use crate::scene::Partition;
use std::collections::BTreeMap;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Batches of one color, of one group or of several: Gauss–Seidel between passes, no row twice within.
    Batches(Vec<BatchId>),
    /// Patches that share no row, each on its own.
    Patches(Range<usize>),
    /// Copies of particles go to where the particles are.
    Spread {
        /// Group whose copies they are.
        group: usize,
        /// Which of the phantoms' ties.
        ties: Range<usize>,
    },
    /// Particles go to the mean of their copies: the phantom constraints of a group.
    Join {
        /// Group whose copies they are.
        group: usize,
        /// Which of the phantoms' ties.
        ties: Range<usize>,
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

/// A batch by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchId {
    /// Group number.
    pub group: usize,
    /// Batch number within the group.
    pub batch: usize,
}

/// Part of what a patch does, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// Batches of one group, one after the other.
    Batches {
        /// Group number.
        group: usize,
        /// Batch numbers.
        batches: Range<usize>,
    },
    /// As [`Pass::Spread`], for the particles of the patch.
    Spread {
        /// Group whose copies they are.
        group: usize,
        /// Which of the phantoms' ties.
        ties: Range<usize>,
    },
    /// As [`Pass::Join`], for the particles of the patch.
    Join {
        /// Group whose copies they are.
        group: usize,
        /// Which of the phantoms' ties.
        ties: Range<usize>,
    },
}

/// What is done in an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// What one thread or workgroup does by itself.
    pub patches: Vec<Vec<Job>>,
    /// The first patches are islands: bodies that fit. Each runs all of its iterations by itself, with the
    /// contacts of its particles.
    pub islands: usize,
    /// The passes of everything else, repeated for every iteration.
    pub iteration: Vec<Pass>,
}

impl Schedule {
    /// The list for groups that are already split.
    pub fn new(
        partition: Partition,
        plan: &Plan,
        islands: usize,
        groups: &[Group],
        inflatables: &[Inflatable],
        touches: Touches,
    ) -> Self {
        let mut all = Self { islands, ..Self::default() };
        match partition {
            _ if groups.is_empty() => {}
            Partition::Serial => all.iteration.extend((0..groups.len()).map(|group| Pass::Serial { group })),
            Partition::Jacobi => all.iteration.push(Pass::JacobiScatter),
            Partition::JacobiGather => all.iteration.push(Pass::JacobiGather),
            _ => all.follow(plan, groups),
        }
        if !inflatables.is_empty() {
            all.iteration.push(Pass::Inflate);
        }
        if touches == Touches::Some {
            all.iteration.push(Pass::Touch);
        }
        all
    }

    /// Gauss–Seidel passes: patches by themselves, tiling after tiling, then what belongs to no patch.
    fn follow(&mut self, plan: &Plan, groups: &[Group]) {
        let count = plan.tilings.last().map_or(self.islands, |t| t.end as usize);
        let mut lists = (0..count).map(|_| Vec::new()).collect::<Vec<_>>();
        let mut global = Vec::new();
        for entry in ordered(plan, groups) {
            let list = if entry.patch == GLOBAL { &mut global } else { &mut lists[entry.patch as usize] };
            list.push(entry);
        }
        self.patches = lists.iter().map(|entries| jobs(entries)).collect();
        self.iteration.extend(plan.tilings.iter().map(|t| Pass::Patches(t.start as usize..t.end as usize)));
        self.iteration.extend(passes(&global, plan.together));
    }

    /// Passes over constraints in an iteration: barriers between kernels, contacts and volumes left out.
    /// Islands count as one.
    pub fn constraint_passes(&self) -> usize {
        let passes = self.iteration.iter().filter(|p| !matches!(p, Pass::Inflate | Pass::Touch));
        passes.count() + usize::from(self.islands > 0)
    }
}

/// A batch, or what has to be done with copies before or after it.
struct Entry {
    patch: u32,
    color: u32,
    what: What,
}

enum What {
    Batch(BatchId),
    Spread { group: usize, ties: Range<usize> },
    Join { group: usize, ties: Range<usize> },
}

/// Everything in the order in which it runs within its patch.
fn ordered(plan: &Plan, groups: &[Group]) -> Vec<Entry> {
    let tied: BTreeMap<(usize, u32), &TieRun> = plan.ties.iter().map(|t| ((t.group, t.patch), t)).collect();
    let mut entries = Vec::new();
    for (group, g) in groups.iter().enumerate() {
        let mut batch = 0;
        for run in g.batches.chunk_by(|a, b| a.patch == b.patch) {
            let patch = run[0].patch;
            let ties = tied.get(&(group, patch));
            let from = ties.map_or(u32::MAX, |t| t.first_color);
            let mut spread = ties.map(|t| What::Spread { group, ties: t.ties.clone() });
            for b in run {
                if b.color >= from {
                    entries.extend(spread.take().map(|what| Entry { patch, color: b.color, what }));
                }
                entries.push(Entry { patch, color: b.color, what: What::Batch(BatchId { group, batch }) });
                batch += 1;
            }
            let join = ties.map(|t| What::Join { group, ties: t.ties.clone() });
            entries.extend(join.map(|what| Entry { patch, color: u32::MAX, what }));
        }
    }
    if plan.together {
        // Color after color over all groups; the sort keeps the order of groups within a color.
        entries.sort_by_key(|e| e.color);
    }
    entries
}

fn jobs(entries: &[Entry]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for entry in entries {
        match &entry.what {
            What::Batch(id) => match jobs.last_mut() {
                Some(Job::Batches { group, batches }) if *group == id.group && batches.end == id.batch => {
                    batches.end += 1;
                }
                _ => jobs.push(Job::Batches { group: id.group, batches: id.batch..id.batch + 1 }),
            },
            What::Spread { group, ties } => jobs.push(Job::Spread { group: *group, ties: ties.clone() }),
            What::Join { group, ties } => jobs.push(Job::Join { group: *group, ties: ties.clone() }),
        }
    }
    jobs
}

fn passes(entries: &[Entry], together: bool) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut last = u32::MAX;
    for entry in entries {
        match &entry.what {
            What::Batch(id) => match passes.last_mut() {
                Some(Pass::Batches(ids)) if together && entry.color == last => ids.push(*id),
                _ => passes.push(Pass::Batches(vec![*id])),
            },
            What::Spread { group, ties } => passes.push(Pass::Spread { group: *group, ties: ties.clone() }),
            What::Join { group, ties } => passes.push(Pass::Join { group: *group, ties: ties.clone() }),
        }
        last = entry.color;
    }
    passes
}

/// Whether anything outside islands can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// There are colliders, and particles outside islands.
    Some,
    /// There are not.
    None,
}
