//! The passes of a substep, derived once from the model.
//!
//! Backends execute this list without knowledge of the reasons for its order. Stage names are those of the timers and
//! of the statistics.

use crate::constraints::group::Group;
use crate::constraints::inflate::Inflatable;
use crate::partition::islands::GLOBAL;
use crate::partition::{Plan, SeamExchange, TieRun};
use crate::scene::Partition;
use std::collections::BTreeMap;
use std::ops::Range;

/// One pass of an iteration. Everything within a pass may run in parallel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Batches of one color, of one group or of several: Gauss–Seidel between passes, no row twice within.
    Batches(Vec<BatchId>),
    /// Patches that share no row, each run sequentially.
    Patches(Range<usize>),
    /// One half of the operations of patches.
    Half(Range<usize>, Half),
    /// Copies particles to their copies.
    Spread(Copies),
    /// Sets particles to the mean of their copies: the phantom constraints of a group, or of all seams.
    Join(Copies),
    /// One group, constraint by constraint.
    Serial {
        /// Group index.
        group: usize,
    },
    /// All groups from the same positions, corrections averaged; scattered by constraint.
    JacobiScatter,
    /// The same, gathered by particle.
    JacobiGather,
    /// Volume constraints of inflatables.
    Inflate,
    /// Collider contacts.
    ColliderContacts,
    /// Particle contacts.
    ParticleContacts,
    /// Shape matching of bodies.
    ShapeMatching,
    /// Density constraints of fluids.
    FluidDensity,
}

/// Iterations that are split in two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// None.
    None,
    /// The last.
    Last,
    /// All.
    All,
}

/// Half of the operations of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Operations before [`PatchOp::Seams`].
    First,
    /// Operations after it.
    Second,
}

impl Half {
    /// Operations of this half.
    pub fn of(self, jobs: &[PatchOp]) -> &[PatchOp] {
        let middle = jobs.iter().position(|job| *job == PatchOp::Seams).unwrap_or(jobs.len());
        match self {
            Self::First => &jobs[..middle],
            Self::Second => jobs.get(middle + 1..).unwrap_or_default(),
        }
    }
}

/// A range of particle copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Group of the copies; `None` for those on the seams between patches, which all groups use.
    pub group: Option<usize>,
    /// Range of the phantoms' ties.
    pub ties: Range<usize>,
}

/// A batch by its indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchId {
    /// Group index.
    pub group: usize,
    /// Batch index within the group.
    pub batch: usize,
}

/// An operation of a patch, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchOp {
    /// Batches of one group, in sequence.
    Batches {
        /// Group index.
        group: usize,
        /// Batch indices.
        batches: Range<usize>,
    },
    /// As [`Pass::Spread`], for the particles of the patch.
    Spread(Copies),
    /// As [`Pass::Join`], for the particles of the patch.
    Join(Copies),
    /// Split of an iteration: all patches reach this point before copies on seams are set to their mean, then continue.
    /// No effect if the iteration is not split.
    Seams,
}

/// The passes of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Operations of each patch, run by one thread or workgroup.
    pub patches: Vec<Vec<PatchOp>>,
    /// The first patches are islands: bodies that fit in one patch. Each runs all of its iterations independently, with
    /// the contacts of its particles.
    pub islands: usize,
    /// Passes of everything else, repeated for every iteration.
    pub iteration: Vec<Pass>,
    /// Passes of the last iteration, if that is split in two halves; otherwise empty.
    last: Vec<Pass>,
}

impl Schedule {
    /// Builds the list from partitioned groups.
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
            _ => all.add_gauss_seidel(plan, groups),
        }
        if !inflatables.is_empty() {
            all.iteration.push(Pass::Inflate);
        }
        if touches == HasColliderContacts::Some {
            all.iteration.push(Pass::ColliderContacts);
        }
        match plan.seam_exchange {
            Some(SeamExchange { always: true, .. }) => all.iteration = all.in_halves(),
            Some(_) => all.last = all.in_halves(),
            None => {}
        }
        all
    }

    /// Gauss–Seidel passes: patches, tiling by tiling, then constraints outside patches. Seams are joined as soon as
    /// the patches are done: all later passes use the particles themselves.
    fn add_gauss_seidel(&mut self, plan: &Plan, groups: &[Group]) {
        let count = plan.tilings.last().map_or(self.islands, |t| t.end as usize);
        let mut lists = (0..count).map(|_| Vec::new()).collect::<Vec<_>>();
        let mut global = Vec::new();
        for entry in ordered(plan, groups) {
            let list = if entry.patch == GLOBAL { &mut global } else { &mut lists[entry.patch as usize] };
            list.push(entry);
        }
        let islands = self.islands;
        let second = |patch: usize| plan.seam_exchange.filter(|_| patch >= islands).map(|middle| middle.group);
        self.patches = lists.into_iter().enumerate().map(|(patch, list)| halves(list, second(patch))).collect();
        let seams = plan.ties.iter().find(|t| t.group.is_none());
        let seams = seams.map(|t| Copies { group: None, ties: t.ties.clone() });
        self.iteration.extend(seams.clone().map(Pass::Spread));
        self.iteration.extend(plan.tilings.iter().map(|t| Pass::Patches(t.start as usize..t.end as usize)));
        self.iteration.extend(seams.map(Pass::Join));
        self.iteration.extend(passes(global, plan.together));
    }

    /// Appends a pass to an iteration, but before collider contacts: colliders have priority over everything except the
    /// shape of bodies.
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

    /// Iterations in which patches are split in two halves.
    pub fn halves(&self) -> Halves {
        if self.iteration.iter().any(|pass| matches!(pass, Pass::Half(..))) {
            Halves::All
        } else if self.last.is_empty() {
            Halves::None
        } else {
            Halves::Last
        }
    }

    /// An iteration in which copies on seams are joined between the two halves of the patches.
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

    /// Patches of each pass that runs them in parallel, without islands.
    pub fn tilings(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.iteration.iter().filter_map(|pass| match pass {
            Pass::Patches(range) | Pass::Half(range, Half::First) => Some(range.clone()),
            _ => None,
        })
    }

    /// Number of constraint passes in an iteration: barriers between kernels, without contacts and volumes. Islands
    /// count as one.
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

/// One batch, or the spread or join of copies around it.
struct Entry {
    patch: u32,
    color: u32,
    job: PatchOp,
}

/// All entries in the order in which they run within their patch.
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
        // Color by color over all groups; the stable sort keeps the order of groups within a color.
        entries.sort_by_key(|e| e.color);
    }
    entries
}

/// Operations of a patch, in two halves if `second` is the group that the second half begins with.
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

/// Operations of a patch: batches contiguous in memory are merged.
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

/// Passes over all threads: batches of one color are one pass if kinds were colored together.
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
            // Used by patches only.
            PatchOp::Seams => {}
        }
        last = entry.color;
    }
    passes
}

/// Whether particles outside islands can have collider contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HasColliderContacts {
    /// There are colliders, and particles outside islands.
    Some,
    /// Otherwise.
    None,
}
