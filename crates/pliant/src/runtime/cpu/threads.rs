//! Threads of one simulation, and the division of work.
//!
//! Results never depend on the division: chunks only contain work that is independent of order.

use rayon::prelude::*;

/// A thread pool, or none for a single thread.
pub struct Threads {
    pool: Option<rayon::ThreadPool>,
    count: usize,
}

/// Smallest chunk of work for another thread [items].
const GRAIN: usize = 64;

impl Threads {
    /// `count` threads; 0 means one per core.
    pub fn new(count: usize) -> std::io::Result<Self> {
        let count = if count == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { count };
        let pool = if count == 1 {
            None
        } else {
            let build = rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("pliant-{i}"));
            Some(build.build().map_err(std::io::Error::other)?)
        };
        Ok(Self { pool, count })
    }

    /// The calling thread only; cannot fail.
    pub fn one() -> Self {
        Self { pool: None, count: 1 }
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs `f` inside the pool, so that the passes within need not enter it one by one.
    pub fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(f),
            None => f(),
        }
    }

    /// Calls `f(first item, chunk)` for chunks of `data`, `stride` numbers per item.
    pub fn chunks<T: Send>(&self, data: &mut [T], stride: usize, f: impl Fn(usize, &mut [T]) + Sync + Send) {
        let items = data.len() / stride;
        let piece = items.div_ceil(self.count * 4).max(GRAIN);
        if self.pool.is_none() || items <= piece {
            if items > 0 {
                f(0, data);
            }
            return;
        }
        data.par_chunks_mut(piece * stride).enumerate().for_each(|(i, chunk)| f(i * piece, chunk));
    }

    /// As [`Self::chunks`] with one item per number, over three slices of equal length.
    pub fn zip<A: Send, B: Send, C: Send>(
        &self,
        (a, b, c): (&mut [A], &mut [B], &mut [C]),
        f: impl Fn(usize, &mut [A], &mut [B], &mut [C]) + Sync + Send,
    ) {
        let piece = a.len().div_ceil(self.count * 4).max(GRAIN);
        if self.pool.is_none() || a.len() <= piece {
            return f(0, a, b, c);
        }
        let pieces = a.par_chunks_mut(piece).zip(b.par_chunks_mut(piece)).zip(c.par_chunks_mut(piece));
        pieces.enumerate().for_each(|(i, ((a, b), c))| f(i * piece, a, b, c));
    }

    /// Calls `f(run index, run of a, run of b)` for slices cut into runs of the given lengths.
    pub fn runs<A: Send, B: Send>(
        &self,
        (a, run_a): (&mut [A], usize),
        (b, run_b): (&mut [B], usize),
        f: impl Fn(usize, &mut [A], &mut [B]) + Sync + Send,
    ) {
        if self.pool.is_none() {
            let runs = a.chunks_mut(run_a).zip(b.chunks_mut(run_b));
            return runs.enumerate().for_each(|(i, (a, b))| f(i, a, b));
        }
        let runs = a.par_chunks_mut(run_a).zip(b.par_chunks_mut(run_b));
        runs.enumerate().for_each(|(i, (a, b))| f(i, a, b));
    }

    /// Calls `f(index, item)` for every item, each possibly on another thread.
    pub fn each<T: Send>(&self, items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
        if self.pool.is_none() || items.len() < 2 {
            return items.iter_mut().enumerate().for_each(|(i, item)| f(i, item));
        }
        items.par_iter_mut().enumerate().for_each(|(i, item)| f(i, item));
    }

    /// Calls `f` for every index below `count`, each possibly on another thread.
    pub fn over_numbers(&self, count: usize, f: impl Fn(usize) + Sync + Send) {
        if self.pool.is_none() || count < 2 {
            return (0..count).for_each(f);
        }
        (0..count).into_par_iter().for_each(f);
    }

    /// Calls `f` for every item, in chunks.
    pub fn over<T: Sync>(&self, items: &[T], f: impl Fn(&T) + Sync + Send) {
        let piece = items.len().div_ceil(self.count * 4).max(GRAIN);
        if self.pool.is_none() || items.len() <= piece {
            return items.iter().for_each(f);
        }
        items.par_chunks(piece).for_each(|chunk| chunk.iter().for_each(&f));
    }

    /// Sum of `f` over chunks of `0..items`, in order. Does not allocate.
    pub fn sum(&self, items: usize, f: impl Fn(std::ops::Range<usize>) -> f64 + Sync + Send) -> f64 {
        let mut parts = [0.0; MOST_PARTS];
        // The division depends on the number of items alone.
        let piece = items.div_ceil(MOST_PARTS).max(FIXED);
        let parts = &mut parts[..items.div_ceil(piece)];
        self.each(parts, |i, part| *part = f(i * piece..((i + 1) * piece).min(items)));
        parts.iter().sum()
    }

    /// As [`Self::chunks`] over `0..items` without data; results in order.
    pub fn map<R: Send>(&self, items: usize, f: impl Fn(std::ops::Range<usize>) -> R + Sync + Send) -> Vec<R> {
        let piece = FIXED;
        let pieces = items.div_ceil(piece);
        let range = |i: usize| i * piece..((i + 1) * piece).min(items);
        if self.pool.is_none() || pieces < 2 {
            return (0..pieces).map(|i| f(range(i))).collect();
        }
        (0..pieces).into_par_iter().map(|i| f(range(i))).collect()
    }
}

/// Maximum number of chunks of [`Threads::sum`].
const MOST_PARTS: usize = 64;

/// Chunk size of [`Threads::map`]: fixed, because sums over chunks must not depend on the thread count.
const FIXED: usize = 4096;
