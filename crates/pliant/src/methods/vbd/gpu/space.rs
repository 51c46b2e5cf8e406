//! The coarse space as shaders see it: blocks of up to four modes, and the rows of the matrix by block.
//!
//! Chains, whose vertices are all unknowns, have blocks of four vertices: a mode is then one of them.

use crate::methods::vbd::plan::Body;

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
    /// Number of the first pair of each block.
    first_pair: Vec<usize>,
    exact: bool,
}

impl DeviceSpace {
    pub(super) fn new(body: &Body) -> Self {
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
        counts.iter().for_each(|n| unknowns.push(unknowns[unknowns.len() - 1] + 3 * n));
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
            first_pair: vec![0],
            counts,
            unknowns,
            reach,
            exact,
        };
        for a in 0..all.counts.len() {
            let own = all.unknowns[a]..all.unknowns[a + 1];
            let first = all.first_of(a);
            all.first.extend(own.clone().map(|_| first));
            for b in all.reach[a]..a as u32 {
                all.below[b as usize].extend(own.clone());
            }
            all.first_pair.push(all.first_pair[a] + a + 1 - all.reach[a] as usize);
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

    /// All blocks of the matrix: row and column.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.counts.len() as u32).flat_map(|a| (self.reach[a as usize]..=a).map(move |b| (a, b)))
    }

    /// Number of a block of the matrix.
    pub(super) fn pair(&self, row: u32, column: u32) -> usize {
        self.first_pair[row as usize] + (column - self.reach[row as usize]) as usize
    }

    /// Block and mode of an unknown of the plan's own numbering.
    pub(super) fn mode_of(&self, unknown: u32) -> (u32, u32) {
        if self.exact {
            let rank = unknown / 3;
            return (rank / MODES, rank % MODES);
        }
        let block = self.unknowns.partition_point(|&first| first <= unknown) as u32 - 1;
        (block, (unknown - self.unknowns[block as usize]) / 3)
    }
}
