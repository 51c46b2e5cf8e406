//! The plan of partition "shared-patch" (shared-vertex patches): one pass over pieces that share particles on their seams.
//!
//! Where a pass over all constraints costs more than many colors within a workgroup, an iteration should be
//! one pass. So every constraint, of any kind, belongs to one piece. A particle used by several pieces
//! has a copy in each of them, with its share of the mass, and moves to the mean of its copies after the pass (the
//! phantoms of S12, with seams instead of colors). Pieces then share no row, and each is solved by
//! Gauss–Seidel, with fewer colors where that is faster (`color_reduction`).
//!
//! Orientations cannot be averaged like positions: kinds that rotate them stay outside, in colors of their own.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Raw;
use crate::partition::bisection::{Bisection, Item, KindConstraints, PieceCapacity};
use crate::partition::color_reduction::{ColorReduction, insert};
use crate::partition::islands::GLOBAL;
use crate::partition::patch::Members;
use crate::partition::patch_coloring::PatchColoring;
use crate::partition::{Plan, Problem, SeamExchange, TieRun};
use std::collections::BTreeMap;

/// Assigns every constraint a piece and a color, and particles on seams their copies.
pub fn plan(problem: &Problem<'_>, constraints: &mut BTreeMap<ConstraintKind, Raw>, plan: &mut Plan) {
    let pieces = cut(problem, constraints);
    duplicate_seam_particles(problem, &pieces, constraints, plan);
    let first = problem.islands.runs.len() as u32;
    // By group and piece.
    let mut sorted = vec![vec![Vec::new(); pieces.len()]; constraints.len()];
    for (piece, items) in pieces.iter().enumerate() {
        items.iter().for_each(|item| sorted[item.group as usize][piece].push(item.number));
    }
    let mut reduction = ColorReduction::new(problem, &pieces, constraints);
    for (group, ((kind, raw), pieces)) in constraints.iter_mut().zip(sorted).enumerate() {
        let layout = kind.layout();
        reduction.iter_mut().for_each(|s| s.begin(*kind, raw));
        let mut coloring = PatchColoring::new(problem, layout, Members::of_kind(layout, &raw.rows));
        coloring.reduction = reduction.as_mut();
        let outside = coloring.color_islands();
        for (piece, items) in pieces.into_iter().enumerate().filter(|(_, items)| !items.is_empty()) {
            coloring.color_patch(first + piece as u32, items);
        }
        if layout.turns {
            coloring.color_patch(GLOBAL, outside);
        }
        let PatchColoring { sets, splits, .. } = coloring;
        plan.sets.push(sets);
        splits.iter().for_each(|part| insert(group, layout, part, &mut raw.rows, plan));
    }
    if !pieces.is_empty() {
        plan.tilings.push(first..first + pieces.len() as u32);
    }
    // Copies moved apart by other kinds degrade volumes, many of which have three or four corners on a seam. Where
    // pieces run concurrently and exchange their seams, one additional exchange before the last volumes of a substep
    // gained as much as one in every iteration, over four samples of `peer_tet`. Where pieces run in separate passes,
    // more exchanges pay: `block100` has 1.24 times the volume error of colored Gauss–Seidel instead of 1.58, in
    // 1.9 ms instead of 1.5 ms.
    let volumes = constraints.keys().position(|&kind| kind == ConstraintKind::Volume);
    let always = pieces.len() > problem.target.few;
    let volumes = volumes.filter(|&group| group > 0 && plan.phantoms.seams > 0);
    plan.seam_exchange = volumes.map(|group| SeamExchange { group, always });
}

