//! The passes of a substep, decided once from the model.
//!
//! Backends walk this list and never ask why the order is what it is. Stage names here are those of the
//! timers and of the statistics.

use crate::constraints::group::Group;
use crate::constraints::inflate::Inflatable;
use crate::partition::islands::GLOBAL;
use crate::partition::{Middle, Plan, TieRun};
use crate::scene::Partition;
use std::collections::BTreeMap;
use std::ops::Range;

/// One pass of an iteration. Everything within a pass may run at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Batches of one color, of one group or of several: Gauss–Seidel between passes, no row twice within.
    Batches(Vec<BatchId>),
    /// Patches that share no row, each on its own.
    Patches(Range<usize>),
    /// The same, of which each does half of what it does.
    Half(Range<usize>, Half),
    /// Copies of particles go to where the particles are.
    Spread(Copies),
    /// Particles go to the mean of their copies: the phantom constraints of a group, or of all seams.
    Join(Copies),
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
    ColliderContacts,
    /// Contacts of particles with each other.
    ParticleContacts,
    /// Bodies of particles take back their shape.
    ShapeMatching,
    /// Densities of liquids.
    FluidDensity,
}

/// Iterations that are in two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// None of them.
    None,
    /// The last.
    Last,
    /// All of them.
    All,
}

/// Which half of what a patch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// What comes before [`PatchOp::Seams`].
    First,
    /// What comes after.
    Second,
}

impl Half {
    /// This half of what a patch does.
    pub fn of(self, jobs: &[PatchOp]) -> &[PatchOp] {
        let middle = jobs.iter().position(|job| *job == PatchOp::Seams).unwrap_or(jobs.len());
        match self {
            Self::First => &jobs[..middle],
            Self::Second => jobs.get(middle + 1..).unwrap_or_default(),
        }
    }
}

/// Copies of particles by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Group whose copies they are; `None` for those on the seams between pieces, which all groups name.
    pub group: Option<usize>,
    /// Which of the phantoms' ties.
    pub ties: Range<usize>,
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
pub enum PatchOp {
    /// Batches of one group, one after the other.
    Batches {
        /// Group number.
        group: usize,
        /// Batch numbers.
        batches: Range<usize>,
    },
    /// As [`Pass::Spread`], for the particles of the patch.
    Spread(Copies),
    /// As [`Pass::Join`], for the particles of the patch.
    Join(Copies),
    /// Where an iteration is in two halves: all patches come so far before copies on seams go to their mean, and only
    /// then go on. Nothing where it is not.
    Seams,
}

/// What is done in an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// What one thread or workgroup does by itself.
    pub patches: Vec<Vec<PatchOp>>,
    /// The first patches are islands: bodies that fit. Each runs all of its iterations by itself, with the
    /// contacts of its particles.
    pub islands: usize,
    /// The passes of everything else, repeated for every iteration.
    pub iteration: Vec<Pass>,
    /// Those of the last iteration, where patches do that in two halves; otherwise there are none.
    last: Vec<Pass>,
}

impl Schedule {
    /// The list for groups that are already split.
    pub fn new(
        partition: Partition,
        plan: &Plan,
        islands: usize,
        groups: &[Group],
        inflatables: &[Inflatable],
        touches: HasColliderContacts,
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
        if touches == HasColliderContacts::Some {
            all.iteration.push(Pass::ColliderContacts);
        }
        match plan.middle {
            Some(Middle { always: true, .. }) => all.iteration = all.in_halves(),
            Some(_) => all.last = all.in_halves(),
            None => {}
        }
        all
    }

    /// Gauss–Seidel passes: patches by themselves, tiling after tiling, then what belongs to no patch. Seams are
    /// closed as soon as the patches are done: all that comes after names the particles.
    fn follow(&mut self, plan: &Plan, groups: &[Group]) {
        let count = plan.tilings.last().map_or(self.islands, |t| t.end as usize);
        let mut lists = (0..count).map(|_| Vec::new()).collect::<Vec<_>>();
        let mut global = Vec::new();
        for entry in ordered(plan, groups) {
            let list = if entry.patch == GLOBAL { &mut global } else { &mut lists[entry.patch as usize] };
            list.push(entry);
        }
        let islands = self.islands;
        let second = |patch: usize| plan.middle.filter(|_| patch >= islands).map(|middle| middle.group);
        self.patches = lists.into_iter().enumerate().map(|(patch, list)| halves(list, second(patch))).collect();
        let seams = plan.ties.iter().find(|t| t.group.is_none());
        let seams = seams.map(|t| Copies { group: None, ties: t.ties.clone() });
        self.iteration.extend(seams.clone().map(Pass::Spread));
        self.iteration.extend(plan.tilings.iter().map(|t| Pass::Patches(t.start as usize..t.end as usize)));
        self.iteration.extend(seams.map(Pass::Join));
        self.iteration.extend(passes(global, plan.together));
    }

    /// The same with a pass more at the end of an iteration, but before contacts with the environment: walls have the
    /// last word, except over the shape of bodies.
    pub fn and(mut self, pass: Option<Pass>) -> Self {
        let Some(pass) = pass else { return self };
        let lists = [Some(&mut self.iteration), (!self.last.is_empty()).then_some(&mut self.last)];
        for list in lists.into_iter().flatten() {
            let before = matches!(pass, Pass::ParticleContacts | Pass::FluidDensity)
                && list.last() == Some(&Pass::ColliderContacts);
            list.insert(list.len() - usize::from(before), pass.clone());
        }
        self
    }

