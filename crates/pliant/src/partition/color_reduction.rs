//! Fewer colors per patch: splits particles within a patch that has many colors of one kind.
//!
//! A workgroup with few constraints of each color is mostly idle: an iteration takes time proportional to the
//! number of colors, regardless of their sizes. Phantoms (S12; D2 §4) reduce the colors of one kind. Cost in mean
//! error, relative to colored Gauss–Seidel: bodies that fit one patch lose nothing with half the colors
//! (`peer_many`: volumes 1.01). Volumes of pieces, over 236 samples, with all colors, three fifths and half of them:
//! 0.97, 1.07, 1.24 on `peer_tet` and 0.94, 1.17, 1.70 on `flat_body`, whose step takes 0.094 ms with three fifths,
//! 0.085 ms with half. Kinds that join two particles carry loads from one end of a body to the other; with their
//! particles split, `peer_cloth` has 2.7 times the error, so they keep all colors.

use crate::constraints::group::Raw;
use crate::constraints::{ConstraintKind, Layout};
use crate::partition::bisection::Item;
use crate::partition::graph::Graph;
use crate::partition::islands::GLOBAL;
use crate::partition::phantom::{self, Split};
use crate::partition::{Plan, Problem, TieRun};
use std::collections::BTreeMap;

/// Kinds with no more colors than this are not split: copying and averaging add two barriers.
const FEW: usize = 6;

/// Fraction of the colors that is kept.
#[derive(Clone, Copy)]
struct Fraction(usize, usize);

const HALF: Fraction = Fraction(1, 2);
/// Where copies affect the error less.
const THIRD: Fraction = Fraction(1, 3);
/// Where copies affect the error more.
const THREE_FIFTHS: Fraction = Fraction(3, 5);

/// Constraints of one color that fill a workgroup: beyond this a color takes longer.
const WIDE: usize = 256;

/// Split of one patch for one kind.
pub struct PatchSplit {
    /// Index of the patch.
    pub patch: u32,
    /// Its constraints.
    pub items: Vec<u32>,
    /// Rows of the constraints, indexed by their number in the split.
    pub names: Vec<u32>,
    /// Colors, and the copy that each constraint uses.
    pub split: Split,
}

/// Decides which patches are split.
pub struct ColorReduction {
    /// Number of colors requested by the user.
    requested: Option<usize>,
    /// Rows that each patch has left for copies.
    spare: Vec<usize>,
    /// Number of patches that are whole bodies; pieces follow them.
    islands: usize,
    /// Whether an iteration has no other passes, as in [`Problem`].
    alone: bool,
    /// Fraction of the colors kept in pieces.
    share: Fraction,
}

impl ColorReduction {
    /// For patches that are the islands, then these pieces. `None` if there are more patches than run
    /// concurrently: the device is then busy, and the number of colors does not matter.
    pub fn new(
        problem: &Problem<'_>,
        pieces: &[Vec<Item>],
        constraints: &BTreeMap<ConstraintKind, Raw>,
    ) -> Option<Self> {
        let requested = problem.solver.colors.map(|q| q as usize);
        let islands = problem.islands.runs.len();
        if islands + pieces.len() > problem.target.few && requested.is_none() {
            return None;
        }
        let mut spare = vec![problem.target.rows; islands + pieces.len()];
        for &island in problem.islands.of_row.iter().filter(|&&island| island != GLOBAL) {
            spare[island as usize] -= 1;
        }
        let groups: Vec<_> = constraints.iter().map(|(kind, raw)| (kind.layout().rows, &raw.rows)).collect();
        let mut seen: Vec<u32> = Vec::new();
        for (items, spare) in pieces.iter().zip(&mut spare[islands..]) {
            seen.clear();
            for item in items {
                let (n, rows) = groups[item.group as usize];
                seen.extend_from_slice(&rows[item.number as usize * n..][..n]);
            }
            seen.sort_unstable();
            seen.dedup();
            *spare = spare.saturating_sub(seen.len());
        }
        Some(Self { requested, spare, islands, alone: problem.alone, share: HALF })
    }

    /// Starts the constraints of one kind.
    pub fn begin(&mut self, kind: ConstraintKind, constraints: &Raw) {
        // Large, flexible sheets: over four samples the bends of `tube` had 1.10 times the error of colors instead of
        // 1.05, its edges the same. Stiff sheets lose more: the edges of `plane`, a body, a tenth. Where other passes
        // run between those over constraints, two colors fewer hardly matter.
        let is_soft = |p: &[f32]| p[1] > 0.0 || p[1] > -1.0 && p[1] < 0.0;
        let soft = |raw: &Raw| self.alone && raw.params.chunks(kind.layout().params).all(is_soft);
        self.share = match kind {
            ConstraintKind::Bend if soft(constraints) => THIRD,
            ConstraintKind::Volume => THREE_FIFTHS,
            _ => HALF,
        };
    }

    /// Splits particles of a patch, if that reduces its number of `colors` and the copies fit.
    pub fn split(&mut self, patch: u32, layout: Layout, graph: &Graph, colors: usize) -> Option<Split> {
        // Orientations cannot be averaged like positions.
        if patch == GLOBAL || layout.turns {
            return None;
        }
        let q = match self.requested {
            Some(q) => q.max(2),
            None if layout.moves > 2 => {
                let share = if (patch as usize) < self.islands { HALF } else { self.share };
                (colors * share.0).div_ceil(share.1).max(graph.len().div_ceil(WIDE)).max(FEW)
            }
            None => return None,
        };
        let split = (q + 2 < colors || self.requested.is_some() && q < colors).then(|| phantom::split(graph, q))?;
        let spare = &mut self.spare[patch as usize];
        *spare = spare.checked_sub(split.total())?;
        Some(split)
    }
}

/// Numbers the copies of a patch and redirects its constraints to them.
pub fn insert(group: usize, layout: Layout, part: &PatchSplit, rows: &mut [u32], plan: &mut Plan) {
    let PatchSplit { patch, items, names, split } = part;
    let from = plan.phantoms.ties.len();
    let first_copy: Vec<u32> = (names.iter().zip(&split.copies))
        .map(|(&owner, &count)| if count > 0 { plan.phantoms.split(owner, count, count as f32) } else { owner })
        .collect();
    let ties = from..plan.phantoms.ties.len();
    if ties.is_empty() {
        return;
    }
    plan.ties.push(TieRun { group: Some(group), patch: *patch, ties, first_color: split.first });
    let local: BTreeMap<u32, usize> = names.iter().enumerate().map(|(k, &row)| (row, k)).collect();
    for (c, &item) in items.iter().enumerate() {
        let members = &mut rows[item as usize * layout.rows..][..layout.moves];
        for (k, r) in members.iter_mut().enumerate() {
            let l = local[r];
            if split.copies[l] > 0 {
                *r = first_copy[l] + split.copy[c * layout.moves + k];
            }
        }
    }
}
