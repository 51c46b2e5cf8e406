//! Tables of bodies whose coarse matrix consists of blocks of twelve unknowns: aggregates, regions, and blocks of regions.
//!
//! In a body without a second level every aggregate is a region, and its matrix is that of the regions.

use crate::methods::vbd::coarse_space::CoarseSpace;
use crate::methods::vbd::gpu::constants::*;
use crate::methods::vbd::gpu::shaders::ElasticFeatures;
use crate::methods::vbd::gpu::uniforms::ElasticUniforms;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::second_level::SecondLevel;
use crate::runtime::gpu::program::{Command, ProgramWriter};
use crate::runtime::gpu::shader_constants::NONE;
use crate::runtime::gpu::tables::TableArena;
use std::collections::BTreeMap;

/// Offsets of the data of one body in `lambda`.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Number of regions; 0 in a chain.
    pub(super) regions: u32,
    /// Iterations.
    pub(super) iterations: u32,
    /// Inverse blocks of the aggregates.
    pub(super) inverses: u32,
    /// Second level: two matrices, right side, diagonal, two sums for each region, two pivots.
    pub(super) second: u32,
    /// First block.
    first: u32,
    /// Blocks by row and column, all of them.
    places: BTreeMap<[u32; 2], u32>,
}

impl Layout {
    pub(super) fn iterative(space: &CoarseSpace, level: &SecondLevel, arena: &mut TableArena) -> Self {
        let mut places: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for &[a, b] in &space.pairs {
            places.insert([a, b], 0);
            places.insert([b, a], 0);
        }
        places.values_mut().enumerate().for_each(|(number, place)| *place = number as u32);
        let regions = level.counts.len() as u32;
        Self {
            regions,
            iterations: level.iterations as u32,
            inverses: arena.reserve_lambda(AGGREGATE_NUMBERS as usize * space.counts.len()),
            second: arena.reserve_lambda(second_numbers(regions)),
            first: arena.reserve_lambda(BLOCK_NUMBERS as usize * places.len()),
            places,
        }
    }

    /// A body without a second level.
    pub(super) fn dense(space: &CoarseSpace, arena: &mut TableArena) -> Self {
        let regions = space.counts.len() as u32;
        let second = arena.reserve_lambda(second_numbers(regions));
        Self { regions, second, ..Self::default() }
    }

    fn block(&self, row: u32, column: u32) -> u32 {
        self.first + BLOCK_NUMBERS * self.places[&[row, column]]
    }

    /// Where the block of a pair is: its first number, that of the transposed one, numbers from row to row, diagonal.
    pub(super) fn blocks(&self, [a, b]: [u32; 2]) -> [u32; 4] {
        if self.regions == 0 {
            return [NONE; 4];
        }
        if self.iterations > 0 {
            return [self.block(a, b), self.block(b, a), COARSE_WIDTH, NONE];
        }
        let size = COARSE_WIDTH * self.regions;
        let at = |row: u32, column: u32| self.second + COARSE_WIDTH * (row * size + column);
        let diagonal = self.second + 2 * size * size + size + COARSE_WIDTH * a;
        [at(a, b), at(b, a), size, if a == b { diagonal } else { NONE }]
    }

    /// Neighbors of an aggregate; `unknown` is the first of the body.
    pub(super) fn neighbors(&self, a: u32, unknown: u32) -> Vec<[u32; NEIGHBOR_WORDS as usize]> {
        let row = self.places.range([a, 0]..[a + 1, 0]);
        row.map(|(&[_, b], _)| [unknown + COARSE_WIDTH * b, self.block(a, b)]).collect()
    }
}

/// Numbers in `lambda` of a second level.
fn second_numbers(regions: u32) -> usize {
    let size = COARSE_WIDTH * regions;
    (2 * size * size + 2 * size + 2 * regions + 2 * PANEL_NUMBERS) as usize
}

/// Lists of all second levels.
#[derive(Clone, Debug, Default)]
pub(super) struct SecondTables {
    /// Aggregates, regions and pairs of regions: first word in `topology`.
    pub(super) aggregates: u32,
    pub(super) regions: u32,
    pub(super) pairs: u32,
    /// Their numbers.
    pub(super) aggregate_count: usize,
    pub(super) region_count: usize,
    pub(super) pair_count: usize,
    /// Regions of bodies without a second level, which follow the others.
    dense_count: usize,
    /// Most regions and iterations of a body.
    most_regions: u32,
    most_iterations: u32,
    region_words: Vec<u32>,
    dense_words: Vec<u32>,
    pair_words: Vec<u32>,
    /// First number in `lambda` of the slices of blocks of regions.
    slices: u32,
}

