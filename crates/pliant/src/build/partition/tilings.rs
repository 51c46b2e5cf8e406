//! The plan of partition "patch": islands, tilings of each kind, and colors within each.
//!
//! Kinds are tiled one after the other and not together: an iteration that runs all kinds of a patch before
//! it goes on to the crossing constraints leaves half again the volume error (ARCHITECTURE.md has the numbers).

use super::graph::Graph;
use super::islands::GLOBAL;
use super::patch::{Limits, Members, tile};
use super::{Plan, Problem, colored, sets};
use crate::build::part::Raw;
use crate::kernels::{Kind, Layout};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most that a patch holds: a share of a core's second-level cache [bytes].
const MOST: usize = 384 << 10;
/// Least that a patch is cut to for the sake of more patches: below it blocks of eight stay empty [bytes].
const LEAST: usize = 64 << 10;
/// Patches of a tiling that are enough for all cores to have their share.
const ENOUGH: usize = 32;
/// Tilings of a kind at most; each costs a pass.
const TILINGS: usize = 6;

/// Gives every constraint a patch and a color.
pub fn plan(problem: &Problem<'_>, constraints: &BTreeMap<Kind, Raw>, plan: &mut Plan) {
    let mut next = problem.islands.runs.len() as u32;
    for (kind, raw) in constraints {
        let layout = kind.layout();
        let bytes = 4 * (layout.rows + layout.params + layout.multipliers);
        let members = Members { arity: layout.rows, rows: &raw.rows, bytes };
        let sets = of_kind(problem, layout, members, &mut next, &mut plan.tilings);
        plan.sets.push(sets);
    }
}

fn of_kind(
    problem: &Problem<'_>,
    layout: Layout,
    members: Members<'_>,
    next: &mut u32,
    tilings: &mut Vec<Range<u32>>,
) -> Vec<super::Set> {
    let of_row = &problem.islands.of_row;
    let mut patch: Vec<u32> = members.rows.chunks_exact(layout.rows).map(|m| of_row[m[0] as usize]).collect();
    let all = 0..patch.len() as u32;
    let (mut open, inside): (Vec<u32>, Vec<u32>) = all.partition(|&c| patch[c as usize] == GLOBAL);
    // Which constraints are colored together: those of all islands, of each tiling, and the rest.
    let mut layers = vec![inside];
    // A constraint that only reads a row, which may belong to another patch, stays outside; it colors well.
    let mut left = if layout.moves == layout.rows { TILINGS } else { 0 };
    while !open.is_empty() && left > 0 {
        let count = open.len();
        let tiling = tile(members, problem.rest, open, limits(problem, members, count));
        open = tiling.crossing;
        let first = *next;
        for items in &tiling.patches {
            items.iter().for_each(|&c| patch[c as usize] = *next);
            *next += 1;
        }
        if *next > first {
            tilings.push(first..*next);
        }
        let layer = tiling.patches.concat();
        // Where a tiling hardly helps, colors do.
        left = if layer.len() < count.div_ceil(10) { 0 } else { left - 1 };
        layers.push(layer);
    }
    layers.push(open);
    let mut colors = vec![0; patch.len()];
    for mut layer in layers {
        layer.sort_unstable();
        let mut graph = Graph::new(problem.rows());
        layer.iter().for_each(|&c| graph.push(&members.of(c)[..layout.moves]));
        for (c, color) in layer.into_iter().zip(colored(problem, &graph)) {
            colors[c as usize] = color;
        }
    }
    sets(&colors, |c| patch[c as usize])
}

fn limits(problem: &Problem<'_>, members: Members<'_>, constraints: usize) -> Limits {
    match problem.solver.patch_particles {
        Some(rows) => Limits { rows: rows as usize, bytes: usize::MAX },
        None => Limits { rows: usize::MAX, bytes: (constraints * members.bytes / ENOUGH).clamp(LEAST, MOST) },
    }
}
