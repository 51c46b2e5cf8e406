//! Patches for workgroups: which rows a patch holds, what it does round by round, the numbers of its rows within
//! it, and what of all that a workgroup keeps in its own memory.

use crate::constraints::ConstraintKind;
use crate::constraints::gpu::constraint_packing::PackedBatch;
use crate::constraints::gpu::wgsl_codegen::op;
use crate::constraints::group::{BLOCK, Group};
use crate::constraints::phantoms::Tie;
use crate::model::Model;
use crate::runtime::gpu::shader_constants::NONE;
use crate::schedule::passes::{Copies, Pass, PatchOp};
use crate::solver::gpu::model_packing::{GroupOffsets, has_multipliers};
use crate::solver::gpu::shader_constants::{PATCH_WORDS, STEP_EXCHANGE, STEP_JOIN, STEP_LAST_EXCHANGE, STEP_SPREAD};
use crate::solver::gpu::workgroup_memory::{Draft, WorkgroupMemory, fit};
use std::ops::Range;

/// Words of a row in a patch's list, a step and a round.
const WORDS: usize = 4;

/// Turns of loops that a thread takes in one dispatch: watchdogs look at time, and a software driver ends all loops
/// of a shader after 65,535 turns.
pub const TURNS: usize = 16 << 10;

/// Local row numbers have sixteen bits.
const MOST_ROWS: usize = 1 << 16;

/// All patches as written.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// First word of the directory, [`PATCH_WORDS`] words per patch.
    pub directory: u32,
    /// Patches that run side by side, and what their workgroups keep.
    pub memories: Vec<(Range<usize>, WorkgroupMemory)>,
    /// Barriers of each patch in one iteration.
    pub chains: Vec<usize>,
    /// Kinds that occur in patches.
    pub kinds: Vec<ConstraintKind>,
    /// Whether every particle and orientation is in one.
    pub complete: bool,
    /// Their packed constraints, batch by batch.
    pub packed_batches: Vec<PackedBatch>,
}

impl Patches {
    /// Iterations of these patches that one dispatch may run.
    pub fn iterations(&self, range: &Range<usize>) -> u32 {
        let longest = self.chains[range.clone()].iter().copied().max().unwrap_or(0);
        // Steps, and rows that are touched one after the other.
        (TURNS / (longest + 64)).max(1) as u32
    }

    /// Workgroup memory of these patches.
    pub fn memory(&self, range: &Range<usize>) -> WorkgroupMemory {
        self.memories.iter().find(|(r, _)| r == range).map_or_else(WorkgroupMemory::default, |(_, memory)| *memory)
    }
}

/// Writes patches for workgroups of some size.
pub struct Writer<'a> {
    threads: usize,
    model: &'a Model,
    groups: &'a [GroupOffsets],
    /// Whether copies are seams that pieces join by themselves.
    fused: bool,
    /// Number of each row within the current patch.
    local: Vec<u32>,
    /// Patch that `local` speaks of.
    owner: Vec<u32>,
}

impl<'a> Writer<'a> {
    /// For a model with this many rows, and workgroups of at most `threads`.
    pub fn new(threads: usize, model: &'a Model, groups: &'a [GroupOffsets], fused: bool, rows: usize) -> Self {
        Self { threads, model, groups, fused, local: vec![0; rows], owner: vec![u32::MAX; rows] }
    }

