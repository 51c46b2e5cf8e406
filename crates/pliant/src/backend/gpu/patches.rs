//! Patches for workgroups: which rows a patch holds, what it does round by round, the numbers of its rows within
//! it, and what of all that a workgroup keeps in its own memory.

use super::glue::{index_words, op};
use super::tables::{GroupAt, NOBODY};
use crate::kernels::Kind;
use crate::model::{BLOCK, Model, Tie};
use crate::state::RowData;
use crate::step::schedule::{Copies, Job, Pass};
use std::collections::BTreeSet;
use std::ops::Range;

/// What steps do besides constraints, as in `patch.wgsl`.
const SPREAD: u32 = 101;
const JOIN: u32 = 102;
const TOUCH: u32 = 103;
const EXCHANGE: u32 = 104;

/// Words of a patch in the directory; of a row in its list, a step and a round.
pub const ENTRY: u32 = 12;
const WORDS: usize = 4;

/// Where numbers of a patch that a workgroup keeps come from, as in `patch.wgsl`.
const FROM_TOPOLOGY: u32 = 0;
const FROM_PARAMS: u32 = 1;
const FROM_LAMBDA: u32 = 2;

/// Turns of loops that a thread takes in one dispatch: watchdogs look at time, and a software driver ends all loops
/// of a shader after 65,535 turns.
pub const TURNS: usize = 16 << 10;

/// Threads of a workgroup at least, where the device allows.
const LEAST_THREADS: usize = 128;

/// Patches beyond which they no longer run all at once even on a large device.
const MANY: usize = 160;

/// Local row numbers have sixteen bits.
const MOST_ROWS: usize = 1 << 16;

/// What a workgroup has and keeps in its own memory; the rest stays in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Threads.
    pub threads: usize,
    /// Rows.
    pub rows: Option<usize>,
    /// Rounds and steps.
    pub plan: Option<usize>,
    /// Whether it keeps multipliers.
    pub lambda: bool,
    /// Whether it keeps row numbers and parameters of constraints.
    pub data: bool,
    /// Words for both.
    pub store: usize,
}

impl Room {
    /// Memory [bytes].
    pub fn bytes(&self) -> usize {
        self.rows.unwrap_or(0) * size_of::<RowData>() + 4 * (self.plan.unwrap_or(0) * WORDS + self.store)
    }
}

/// All patches as written.
#[derive(Clone, Debug, Default)]
pub struct Patches {
    /// First word of the directory, [`ENTRY`] words per patch.
    pub directory: u32,
    /// Patches that run side by side, and what their workgroups keep.
    pub rooms: Vec<(Range<usize>, Room)>,
    /// Rounds of each patch: the chain of barriers in one iteration.
    pub rounds: Vec<usize>,
    /// Kinds that occur in patches.
    pub kinds: Vec<Kind>,
}

impl Patches {
    /// Iterations of these patches that one dispatch may run.
    pub fn iterations(&self, range: &Range<usize>) -> u32 {
        let longest = self.rounds[range.clone()].iter().copied().max().unwrap_or(0);
        // Steps, and rows that are touched one after the other.
        (TURNS / (longest + 64)).max(1) as u32
    }

    /// What the workgroups of these patches keep.
    pub fn room(&self, range: &Range<usize>) -> Room {
        self.rooms.iter().find(|(r, _)| r == range).map_or_else(Room::default, |(_, room)| *room)
    }
}

/// Numbers that a patch needs.
#[derive(Default)]
struct Draft {
    /// Constraints of its largest color.
    width: usize,
    /// Rows; those on seams come last.
    rows: Vec<u32>,
    /// Rounds and steps.
    plan: usize,
    /// Multipliers.
    lambda: usize,
    /// Words of row numbers and parameters.
    data: usize,
}