    /// The passes of an iteration.
    pub fn passes(&self, last: bool) -> &[Pass] {
        if last && !self.last.is_empty() { &self.last } else { &self.iteration }
    }

    /// Which iterations patches do in two halves.
    pub fn halves(&self) -> Halves {
        if self.iteration.iter().any(|pass| matches!(pass, Pass::Half(..))) {
            Halves::All
        } else if self.last.is_empty() {
            Halves::None
        } else {
            Halves::Last
        }
    }

    /// An iteration in which copies on seams go to their mean between the halves of what patches do.
    fn in_halves(&self) -> Vec<Pass> {
        let mut list = Vec::new();
        for pass in &self.iteration {
            match (pass, list.last()) {
                (Pass::Patches(range), Some(Pass::Spread(seams))) => {
                    let seams = seams.clone();
                    list.push(Pass::Half(range.clone(), Half::First));
                    list.extend([Pass::Join(seams.clone()), Pass::Spread(seams)]);
                    list.push(Pass::Half(range.clone(), Half::Second));
                }
                _ => list.push(pass.clone()),
            }
        }
        list
    }

    /// Patches of each pass that runs them side by side, islands left out.
    pub fn tilings(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.iteration.iter().filter_map(|pass| match pass {
            Pass::Patches(range) | Pass::Half(range, Half::First) => Some(range.clone()),
            _ => None,
        })
    }

    /// Passes over constraints in an iteration: barriers between kernels, contacts and volumes left out.
    /// Islands count as one.
    pub fn constraint_passes(&self) -> usize {
        let passes = self.iteration.iter().filter(|p| {
            !matches!(
                p,
                Pass::Inflate
                    | Pass::ColliderContacts
                    | Pass::ParticleContacts
                    | Pass::ShapeMatching
                    | Pass::FluidDensity
            )
        });
        passes.count() + usize::from(self.islands > 0)
    }
}

/// One batch, or what has to be done with copies before or after it.
struct Entry {
    patch: u32,
    color: u32,
    job: PatchOp,
}

/// Everything in the order in which it runs within its patch.
fn ordered(plan: &Plan, groups: &[Group]) -> Vec<Entry> {
    let tied: BTreeMap<(usize, u32), &TieRun> =
        plan.ties.iter().filter_map(|t| Some(((t.group?, t.patch), t))).collect();
    let mut entries = Vec::new();
    for (group, g) in groups.iter().enumerate() {
        let mut batch = 0;
        for run in g.batches.chunk_by(|a, b| a.patch == b.patch) {
            let patch = run[0].patch;
            let tie = tied.get(&(group, patch));
            let copies = tie.map(|t| Copies { group: Some(group), ties: t.ties.clone() });
            let from = tie.map_or(u32::MAX, |t| t.first_color);
            let mut spread = copies.clone().map(PatchOp::Spread);
            for b in run {
                if b.color >= from {
                    entries.extend(spread.take().map(|job| Entry { patch, color: b.color, job }));
                }
                entries.push(Entry {
                    patch,
                    color: b.color,
                    job: PatchOp::Batches { group, batches: batch..batch + 1 },
                });
                batch += 1;
            }
            entries.extend(copies.map(|c| Entry { patch, color: u32::MAX, job: PatchOp::Join(c) }));
        }
    }
    if plan.together {
        // Color after color over all groups; the sort keeps the order of groups within a color.
        entries.sort_by_key(|e| e.color);
    }
    entries
}

/// What a patch does, in two halves if there is a group that the second begins with.
fn halves(entries: Vec<Entry>, second: Option<usize>) -> Vec<PatchOp> {
    let Some(second) = second else { return jobs(entries) };
    let group = |entry: &Entry| match &entry.job {
        PatchOp::Batches { group, .. } => Some(*group),
        PatchOp::Spread(copies) | PatchOp::Join(copies) => copies.group,
        PatchOp::Seams => None,
    };
    let (before, after) = entries.into_iter().partition(|entry| group(entry) < Some(second));
    [jobs(before), vec![PatchOp::Seams], jobs(after)].concat()
}

/// What a patch does: batches that follow each other in memory are one job.
fn jobs(entries: Vec<Entry>) -> Vec<PatchOp> {
    let mut jobs: Vec<PatchOp> = Vec::new();
    for entry in entries {
        match (jobs.last_mut(), entry.job) {
            (Some(PatchOp::Batches { group, batches }), PatchOp::Batches { group: g, batches: next })
                if *group == g && batches.end == next.start =>
            {
                batches.end = next.end;
            }
            (_, job) => jobs.push(job),
        }
    }
    jobs
}

/// What all threads do side by side: batches of one color are one pass where kinds were colored together.
fn passes(entries: Vec<Entry>, together: bool) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut last = u32::MAX;
    for entry in entries {
        match entry.job {
            PatchOp::Batches { group, batches } => {
                let id = BatchId { group, batch: batches.start };
                match passes.last_mut() {
                    Some(Pass::Batches(ids)) if together && entry.color == last => ids.push(id),
                    _ => passes.push(Pass::Batches(vec![id])),
                }
            }
            PatchOp::Spread(copies) => passes.push(Pass::Spread(copies)),
            PatchOp::Join(copies) => passes.push(Pass::Join(copies)),
            // Of patches only.
            PatchOp::Seams => {}
        }
        last = entry.color;
    }
    passes
}

/// Whether anything outside islands can be touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HasColliderContacts {
    /// There are colliders, and particles outside islands.
    Some,
    /// There are not.
    None,
}
