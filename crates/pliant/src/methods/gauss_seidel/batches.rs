//! Stage solve: the Gauss–Seidel passes. Gather, project, scatter.

use crate::constraints::group::{BLOCK, Batch, Group};
use crate::constraints::{Constraint, Row, Scales, Visitor};
use crate::math::RowData;
use crate::math::V3;
use crate::runtime::cpu::isa::{Isa, LaneWidth};
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;

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
    let m = group.layout().multipliers * BLOCK;
    let lambda = &mut lambda[batch.first * m..(batch.first + batch.blocks()) * m];
    threads.chunks(lambda, m, |first, lambda| {
        let count = (batch.count - first * BLOCK).min(lambda.len() / m * BLOCK);
        let piece = Batch { first: batch.first + first, count, ..batch };
        group.kind.visit(Project { isa, scales, group, shared, batches: &[piece], lambda });
    });
}

/// Runs a whole group sequentially on this thread (Gauss–Seidel).
pub fn run_serial(scales: Scales<f32>, group: &Group, rows: &mut [RowData], lambda: &mut [f32]) {
    let shared = Shared::new(rows);
    group.kind.visit(Project { isa: Isa::SCALAR, scales, group, shared, batches: &group.batches, lambda });
}

/// Runs batches contiguous in memory, in sequence, on this thread.
///
/// # Safety
/// No other thread may access the rows of these batches.
pub unsafe fn run_batches(
    isa: Isa,
    scales: Scales<f32>,
    group: &Group,
    batches: &[Batch],
    rows: Shared<'_, RowData>,
    lambda: &mut [f32],
) {
    group.kind.visit(Project { isa, scales, group, shared: rows, batches, lambda });
}

/// Work of one thread: batches contiguous in memory, in sequence.
struct Project<'a> {
    isa: Isa,
    scales: Scales<f32>,
    group: &'a Group,
    shared: Shared<'a, RowData>,
    batches: &'a [Batch],
    /// Multipliers of those batches.
    lambda: &'a mut [f32],
}

impl Visitor for Project<'_> {
    type Output = ();

    fn visit<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(self) {
        match self.isa.width() {
            LaneWidth::Scalar => project::<f32, K, N, P, M>(self),
            #[cfg(not(target_arch = "x86_64"))]
            LaneWidth::Four => project::<crate::runtime::cpu::simd::Four, K, N, P, M>(self),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Isa` of AVX2 only exists where the processor was seen to have it.
            LaneWidth::Avx2 => unsafe { project_avx2::<K, N, P, M>(self) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn project_avx2<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Project<'_>) {
    project::<crate::runtime::cpu::simd::Eight, K, N, P, M>(work);
}

#[inline(always)]
fn project<F: Pack, K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(work: Project<'_>) {
    let scales = Scales::<F>::splat(work.scales);
    let all = work.shared.all();
    let start = work.batches[0].first;
    let index = work.group.rows[start * N * BLOCK..].chunks_exact(N * BLOCK);
    let params = work.group.params[start * P * BLOCK..].chunks_exact(P * BLOCK);
    let lambda = work.lambda.chunks_exact_mut(M * BLOCK);
    let mut blocks = index.zip(params).zip(lambda);
    let mut batches = work.batches.iter();
    loop {
        // Full blocks of as many consecutive batches as have no partial ones, so that the loop needs no lane count.
        let (mut full, mut left) = (0, 0);
        for batch in batches.by_ref() {
            full += batch.count / BLOCK;
            left = batch.count % BLOCK;
            if left > 0 {
                break;
            }
        }
        for ((index, params), lambda) in blocks.by_ref().take(full) {
            for part in (0..BLOCK).step_by(F::WIDTH) {
                // SAFETY: `builder::packing` has proved that all indices are in range and that no row appears twice
                // in a batch, so no other thread reads or writes these rows during the pass.
                unsafe { project_lanes::<F, K, N, P, M>(&scales, all, index, params, lambda, part, F::WIDTH) };
            }
        }
        if left == 0 {
            return;
        }
        let Some(((index, params), lambda)) = blocks.next() else { return };
        for part in (0..left).step_by(F::WIDTH) {
            // SAFETY: as above.
            unsafe { project_lanes::<F, K, N, P, M>(&scales, all, index, params, lambda, part, left - part) };
        }
    }
}

/// Projects the constraints of one block in lanes `part..part + WIDTH`, of which the first `live` are active.
///
/// # Safety
/// All indices must be in range for `all`, and no other thread may access the rows of live lanes.
#[inline(always)]
unsafe fn project_lanes<F: Pack, K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
    scales: &Scales<F>,
    all: *mut [RowData],
    index: &[u32],
    params: &[f32],
    lambda: &mut [f32],
    part: usize,
    live: usize,
) {
    // Loops instead of closures, so that all of it is compiled for the wide instructions.
    let zero = F::splat(0.0);
    let mut rows = [Row { v: V3::zero(), w: zero }; N];
    for k in 0..N {
        // SAFETY: promised by the caller.
        rows[k] = unsafe { F::gather(all, &index[k * BLOCK + part..(k + 1) * BLOCK]) };
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
        unsafe { F::scatter(moved, all, &index[k * BLOCK + part..(k + 1) * BLOCK], live) };
    }
    for k in 0..M {
        update.lambda[k].store(&mut lambda[k * BLOCK + part..(k + 1) * BLOCK]);
    }
}
