//! Constraint passes of Gauss–Seidel: batches, patches and copies in the order of the partition.

use crate::constraints::group::Group;
use crate::methods::PlanInput;
use crate::partition::islands::{ELASTIC, GLOBAL};
use crate::partition::{Plan, SeamExchange, TieRun};
use crate::scene::Partition;
use crate::schedule::passes::{BatchId, Copies, Half, Pass, PatchOp, Schedule};
use std::collections::BTreeMap;

/// Constraint passes of a substep.
pub(super) fn schedule(input: &PlanInput<'_>) -> Schedule {
    let PlanInput { partition, plan, islands, groups } = *input;
    let mut all = Schedule { islands, ..Schedule::default() };
    match partition {
        _ if groups.is_empty() => {}
        Partition::Serial => all.iteration.extend((0..groups.len()).map(|group| Pass::Serial { group })),
        _ => add_passes(&mut all, plan, groups),
    }
    match plan.seam_exchange {
        Some(SeamExchange { always: true, .. }) => all.iteration = in_halves(&all.iteration),
        Some(_) => all.last = in_halves(&all.iteration),
        None => {}
    }
    all
}

/// Patches, tiling by tiling, then constraints outside patches. Seams are joined as soon as
/// the patches are done: all later passes use the particles themselves.
fn add_passes(all: &mut Schedule, plan: &Plan, groups: &[Group]) {
    let count = plan.tilings.last().map_or(all.islands, |t| t.end as usize);
    let mut lists = (0..count).map(|_| Vec::new()).collect::<Vec<_>>();
    let mut global = Vec::new();
    for entry in ordered(plan, groups) {
        let list = if entry.patch == GLOBAL { &mut global } else { &mut lists[entry.patch as usize] };
        list.push(entry);
    }
    let islands = all.islands;
    let second = |patch: usize| plan.seam_exchange.filter(|_| patch >= islands).map(|middle| middle.group);
    all.patches = lists.into_iter().enumerate().map(|(patch, list)| halves(list, second(patch))).collect();
    let seams = plan.ties.iter().find(|t| t.group.is_none());
    let seams = seams.map(|t| Copies { group: None, ties: t.ties.clone() });
    all.iteration.extend(seams.clone().map(Pass::Spread));
    all.iteration.extend(plan.tilings.iter().map(|t| Pass::Patches(t.start as usize..t.end as usize)));
    all.iteration.extend(seams.map(Pass::Join));
    all.iteration.extend(passes(global, plan.together));
}

/// An iteration in which copies on seams are joined between the two halves of the patches.
fn in_halves(iteration: &[Pass]) -> Vec<Pass> {
    let mut list = Vec::new();
    for pass in iteration {
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
            if patch == ELASTIC {
                batch += run.len();
                continue;
            }
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
