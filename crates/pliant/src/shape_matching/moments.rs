//! Sums over the members of a body, in a fixed order for all processors.
//!
//! Members are stored in blocks of eight, blocks in chunks of [`CHUNK`] members. Lane l of a chunk adds members l, l+8,
//! l+16, … in sequence. Chunks are then added pairwise in a binary tree, lane by lane, with unpaired ones moving up
//! unchanged; finally lanes are added at distances 4, 2, 1. Any thread count, vector width and workgroup size can
//! follow this order, so all results are bitwise equal.

use crate::math::matrix::{Mat3, Vec3};
use std::ops::Range;

/// Members per block.
pub const LANES: usize = 8;
/// Members of a chunk, the leaf of the pairwise sum.
pub const CHUNK: usize = 64;
/// Blocks of a chunk.
pub const CHUNK_BLOCKS: usize = CHUNK / LANES;

/// Rest offset x, y, z [m] and mass [kg] of eight members.
pub type Block = [[f32; LANES]; 4];
/// Eight numbers, one per lane.
pub type Lanes = [f32; LANES];

/// Sums by lane: Σ m d in the first three, then Σ m p qᵀ column by column; p is the position relative to the body's
/// origin, and d its deviation from the last match, p − L·q.
///
/// The center of mass is computed from the d because they are small: Σ m p of a body of 0.2 m has an error of 1e-8 m,
/// which would move all of its particles in every iteration.
#[derive(Clone, Copy, Debug)]
pub struct Sums(pub [Lanes; 12]);

/// Sums of weights by lane: Σ m u, then Σ m u q; u are the adaptive weights.
#[derive(Clone, Copy, Debug)]
pub struct WeightSums(pub [Lanes; 4]);

/// A value summed by chunks.
pub trait Add: Copy + Send {
    /// Zero.
    const ZERO: Self;
    /// Sum of two, lane by lane.
    fn add(&self, other: &Self) -> Self;
}

impl Add for Sums {
    const ZERO: Self = Self([[0.0; LANES]; 12]);
    fn add(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (a, b) in sum.0.iter_mut().zip(&other.0) {
            add_lanes(a, b);
        }
        sum
    }
}

impl Add for WeightSums {
    const ZERO: Self = Self([[0.0; LANES]; 4]);
    fn add(&self, other: &Self) -> Self {
        let mut sum = *self;
        for (a, b) in sum.0.iter_mut().zip(&other.0) {
            add_lanes(a, b);
        }
        sum
    }
}

impl Sums {
    /// Σ m d and Σ m p qᵀ.
    pub fn total(&self) -> (Vec3, Mat3) {
        let t = self.0.map(|lanes| total(&lanes));
        ([t[0], t[1], t[2]], [[t[3], t[4], t[5]], [t[6], t[7], t[8]], [t[9], t[10], t[11]]])
    }

    /// Adds eight members: positions relative to the origin, the last match L, then offsets and masses.
    #[inline(always)]
    pub fn block(&mut self, p: &[Lanes; 3], [t0, t1, t2]: &Mat3, [qx, qy, qz, m]: &Block) {
        let s = &mut self.0;
        for j in 0..3 {
            for l in 0..LANES {
                let d = p[j][l] - (t0[j] * qx[l] + t1[j] * qy[l] + t2[j] * qz[l]);
                let mp = m[l] * p[j][l];
                s[j][l] += m[l] * d;
                s[3 + j][l] += mp * qx[l];
                s[6 + j][l] += mp * qy[l];
                s[9 + j][l] += mp * qz[l];
            }
        }
    }
}

impl WeightSums {
    /// Σ m u and Σ m u q.
    pub fn total(&self) -> (f32, Vec3) {
        let t = self.0.map(|lanes| total(&lanes));
        (t[0], [t[1], t[2], t[3]])
    }

    /// Adds eight members whose masses are already multiplied by their weights.
    #[inline(always)]
    pub fn block(&mut self, block: &Block) {
        for l in 0..LANES {
            self.0[0][l] += block[3][l];
            for j in 0..3 {
                self.0[1 + j][l] += block[3][l] * block[j][l];
            }
        }
    }
}

/// Pairwise sum over chunks; pieces of more than `grain` chunks may run on two threads.
pub fn pairwise<T: Add>(chunks: Range<usize>, grain: usize, chunk: &(impl Fn(usize) -> T + Sync)) -> T {
    match chunks.len() {
        0 => T::ZERO,
        1 => chunk(chunks.start),
        n => {
            // Binary tree from the left: the left half is the largest power of two below n.
            let middle = chunks.start + n.next_power_of_two() / 2;
            let left = || pairwise(chunks.start..middle, grain, chunk);
            let right = || pairwise(middle..chunks.end, grain, chunk);
            let (left, right) = if n > grain { rayon::join(left, right) } else { (left(), right()) };
            left.add(&right)
        }
    }
}

/// Adds lanes at distances 4, 2, 1.
#[inline(always)]
pub fn total(v: &Lanes) -> f32 {
    ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}

#[inline(always)]
fn add_lanes(a: &mut Lanes, b: &Lanes) {
    for l in 0..LANES {
        a[l] += b[l];
    }
}
