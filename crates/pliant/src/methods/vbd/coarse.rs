//! The coarse matrix of a body: its Hessian in the space of affine motions of aggregates.
//!
//! The matrix of chains and of small bodies is factored; that of large ones is solved by conjugate gradients.

use crate::constraints::group::Group;
use crate::math::{RowData, position};
use crate::memory::of;
use crate::methods::vbd::aggregates::Members;
use crate::methods::vbd::assembly::ElementGroup;
use crate::methods::vbd::assembly_lanes::{LaneSums, NO_SUMS};
use crate::methods::vbd::block_matrix::{Block, BlockVector, WIDTH};
use crate::methods::vbd::chain::Chain;
use crate::methods::vbd::coarse_space::CoarseSpace;
use crate::methods::vbd::conjugate_gradients::TwoLevel;
use crate::methods::vbd::contact::Hold;
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::linear::outer;
use crate::methods::vbd::plan::ElasticBody;
use crate::methods::vbd::tet_blocks::TetBlocks;
use crate::runtime::cpu::isa::Isa;
use crate::runtime::cpu::threads::Threads;
use crate::shape_matching::rotation::polar;
use glam::{Mat3, Vec3};

/// A coarse matrix, ready to be solved.
pub(super) struct Coarse {
    solver: Solver,
    groups: Vec<ElementGroup>,
    /// Scratch of the groups of one thread.
    lanes: Box<LaneSums>,
    chain: Chain,
    tets: TetBlocks,
    /// Groups that add to each pair of aggregates, with the first of their modes in row and column; where each pair's start.
    terms: Vec<[u32; 3]>,
    offsets: Vec<u32>,
    /// Rotation of each aggregate, where there are tetrahedra.
    rotations: Vec<Mat3>,
    /// Inertia and contacts of each aggregate: blocks of pairs of modes, row by row of the lower triangle.
    own: Vec<[Mat3; 10]>,
    /// Vertices by aggregate, and where each aggregate's start.
    members: Vec<u32>,
    first_member: Vec<u32>,
    batches: Members,
    /// Forces on the modes of aggregates, then their motion.
    parts: Vec<BlockVector>,
    /// Masses and 1/h² that `own` was summed with, if no contacts are in it.
    summed: Option<(Vec<f32>, f32)>,
}

enum Solver {
    Direct { matrix: Envelope, unknowns: Vec<f64> },
    Iterative(Box<TwoLevel>),
}

/// Inputs of the assembly of the matrix.
pub(super) struct Inputs<'a> {
    pub(super) groups: &'a [Group],
    /// Lanes.
    pub(super) isa: Isa,
    /// Rows of the body.
    pub(super) x: &'a [RowData],
    /// Mass of each vertex [kg], or inertia [kg·m²]; 0 where it is fixed.
    pub(super) masses: &'a [f32],
    /// 1/h² [1/s²].
    pub(super) inv_h2: f32,
    /// Contacts that hold vertices, with the stiffness of the vertex [N/m].
    pub(super) holds: &'a [(u32, Hold, f32)],
}

/// Stiffness of a contact in the matrix, relative to that of the vertex.
pub(super) const CONTACT_STIFFNESS: f32 = 10.0;

impl Coarse {
    pub(super) fn new(body: &ElasticBody, parameters: &[Group]) -> Self {
        let space = &body.coarse;
        let solver = match &space.second {
            Some(level) => Solver::Iterative(Box::new(TwoLevel::new(space, level))),
            None => {
                let unknowns = vec![0.0; space.first.len()];
                Solver::Direct { matrix: Envelope::new(space.first.clone()), unknowns }
            }
        };
        let groups = if space.exact { Vec::new() } else { ElementGroup::all(body, parameters) };
        let by_aggregate = space.members();
        let (mut members, mut first_member) = (Vec::new(), vec![0]);
        for own in &by_aggregate {
            members.extend(own.iter().map(|&v| v as u32));
            first_member.push(members.len() as u32);
        }
        let mut it = Self {
            solver,
            groups,
            lanes: Box::new(NO_SUMS),
            chain: Chain::new(body, parameters),
            tets: TetBlocks::new(body, parameters),
            terms: Vec::new(),
            offsets: Vec::new(),
            rotations: Vec::new(),
            own: vec![[Mat3::ZERO; 10]; space.counts.len()],
            members,
            first_member,
            batches: Members::new(space),
            parts: vec![[0.0; WIDTH]; if space.exact { 0 } else { space.counts.len() }],
            summed: None,
        };
        if !space.exact {
            it.list_terms(body);
        }
        it
    }

