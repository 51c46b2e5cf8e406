//! Merges vertices that nearly coincide.

use crate::mesh::repair::{Tally, precise};
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Vertices closer than this fraction of the bounding box diagonal are merged.
pub(crate) const TOLERANCE: f64 = 1e-5;

/// Cell size in tolerances: large enough that most vertices are away from cell borders and need one lookup, while
/// a cell can still hold only a bounded number of vertices that are a tolerance apart.
const CELL: f64 = 4.0;

pub(crate) struct Weld {
    /// Vertex that replaces each vertex; its own index if it is kept.
    pub target: Vec<u32>,
    pub merged: Tally,
    /// Merge distance [m].
    pub distance: f64,
}

/// Finds for every vertex the first earlier vertex within the tolerance.
///
/// Only kept vertices are targets, so chains of close vertices do not collapse into one point.
pub(crate) fn weld(positions: &[Vec3]) -> Weld {
    let (low, high) = positions
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| (low.min(precise(p)), high.max(precise(p))));
    let diagonal = if positions.is_empty() { 0.0 } else { (high - low).length() };
    let distance = TOLERANCE * diagonal;
    // All vertices coincide: any cell size is valid.
    let cell = if distance > 0.0 { CELL * distance } else { 1.0 };

    let mut out = Weld { target: Vec::with_capacity(positions.len()), merged: Tally::default(), distance };
    // First kept vertex of each cell, and a chain through `next` to the others.
    let mut heads: HashMap<u64, u32> = HashMap::with_capacity(positions.len());
    let mut next: Vec<u32> = vec![NONE; positions.len()];
    for (index, &position) in positions.iter().enumerate() {
        let p = precise(position);
        let near = Near { positions, heads: &heads, next: &next, distance };
        match near.find(p, (p - low) / cell, distance / cell) {
            Some(kept) => {
                out.target.push(kept);
                out.merged.add(index);
            }
            None => {
                out.target.push(index as u32);
                let head = heads.entry(key(((p - low) / cell).floor())).or_insert(NONE);
                next[index] = *head;
                *head = index as u32;
            }
        }
    }
    out
}

const NONE: u32 = u32::MAX;

struct Near<'a> {
    positions: &'a [Vec3],
    heads: &'a HashMap<u64, u32>,
    next: &'a [u32],
    distance: f64,
}

impl Near<'_> {
    /// Lowest kept vertex within the distance of `p`, which is at `grid` in units of cells.
    fn find(&self, p: DVec3, grid: DVec3, margin: f64) -> Option<u32> {
        let (from, to) = ((grid - margin).floor(), (grid + margin).floor());
        let mut best = NONE;
        for x in axis(from.x, to.x) {
            for y in axis(from.y, to.y) {
                for z in axis(from.z, to.z) {
                    let mut kept = self.heads.get(&key(DVec3::new(x, y, z))).copied().unwrap_or(NONE);
                    while kept != NONE {
                        if precise(self.positions[kept as usize]).distance(p) <= self.distance {
                            best = best.min(kept);
                        }
                        kept = self.next[kept as usize];
                    }
                }
            }
        }
        (best != NONE).then_some(best)
    }
}

/// The one or two cells between `from` and `to`; the margin is below half a cell.
fn axis(from: f64, to: f64) -> impl Iterator<Item = f64> {
    std::iter::once(from).chain((to > from).then_some(to))
}

/// Packs a cell into one number: coordinates are below 1/(CELL·TOLERANCE) = 25,000, so 21 bits are enough,
/// and −1 (left of the first cell) wraps to a cell that is never filled.
fn key(cell: DVec3) -> u64 {
    let axis = |c: f64| (c as i64 as u64) & 0x1f_ffff;
    axis(cell.x) | axis(cell.y) << 21 | axis(cell.z) << 42
}
