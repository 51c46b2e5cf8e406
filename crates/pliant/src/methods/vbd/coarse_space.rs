//! The coarse space of a body: affine motions of aggregates of vertices.
//!
//! Chains are their own coarse space: their matrix has few diagonals, so that it is solved exactly.

use crate::memory::of;
use crate::methods::vbd::graph::Adjacency;
use crate::methods::vbd::second_level::SecondLevel;
use glam::Vec3;

/// Vertices per aggregate.
const AGGREGATE: usize = 64;
/// Bodies whose vertices, well ordered, have neighbors at most so far away on average are chains.
const CHAIN_WIDTH: usize = 4;

/// Bodies of more aggregates have a second level; the matrix of smaller ones is factored.
pub(super) const DIRECT: usize = 32;

/// Kind of the elements of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// Some have orientations.
    pub(super) turns: bool,
    /// Some resist bending.
    pub(super) bends: bool,
}

/// Functions on the vertices of a body.
#[derive(Clone, Debug)]
pub struct CoarseSpace {
    /// Aggregate of each vertex.
    pub aggregate: Vec<u32>,
    /// Values of the aggregate's modes at each vertex: orthonormal columns; 0 for modes that are not there.
    pub modes: Vec<[f32; 4]>,
    /// Number of modes of each aggregate.
    pub counts: Vec<u32>,
    /// First unknown of each aggregate, plus the total. A mode has three unknowns.
    pub unknowns: Vec<u32>,
    /// First unknown that each unknown is coupled to.
    pub first: Vec<u32>,
    /// Whether every vertex is an aggregate.
    pub exact: bool,
    /// Aggregates that share elements, the larger number first, and each with itself; ascending.
    pub pairs: Vec<[u32; 2]>,
    /// The second level of a large body.
    pub second: Option<SecondLevel>,
}

impl CoarseSpace {
    pub(super) fn new(adjacency: &Adjacency, rest: &[Vec3], movable: &[bool], kinds: Kinds) -> Self {
        let order = adjacency.banded_order();
        let chain = width(adjacency, &order) <= CHAIN_WIDTH * adjacency.len();
        if chain || kinds.turns {
            let mut aggregate = vec![0; order.len()];
            order.iter().enumerate().for_each(|(number, &v)| aggregate[v as usize] = number as u32);
            let modes = movable.iter().map(|&free| [if free { 1.0 } else { 0.0 }, 0.0, 0.0, 0.0]).collect();
            return Self::finish(adjacency, aggregate, modes, vec![1; order.len()], true, None);
        }
        let mut aggregate = vec![0; rest.len()];
        let mut all: Vec<u32> = (0..rest.len() as u32).collect();
        let count = rest.len().div_ceil(AGGREGATE);
        bisect(&mut all, count, rest, 0, &mut aggregate);
        let coarse = adjacency.between(&aggregate, count);
        let mut rank = vec![0; count];
        coarse.banded_order().iter().enumerate().for_each(|(number, &a)| rank[a as usize] = number as u32);
        aggregate.iter_mut().for_each(|a| *a = rank[*a as usize]);
        let mut members = vec![Vec::new(); count];
        aggregate.iter().enumerate().for_each(|(v, &a)| members[a as usize].push(v));
        let mut modes = vec![[0.0; 4]; rest.len()];
        let counts: Vec<u32> = members.iter().map(|m| affine_modes(m, rest, movable, &mut modes)).collect();
        let second = (count > DIRECT)
            .then(|| SecondLevel::new(adjacency, &aggregate, &modes, &counts, rest, movable, kinds.bends));
        Self::finish(adjacency, aggregate, modes, counts, false, second)
    }

