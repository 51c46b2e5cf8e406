//! The coarse space as shaders see it: blocks of up to four modes, and the rows of the matrix by block.
//!
//! Chains, whose vertices are all unknowns, have blocks of four vertices: a mode is then one of them. In other bodies
//! every block has twelve unknowns, some of which may be none.

use crate::methods::vbd::gpu::constants::COARSE_WIDTH;
use crate::methods::vbd::plan::ElasticBody;

/// Modes of a block at most.
pub(super) const MODES: u32 = 4;

/// Blocks of unknowns of one body. Everything is numbered within the body.
pub(super) struct DeviceSpace {
    /// Block of each vertex.
    pub(super) aggregate: Vec<u32>,
    /// Values of the modes of its block at each vertex.
    pub(super) modes: Vec<[f32; 4]>,
    /// Number of modes of each block.
    pub(super) counts: Vec<u32>,
    /// First unknown of each block, plus the total.
    pub(super) unknowns: Vec<u32>,
    /// Vertices of each block.
    pub(super) members: Vec<Vec<u32>>,
    /// First column of each row of the matrix.
    pub(super) first: Vec<u32>,
    /// Unknowns of later blocks whose rows reach each block.
    pub(super) below: Vec<Vec<u32>>,
    /// First block that each block reaches.
    reach: Vec<u32>,
    /// Blocks of the matrix: row and column.
    pub(super) pairs: Vec<[u32; 2]>,
    /// First unknown of each block in the plan.
    planned: Vec<u32>,
    exact: bool,
}

impl DeviceSpace {
    pub(super) fn new(body: &ElasticBody) -> Self {
        let space = &body.coarse;
        let exact = space.exact;
        let vertices = body.vertices.len();
        let (aggregate, modes, counts): (Vec<u32>, Vec<[f32; 4]>, Vec<u32>) = if exact {
            let mode = |(&rank, own): (&u32, &[f32; 4])| {
                let mut mode = [0.0; 4];
                mode[(rank % MODES) as usize] = own[0];
                mode
            };
            let blocks = (vertices as u32).div_ceil(MODES);
            let count = |b: u32| MODES.min(vertices as u32 - MODES * b);
            (
                space.aggregate.iter().map(|rank| rank / MODES).collect(),
                space.aggregate.iter().zip(&space.modes).map(mode).collect(),
                (0..blocks).map(count).collect(),
            )
        } else {
            (space.aggregate.clone(), space.modes.clone(), space.counts.clone())
        };
        let mut members = vec![Vec::new(); counts.len()];
        aggregate.iter().enumerate().for_each(|(v, &a)| members[a as usize].push(v as u32));
        let mut unknowns = vec![0];
        for n in &counts {
            let size = if exact { 3 * n } else { COARSE_WIDTH };
            unknowns.push(unknowns[unknowns.len() - 1] + size);
        }
        let mut reach: Vec<u32> = (0..counts.len() as u32).collect();
        for element in &body.elements {
            let rows = &element.rows[..element.kind.layout().rows];
            let least = rows.iter().map(|&r| aggregate[r as usize]).min().unwrap_or(0);
            for &r in rows {
                let own = &mut reach[aggregate[r as usize] as usize];
                *own = (*own).min(least);
            }
        }
        let mut all = Self {
            aggregate,
            modes,
            members,
            first: Vec::new(),
            below: vec![Vec::new(); counts.len()],
            pairs: Vec::new(),
            planned: space.unknowns.clone(),
            counts,
            unknowns,
            reach,
            exact,
        };
        if !exact {
            // A dense matrix has all pairs.
            let lower = |a: u32| (0..=a).map(move |b| [a, b]);
            all.pairs = match space.second {
                Some(_) => space.pairs.clone(),
                None => (0..all.counts.len() as u32).flat_map(lower).collect(),
            };
            return all;
        }
        for a in 0..all.counts.len() {
            let own = all.unknowns[a]..all.unknowns[a + 1];
            let first = all.first_of(a);
            all.first.extend(own.clone().map(|_| first));
            for b in all.reach[a]..a as u32 {
                all.below[b as usize].extend(own.clone());
            }
            all.pairs.extend((all.reach[a]..=a as u32).map(|b| [a as u32, b]));
        }
        all
    }

    /// Number of unknowns.
    pub(super) fn size(&self) -> u32 {
        self.unknowns[self.counts.len()]
    }

    /// First column of the rows of a block.
    pub(super) fn first_of(&self, block: usize) -> u32 {
        self.unknowns[self.reach[block] as usize]
    }

    /// Number of a block of the matrix.
    pub(super) fn pair(&self, row: u32, column: u32) -> usize {
        self.pairs.partition_point(|&pair| pair < [row, column])
    }

    /// Block and mode of an unknown of the plan's own numbering.
    pub(super) fn mode_of(&self, unknown: u32) -> (u32, u32) {
        if self.exact {
            let rank = unknown / 3;
            return (rank / MODES, rank % MODES);
        }
        let block = self.planned.partition_point(|&first| first <= unknown) as u32 - 1;
        (block, (unknown - self.planned[block as usize]) / 3)
    }
}