    /// Appends all patches: their directory to `topology`; rows, plans and packed constraints to `constants`. A workgroup has
    /// `memory` bytes.
    pub fn write(&mut self, memory: usize, topology: &mut Vec<u32>, constants: &mut Vec<[u32; WORDS]>) -> Patches {
        let (model, patches) = (self.model, &self.model.schedule.patches);
        let drafts: Vec<Draft> = (0..patches.len()).map(|p| self.draft(p, &patches[p])).collect();
        let ranges = std::iter::once(0..model.schedule.islands).chain(model.schedule.tilings());
        let memory = |r: Range<usize>| (r.clone(), fit(&drafts[r], self.threads, memory, has_multipliers(model)));
        let memories = ranges.filter(|r| !r.is_empty()).map(memory).collect();
        let mut all = Patches { memories, ..Patches::default() };
        let mut directory: Vec<u32> = Vec::new();
        for (number, (jobs, draft)) in patches.iter().zip(&drafts).enumerate() {
            let memory =
                all.memories.iter().find(|(r, _)| r.contains(&number)).map_or_else(WorkgroupMemory::default, |r| r.1);
            for (k, &row) in draft.rows.iter().enumerate() {
                self.local[row as usize] = k as u32;
            }
            let list = constants.len() as u32;
            let seams = draft.rows.partition_point(|&row| self.kind(row) < RowKind::Seam);
            constants.extend(draft.rows.iter().map(|&row| self.row(row)));
            let packed = constants.len();
            let mut work = PatchDraft { memory, packed, ..PatchDraft::default() };
            self.steps(number, jobs, constants, &mut work);
            all.packed_batches.append(&mut work.packed_batches);
            let steps = work.steps.len();
            if self.fused && number >= self.model.schedule.islands {
                // After the steps, for passes that run all iterations at once.
                let touches = self.model.schedule.iteration.contains(&Pass::ColliderContacts);
                work.step([STEP_EXCHANGE, u32::from(touches), 0, 0], 1);
            }
            let end = constants.len();
            constants.extend_from_slice(&work.rounds);
            constants.extend_from_slice(&work.steps);
            let segments = topology.len() as u32;
            topology.extend(work.segments.as_flattened());
            let words: [u32; PATCH_WORDS as usize] = [
                list,
                draft.rows.len() as u32,
                seams as u32,
                end as u32,
                work.rounds.len() as u32,
                steps as u32,
                work.steps.len() as u32,
                segments,
                work.segments.len() as u32,
                packed as u32,
                (end - packed) as u32,
                work.second as u32,
                draft.real as u32,
            ];
            directory.extend(words);
            all.chains.push(work.chain);
        }
        all.directory = topology.len() as u32;
        topology.extend(directory);
        let mut there = vec![false; self.model.phantoms.first];
        let rows = drafts.iter().flat_map(|d| &d.rows).map(|&row| self.model.phantoms.seen(row));
        rows.for_each(|row| there[row as usize] = true);
        all.complete = there.into_iter().all(|there| there);
        let inside = |g: &&Group| g.batches.first().is_some_and(|b| b.patch != u32::MAX);
        all.kinds = self.model.groups.iter().filter(inside).map(|g| g.kind).collect();
        all
    }

    fn on_seam(&self, row: u32) -> bool {
        self.fused && self.model.phantoms.on_seam(row)
    }

    fn kind(&self, row: u32) -> RowKind {
        let phantoms = &self.model.phantoms;
        if self.on_seam(row) {
            RowKind::Seam
        } else if (row as usize) < phantoms.first || phantoms.on_seam(row) {
            RowKind::Own
        } else {
            RowKind::Copy
        }
    }

    /// A row's entry: its number, the particle whose contacts it has, the first of the copies and their number.
    fn row(&self, row: u32) -> [u32; WORDS] {
        let phantoms = &self.model.phantoms;
        if self.on_seam(row) {
            let tie = &phantoms.ties[phantoms.ties.partition_point(|tie| tie.first <= row) - 1];
            return [row, tie.owner, tie.first, tie.count];
        }
        let particle = (row as usize) < self.model.topology.objects.len();
        [row, if particle { row } else { NONE }, 0, 0]
    }

    /// Rows of a patch in order, so that neighbors in memory are loaded together, copies of a particle stay side by side
    /// and most threads have one row of which contacts are to be looked at; and the sizes of its tables.
    fn draft(&mut self, patch: usize, jobs: &[PatchOp]) -> Draft {
        let mut draft = Draft { plan: jobs.len() + 2, ..Draft::default() };
        let (owner, mut rows) = (&mut self.owner, Vec::new());
        let mut add = |row: u32| {
            if std::mem::replace(&mut owner[row as usize], patch as u32) != patch as u32 {
                rows.push(row);
            }
        };
        let island = patch < self.model.schedule.islands;
        if island {
            self.model.runs[patch].clone().for_each(|i| add(i as u32));
        }
        for job in jobs {
            match job {
                PatchOp::Batches { group, batches } => {
                    let g = &self.model.groups[*group];
                    for b in &g.batches[batches.clone()] {
                        b.slots().flat_map(|(block, lane)| g.rows_of(block, lane)).for_each(&mut add);
                        draft.add(g, b, self.threads);
                    }
                }
                PatchOp::Spread(copies) | PatchOp::Join(copies) => {
                    draft.plan += if matches!(job, PatchOp::Spread(_)) { copies.ties.len() } else { 0 };
                    for tie in &self.model.phantoms.ties[copies.ties.clone()] {
                        add(tie.owner);
                        (tie.first..tie.first + tie.count).for_each(&mut add);
                    }
                }
                PatchOp::Seams => {}
            }
        }
        rows.sort_unstable_by_key(|&row| (self.kind(row), row));
        assert!(rows.len() <= MOST_ROWS, "a patch of {} rows cannot be numbered with 16 bits", rows.len());
        let real = rows.partition_point(|&row| self.kind(row) < RowKind::Copy);
        Draft { rows, real, ..draft }
    }

