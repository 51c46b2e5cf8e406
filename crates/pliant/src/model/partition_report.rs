//! Statistics of a partition.

use crate::constraints::group::Group;
use crate::model::Model;
use crate::partition::clique;
use crate::partition::graph::Graph;
use crate::partition::islands::GLOBAL;
use crate::scene::Partition;
use serde::Serialize;
use std::collections::BTreeSet;

/// How the constraints of one kind were split.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupReport {
    /// Name of the kind.
    pub kind: &'static str,
    /// Number of constraints.
    pub constraints: usize,
    /// Size of the largest set of mutually conflicting constraints: a lower bound on the number of colors.
    pub omega: usize,
    /// Whether `omega` is proven; otherwise it is the largest number of constraints on a particle, a lower bound.
    pub omega_exact: bool,
    /// Sets that run one after the other, the averaged one not counted; with patches, those of the patch with
    /// the most.
    pub colors: usize,
    /// Constraints of each color, over all patches; the averaged set last.
    pub sizes: Vec<usize>,
    /// Size of the largest set divided by the mean.
    pub imbalance: f64,
    /// Constraints that run concurrently with averaged corrections.
    pub averaged: usize,
    /// Particle copies.
    pub phantoms: usize,
    /// Particles that have copies: each is one phantom constraint.
    pub phantom_constraints: usize,
    /// Passes per iteration over this kind: one per color, or per tiling, and two for copies. A serial pass
    /// counts every constraint.
    pub passes_per_iteration: usize,
}

/// How a model's constraints were split.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Name of the partition, never "auto".
    pub solver: &'static str,
    /// By kind.
    pub groups: Vec<GroupReport>,
    /// Patches in all, islands included.
    pub patches: usize,
    /// Bodies that are one patch by themselves.
    pub islands: usize,
    /// Patches of each tiling.
    pub tilings: Vec<usize>,
    /// Particle copies of all kinds.
    pub copies: usize,
    /// Particles that have copies; with "shared-patch" the particles on seams.
    pub copied: usize,
    /// Passes per iteration, without contacts and volumes of inflatables. Islands of partitions "patch" and
    /// "shared-patch" are one pass for all iterations, counted as one. The last iteration of "shared-patch" may have a few more.
    pub passes_per_iteration: usize,
}

/// Computes the statistics of a model.
pub fn report(model: &Model) -> Report {
    let partition = model.settings.partition;
    let groups: Vec<_> = model.groups.iter().map(|g| group_report(model, g)).collect();
    let passes_per_iteration = match partition {
        Partition::Serial => groups.iter().map(|g| g.passes_per_iteration).sum(),
        Partition::Color | Partition::Phantom | Partition::Hybrid if !model.settings.together => {
            groups.iter().map(|g| g.passes_per_iteration).sum()
        }
        Partition::Color => groups.iter().map(|g| g.colors).max().unwrap_or(0),
        _ => model.schedule.constraint_passes(),
    };
    Report {
        solver: partition.name(),
        groups,
        patches: model.schedule.patches.len(),
        islands: model.schedule.islands,
        tilings: model.schedule.tilings().map(|patches| patches.len()).collect(),
        copies: model.phantoms.owners.len(),
        copied: model.phantoms.owners.iter().collect::<BTreeSet<_>>().len(),
        passes_per_iteration,
    }
}

fn group_report(model: &Model, group: &Group) -> GroupReport {
    let layout = group.layout();
    let colors = group.batches.iter().map(|b| b.color as usize + 1).max().unwrap_or(0);
    let mut sizes = vec![0; colors];
    group.batches.iter().for_each(|b| sizes[b.color as usize] += b.count);
    let named = group.slots().flat_map(|(block, lane)| group.rows_of(block, lane));
    let copies: BTreeSet<u32> = named.filter(|&r| r as usize >= model.phantoms.first).collect();
    let owners: BTreeSet<u32> = copies.iter().map(|&r| model.phantoms.seen(r)).collect();
    let moved: Vec<u32> = group
        .slots()
        .flat_map(|(block, lane)| group.rows_of(block, lane).take(layout.moves))
        .map(|r| model.phantoms.seen(r))
        .collect();
    let omega = clique::omega(&Graph::uniform(layout.moves, layout.moves, &moved, model.phantoms.first));
    let partition = model.settings.partition;
    let averaged = match partition {
        Partition::Hybrid if !copies.is_empty() => sizes.last().copied().unwrap_or(0),
        Partition::Jacobi | Partition::JacobiGather => group.count,
        _ => 0,
    };
    let mean = group.count as f64 / colors.max(1) as f64;
    GroupReport {
        kind: group.kind.name(),
        constraints: group.count,
        omega: omega.size,
        omega_exact: omega.exact,
        colors: colors - usize::from(averaged > 0),
        imbalance: sizes.iter().max().map_or(1.0, |&m| m as f64 / mean),
        sizes,
        averaged,
        phantoms: copies.len(),
        phantom_constraints: owners.len(),
        passes_per_iteration: match partition {
            Partition::Serial => group.count,
            Partition::Patch | Partition::SharedVertexPatches => {
                patch_passes(model, group) + if copies.is_empty() { 0 } else { 2 }
            }
            _ => colors + if copies.is_empty() { 0 } else { 2 },
        },
    }
}

/// Tilings that hold constraints of the group, plus one for its islands, plus colors outside patches.
fn patch_passes(model: &Model, group: &Group) -> usize {
    let islands = model.schedule.islands;
    let has = |range: &std::ops::Range<usize>| group.batches.iter().any(|b| range.contains(&(b.patch as usize)));
    let tilings = model.schedule.tilings().filter(has);
    let outside = group.batches.iter().filter(|b| b.patch == GLOBAL);
    usize::from(has(&(0..islands))) + tilings.count() + outside.count()
}
