//! Blocks that tetrahedra give to the coarse matrix: summed at rest, turned with an aggregate.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::memory::of;
use crate::methods::vbd::assembly::modes_of;
use crate::methods::vbd::block_matrix::Block;
use crate::methods::vbd::element::{linear, params};
use crate::methods::vbd::plan::ElasticBody;
use glam::Mat3;
use std::collections::BTreeMap;

/// Pairs of modes of two aggregates.
const PAIRS: usize = 16;

/// A 3×3 matrix for each pair of modes, entry by entry (columns first), so that all are turned at once.
type Entries = [[f32; PAIRS]; 9];

/// By pair of aggregates.
#[derive(Default)]
pub(super) struct TetBlocks {
    /// Where the blocks of each pair start, plus their number.
    offsets: Vec<u32>,
    /// Aggregate that each turns with.
    turns: Vec<u32>,
    blocks: Vec<Entries>,
}

impl TetBlocks {
    pub(super) fn new(body: &ElasticBody, groups: &[Group]) -> Self {
        let space = &body.coarse;
        if space.exact || !body.elements.iter().any(|e| e.kind == ConstraintKind::NeoHookeanTet) {
            return Self::default();
        }
        let mut found: BTreeMap<[u32; 3], Entries> = BTreeMap::new();
        for element in body.elements.iter().filter(|e| e.kind == ConstraintKind::NeoHookeanTet) {
            let own = linear(element.kind, &params(element, groups), &[[0.0; 4]; 4], Mat3::IDENTITY);
            let turn = turns_with(body, &element.rows);
            let modes: Vec<_> = modes_of(body, &element.rows).map(|(u, w)| (mode_of(body, u), own.mode(&w))).collect();
            for ((a, m), first) in &modes {
                for ((b, n), second) in modes.iter().filter(|((b, _), _)| b <= a) {
                    let block = found.entry([*a, *b, turn]).or_insert([[0.0; PAIRS]; 9]);
                    let part = own.modes(first, second).to_cols_array();
                    (0..9).for_each(|k| block[k][4 * m + n] += part[k]);
                }
            }
        }
        let mut it = Self { offsets: vec![0], ..Self::default() };
        let mut found = found.into_iter().peekable();
        for pair in &space.pairs {
            while let Some(([.., turn], block)) = found.next_if(|([a, b, _], _)| [*a, *b] == *pair) {
                it.turns.push(turn);
                it.blocks.push(block);
            }
            it.offsets.push(it.blocks.len() as u32);
        }
        it
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.offsets) + of(&self.turns) + of(&self.blocks)
    }

    /// Adds Σ R·K·Rᵀ to the block of a pair.
    pub(super) fn add(&self, pair: usize, rotations: &[Mat3], block: &mut Block) {
        if self.is_empty() {
            return;
        }
        let mut sums = [[0.0_f32; PAIRS]; 9];
        for k in self.offsets[pair] as usize..self.offsets[pair + 1] as usize {
            let r = rotations[self.turns[k] as usize].to_cols_array_2d();
            let entries = &self.blocks[k];
            // half[i][j] = Σ R[i][k]·K[k][j], with K[k][j] in 3·j + k.
            let mut half = [[0.0_f32; PAIRS]; 9];
            for j in 0..3 {
                for i in 0..3 {
                    for p in 0..PAIRS {
                        half[3 * j + i][p] = r[0][i] * entries[3 * j][p]
                            + r[1][i] * entries[3 * j + 1][p]
                            + r[2][i] * entries[3 * j + 2][p];
                    }
                }
            }
            for j in 0..3 {
                for i in 0..3 {
                    for p in 0..PAIRS {
                        sums[3 * j + i][p] +=
                            half[i][p] * r[0][j] + half[3 + i][p] * r[1][j] + half[6 + i][p] * r[2][j];
                    }
                }
            }
        }
        for m in 0..4 {
            for n in 0..4 {
                for c in 0..3 {
                    for r in 0..3 {
                        block[3 * n + c][3 * m + r] += sums[3 * c + r][4 * m + n];
                    }
                }
            }
        }
    }
}

/// The aggregate whose rotation is that of a tetrahedron: always the last, so that pairs of aggregates have few.
pub(super) fn turns_with(body: &ElasticBody, rows: &[u32; 4]) -> u32 {
    rows.iter().map(|&r| body.coarse.aggregate[r as usize]).max().unwrap_or(0)
}

/// Aggregate and mode of an unknown.
fn mode_of(body: &ElasticBody, unknown: u32) -> (u32, usize) {
    let unknowns = &body.coarse.unknowns;
    let aggregate = unknowns.partition_point(|&first| first <= unknown) - 1;
    (aggregate as u32, (unknown - unknowns[aggregate]) as usize / 3)
}
