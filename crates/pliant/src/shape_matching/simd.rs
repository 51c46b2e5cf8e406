//! Gathers, sums and moves eight members of a body at a time.
//!
//! Plain loops over eight numbers, which the compiler vectorizes for the baseline, or for AVX2 in the copies marked so.
//! Neither uses fused multiply-add, so both are bitwise equal.

use crate::math::RowData;
use crate::math::matrix::{Mat3, Vec3};
use crate::shape_matching::moments::{Add, Block, LANES, Lanes, Sums, WeightSums};
use std::ops::Range;

/// Goals of a body: R·P and the translation, relative to the body's origin; and the share of the distance to move.
///
/// Goals stay relative to a point of the body until they become displacements: added to a world position, the
/// translation would be rounded equally for all members, and the body would gain that rounding as momentum in every
/// iteration.
#[derive(Clone, Copy)]
pub struct Goal {
    pub linear: Mat3,
    pub shift: Vec3,
    pub origin: Vec3,
    pub alpha: f32,
}

/// Reference frame of a body's positions.
#[derive(Clone, Copy)]
pub struct Before {
    /// Near the last position of the rest center: far from the world origin the moments would lose precision.
    pub origin: Vec3,
    /// R·P of the last match.
    pub linear: Mat3,
}

/// Source of a body's rows, eight at a time.
pub trait Source: Sync {
    /// Rows of a block of the body; padding may be any finite values.
    fn fetch(&self, block: usize) -> [RowData; LANES];
    /// Adaptive weights of a block.
    fn weights(&self, block: usize) -> Lanes;
}

/// Consecutive rows.
pub struct Run<'a> {
    pub rows: &'a [RowData],
    pub weights: Option<&'a [f32]>,
}

impl Source for Run<'_> {
    #[inline(always)]
    fn fetch(&self, block: usize) -> [RowData; LANES] {
        let rest = &self.rows[block * LANES..];
        match rest.first_chunk() {
            Some(rows) => *rows,
            // Padded with the last row, as lists are.
            None => std::array::from_fn(|l| rest[l.min(rest.len() - 1)]),
        }
    }
    #[inline(always)]
    fn weights(&self, block: usize) -> Lanes {
        let last = self.rows.len() - 1;
        self.weights.map_or([1.0; LANES], |w| std::array::from_fn(|l| w[(block * LANES + l).min(last)]))
    }
}

/// Rows by index.
pub struct List<'a> {
    pub rows: &'a [RowData],
    pub members: &'a [[u32; LANES]],
    pub weights: Option<&'a [f32]>,
}

impl Source for List<'_> {
    #[inline(always)]
    fn fetch(&self, block: usize) -> [RowData; LANES] {
        self.members[block].map(|row| self.rows[row as usize])
    }
    #[inline(always)]
    fn weights(&self, block: usize) -> Lanes {
        self.weights.map_or([1.0; LANES], |w| self.members[block].map(|row| w[row as usize]))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub fn sums_avx2<S: Source>(source: &S, blocks: &[Block], range: Range<usize>, before: &Before) -> Sums {
    sums(source, blocks, range, before)
}

#[inline(always)]
pub fn sums<S: Source>(source: &S, blocks: &[Block], range: Range<usize>, before: &Before) -> Sums {
    let mut sums = Sums::ZERO;
    for b in range {
        sums.block(&from_origin(&columns(&source.fetch(b)), before.origin), &before.linear, &blocks[b]);
    }
    sums
}

pub fn weighted_sums<S: Source>(source: &S, blocks: &[Block], range: Range<usize>, before: &Before) -> Sums {
    let mut sums = Sums::ZERO;
    for b in range {
        let p = from_origin(&columns(&source.fetch(b)), before.origin);
        sums.block(&p, &before.linear, &weigh(&blocks[b], &source.weights(b)));
    }
    sums
}

pub fn weight_chunk<S: Source>(source: &S, blocks: &[Block], range: Range<usize>) -> WeightSums {
    let mut sums = WeightSums::ZERO;
    for b in range {
        sums.block(&weigh(&blocks[b], &source.weights(b)));
    }
    sums
}

#[inline(always)]
fn weigh(block: &Block, weights: &Lanes) -> Block {
    let mut heavy = *block;
    for l in 0..LANES {
        heavy[3][l] *= weights[l];
    }
    heavy
}

/// Transposes rows to columns.
#[inline(always)]
pub fn columns(rows: &[RowData; LANES]) -> [Lanes; 4] {
    let mut columns = [[0.0; LANES]; 4];
    for l in 0..LANES {
        for k in 0..4 {
            columns[k][l] = rows[l][k];
        }
    }
    columns
}

#[inline(always)]
fn from_origin(columns: &[Lanes; 4], origin: Vec3) -> [Lanes; 3] {
    let mut p = [[0.0; LANES]; 3];
    for k in 0..3 {
        for l in 0..LANES {
            p[k][l] = columns[k][l] - origin[k];
        }
    }
    p
}

/// Displacements of eight members: α(g − x), 0 for pins.
#[inline(always)]
pub fn moves_of(goal: &Goal, [qx, qy, qz, _]: &Block, x: &[Lanes; 4]) -> [Lanes; 3] {
    let [t0, t1, t2] = &goal.linear;
    let mut out = [[0.0; LANES]; 3];
    for k in 0..3 {
        for l in 0..LANES {
            let g = (t0[k] * qx[l] + t1[k] * qy[l] + t2[k] * qz[l]) + goal.shift[k];
            let alpha = if x[3][l] > 0.0 { goal.alpha } else { 0.0 };
            out[k][l] = alpha * (g - (x[k][l] - goal.origin[k]));
        }
    }
    out
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub fn move_rows_avx2(goal: &Goal, blocks: &[Block], rows: &mut [RowData]) {
    move_rows(goal, blocks, rows);
}

#[inline(always)]
pub fn move_rows(goal: &Goal, blocks: &[Block], rows: &mut [RowData]) {
    let (whole, rest) = rows.as_chunks_mut::<LANES>();
    for (eight, block) in whole.iter_mut().zip(blocks) {
        move_eight(goal, block, eight);
    }
    if !rest.is_empty() {
        let mut eight = [[0.0; 4]; LANES];
        eight[..rest.len()].copy_from_slice(rest);
        move_eight(goal, &blocks[whole.len()], &mut eight);
        rest.copy_from_slice(&eight[..rest.len()]);
    }
}

#[inline(always)]
fn move_eight(goal: &Goal, block: &Block, rows: &mut [RowData; LANES]) {
    let moves = moves_of(goal, block, &columns(rows));
    for l in 0..LANES {
        for k in 0..3 {
            rows[l][k] += moves[k][l];
        }
    }
}
