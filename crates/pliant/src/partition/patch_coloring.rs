//! Colors the constraints of one kind, patch by patch.

use crate::constraints::Layout;
use crate::constraints::group::BLOCK;
use crate::partition::block_filling::fill;
use crate::partition::color::{balance, classes, count};
use crate::partition::color_reduction::{ColorReduction, PatchSplit};
use crate::partition::graph::Graph;
use crate::partition::islands::GLOBAL;
use crate::partition::patch::Members;
use crate::partition::{Problem, Set, colored};

/// Plain colors of one kind, island by island.
pub fn colors(problem: &Problem<'_>, layout: Layout, rows: &[u32]) -> Vec<Set> {
    let mut coloring = PatchColoring::new(problem, layout, Members::of_kind(layout, rows));
    let outside = coloring.color_islands();
    coloring.color_patch(GLOBAL, outside);
    coloring.sets
}

/// Colors patches one by one, with rows renumbered locally so that the working set stays in the cache.
pub struct PatchColoring<'a> {
    problem: &'a Problem<'a>,
    layout: Layout,
    members: Members<'a>,
    /// Index of each row within the current patch; valid only where the patch's list of rows agrees.
    local: Vec<u32>,
    /// Sets so far, patch after patch.
    pub sets: Vec<Set>,
    /// Splits particles where a patch has many colors.
    pub reduction: Option<&'a mut ColorReduction>,
    /// Patches that were split.
    pub splits: Vec<PatchSplit>,
}

impl<'a> PatchColoring<'a> {
    /// For constraints of one kind.
    pub fn new(problem: &'a Problem<'a>, layout: Layout, members: Members<'a>) -> Self {
        // Rows may be copies on seams, numbered after all others.
        let rows = members.rows.iter().max().map_or(0, |&r| r as usize + 1);
        Self { problem, layout, members, local: vec![0; rows], sets: Vec::new(), reduction: None, splits: Vec::new() }
    }

    /// Splits the constraints of every island into sets; returns the constraints of no island.
    pub fn color_islands(&mut self) -> Vec<u32> {
        let (problem, members) = (self.problem, self.members);
        // Copies on seams belong to no island.
        let island = |c: u32| problem.islands.of_row.get(members.of(c)[0] as usize).map_or(GLOBAL, |&island| island);
        let all = 0..(members.rows.len() / members.arity) as u32;
        let (outside, mut inside): (Vec<u32>, Vec<u32>) = all.partition(|&c| island(c) == GLOBAL);
        inside.sort_by_key(|&c| island(c));
        for items in inside.chunk_by(|&a, &b| island(a) == island(b)) {
            self.color_patch(island(items[0]), items.to_vec());
        }
        outside
    }

    /// Splits the constraints of one patch into sets. Each body in it is colored by itself, so that its order does not
    /// depend on others; sets of the same number then run concurrently.
    pub fn color_patch(&mut self, patch: u32, mut items: Vec<u32>) {
        items.sort_unstable();
        if let Some(split) = self.split(patch, &items) {
            self.push_sets(patch, classes(&split.split.colors), &split.items);
            self.splits.push(split);
            return;
        }
        let (problem, members) = (self.problem, self.members);
        // A patch with copies on seams is part of one body.
        let bodies = &problem.islands.body;
        let parted = items.iter().any(|&c| members.of(c).iter().any(|&r| r as usize >= bodies.len()));
        let body = |c: u32| if parted { 0 } else { bodies[members.of(c)[0] as usize] };
        let mut by_body = items.clone();
        by_body.sort_by_key(|&c| body(c));
        let mut sets: Vec<Vec<u32>> = Vec::new();
        for own in by_body.chunk_by(|&a, &b| body(a) == body(b)) {
            for (k, class) in self.body_classes(patch, own).into_iter().enumerate() {
                if sets.len() <= k {
                    sets.push(Vec::new());
                }
                sets[k].extend(class.into_iter().map(|c| own[c as usize]));
            }
        }
        let set = |(color, mut members): (usize, Vec<u32>)| {
            members.sort_unstable();
            Set { patch, color: color as u32, members }
        };
        self.sets.extend(sets.into_iter().enumerate().map(set));
    }

    /// The graph of constraints `items`, with rows numbered from 0 in order of appearance, and those rows.
    fn graph(&mut self, items: &[u32]) -> (Graph, Vec<u32>) {
        let mut names: Vec<u32> = Vec::new();
        let moves = self.layout.moves;
        let mut rows: Vec<u32> = Vec::with_capacity(items.len() * moves);
        for &c in items {
            for &r in &self.members.of(c)[..moves] {
                let known = self.local[r as usize];
                if names.get(known as usize) != Some(&r) {
                    self.local[r as usize] = names.len() as u32;
                    names.push(r);
                }
                rows.push(self.local[r as usize]);
            }
        }
        (Graph::uniform(moves, moves, &rows, names.len()), names)
    }

    /// A split of the patch's particles, where that reduces its colors.
    fn split(&mut self, patch: u32, items: &[u32]) -> Option<PatchSplit> {
        self.reduction.as_ref()?;
        let (graph, names) = self.graph(items);
        let colors = count(&colored(self.problem, &graph));
        let split = self.reduction.as_mut()?.split(patch, self.layout, &graph, colors)?;
        Some(PatchSplit { patch, items: items.to_vec(), names, split })
    }

    /// Sets of constraints of one body in a patch, by their position in `items`.
    fn body_classes(&mut self, patch: u32, items: &[u32]) -> Vec<Vec<u32>> {
        let (graph, _) = self.graph(items);
        let mut colors = colored(self.problem, &graph);
        // Constraints outside patches keep plain colors, bitwise, and so do bodies that may be islands, whether they are or
        // others may touch them.
        let first = self.members.of(items[0])[0] as usize;
        if patch == GLOBAL || self.problem.islands.fits.get(first) == Some(&true) {
            return classes(&colors);
        }
        // Balanced colors leave about a tenth less error on `peer_tet`.
        balance(&graph, &mut colors);
        let classes = classes(&colors);
        // An additional set is free on a core, but costs a workgroup one more barrier.
        if self.problem.target.width == BLOCK { fill(&graph, classes) } else { classes }
    }

    fn push_sets(&mut self, patch: u32, classes: Vec<Vec<u32>>, items: &[u32]) {
        let set = |(color, class): (usize, Vec<u32>)| Set {
            patch,
            color: color as u32,
            members: class.into_iter().map(|c| items[c as usize]).collect(),
        };
        self.sets.extend(classes.into_iter().enumerate().map(set));
    }
}