    fn steps(&self, patch: usize, jobs: &[PatchOp], constants: &mut Vec<[u32; WORDS]>, work: &mut PatchDraft) {
        for job in jobs {
            match job {
                PatchOp::Batches { group, batches } => self.batches(*group, batches.clone(), constants, work),
                PatchOp::Spread(copies) => self.copies(STEP_SPREAD, copies, work),
                PatchOp::Join(copies) => self.copies(STEP_JOIN, copies, work),
                PatchOp::Seams => {
                    // Once in a substep at most: no part of an iteration's chain.
                    work.step([STEP_LAST_EXCHANGE, 0, 0, 0], 0);
                    work.second = work.steps.len();
                }
            }
        }
        let touches = !self.model.colliders.is_empty() && !self.model.has_tables();
        if patch < self.model.schedule.islands && touches {
            work.step([STEP_EXCHANGE, 1, 0, 0], 1);
        }
    }

    /// Batches of one group, which follow each other in memory.
    fn batches(&self, group: usize, range: Range<usize>, constants: &mut Vec<[u32; WORDS]>, work: &mut PatchDraft) {
        let (g, at) = (&self.model.groups[group], self.groups[group]);
        let batches = &g.batches[range.clone()];
        let (Some(first), Some(last)) = (batches.first(), batches.last()) else { return };
        let each = g.layout().multipliers * BLOCK;
        let lambda_at = at.lambda + (first.first * each) as u32;
        let kept = work.memory.lambda.is_some();
        let lambda =
            if kept { work.keep(lambda_at, (last.first + last.blocks() - first.first) * each) } else { lambda_at };
        let from = work.rounds.len();
        for (b, number) in batches.iter().zip(range) {
            let packed_batch = PackedBatch::write(&self.model.groups, group, number, &self.local, constants);
            let start = packed_batch.start;
            work.packed_batches.push(packed_batch);
            // Packed constraints in workgroup memory are counted from the first of the patch.
            let start = if work.memory.packed.is_some() { start - work.packed } else { start };
            for done in (0..b.count).step_by(work.memory.threads) {
                let count = (b.count - done).min(work.memory.threads);
                let lambda = lambda + ((b.first - first.first) * each + done * g.layout().multipliers) as u32;
                work.rounds.push([count as u32, (start + done) as u32, b.count as u32, lambda]);
            }
        }
        let rounds = work.rounds.len() - from;
        work.step([op(g.kind), from as u32, rounds as u32, 0], rounds);
    }

    fn copies(&self, what: u32, copies: &Copies, work: &mut PatchDraft) {
        let local = |row: u32| self.local[row as usize];
        let ties = &self.model.phantoms.ties[copies.ties.clone()];
        // To spread and to join is about the same ties: they stand there once.
        let known = work.tied.iter().find(|(start, _)| *start == copies.ties.start).map(|&(_, first)| first);
        let first = known.unwrap_or(work.rounds.len() as u32);
        if known.is_none() {
            work.tied.push((copies.ties.start, first));
            let words = |t: &Tie| [local(t.owner), local(t.first), t.count, t.inv_mass.to_bits()];
            work.rounds.extend(ties.iter().map(words));
        }
        work.step([what, first, ties.len() as u32, 0], 1);
    }
}

/// Rows of a patch, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowKind {
    /// No other patch has it in this pass.
    Own,
    /// On a seam: exchanged with other patches.
    Seam,
    /// Of one kind of constraints only, which spreads it when it is needed.
    Copy,
}

/// A patch being written.
#[derive(Default)]
struct PatchDraft {
    memory: WorkgroupMemory,
    /// Where its packed constraints start.
    packed: usize,
    /// Constraints that run at the same time: how many, packed constraints, distance of their vectors, multipliers. Among them
    /// the ties of split particles.
    rounds: Vec<[u32; WORDS]>,
    /// Runs of ties by their first, and where they stand among the rounds.
    tied: Vec<(usize, u32)>,
    /// Barriers of an iteration.
    chain: usize,
    /// The first step of the second half, after an exchange of seams; 0 if there is none.
    second: usize,
    /// Steps of an iteration: code, first round, number of rounds.
    steps: Vec<[u32; WORDS]>,
    /// Multipliers that the workgroup keeps: where from, how many, where to.
    segments: Vec<[u32; WORDS]>,
    /// Number of them.
    kept: usize,
    /// As [`Patches::packed_batches`].
    packed_batches: Vec<PackedBatch>,
}

impl PatchDraft {
    /// Appends a step that has so many barriers.
    fn step(&mut self, step: [u32; WORDS], barriers: usize) {
        self.steps.push(step);
        self.chain += barriers;
    }

    /// Has the workgroup keep multipliers; returns where they will be.
    fn keep(&mut self, from: u32, count: usize) -> u32 {
        let to = self.kept as u32;
        self.segments.push([from, count as u32, to, 0]);
        self.kept += count;
        to
    }
}