/// Writes patches for workgroups of some size.
pub struct Writer<'a> {
    threads: usize,
    model: &'a Model,
    groups: &'a [GroupAt],
    /// Whether copies are seams that pieces join by themselves.
    fused: bool,
    /// Number of each row within the patch at hand.
    local: Vec<u32>,
    /// Patch that `local` speaks of.
    owner: Vec<u32>,
}

impl<'a> Writer<'a> {
    /// For a model with this many rows, and workgroups of at most `threads`.
    pub fn new(threads: usize, model: &'a Model, groups: &'a [GroupAt], fused: bool, rows: usize) -> Self {
        Self { threads, model, groups, fused, local: vec![0; rows], owner: vec![u32::MAX; rows] }
    }

    /// Appends all patches to `topology` and fills in the local row numbers of their constraints. A workgroup has
    /// `memory` bytes.
    pub fn write(&mut self, memory: usize, topology: &mut Vec<u32>) -> Patches {
        let patches = &self.model.schedule.patches;
        let drafts: Vec<Draft> = (0..patches.len()).map(|p| self.draft(p, &patches[p])).collect();
        let rooms = self.rooms(&drafts, memory);
        let neighbors = self.neighbors(&drafts);
        let mut all = Patches { rooms, ..Patches::default() };
        let mut directory = Vec::new();
        for (number, (jobs, draft)) in patches.iter().zip(&drafts).enumerate() {
            let room = all.rooms.iter().find(|(r, _)| r.contains(&number)).map_or_else(Room::default, |r| r.1);
            for (k, &row) in draft.rows.iter().enumerate() {
                self.local[row as usize] = k as u32;
            }
            let list = topology.len() as u32;
            let seams = draft.rows.partition_point(|&r| !self.on_seam(r));
            topology.extend(draft.rows.iter().flat_map(|&row| self.row(row)));
            let mut work = Work { room, rounds: Vec::new(), steps: Vec::new(), segments: Vec::new(), store: 0 };
            self.steps(number, jobs, topology, &mut work);
            let steps = work.steps.len();
            if self.fused && number >= self.model.schedule.islands {
                // After them in memory, for whoever runs all iterations at once.
                work.steps.push([EXCHANGE, 0, 0, 0]);
                if self.model.schedule.iteration.contains(&Pass::Touch) {
                    work.steps.push([TOUCH, 0, 0, 0]);
                }
            }
            let first = topology.len() as u32;
            topology.extend(work.rounds.as_flattened());
            topology.extend(work.steps.as_flattened());
            let segments = topology.len() as u32;
            topology.extend(work.segments.as_flattened());
            let beside = topology.len() as u32;
            topology.extend_from_slice(&neighbors[number]);
            directory.extend([
                list,
                draft.rows.len() as u32,
                seams as u32,
                first,
                work.rounds.len() as u32,
                steps as u32,
                work.steps.len() as u32,
                segments,
                work.segments.len() as u32,
                beside,
                neighbors[number].len() as u32,
                0,
            ]);
            all.rounds.push(work.rounds.len());
        }
        all.directory = topology.len() as u32;
        topology.extend(directory);
        let inside = |g: &&crate::model::Group| g.batches.first().is_some_and(|b| b.patch != u32::MAX);
        all.kinds = self.model.groups.iter().filter(inside).map(|g| g.kind).collect();
        all
    }

    fn on_seam(&self, row: u32) -> bool {
        self.fused && row as usize >= self.model.phantoms.first
    }

    /// A row's entry: its number, the particle whose contacts it has, the first of the copies and their number.
    fn row(&self, row: u32) -> [u32; WORDS] {
        let phantoms = &self.model.phantoms;
        if self.on_seam(row) {
            let tie = &phantoms.ties[phantoms.ties.partition_point(|tie| tie.first <= row) - 1];
            return [row, tie.owner, tie.first, tie.count];
        }
        let particle = (row as usize) < self.model.shape.objects.len();
        [row, if particle { row } else { NOBODY }, 0, 0]
    }

