//! Conjugate gradients in the coarse space of a large body, preconditioned by the blocks of aggregates and by the second
//! level, which carries forces across the body at once.
//!
//! Few iterations are enough: the step length along the result is found with the true forces, and the sweeps and the next
//! substep take what is left.

use crate::memory::of;
use crate::methods::vbd::block_matrix::{Block, BlockMatrix, BlockVector, WIDTH};
use crate::methods::vbd::coarse_space::CoarseSpace;
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::second_level::SecondLevel;
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;

/// Part of the residual, squared in the norm of the preconditioner, that is small enough.
const ENOUGH: f64 = 1e-5;

/// The matrix of a large body, and the vectors of the iteration.
pub(super) struct TwoLevel {
    pub(super) matrix: BlockMatrix,
    second: Envelope,
    known: Vec<f64>,
    /// Right side, then what is left of it.
    r: Vec<BlockVector>,
    x: Vec<BlockVector>,
    z: Vec<BlockVector>,
    p: Vec<BlockVector>,
    w: Vec<BlockVector>,
}

impl TwoLevel {
    pub(super) fn new(space: &CoarseSpace, level: &SecondLevel) -> Self {
        let zeros = || vec![[0.0; WIDTH]; space.counts.len()];
        Self {
            matrix: BlockMatrix::new(&space.pairs, &space.counts),
            second: Envelope::new(level.first.clone()),
            known: vec![0.0; level.size()],
            r: zeros(),
            x: zeros(),
            z: zeros(),
            p: zeros(),
            w: zeros(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let vectors = of(&self.r) + of(&self.x) + of(&self.z) + of(&self.p) + of(&self.w);
        self.matrix.bytes() + self.second.bytes() + of(&self.known) + vectors
    }

    /// Assembles and factors the second level, after the matrix has been filled.
    pub(super) fn factor(&mut self, isa: Isa, space: &CoarseSpace, level: &SecondLevel) {
        self.second.clear();
        for (number, &[a, b]) in space.pairs.iter().enumerate() {
            let (a, b) = (a as usize, b as usize);
            let block = restricted(self.matrix.pair(number), &level.transfer[a], &level.transfer[b]);
            let (ra, rb) = (level.region[a] as usize, level.region[b] as usize);
            let (row, column) = (level.unknowns[ra] as usize, level.unknowns[rb] as usize);
            let (rows, columns) = (3 * level.counts[ra] as usize, 3 * level.counts[rb] as usize);
            // Of a pair within a region both the block and its transposed count.
            for c in 0..columns {
                for r in 0..rows {
                    let (i, j, value) = (row + r, column + c, f64::from(block[c][r]));
                    if i >= j {
                        self.second.add(i, j, value);
                    }
                    if a != b && ra == rb && j >= i || ra < rb {
                        self.second.add(j, i, value);
                    }
                }
            }
        }
        self.second.factor(isa);
    }

    /// Sets the right side to zero, and returns it.
    pub(super) fn right_side(&mut self) -> &mut [BlockVector] {
        self.r.fill([0.0; WIDTH]);
        &mut self.r
    }

    /// The solution after a few iterations.
    pub(super) fn solve(&mut self, threads: &Threads, level: &SecondLevel) -> &[BlockVector] {
        self.x.fill([0.0; WIDTH]);
        self.p.fill([0.0; WIDTH]);
        let (mut last, mut first) = (0.0, None);
        for _ in 0..level.iterations {
            self.precondition(threads, level);
            let left = dot(threads, &self.r, &self.z);
            if left <= 0.0 || left.is_nan() {
                break;
            }
            if first.is_some_and(|first| left < ENOUGH * first) {
                break;
            }
            first = first.or(Some(left));
            let keep = if last > 0.0 { (left / last) as f32 } else { 0.0 };
            last = left;
            let z = &self.z;
            update(threads, &mut self.p, |a, p| each(p, &z[a], |p, z| z + keep * p));
            self.matrix.multiply(threads, &self.p, &mut self.w);
            let curvature = dot(threads, &self.p, &self.w);
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            let step = (left / curvature) as f32;
            let (p, w) = (&self.p, &self.w);
            update(threads, &mut self.x, |a, x| each(x, &p[a], |x, p| x + step * p));
            update(threads, &mut self.r, |a, r| each(r, &w[a], |r, w| r - step * w));
        }
        &self.x
    }

    /// z from r: blocks of aggregates plus the second level.
    fn precondition(&mut self, threads: &Threads, level: &SecondLevel) {
        self.known.fill(0.0);
        for (a, r) in self.r.iter().enumerate() {
            let region = level.region[a] as usize;
            let known = &mut self.known[level.unknowns[region] as usize..level.unknowns[region + 1] as usize];
            for (n, known) in known.chunks_exact_mut(3).enumerate() {
                for m in 0..4 {
                    let part = f64::from(level.transfer[a][m][n]);
                    (0..3).for_each(|c| known[c] += part * f64::from(r[3 * m + c]));
                }
            }
        }
        self.second.solve(&mut self.known);
        let (matrix, r, known) = (&self.matrix, &self.r, &self.known);
        update(threads, &mut self.z, |a, z| {
            *z = matrix.precondition(a, &r[a]);
            let region = level.region[a] as usize;
            let known = &known[level.unknowns[region] as usize..level.unknowns[region + 1] as usize];
            for (n, known) in known.chunks_exact(3).enumerate() {
                for m in 0..4 {
                    let part = level.transfer[a][m][n];
                    (0..3).for_each(|c| z[3 * m + c] += part * known[c] as f32);
                }
            }
        });
    }
}

/// CₐᵀAC_b of a block and the transfers of its row and column.
fn restricted(block: &Block, row: &[[f32; 4]; 4], column: &[[f32; 4]; 4]) -> Block {
    let mut half = [[0.0; WIDTH]; WIDTH];
    for n in 0..4 {
        for m in 0..4 {
            let part = column[m][n];
            for c in 0..3 {
                each(&mut half[3 * n + c], &block[3 * m + c], |sum, a| sum + part * a);
            }
        }
    }
    let mut all = [[0.0; WIDTH]; WIDTH];
    for (sum, half) in all.iter_mut().zip(&half) {
        for m in 0..4 {
            for n in 0..4 {
                (0..3).for_each(|r| sum[3 * n + r] += row[m][n] * half[3 * m + r]);
            }
        }
    }
    all
}

#[inline(always)]
fn each(a: &mut BlockVector, b: &BlockVector, f: impl Fn(f32, f32) -> f32) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a = f(*a, *b));
}

fn update(threads: &Threads, parts: &mut [BlockVector], f: impl Fn(usize, &mut BlockVector) + Sync + Send) {
    threads.chunks(parts, 1, |first, piece| {
        piece.iter_mut().enumerate().for_each(|(k, part)| f(first + k, part));
    });
}

fn dot(threads: &Threads, a: &[BlockVector], b: &[BlockVector]) -> f64 {
    threads.sum(a.len(), |range| {
        let mut sums = [0.0_f64; WIDTH];
        for (a, b) in a[range.clone()].iter().zip(&b[range]) {
            (0..WIDTH).for_each(|k| sums[k] += f64::from(a[k]) * f64::from(b[k]));
        }
        sums.iter().sum()
    })
}
