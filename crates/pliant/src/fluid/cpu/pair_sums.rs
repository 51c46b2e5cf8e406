//! Sums over the neighbors of every particle, of several terms at once.

use crate::constraints::group::BLOCK;
use crate::fluid::cpu::neighbor_sums::{NeighborBlocks, Span, Sweep, SweepVariant, total};
use crate::fluid::model::FluidModel;
use crate::fluid::sph_kernels::Smooth;
use crate::math::{RowData, V3};
use crate::neighbors::Neighbors;
use crate::runtime::cpu::simd::Pack;
use crate::runtime::cpu::threads::Threads;

/// A pair of neighbors, or several, one in each lane.
pub struct Pair<'a, F> {
    /// W [1/m³], 0 in lanes without a neighbor.
    pub value: F,
    /// W'/r [1/m⁵]; in lanes without a neighbor the offset is 0.
    pub slope: F,
    /// x_i − x_j [m].
    pub apart: V3<F>,
    /// Neighbors of the lanes.
    pub index: &'a [u32],
}

/// Terms of a sum over neighbors.
pub trait Terms<const N: usize>: Copy + Sync {
    /// The terms of a pair of particle `own`.
    fn of<F: Pack>(&self, own: usize, pair: &Pair<'_, F>) -> [F; N];
}

/// Data that all sweeps share.
#[derive(Clone, Copy)]
pub struct PairSums<'a> {
    pub threads: &'a Threads,
    pub model: &'a FluidModel<'a>,
    pub near: &'a Neighbors,
    pub way: SweepVariant,
    /// Positions of all particles.
    pub rows: &'a [RowData],
}

impl PairSums<'_> {
    /// Calls `then` with the run, the number in the run, the particle and its sums. `then` may write what belongs to the
    /// particle: every particle is called once.
    pub fn sweep<const N: usize, T: Terms<N>>(&self, terms: T, then: impl Fn(usize, usize, usize, [f32; N]) + Sync) {
        self.threads.over_numbers(self.model.runs.len(), |run| {
            let span = self.model.runs[run].clone();
            self.way.run(RunSweep { sums: self, terms, span, run, then: &then });
        });
    }
}

struct RunSweep<'a, const N: usize, T, G> {
    sums: &'a PairSums<'a>,
    terms: T,
    span: Span,
    run: usize,
    then: &'a G,
}

impl<const N: usize, T: Terms<N>, G: Fn(usize, usize, usize, [f32; N])> Sweep for RunSweep<'_, N, T, G> {
    #[inline(always)]
    fn run<F: Pack, K: Smooth<F>, const EVEN: bool>(self, kernel: K) {
        let rows = self.sums.rows;
        for (k, i) in self.span.clone().enumerate() {
            let [x, y, z, _] = rows[i];
            let here = V3::new(F::splat(x), F::splat(y), F::splat(z));
            let near = NeighborBlocks::new(self.sums.near.of(i), i as u32);
            let mut parts = [[F::splat(0.0); BLOCK]; N];
            for block in 0..near.len() {
                let (index, live) = near.get(block);
                let mut mask = [1.0; BLOCK];
                mask[live..].fill(0.0);
                for p in 0..BLOCK / F::WIDTH {
                    let at = p * F::WIDTH;
                    // SAFETY: list entries are particle indices, and no thread writes positions in a sweep.
                    let row = unsafe { F::gather(rows, &index[at..]) };
                    let apart = here - row.v;
                    let (value, slope) = kernel.at(apart.length_squared());
                    let value = value * F::load(&mask[at..]);
                    let terms = self.terms.of(i, &Pair { value, slope, apart, index: &index[at..] });
                    for n in 0..N {
                        parts[n][p] = parts[n][p] + terms[n];
                    }
                }
            }
            (self.then)(self.run, k, i, parts.map(|part| total(&part)));
        }
    }
}