    /// Rows of a patch in order, so that neighbors in memory are loaded together and copies of a particle stay side
    /// by side, and the sizes of its tables.
    fn draft(&mut self, patch: usize, jobs: &[Job]) -> Draft {
        let mut draft = Draft { plan: jobs.len() + 2, ..Draft::default() };
        let (owner, rows) = (&mut self.owner, &mut draft.rows);
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
                Job::Batches { group, batches } => {
                    let g = &self.model.groups[*group];
                    let layout = g.layout();
                    for b in &g.batches[batches.clone()] {
                        let slots = b.slots();
                        slots.flat_map(|(block, lane)| g.rows_of(block, lane)).for_each(&mut add);
                        // Rounds, if workgroups are as small as they may be.
                        draft.plan += b.count.div_ceil(LEAST_THREADS.min(self.threads));
                        draft.width = draft.width.max(b.count);
                        draft.lambda += b.blocks() * BLOCK * layout.multipliers;
                        draft.data += b.blocks() * BLOCK * (index_words(g.kind) + layout.params);
                    }
                }
                Job::Spread(copies) | Job::Join(copies) => {
                    for tie in &self.model.phantoms.ties[copies.ties.clone()] {
                        add(tie.owner);
                        (tie.first..tie.first + tie.count).for_each(&mut add);
                    }
                }
            }
        }
        draft.rows.sort_unstable();
        let rows = draft.rows.len();
        assert!(rows <= MOST_ROWS, "a patch of {rows} rows cannot be numbered with 16 bits");
        draft
    }

    /// Threads and what workgroups keep: rows before all else, which every round reads and writes; then rounds and multipliers,
    /// which no cache keeps because they are written; then the rest.
    fn rooms(&self, drafts: &[Draft], memory: usize) -> Vec<(Range<usize>, Room)> {
        let islands = 0..self.model.schedule.islands;
        let ranges = std::iter::once(islands).chain(self.model.schedule.tilings()).filter(|r| !r.is_empty());
        let room = |range: Range<usize>| {
            let most = |of: fn(&Draft) -> usize| drafts[range.clone()].iter().map(of).max().unwrap_or(0);
            // A thread for every constraint of a color, and enough of them to load rows.
            let wanted = most(|d| d.width).next_multiple_of(32).max(LEAST_THREADS);
            let mut room = Room { threads: wanted.min(self.threads), ..Room::default() };
            // Where there are more patches than a large device has processors, two should fit one.
            let memory = if range.len() > MANY { memory / 2 } else { memory };
            let rows = most(|d| d.rows.len()) * size_of::<RowData>();
            let memory = if rows > memory { 2 * memory } else { memory };
            let steps: [&dyn Fn(&mut Room); 4] = [
                &|r| r.rows = Some(most(|d| d.rows.len())),
                &|r| r.plan = Some(most(|d| d.plan)),
                &|r| (r.lambda, r.store) = (true, most(|d| d.lambda)),
                &|r| (r.data, r.store) = (true, most(|d| d.lambda + d.data)),
            ];
            for step in steps {
                let mut more = room;
                step(&mut more);
                if more.bytes() > memory {
                    break;
                }
                room = more;
            }
            (range, room)
        };
        ranges.map(room).collect()
    }

    /// Pieces that have a copy of the same particle.
    fn neighbors(&self, drafts: &[Draft]) -> Vec<Vec<u32>> {
        let mut all = vec![BTreeSet::new(); drafts.len()];
        if self.fused {
            let first = self.model.phantoms.first;
            let mut piece = vec![0; self.model.phantoms.owners.len()];
            for (p, draft) in drafts.iter().enumerate() {
                draft.rows.iter().filter(|&&r| r as usize >= first).for_each(|&r| piece[r as usize - first] = p);
            }
            for tie in &self.model.phantoms.ties {
                let of = |k: u32| piece[(tie.first + k) as usize - first];
                for (a, b) in (0..tie.count).flat_map(|a| (0..tie.count).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                    all[of(a)].insert((of(b) - self.model.schedule.islands) as u32);
                }
            }
        }
        all.into_iter().map(|set| set.into_iter().collect()).collect()
    }

    fn steps(&self, patch: usize, jobs: &[Job], topology: &mut Vec<u32>, work: &mut Work) {
        for job in jobs {
            match job {
                Job::Batches { group, batches } => self.batches(*group, batches.clone(), topology, work),
                Job::Spread(copies) => self.copies(SPREAD, copies, topology, work),
                Job::Join(copies) => self.copies(JOIN, copies, topology, work),
            }
        }
        if patch < self.model.schedule.islands && !self.model.colliders.is_empty() {
            work.steps.push([TOUCH, 0, 0, 0]);
        }
    }

    /// Batches of one group, which follow each other in memory.
    fn batches(&self, group: usize, range: Range<usize>, topology: &mut [u32], work: &mut Work) {
        let (g, at) = (&self.model.groups[group], self.groups[group]);
        let (layout, words) = (g.layout(), index_words(g.kind));
        let batches = &g.batches[range];
        let (Some(first), Some(last)) = (batches.first(), batches.last()) else { return };
        let blocks = first.first..last.first + last.blocks();
        for block in blocks.clone() {
            for lane in 0..BLOCK {
                for (k, row) in g.rows_of(block, lane).enumerate() {
                    let word = at.local as usize + (block * words + k / 2) * BLOCK + lane;
                    let shift = 16 * (k % 2);
                    topology[word] = (topology[word] & !(0xffff << shift)) | self.local[row as usize] << shift;
                }
            }
        }
        let keep = |work: &mut Work, kept: bool, source: u32, base: u32, each: usize| {
            let from = base + (blocks.start * each * BLOCK) as u32;
            if kept { work.keep(source, from, blocks.len() * each * BLOCK) } else { from }
        };
        let Room { data, lambda, threads, .. } = work.room;
        let starts = [
            keep(work, data, FROM_TOPOLOGY, at.local, words),
            keep(work, data, FROM_PARAMS, at.params, layout.params),
            keep(work, lambda, FROM_LAMBDA, at.lambda, layout.multipliers),
        ];
        let strides = [words, layout.params, layout.multipliers].map(|n| (n * BLOCK) as u32);
        let first = work.rounds.len();
        for b in batches {
            for done in (0..b.count).step_by(threads) {
                let block = (b.first - blocks.start + done / BLOCK) as u32;
                let [index, params, lambda] = std::array::from_fn(|k| starts[k] + block * strides[k]);
                work.rounds.push([(b.count - done).min(threads) as u32, index, params, lambda]);
            }
        }
        work.steps.push([op(g.kind), first as u32, (work.rounds.len() - first) as u32, 0]);
    }

    fn copies(&self, what: u32, copies: &Copies, topology: &mut Vec<u32>, work: &mut Work) {
        let local = |row: u32| self.local[row as usize];
        let ties = &self.model.phantoms.ties[copies.ties.clone()];
        work.steps.push([what, topology.len() as u32, ties.len() as u32, 0]);
        let words = |t: &Tie| [local(t.owner), local(t.first), t.count, t.weight.to_bits()];
        topology.extend(ties.iter().flat_map(words));
    }
}

/// A patch being written.
struct Work {
    room: Room,
    /// Constraints that run at the same time: how many, row numbers, parameters, multipliers.
    rounds: Vec<[u32; WORDS]>,
    /// What is done in an iteration: what, first round, number of rounds.
    steps: Vec<[u32; WORDS]>,
    /// Numbers that the workgroup keeps: source, where from, how many, where to.
    segments: Vec<[u32; WORDS]>,
    store: usize,
}

impl Work {
    /// Has the workgroup keep numbers; returns where they will be.
    fn keep(&mut self, source: u32, from: u32, count: usize) -> u32 {
        let to = self.store as u32;
        self.segments.push([source, from, count as u32, to]);
        self.store += count;
        to
    }
}