    /// Which groups add to each pair of aggregates.
    fn list_terms(&mut self, body: &ElasticBody) {
        let space = &body.coarse;
        let mut terms: Vec<([u32; 2], [u32; 3])> = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            // First mode of each aggregate within the group.
            let mut parts: Vec<(u32, u32)> = Vec::new();
            for (mode, &unknown) in group.unknowns.iter().enumerate() {
                let aggregate = space.unknowns.partition_point(|&first| first <= unknown) as u32 - 1;
                if parts.last().is_none_or(|last| last.0 != aggregate) {
                    parts.push((aggregate, mode as u32));
                }
            }
            for &(a, row) in &parts {
                let columns = parts.iter().filter(|(b, _)| *b <= a);
                terms.extend(columns.map(|&(b, column)| ([a, b], [number as u32, row, column])));
            }
        }
        terms.sort_unstable();
        let mut at = terms.iter().peekable();
        self.offsets.push(0);
        for pair in &space.pairs {
            while let Some((_, term)) = at.next_if(|(own, _)| own == pair) {
                self.terms.push(*term);
            }
            self.offsets.push(self.terms.len() as u32);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let solver = match &self.solver {
            Solver::Direct { matrix, unknowns } => matrix.bytes() + of(unknowns),
            Solver::Iterative(all) => all.bytes(),
        };
        let groups = self.groups.iter().map(ElementGroup::bytes).sum::<u64>();
        let lists = of(&self.terms) + of(&self.offsets) + of(&self.members) + of(&self.first_member);
        solver
            + groups
            + lists
            + self.chain.bytes()
            + size_of::<LaneSums>() as u64
            + self.tets.bytes()
            + of(&self.rotations)
            + of(&self.own)
            + self.batches.bytes()
            + of(&self.parts)
            + self.summed.as_ref().map_or(0, |(masses, _)| of(masses))
    }

    /// The elements of a chain.
    pub(super) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Assembles the matrix and makes it ready.
    pub(super) fn build(&mut self, threads: &Threads, body: &ElasticBody, inputs: &Inputs<'_>) {
        let space = &body.coarse;
        if space.exact {
            return self.build_chain(body, inputs);
        }
        self.add_vertices(threads, body, inputs);
        if threads.count() == 1 {
            let lanes = &mut self.lanes;
            self.groups.iter_mut().for_each(|g| g.sum(inputs.isa, body, inputs.groups, inputs.x, lanes));
        } else {
            threads.chunks(&mut self.groups, 1, |_, piece| {
                let mut lanes = NO_SUMS;
                piece.iter_mut().for_each(|g| g.sum(inputs.isa, body, inputs.groups, inputs.x, &mut lanes));
            });
        }
        if !self.tets.is_empty() {
            self.fit_rotations(threads, body, inputs);
        }
        let mut solver =
            std::mem::replace(&mut self.solver, Solver::Direct { matrix: Envelope::default(), unknowns: Vec::new() });
        match &mut solver {
            Solver::Direct { matrix, .. } => {
                matrix.clear();
                for (number, &[a, b]) in space.pairs.iter().enumerate() {
                    let block = self.block(number, [a, b], space.counts[a as usize], space.counts[b as usize]);
                    add_block(matrix, body, [a as usize, b as usize], &block);
                }
                matrix.factor(inputs.isa);
            }
            Solver::Iterative(all) => {
                all.matrix.fill(threads, |number| {
                    let [a, b] = space.pairs[number];
                    self.block(number, [a, b], space.counts[a as usize], space.counts[b as usize])
                });
                if let Some(level) = &space.second {
                    all.factor(inputs.isa, space, level);
                }
            }
        }
        self.solver = solver;
    }