    fn finish(
        adjacency: &Adjacency,
        aggregate: Vec<u32>,
        modes: Vec<[f32; 4]>,
        counts: Vec<u32>,
        exact: bool,
        second: Option<SecondLevel>,
    ) -> Self {
        let mut unknowns = vec![0];
        counts.iter().for_each(|n| unknowns.push(unknowns[unknowns.len() - 1] + 3 * n));
        let mut reach: Vec<u32> = (0..counts.len() as u32).collect();
        for v in 0..adjacency.len() as u32 {
            let own = aggregate[v as usize] as usize;
            for &n in adjacency.of(v) {
                reach[own] = reach[own].min(aggregate[n as usize]);
            }
        }
        let of_aggregate = |a: usize| std::iter::repeat_n(unknowns[reach[a] as usize], 3 * counts[a] as usize);
        let first = (0..counts.len()).flat_map(of_aggregate).collect();
        let pairs = adjacency.between(&aggregate, counts.len()).lower_pairs();
        Self { aggregate, modes, counts, unknowns, first, exact, pairs, second }
    }

    /// Vertices of each aggregate.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.counts.len()];
        self.aggregate.iter().enumerate().for_each(|(v, &a)| members[a as usize].push(v));
        members
    }

    pub(super) fn bytes(&self) -> u64 {
        let lists = of(&self.aggregate) + of(&self.modes) + of(&self.counts) + of(&self.unknowns) + of(&self.first);
        lists + of(&self.pairs) + self.second.as_ref().map_or(0, SecondLevel::bytes)
    }
}

/// Sum of the distances to the first neighbor in an order.
fn width(adjacency: &Adjacency, order: &[u32]) -> usize {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(number, &v)| rank[v as usize] = number);
    let reach = |v: &u32| adjacency.of(*v).iter().map(|&n| rank[n as usize]).min().unwrap_or(0);
    order.iter().map(|v| rank[*v as usize].saturating_sub(reach(v))).sum()
}

/// Cuts vertices into `count` aggregates of equal size across their longest extent.
pub(super) fn bisect(vertices: &mut [u32], count: usize, rest: &[Vec3], first: usize, aggregate: &mut [u32]) {
    if count <= 1 {
        return vertices.iter().for_each(|&v| aggregate[v as usize] = first as u32);
    }
    let at = |v: u32| rest[v as usize];
    let (low, high) =
        vertices.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), &v| (low.min(at(v)), high.max(at(v))));
    let size = high - low;
    let axis = (1..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
    vertices.sort_by(|&a, &b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b)));
    let left = count / 2;
    let (a, b) = vertices.split_at_mut(vertices.len() * left / count);
    bisect(a, left, rest, first, aggregate);
    bisect(b, count - left, rest, first + left, aggregate);
}

/// Constant and linear functions on the movable vertices of an aggregate, orthonormal, without those that vanish.
pub(super) fn affine_modes(members: &[usize], rest: &[Vec3], movable: &[bool], modes: &mut [[f32; 4]]) -> u32 {
    let free: Vec<usize> = members.iter().copied().filter(|&v| movable[v]).collect();
    if free.is_empty() {
        return 0;
    }
    let center = free.iter().map(|&v| rest[v].as_dvec3()).sum::<glam::DVec3>() / free.len() as f64;
    let mut columns: Vec<Vec<f64>> = vec![vec![1.0; free.len()]];
    columns.extend((0..3).map(|axis| free.iter().map(|&v| rest[v].as_dvec3()[axis] - center[axis]).collect()));
    let norm = |c: &[f64]| c.iter().map(|x| x * x).sum::<f64>().sqrt();
    let extent = columns[1..].iter().map(|c| norm(c)).fold(0.0, f64::max);
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for (number, mut column) in columns.into_iter().enumerate() {
        for _ in 0..2 {
            for other in &kept {
                let along: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                column.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
        }
        let length = norm(&column);
        if number > 0 && length < 1e-2 * extent || length < 1e-12 {
            continue;
        }
        column.iter_mut().for_each(|x| *x /= length);
        kept.push(column);
    }
    for (k, &v) in free.iter().enumerate() {
        kept.iter().enumerate().for_each(|(m, column)| modes[v][m] = column[k] as f32);
    }
    kept.len() as u32
}
