//! Mistakes on purpose, by which `scripts/sanitize` proves that a sanitizer sees those of the engine: compiled only with
//! `--cfg pliant_selftest`, which only that script sets.

use crate::math::RowData;
use crate::runtime::cpu::Threads;
use crate::runtime::cpu::shared_slice::Shared;
use crate::runtime::cpu::simd::Pack;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Reads the row behind the last one by [`Pack::gather`], as a kernel would with a wrong index. The debug assertion of
/// `gather` is told a greater length, so that only a sanitizer can tell.
pub fn read_out_of_bounds() -> f32 {
    let rows: Box<[RowData]> = vec![[1.0; 4]; 64].into();
    let longer = std::ptr::slice_from_raw_parts(rows.as_ptr(), rows.len() + 8);
    // SAFETY: none. The read is out of bounds, which is what a sanitizer is to find.
    let row = unsafe { f32::gather(std::hint::black_box(longer), &[rows.len() as u32]) };
    row.w
}

/// Two threads of a pool write one row through [`Shared`] without synchronization, as two patches that share a particle
/// would. Returns how many threads were seen.
pub fn write_one_row_twice() -> usize {
    write_rows(|_| 0)
}

/// The same with a row for each thread, which is no mistake.
pub fn write_two_rows() -> usize {
    write_rows(|i| 8 * i)
}

fn write_rows(row_of: impl Fn(usize) -> usize + Sync + Send) -> usize {
    let threads = Threads::new(2).expect("two threads");
    let mut rows: Vec<RowData> = vec![[0.0; 4]; 64];
    let shared = Shared::new(&mut rows);
    let arrived = AtomicUsize::new(0);
    let mut seen = [0, 0];
    threads.enter(|| {
        threads.each(&mut seen, |i, seen| {
            // Both are on their way before either writes, so each has a thread of its own. Relaxed: it orders nothing.
            arrived.fetch_add(1, Ordering::Relaxed);
            while arrived.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }
            for round in 0..1000 {
                // SAFETY: none where both name one row, which is what a sanitizer is to find.
                unsafe { *std::hint::black_box(shared.get(row_of(i))) = [round as f32; 4] };
            }
            *seen = 1;
        });
    });
    std::hint::black_box(&rows);
    seen.iter().sum()
}