/// The constraints of each piece.
fn cut(problem: &Problem<'_>, constraints: &BTreeMap<ConstraintKind, Raw>) -> Vec<Vec<Item>> {
    let stock = |(kind, raw)| KindConstraints::of_kind(kind, raw);
    let mut bisection = Bisection::new(constraints.iter().map(stock).collect(), problem.rest);
    let mut outside = bisection.items();
    outside.retain(|&item| problem.islands.of_row[bisection.rows(item)[0] as usize] == GLOBAL);
    // Bodies one by one: the cut of a body must not depend on the rest of the scene.
    let body = |item: Item| problem.islands.body[bisection.rows(item)[0] as usize];
    outside.sort_by_key(|&item| body(item));
    let bodies: Vec<Vec<Item>> = outside.chunk_by(|&a, &b| body(a) == body(b)).map(<[Item]>::to_vec).collect();
    let target = problem.target;
    let rows = target.rows_within(problem.solver.patch_particles);
    let mut seen = vec![u32::MAX; problem.rows()];
    let mut capacity = |number: usize, items: &[Item]| {
        let (mut named, mut rows_named) = (0_usize, 0_usize);
        for &r in items.iter().flat_map(|&item| bisection.rows(item)) {
            named += 1;
            rows_named += usize::from(std::mem::replace(&mut seen[r as usize], number as u32) != number as u32);
        }
        // A body that fits needs no seams, even if a coupling other than constraints keeps it from being an island.
        if rows_named <= rows && items.len() <= target.most {
            return (PieceCapacity { rows, constraints: items.len() }, rows_named);
        }
        let degree = named.div_ceil(rows_named.max(1));
        // A quarter above an even share, because no cut is even.
        let even = items.len() * 5 / (4 * target.pieces);
        let constraints = (target.min_constraints * degree).max(even).min(target.most);
        (PieceCapacity { rows, constraints }, rows_named)
    };
    let capacities: Vec<(PieceCapacity, usize)> =
        bodies.iter().enumerate().map(|(k, items)| capacity(k, items)).collect();
    let mut pieces: Vec<Vec<Item>> = Vec::new();
    // Rows of the last piece, while it holds whole bodies only.
    let mut filled: Option<usize> = None;
    for (items, (capacity, named)) in bodies.into_iter().zip(capacities) {
        let whole = items.len() <= capacity.constraints && named <= rows;
        match (filled, pieces.last_mut()) {
            // Small bodies share a piece: they have no row in common, and each keeps its own colors.
            (Some(before), Some(last))
                if whole
                    && before + named <= rows
                    && last.len() + items.len() <= target.min_constraints.min(target.most) =>
            {
                last.extend(items);
                filled = Some(before + named);
            }
            _ => {
                pieces.extend(bisection.cut(capacity, items));
                filled = whole.then_some(named);
            }
        }
    }
    pieces
}

/// Gives each particle used by several pieces a copy in every one of them, and redirects the constraints to the
/// copies.
fn duplicate_seam_particles(
    problem: &Problem<'_>,
    pieces: &[Vec<Item>],
    constraints: &mut BTreeMap<ConstraintKind, Raw>,
    plan: &mut Plan,
) {
    let arities: Vec<usize> = constraints.keys().map(|kind| kind.layout().rows).collect();
    let mut rows: Vec<&mut [u32]> = constraints.values_mut().map(|raw| &mut raw.rows[..]).collect();
    let place = |item: Item| {
        let (n, c) = (arities[item.group as usize], item.number as usize);
        c * n..(c + 1) * n
    };
    // Number of pieces that use each row so far.
    let mut count = vec![0_u32; problem.rows()];
    let mut last = vec![GLOBAL; problem.rows()];
    for (piece, items) in pieces.iter().enumerate() {
        for &item in items {
            for &r in &rows[item.group as usize][place(item)] {
                if std::mem::replace(&mut last[r as usize], piece as u32) != piece as u32 {
                    count[r as usize] += 1;
                }
            }
        }
    }
    let phantoms = &mut plan.phantoms;
    // Copy of each row in the current piece; initially one before the first copy.
    let mut copy = vec![0_u32; problem.rows()];
    for (owner, &count) in count.iter().enumerate().filter(|(_, count)| **count > 1) {
        copy[owner] = phantoms.split(owner as u32, count, count as f32) - 1;
    }
    phantoms.seams = phantoms.owners.len();
    if phantoms.ties.is_empty() {
        return;
    }
    last.fill(GLOBAL);
    for (piece, items) in pieces.iter().enumerate() {
        for &item in items {
            for r in &mut rows[item.group as usize][place(item)] {
                let row = *r as usize;
                if count[row] > 1 {
                    copy[row] += u32::from(std::mem::replace(&mut last[row], piece as u32) != piece as u32);
                    *r = copy[row];
                }
            }
        }
    }
    plan.ties.push(TieRun { group: None, patch: GLOBAL, ties: 0..phantoms.ties.len(), first_color: 0 });
}
