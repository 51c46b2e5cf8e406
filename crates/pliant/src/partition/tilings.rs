//! The plan of partition "patch": islands, tilings of each kind, and colors within each.
//!
//! Kinds are tiled one after the other and not together: running all kinds of a patch before the crossing
//! constraints increases the volume error by half (docs/benchmarks-alternatives-cpu.md has the numbers).

use crate::constraints::group::Raw;
use crate::constraints::{ConstraintKind, Layout};
use crate::partition::islands::GLOBAL;
use crate::partition::patch::{Cutter, Limits, Members};
use crate::partition::patch_coloring::PatchColoring;
use crate::partition::{Plan, Problem, Set};
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum size of a patch: a share of a core's second-level cache [bytes].
const MOST: usize = 384 << 10;
/// Minimum size to which patches are cut for concurrency: below it blocks of eight stay empty [bytes].
const LEAST: usize = 64 << 10;
/// Maximum tilings of a kind; each costs a pass.
const TILINGS: usize = 6;

/// Assigns every constraint a patch and a color.
pub fn plan(problem: &Problem<'_>, constraints: &BTreeMap<ConstraintKind, Raw>, plan: &mut Plan) {
    let mut next = problem.islands.runs.len() as u32;
    for (kind, raw) in constraints {
        let layout = kind.layout();
        let members = Members::of_kind(layout, &raw.rows);
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
) -> Vec<Set> {
    let mut coloring = PatchColoring::new(problem, layout, members);
    let mut outside = coloring.color_islands();
    // Constraints that read rows, which may belong to another patch, stay outside; they need few colors.
    if layout.moves < layout.rows {
        coloring.color_patch(GLOBAL, outside);
        return coloring.sets;
    }
    // Bodies one by one: the cut of a body must not depend on the rest of the scene.
    let body = |c: u32| problem.islands.body[members.of(c)[0] as usize];
    outside.sort_by_key(|&c| body(c));
    let mut cutter = Cutter::new(members, problem.rest);
    let mut levels: Vec<Vec<Vec<u32>>> = Vec::new();
    let mut rest = Vec::new();
    for items in outside.chunk_by(|&a, &b| body(a) == body(b)) {
        let mut open = items.to_vec();
        for level in 0..TILINGS {
            let count = open.len();
            let tiling = cutter.tile(open, limits(problem, members, count));
            open = tiling.crossing;
            if levels.len() <= level {
                levels.push(Vec::new());
            }
            append(&mut levels[level], tiling.patches, |count| {
                problem.solver.patch_particles.is_none() && count * members.bytes <= LEAST
            });
            // If a tiling captures too few constraints, the rest is colored globally.
            if open.is_empty() || count - open.len() < count.div_ceil(10) {
                break;
            }
        }
        rest.extend(open);
    }
    for patches in levels.into_iter().filter(|patches| !patches.is_empty()) {
        let first = *next;
        for items in patches {
            coloring.color_patch(*next, items);
            *next += 1;
        }
        tilings.push(first..*next);
    }
    coloring.color_patch(GLOBAL, rest);
    coloring.sets
}

/// Appends the patches of a body. A body of one patch may share it with those before, while that is small: bodies share
/// no row, and each keeps its own colors.
fn append(all: &mut Vec<Vec<u32>>, mut patches: Vec<Vec<u32>>, is_small: impl Fn(usize) -> bool) {
    match (all.last_mut(), &mut patches[..]) {
        (Some(last), [one]) if is_small(last.len() + one.len()) => last.append(one),
        _ => all.append(&mut patches),
    }
}

fn limits(problem: &Problem<'_>, members: Members<'_>, constraints: usize) -> Limits {
    let limit = problem.solver.patch_particles;
    let even = (constraints * members.bytes / problem.target.pieces).clamp(LEAST, MOST);
    Limits { rows: problem.target.rows_within(limit), bytes: if limit.is_some() { usize::MAX } else { even } }
}