    /// The same for a chain, whose vertices are its aggregates.
    fn build_chain(&mut self, body: &ElasticBody, inputs: &Inputs<'_>) {
        let (space, Solver::Direct { matrix, .. }) = (&body.coarse, &mut self.solver) else { return };
        matrix.clear();
        self.chain.add(inputs.x, matrix);
        let first = |v: usize| space.unknowns[space.aggregate[v] as usize] as usize;
        for (v, mass) in inputs.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            (0..3).for_each(|c| matrix.add(first(v) + c, first(v) + c, f64::from(mass * inputs.inv_h2)));
        }
        for (v, hold, stiffness) in inputs.holds.iter().filter(|(v, ..)| inputs.masses[*v as usize] > 0.0) {
            let v = *v as usize;
            matrix.add_block(first(v), first(v), &hold_block(hold, stiffness + inputs.masses[v] * inputs.inv_h2));
        }
        matrix.factor(inputs.isa);
    }

    /// The block of a pair of aggregates.
    fn block(&self, number: usize, [a, b]: [u32; 2], rows: u32, columns: u32) -> Block {
        let mut block = [[0.0; WIDTH]; WIDTH];
        self.tets.add(number, &self.rotations, &mut block);
        for &[group, row, column] in &self.terms[self.offsets[number] as usize..self.offsets[number + 1] as usize] {
            let sums = &self.groups[group as usize].sums;
            for m in 0..rows {
                for n in 0..columns {
                    let (i, j) = ((row + m) as usize, (column + n) as usize);
                    let (sum, turned) =
                        if i >= j { (sums[i * (i + 1) / 2 + j], false) } else { (sums[j * (j + 1) / 2 + i], true) };
                    add_to(&mut block, m as usize, n as usize, if turned { sum.transpose() } else { sum });
                }
            }
        }
        if a == b {
            let own = &self.own[a as usize];
            for m in 0..rows as usize {
                for n in 0..rows as usize {
                    let (i, j) = (m.max(n), m.min(n));
                    // These are symmetric.
                    add_to(&mut block, m, n, own[i * (i + 1) / 2 + j]);
                }
            }
        }
        block
    }

    /// Inertia of all vertices, and contacts that hold them.
    fn add_vertices(&mut self, threads: &Threads, body: &ElasticBody, inputs: &Inputs<'_>) {
        let space = &body.coarse;
        if inputs.holds.is_empty() {
            if self.summed.as_ref().is_some_and(|(m, inv_h2)| m == inputs.masses && *inv_h2 == inputs.inv_h2) {
                return;
            }
            let mut masses = self.summed.take().map_or_else(Vec::new, |(masses, _)| masses);
            masses.clear();
            masses.extend_from_slice(inputs.masses);
            self.summed = Some((masses, inputs.inv_h2));
        } else if let Some((masses, _)) = &mut self.summed {
            masses.clear();
        }
        let (members, first_member) = (&self.members, &self.first_member);
        threads.chunks(&mut self.own, 1, |first, piece| {
            for (k, own) in piece.iter_mut().enumerate() {
                let mut sums = [0.0_f32; 10];
                for &v in &members[first_member[first + k] as usize..first_member[first + k + 1] as usize] {
                    let modes = space.modes[v as usize];
                    let inertia = inputs.masses[v as usize] * inputs.inv_h2;
                    let mut pair = 0;
                    for m in 0..4 {
                        for n in 0..=m {
                            sums[pair] += inertia * (modes[m] * modes[n]);
                            pair += 1;
                        }
                    }
                }
                *own = sums.map(|sum| Mat3::from_diagonal(Vec3::splat(sum)));
            }
        });
        for (v, hold, stiffness) in inputs.holds {
            let v = *v as usize;
            if inputs.masses[v] == 0.0 {
                continue;
            }
            let block = hold_block(hold, stiffness + inputs.masses[v] * inputs.inv_h2);
            let (own, modes) = (&mut self.own[space.aggregate[v] as usize], space.modes[v]);
            let mut own = own.iter_mut();
            for m in 0..4 {
                for (n, sum) in (0..=m).zip(&mut own) {
                    *sum += block * (modes[m] * modes[n]);
                }
            }
        }
    }

    /// Rotation of each aggregate.
    fn fit_rotations(&mut self, threads: &Threads, body: &ElasticBody, inputs: &Inputs<'_>) {
        let (members, first_member) = (&self.members, &self.first_member);
        self.rotations.resize(body.coarse.counts.len(), Mat3::IDENTITY);
        threads.chunks(&mut self.rotations, 1, |first, piece| {
            for (k, rotation) in piece.iter_mut().enumerate() {
                let own = &members[first_member[first + k] as usize..first_member[first + k + 1] as usize];
                let (mut x, mut rest) = (Vec3::ZERO, Vec3::ZERO);
                for &v in own {
                    (x, rest) = (x + position(inputs.x[v as usize]), rest + body.rest[v as usize]);
                }
                (x, rest) = (x / own.len() as f32, rest / own.len() as f32);
                let mut moment = Mat3::ZERO;
                for &v in own {
                    moment += outer(position(inputs.x[v as usize]) - x, body.rest[v as usize] - rest);
                }
                *rotation = Mat3::from_cols_array_2d(&polar(&moment.to_cols_array_2d()));
            }
        });
    }

    /// The step of the coarse space for the forces on the vertices.
    pub(super) fn solve(
        &mut self,
        isa: Isa,
        threads: &Threads,
        body: &ElasticBody,
        masses: &[f32],
        forces: &[RowData],
        step: &mut [RowData],
    ) {
        let space = &body.coarse;
        if space.exact {
            self.solve_chain(space, masses, forces, step);
            return;
        }
        self.batches.restrict(isa, threads, forces, &mut self.parts);
        match &mut self.solver {
            Solver::Direct { matrix, unknowns } => {
                let size = |a: usize| 3 * space.counts[a] as usize;
                for (a, part) in self.parts.iter().enumerate() {
                    let own = &mut unknowns[space.unknowns[a] as usize..][..size(a)];
                    own.iter_mut().zip(part).for_each(|(to, from)| *to = f64::from(*from));
                }
                matrix.solve(unknowns);
                for (a, part) in self.parts.iter_mut().enumerate() {
                    let own = &unknowns[space.unknowns[a] as usize..][..size(a)];
                    part.iter_mut().zip(own).for_each(|(to, from)| *to = *from as f32);
                }
                self.batches.prolong(isa, threads, &self.parts, step);
            }
            Solver::Iterative(all) => {
                let Some(level) = &space.second else { return };
                all.right_side().copy_from_slice(&self.parts);
                self.batches.prolong(isa, threads, all.solve(threads, level), step);
            }
        }
        // Pins that were added later are in the modes.
        step.iter_mut().zip(masses).filter(|(_, mass)| **mass == 0.0).for_each(|(step, _)| *step = [0.0; 4]);
    }

    /// The same for a chain.
    fn solve_chain(&mut self, space: &CoarseSpace, masses: &[f32], forces: &[RowData], step: &mut [RowData]) {
        let Solver::Direct { matrix, unknowns } = &mut self.solver else { return };
        let first = |v: usize| space.unknowns[space.aggregate[v] as usize] as usize;
        for (v, force) in forces.iter().enumerate() {
            let own = if masses[v] > 0.0 { *force } else { [0.0; 4] };
            (0..3).for_each(|c| unknowns[first(v) + c] = f64::from(own[c]));
        }
        matrix.solve(unknowns);
        for (v, step) in step.iter_mut().enumerate() {
            let y = &unknowns[first(v)..first(v) + 3];
            *step = if masses[v] > 0.0 { [y[0] as f32, y[1] as f32, y[2] as f32, 0.0] } else { [0.0; 4] };
        }
    }
}

/// Stiffness of a contact that holds a vertex of the given stiffness [N/m].
fn hold_block(hold: &Hold, stiffness: f32) -> Mat3 {
    let size = CONTACT_STIFFNESS * stiffness;
    if hold.sticks { Mat3::from_diagonal(Vec3::splat(size)) } else { outer(hold.normal * size, hold.normal) }
}

#[inline]
fn add_to(block: &mut Block, m: usize, n: usize, part: Mat3) {
    let columns = part.to_cols_array_2d();
    for c in 0..3 {
        for r in 0..3 {
            block[3 * n + c][3 * m + r] += columns[c][r];
        }
    }
}

/// Adds the block of two aggregates.
fn add_block(matrix: &mut Envelope, body: &ElasticBody, [a, b]: [usize; 2], block: &Block) {
    let space = &body.coarse;
    let (row, column) = (space.unknowns[a] as usize, space.unknowns[b] as usize);
    for r in 0..3 * space.counts[a] as usize {
        let most = if a == b { r + 1 } else { 3 * space.counts[b] as usize };
        for c in 0..most {
            matrix.add(row + r, column + c, f64::from(block[c][r]));
        }
    }
}
