//! Second level of the coarse space of large bodies: affine motions of regions, which are unions of aggregates.
//!
//! An affine function on a region is affine on each of its aggregates, and so a combination of that aggregate's modes.

use crate::memory::of;
use crate::methods::vbd::coarse_space::{affine_modes, bisect};
use crate::methods::vbd::graph::Adjacency;
use glam::Vec3;

/// Regions of a body at most.
pub const REGIONS: usize = 32;
/// Aggregates of a region at least, on average.
const AGGREGATES: usize = 8;

/// Iterations of conjugate gradients. A beam of 130 aggregates moves as with a factored matrix from 6 on, a sheet from 4 on.
const ITERATIONS: usize = 8;
/// The same where elements bend, whose matrix is worse: a clamped strip of 95 aggregates loses its swing with 6, keeps it with
/// 12 and moves as with a factored matrix with 24.
const BENDING_ITERATIONS: usize = 16;

/// Functions on the aggregates of a body.
#[derive(Clone, Debug)]
pub struct SecondLevel {
    /// Region of each aggregate.
    pub region: Vec<u32>,
    /// Parts of the aggregate's modes (rows) in the modes of its region (columns).
    pub transfer: Vec<[[f32; 4]; 4]>,
    /// Number of modes of each region.
    pub counts: Vec<u32>,
    /// First unknown of each region, plus the total.
    pub unknowns: Vec<u32>,
    /// First unknown that each unknown is coupled to.
    pub first: Vec<u32>,
    /// Iterations of conjugate gradients.
    pub iterations: usize,
}

impl SecondLevel {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        adjacency: &Adjacency,
        aggregate: &[u32],
        modes: &[[f32; 4]],
        counts: &[u32],
        rest: &[Vec3],
        movable: &[bool],
        bends: bool,
    ) -> Self {
        let count = REGIONS.min(counts.len().div_ceil(AGGREGATES));
        let mut region = vec![0; counts.len()];
        let mut all: Vec<u32> = (0..counts.len() as u32).collect();
        bisect(&mut all, count, &centers(aggregate, counts.len(), rest), 0, &mut region);
        let region_of = |region: &[u32]| aggregate.iter().map(|&a| region[a as usize]).collect::<Vec<u32>>();
        let coupled = adjacency.between(&region_of(&region), count);
        let mut rank = vec![0; count];
        coupled.banded_order().iter().enumerate().for_each(|(number, &r)| rank[r as usize] = number as u32);
        region.iter_mut().for_each(|r| *r = rank[*r as usize]);
        let of_vertex = region_of(&region);
        let mut members = vec![Vec::new(); count];
        of_vertex.iter().enumerate().for_each(|(v, &r)| members[r as usize].push(v));
        let mut values = vec![[0.0; 4]; rest.len()];
        let own: Vec<u32> = members.iter().map(|m| affine_modes(m, rest, movable, &mut values)).collect();
        // The modes of an aggregate are orthonormal, so that products with them are the parts.
        let mut transfer = vec![[[0.0_f64; 4]; 4]; counts.len()];
        for (v, &a) in aggregate.iter().enumerate() {
            for m in 0..4 {
                for n in 0..4 {
                    transfer[a as usize][m][n] += f64::from(modes[v][m]) * f64::from(values[v][n]);
                }
            }
        }
        let mut unknowns = vec![0];
        own.iter().for_each(|n| unknowns.push(unknowns[unknowns.len() - 1] + 3 * n));
        let mut reach: Vec<u32> = (0..count as u32).collect();
        for [a, b] in adjacency.between(&of_vertex, count).lower_pairs() {
            reach[a as usize] = reach[a as usize].min(b);
        }
        let of_region = |r: usize| std::iter::repeat_n(unknowns[reach[r] as usize], 3 * own[r] as usize);
        let first = (0..count).flat_map(of_region).collect();
        let transfer = transfer.iter().map(|t| t.map(|row| row.map(|x| x as f32))).collect();
        let iterations = if bends { BENDING_ITERATIONS } else { ITERATIONS };
        Self { region, transfer, counts: own, unknowns, first, iterations }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.first.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.region) + of(&self.transfer) + of(&self.counts) + of(&self.unknowns) + of(&self.first)
    }
}

/// Mean rest position of each aggregate.
fn centers(aggregate: &[u32], count: usize, rest: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![(glam::DVec3::ZERO, 0.0); count];
    for (&a, x) in aggregate.iter().zip(rest) {
        let sum = &mut sums[a as usize];
        *sum = (sum.0 + x.as_dvec3(), sum.1 + 1.0);
    }
    sums.iter().map(|(sum, n)| (*sum / *n).as_vec3()).collect()
}
