//! Vertices of aggregates, eight at a time: sums of forces over them, and the motions of their modes. Results are bitwise
//! equal for all widths.

use crate::math::{BLOCK, Row, RowData, V3};
use crate::memory::of;
use crate::methods::vbd::block_matrix::{BlockVector, WIDTH};
use crate::methods::vbd::coarse_space::CoarseSpace;
use crate::methods::vbd::lanes::{gather, load};
use crate::methods::vbd::pack::{Indices, Numbers};
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;
use std::ops::Range;

/// Up to eight vertices of an aggregate, with the values of its modes there.
struct Batch {
    /// The last is repeated, without modes.
    vertices: Indices,
    count: usize,
    modes: [Numbers; 4],
}

/// Vertices by aggregate.
pub(super) struct Members {
    batches: Vec<Batch>,
    /// First batch of each aggregate, plus their number.
    first: Vec<u32>,
    vertices: usize,
}

impl Members {
    pub(super) fn new(space: &CoarseSpace) -> Self {
        let mut it = Self { batches: Vec::new(), first: vec![0], vertices: space.aggregate.len() };
        for own in space.members() {
            for eight in own.chunks(BLOCK) {
                let last = eight[eight.len() - 1];
                let mode = |m: usize| std::array::from_fn(|l| eight.get(l).map_or(0.0, |&v| space.modes[v][m]));
                it.batches.push(Batch {
                    vertices: std::array::from_fn(|l| *eight.get(l).unwrap_or(&last) as u32),
                    count: eight.len(),
                    modes: std::array::from_fn(mode),
                });
            }
            it.first.push(it.batches.len() as u32);
        }
        it
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.batches) + of(&self.first)
    }

    fn of(&self, aggregate: usize) -> &[Batch] {
        &self.batches[self.first[aggregate] as usize..self.first[aggregate + 1] as usize]
    }

    /// Forces on the modes of each aggregate.
    pub(super) fn restrict(&self, isa: Isa, threads: &Threads, forces: &[RowData], parts: &mut [BlockVector]) {
        self.check(forces);
        threads.chunks(parts, 1, |first, piece| match isa.width() {
            LaneWidth::Scalar => self.restrict_lanes::<f32>(forces, first, piece),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.restrict_lanes::<crate::runtime::cpu::simd::Four>(forces, first, piece),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { self.restrict_avx2(forces, first, piece) },
        });
    }

    /// The motion of each vertex with its aggregate.
    pub(super) fn prolong(&self, isa: Isa, threads: &Threads, parts: &[BlockVector], step: &mut [RowData]) {
        self.check(step);
        let step = Shared::new(step);
        let piece = |range: Range<usize>| match isa.width() {
            LaneWidth::Scalar => self.prolong_lanes::<f32>(parts, range, step),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => self.prolong_lanes::<crate::runtime::cpu::simd::Four>(parts, range, step),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            LaneWidth::Avx2 => unsafe { self.prolong_avx2(parts, range, step) },
        };
        if threads.count() == 1 {
            return piece(0..parts.len());
        }
        threads.over_numbers(parts.len(), |aggregate| piece(aggregate..aggregate + 1));
    }

    /// All vertices are those of the body.
    fn check(&self, rows: &[RowData]) {
        assert!(rows.len() >= self.vertices, "{} rows for {} vertices", rows.len(), self.vertices);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn restrict_avx2(&self, forces: &[RowData], first: usize, parts: &mut [BlockVector]) {
        self.restrict_lanes::<crate::runtime::cpu::simd::Eight>(forces, first, parts);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn prolong_avx2(&self, parts: &[BlockVector], range: Range<usize>, step: Shared<'_, RowData>) {
        self.prolong_lanes::<crate::runtime::cpu::simd::Eight>(parts, range, step);
    }

    #[inline(always)]
    fn restrict_lanes<F: Pack>(&self, forces: &[RowData], first: usize, parts: &mut [BlockVector]) {
        for (k, part) in parts.iter_mut().enumerate() {
            let mut sums = [[0.0_f32; BLOCK]; WIDTH];
            for lane in (0..BLOCK).step_by(F::WIDTH) {
                let mut own = [V3::<F>::zero(); 4];
                for batch in self.of(first + k) {
                    let force = gather::<F>(forces, &batch.vertices, lane);
                    for m in 0..4 {
                        own[m] = own[m] + force * load::<F>(&batch.modes[m], lane);
                    }
                }
                for m in 0..4 {
                    own[m].x.store(&mut sums[3 * m][lane..]);
                    own[m].y.store(&mut sums[3 * m + 1][lane..]);
                    own[m].z.store(&mut sums[3 * m + 2][lane..]);
                }
            }
            for (part, s) in part.iter_mut().zip(&sums) {
                *part = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
            }
        }
    }

    #[inline(always)]
    fn prolong_lanes<F: Pack>(&self, parts: &[BlockVector], range: Range<usize>, step: Shared<'_, RowData>) {
        for aggregate in range {
            let y = &parts[aggregate];
            for batch in self.of(aggregate) {
                for lane in (0..BLOCK).step_by(F::WIDTH) {
                    let mut way = V3::<F>::zero();
                    for m in 0..4 {
                        let part = V3::new(F::splat(y[3 * m]), F::splat(y[3 * m + 1]), F::splat(y[3 * m + 2]));
                        way = way + part * load::<F>(&batch.modes[m], lane);
                    }
                    let row = Row { v: way, w: F::splat(0.0) };
                    let live = batch.count.saturating_sub(lane).min(F::WIDTH);
                    // SAFETY: vertices are in range (`check`), and each belongs to one aggregate.
                    unsafe { F::scatter(row, step.all(), &batch.vertices[lane..], live) };
                }
            }
        }
    }
}