impl SecondTables {
    /// Adds a body; `aggregate` is its first.
    pub(super) fn put(
        &mut self,
        body: u32,
        aggregate: u32,
        level: &SecondLevel,
        layout: &Layout,
        arena: &mut TableArena,
    ) {
        let vectors = level.transfer.iter().flatten().map(|row| row.map(f32::to_bits));
        let transfers = arena.put_constants(vectors);
        let transfer = |a: u32| transfers + 4 * a;
        let regions = level.counts.len() as u32;
        for region in 0..regions {
            let own = (0..level.region.len() as u32).filter(|&a| level.region[a as usize] == region);
            let first = arena.put_topology(own.flat_map(|a| [aggregate + a, transfer(a)]));
            let record: [u32; REGION_WORDS as usize] = [body, region, first, arena.topology.len() as u32];
            self.region_words.extend(record);
        }
        let mut blocks: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for &[a, b] in layout.places.keys() {
            let (row, column) = (level.region[a as usize], level.region[b as usize]);
            if row >= column {
                let record: [u32; REGION_BLOCK_WORDS as usize] = [layout.block(a, b), transfer(a), transfer(b)];
                blocks.entry([row, column]).or_default().extend(record);
            }
        }
        for row in 0..regions {
            for column in 0..=row {
                let first = arena.put_topology(blocks.remove(&[row, column]).unwrap_or_default());
                let record: [u32; REGION_PAIR_WORDS as usize] = [body, row, column, first, arena.topology.len() as u32];
                self.pair_words.extend(record);
            }
        }
        self.most_regions = self.most_regions.max(regions);
        self.most_iterations = self.most_iterations.max(level.iterations as u32);
    }

    /// Adds a body without a second level; `aggregate` is its first.
    pub(super) fn put_dense(&mut self, body: u32, aggregate: u32, layout: &Layout) {
        for region in 0..layout.regions {
            let record: [u32; REGION_WORDS as usize] = [body, region, aggregate + region, NONE];
            self.dense_words.extend(record);
        }
        self.most_regions = self.most_regions.max(layout.regions);
    }

    /// Inverts the blocks of aggregates and the matrices of regions.
    pub(super) fn invert(
        &self,
        features: &ElasticFeatures,
        args: &ElasticUniforms,
        out: &mut ProgramWriter,
    ) -> Vec<Command> {
        let mut run = |entry, list, count: usize, slices: u32, mode| {
            let args = ElasticUniforms { chunks: list, groups: count as u32, slices, mode, ..*args };
            out.run(features.two_level(entry), &args, count)
        };
        let mut all = Vec::new();
        if self.region_count > 0 {
            all.push(run("invert_diagonals", self.aggregates, self.aggregate_count, 1, 0));
            let slices = self.pair_count * ASSEMBLY_SLICES as usize;
            all.push(run("assemble_second", self.pairs, slices, ASSEMBLY_SLICES, self.slices));
            all.push(run("sum_second", self.pairs, self.pair_count, ASSEMBLY_SLICES, self.slices));
        }
        let regions = self.region_count + self.dense_count;
        // A thread has a column.
        let slices = (COARSE_WIDTH * self.most_regions).div_ceil(REGION_THREADS).max(1) as usize;
        let step = |step| run("invert_second", self.regions, regions * slices, slices as u32, step);
        all.extend((0..self.most_regions.div_ceil(PANEL_REGIONS)).map(step));
        all
    }

    /// Multiplies by the inverse matrix, and conjugate gradients where that is of a second level.
    pub(super) fn solve(
        &self,
        features: &ElasticFeatures,
        args: &ElasticUniforms,
        out: &mut ProgramWriter,
    ) -> Vec<Command> {
        let mut run = |entry, list, count: usize, mode| {
            let args = ElasticUniforms { chunks: list, groups: count as u32, mode, ..*args };
            out.run(features.two_level(entry), &args, count)
        };
        let mut all = Vec::new();
        if self.dense_count > 0 {
            let first = self.regions + REGION_WORDS * self.region_count as u32;
            all.push(run("solve_dense", first, self.dense_count, 0));
        }
        if self.region_count > 0 {
            all.push(run("advance", self.regions, self.region_count, 0));
        }
        for iteration in 0..self.most_iterations {
            all.push(run("correct_second", self.regions, self.region_count, iteration));
            all.push(run("multiply", self.aggregates, self.aggregate_count, iteration));
            all.push(run("advance", self.regions, self.region_count, iteration + 1));
        }
        all
    }

    /// Writes the lists. `aggregates` are the records of all bodies.
    pub(super) fn finish<'a>(
        &mut self,
        aggregates: impl Iterator<Item = &'a [u32]>,
        bodies: &[ElasticBody],
        arena: &mut TableArena,
    ) {
        let body_of = |record: &[u32]| record[AGGREGATE_WORDS as usize - 1] as usize;
        let iterative = aggregates.enumerate().filter(|(_, record)| bodies[body_of(record)].coarse.second.is_some());
        let list: Vec<u32> = iterative.map(|(number, _)| number as u32).collect();
        self.aggregate_count = list.len();
        self.region_count = self.region_words.len() / REGION_WORDS as usize;
        self.pair_count = self.pair_words.len() / REGION_PAIR_WORDS as usize;
        self.slices = arena.reserve_lambda(self.pair_count * (ASSEMBLY_SLICES * BLOCK_NUMBERS) as usize);
        self.aggregates = arena.put_topology(list);
        self.dense_count = self.dense_words.len() / REGION_WORDS as usize;
        self.regions = arena.put_topology(std::mem::take(&mut self.region_words));
        arena.put_topology(std::mem::take(&mut self.dense_words));
        self.pairs = arena.put_topology(std::mem::take(&mut self.pair_words));
    }
}
