//! Stage solve: the Gauss–Seidel passes. Gather, project, scatter.

use super::contacts::{Contact, Touch};
use super::isa::Isa;
use super::rows::Pack;
use super::shared::Shared;
use super::threads::Threads;
use crate::kernels::{Constraint, Row, Scales, V3, Visitor};
use crate::model::{BLOCK, Batch, Group};
use crate::state::RowData;
use std::ops::Range;
use std::time::Instant;

/// Runs one batch of a colored group; its constraints share no row.
pub fn run_batch(
    threads: &Threads,
    isa: Isa,
    scales: Scales<f32>,
    group: &Group,
    batch: Batch,
    rows: &mut [RowData],
    lambda: &mut [f32],
) {
    let shared = Shared::new(rows);
    let m = group.layout().multipliers;
    let lambda = &mut lambda[batch.first * m * BLOCK..(batch.first + batch.blocks()) * m * BLOCK];
    threads.chunks(lambda, m * BLOCK, |first, lambda| {
        let blocks = batch.first + first..batch.first + first + lambda.len() / (m * BLOCK);
        let count = (batch.count - first * BLOCK).min(lambda.len() / m);
        group.kind.visit(Project { isa, scales, group, shared, blocks, count, lambda });
    });
}

/// Runs a whole group in order on this thread, each constraint seeing the ones before it.
pub fn run_serial(scales: Scales<f32>, group: &Group, rows: &mut [RowData], lambda: &mut [f32]) {
    let shared = Shared::new(rows);
    let m = group.layout().multipliers;
    for batch in &group.batches {
        let blocks = batch.first..batch.first + batch.blocks();
        let lambda = &mut lambda[blocks.start * m * BLOCK..blocks.end * m * BLOCK];
        group.kind.visit(Project { isa: Isa::Scalar, scales, group, shared, blocks, count: batch.count, lambda });
    }
}

/// What an island needs from the whole.
#[derive(Clone, Copy)]
pub struct IslandWork<'a> {
    pub isa: Isa,
    pub scales: Scales<f32>,
    pub iterations: u32,
    pub groups: &'a [Group],
    pub rows: Shared<'a, RowData>,
    pub lambda: &'a [Shared<'a, f32>],
    pub touch: Touch<'a>,
}

impl IslandWork<'_> {
    /// Runs all iterations of one island: its batches in order, then its contacts. Adds the seconds spent
    /// on each group.
    ///
    /// # Safety
    /// No other thread may run the same island.
    pub unsafe fn run(&self, plan: &[(usize, Range<usize>)], contacts: &mut [Contact], seconds: &mut [f64]) {
        for _ in 0..self.iterations {
            for (g, batches) in plan {
                let clock = Instant::now();
                let group = &self.groups[*g];
                let m = group.layout().multipliers * BLOCK;
                for batch in &group.batches[batches.clone()] {
                    let blocks = batch.first..batch.first + batch.blocks();
                    // SAFETY: these blocks belong to this island, and so to this thread.
                    let lambda = unsafe { self.lambda[*g].slice(blocks.start * m..blocks.end * m) };
                    let (isa, scales, shared, count) = (self.isa, self.scales, self.rows, batch.count);
                    group.kind.visit(Project { isa, scales, group, shared, blocks, count, lambda });
                }
                seconds[*g] += clock.elapsed().as_secs_f64();
            }
            // SAFETY: the run of an island holds its own particles only.
            unsafe { self.touch.run(self.rows, contacts) };
        }
    }
}

/// One thread's share of a batch.
struct Project<'a> {
    isa: Isa,
    scales: Scales<f32>,
    group: &'a Group,
    shared: Shared<'a, RowData>,
    blocks: Range<usize>,
    /// Constraints in those blocks.
    count: usize,
    /// Multipliers of those blocks.
    lambda: &'a mut [f32],
}

impl Visitor for Project<'_> {
    type Output = ();

    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) {
        match self.isa {
            Isa::Scalar => project::<f32, K, N, P, M>(self),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Four => project::<super::rows::Four, K, N, P, M>(self),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Isa::Avx2` only exists where the processor was seen to have it.
            Isa::Avx2 => unsafe { project_avx2::<K, N, P, M>(self) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn project_avx2<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Project<'_>) {
    project::<super::rows::Eight, K, N, P, M>(work);
}

#[inline(always)]
fn project<F: Pack, K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Project<'_>) {
    let scales = Scales::<F>::splat(work.scales);
    let base = work.shared.base();
    let index = work.group.rows[work.blocks.start * N * BLOCK..work.blocks.end * N * BLOCK].chunks_exact(N * BLOCK);
    let params = work.group.params[work.blocks.start * P * BLOCK..work.blocks.end * P * BLOCK].chunks_exact(P * BLOCK);
    let lambda = work.lambda.chunks_exact_mut(M * BLOCK);
    let mut blocks = index.zip(params).zip(lambda);
    // Full blocks by themselves, so that the loop has no question about how many lanes count.
    for ((index, params), lambda) in blocks.by_ref().take(work.count / BLOCK) {
        for part in (0..BLOCK).step_by(F::WIDTH) {
            // SAFETY: `build::pack` has proved that all indices are in range and that no row appears twice in
            // a batch, so nobody else reads or writes these rows during the pass.
            unsafe { project_lanes::<F, K, N, P, M>(&scales, base, index, params, lambda, part, F::WIDTH) };
        }
    }
    let left = work.count % BLOCK;
    for ((index, params), lambda) in blocks {
        for part in (0..left).step_by(F::WIDTH) {
            // SAFETY: as above.
            unsafe { project_lanes::<F, K, N, P, M>(&scales, base, index, params, lambda, part, left - part) };
        }
    }
}

/// Projects the constraints of one block in lanes `part..part + WIDTH`, of which the first `live` count.
///
/// # Safety
/// All indices must be in range for `base`, and no other thread may touch the rows of live lanes.
#[inline(always)]
unsafe fn project_lanes<F: Pack, K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    scales: &Scales<F>,
    base: *mut RowData,
    index: &[u32],
    params: &[f32],
    lambda: &mut [f32],
    part: usize,
    live: usize,
) {
    // Loops and not closures, so that all of it is compiled for the wide instructions.
    let zero = F::splat(0.0);
    let mut rows = [Row { v: V3::zero(), w: zero }; N];
    for k in 0..N {
        // SAFETY: promised by the caller.
        rows[k] = unsafe { F::gather(base, &index[k * BLOCK + part..(k + 1) * BLOCK]) };
    }
    let mut p = [zero; P];
    for k in 0..P {
        p[k] = F::load(&params[k * BLOCK + part..(k + 1) * BLOCK]);
    }
    let mut l = [zero; M];
    for k in 0..M {
        l[k] = F::load(&lambda[k * BLOCK + part..(k + 1) * BLOCK]);
    }
    let update = K::project(scales, &p, &rows, &l);
    for k in 0..K::MOVES {
        let (row, change) = (rows[k], update.rows[k]);
        let w = if K::TURNS { row.w + change.w } else { row.w };
        let moved = Row { v: row.v + change.v, w };
        // SAFETY: promised by the caller.
        unsafe { F::scatter(moved, base, &index[k * BLOCK + part..(k + 1) * BLOCK], live) };
    }
    for k in 0..M {
        update.lambda[k].store(&mut lambda[k * BLOCK + part..(k + 1) * BLOCK]);
    }
}
