//! The GPU backend: encodes the list of passes for wgpu (Vulkan, Metal, DX12).
//!
//! Everything lives on the device: a step is encoded from a list made once, submitted and forgotten. Nothing is
//! read back until somebody looks at the state; nothing is uploaded unless a pin or a collider moves by
//! prescription, or the caller has changed something.
//!
//! ```text
//! Model + State ─ tables ─▶ flat arrays ─ buffers ─▶ device
//!                 program ─▶ list of dispatches ─ encode ─▶ one submission for many substeps
//! ```
//!
//! Shaders: `kernels/*.wgsl` are the maths (twins of the Rust kernels), `*.wgsl` here gather and scatter,
//! `glue` writes what depends on kinds, `shader` puts modules together.

mod alarm;
mod buffers;
mod cards;
mod crowd;
mod desks;
mod device;
mod error;
mod flow;
mod glue;
pub mod layout;
mod loads;
mod meeting;
mod normals;
mod patches;
mod program;
mod records;
mod rendezvous;
mod rooms;
pub mod shader;
mod shapes;
pub mod solids;
pub mod space;
mod tables;
mod timing;
pub mod voxel;
mod worth;

use crate::backend::cpu::Contact;
use crate::error::Diverged;
use crate::model::Model;
use crate::state::State;
use crate::step::schedule::Halves;
use crate::step::stats::{Times, Touching};
pub use alarm::Runaway;
use alarm::{Alarm, Signal};
use buffers::{Buffers, Sizes};
use desks::Desks;
pub use device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use error::GpuError;
use flow::{Flow, FlowTables};
use meeting::Meeting;
use normals::Normals;
pub use normals::Surface;
use program::{Command, Program};
use records::Records;
use shader::Desk;
use shapes::{ShapeTables, Shapes};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;
use tables::{MARKS, NOBODY, Tables};
use timing::{STAGES, Timer};
pub use wgpu;

/// Workgroups of one dimension of a dispatch, at most.
const MOST_GROUPS: usize = 65_535;

/// Dispatches of one submission at most, so that a driver's watchdog sees an end.
const MOST_DISPATCHES: usize = 20_000;

/// Submissions that the host may be ahead of the device: enough that it never runs dry, few enough that their memory
/// stays small.
const MOST_IN_FLIGHT: usize = 4;

/// Runs a model on a device.
pub struct Gpu {
    device: Device,
    tables: Tables,
    program: Program,
    pipelines: Vec<wgpu::ComputePipeline>,
    buffers: Buffers,
    desks: Desks,
    shapes: Option<Shapes>,
    /// Grows also when somebody only looks, and finds that there was no room.
    meeting: Option<Mutex<Meeting>>,
    /// As `meeting`.
    flow: Option<Mutex<Flow>>,
    records: Records,
    alarm: Alarm,
    timer: Option<Timer>,
    /// Made when somebody first draws.
    normals: Option<Normals>,
    profiling: bool,
    times: Times,
    /// Substeps submitted since the start.
    substeps: u64,
    /// Submissions that may not be done yet.
    in_flight: VecDeque<wgpu::SubmissionIndex>,
}

/// What comes back with the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Harvest {
    /// Contacts with colliders that pushed in the last substep.
    pub contacts: Vec<Contact>,
    /// Pairs of particles that did.
    pub pairs: u64,
    /// Who ran away.
    pub runaway: Option<Runaway>,
}

/// What the list of a substep looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Dispatches per substep.
    pub passes: usize,
    /// Longest chain of barriers within workgroups, over all iterations.
    pub chain: usize,
    /// Memory on the device [bytes].
    pub bytes: u64,
    /// Memory that workgroups of patches keep for themselves at most [bytes].
    pub workgroup_bytes: usize,
}

impl Gpu {
    /// Puts a model and its state on a device.
    pub fn new(device: Device, model: &Model, state: &State) -> Result<Self, GpuError> {
        device.alive()?;
        let threads = device.threads as usize;
        let tables = Tables::new(model, state, threads, device.workgroup_bytes as usize);
        let together = tables.fused && rendezvous::possible(&device, model, &tables)?;
        let program = Program::new(model, state, &tables, together, device.software);
        let records = Records::new(model, state, &tables);
        let sizes = Sizes { substeps: records.slots(), fixtures: records.fixtures() };
        let buffers = Buffers::new(&device, model, state, &tables, &program.jobs, &sizes)?;
        let desks = Desks::new(&device, &buffers)?;
        let pipelines = desks.pipelines(&device, &program.pipelines)?;
        let shapes = match &state.shapes {
            Some(shapes) => Some(Shapes::new(&device, &desks.shapes, &tables.shapes, shapes)?),
            None => None,
        };
        let meeting = match model.mutual {
            Some(_) => Some(Mutex::new(Meeting::new(&device, &desks, &buffers, &tables, state)?)),
            None => None,
        };
        let flow = match model.fluid {
            Some(_) => Some(Mutex::new(Flow::new(&device, &desks, &buffers, &tables, state)?)),
            None => None,
        };
        tables.flow.upload(&device, &buffers, model, state);
        records.upload_fixed(&device, &buffers, model);
        let gpu = Self {
            alarm: Alarm::new(&device),
            timer: Timer::new(&device),
            normals: None,
            profiling: false,
            times: Times { groups: vec![0.0; model.groups.len()], ..Times::default() },
            substeps: state.substeps,
            in_flight: VecDeque::with_capacity(MOST_IN_FLIGHT + 1),
            device,
            tables,
            program,
            pipelines,
            buffers,
            desks,
            shapes,
            meeting,
            flow,
            records,
        };
        gpu.device.alive()?;
        Ok(gpu)
    }

    /// The device it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What a substep is made of.
    pub fn shape(&self, model: &Model) -> Shape {
        let longest = |range: Range<usize>| self.tables.patches.chains[range].iter().max().copied();
        let islands = longest(0..model.schedule.islands).unwrap_or(0);
        let tilings = model.schedule.tilings().filter_map(longest);
        let between = self.program.count == 0 && model.schedule.halves() == Halves::Last;
        let chain = (islands + tilings.sum::<usize>()) * model.settings.iterations as usize + usize::from(between);
        let workgroup_bytes = self.tables.patches.rooms.iter().map(|(_, room)| room.bytes()).max().unwrap_or(0);
        let bytes = self.buffers.bytes
            + self.met().map_or(0, |m| m.bytes())
            + self.shapes.as_ref().map_or(0, Shapes::bytes)
            + self.flowing().map_or(0, |f| f.bytes());
        Shape { passes: self.passes(), chain, bytes, workgroup_bytes }
    }

    /// What the host has sent to the device so far [bytes]: nothing more while nothing moves by prescription and the
    /// caller changes nothing.
    pub fn uploaded(&self) -> u64 {
        self.buffers.written()
    }

    /// Whether stages are timed by the device from now on; false where it has no timestamps.
    pub fn set_profiling(&mut self, on: bool) -> bool {
        self.profiling = on && self.timer.is_some();
        self.profiling
    }

    /// Times since the last call. Stages are there only while profiling.
    pub fn take_times(&mut self) -> Times {
        let fresh = Times { groups: vec![0.0; self.times.groups.len()], ..Times::default() };
        std::mem::replace(&mut self.times, fresh)
    }

    /// Submits so many steps of dt. Returns without waiting for them.
    pub fn advance(&mut self, model: &Model, steps: u32) -> Result<Option<Runaway>, GpuError> {
        match self.alarm.look(&self.device)? {
            Signal::Fine => {}
            Signal::Ran(found) => return Ok(Some(found)),
            Signal::Crowded { .. } => self.make_room(model)?,
        }
        let mut left = u64::from(steps) * u64::from(model.settings.substeps);
        let most = self.most_substeps();
        while left > 0 {
            let count = left.min(most);
            self.submit(model, count)?;
            left -= count;
        }
        self.device.alive()?;
        Ok(None)
    }

    /// Simulated time that was submitted [s].
    pub fn time(&self) -> f64 {
        self.records.time(self.substeps)
    }

    /// Waits until all submitted steps are done.
    pub fn wait(&self, model: &Model) -> Result<(), GpuError> {
        self.device.wait()?;
        if self.has_lists() { self.make_room(model) } else { Ok(()) }
    }

    /// Substeps of one submission at most.
    fn most_substeps(&self) -> u64 {
        let dispatches = (MOST_DISPATCHES / self.passes().max(1)).max(1) as u64;
        let timed = if self.profiling { u64::from(timing::MOST) } else { u64::MAX };
        dispatches.min(self.records.most()).min(timed)
    }

    fn passes(&self) -> usize {
        let (meet, flow) =
            (self.met().map_or(0, |m| m.search().dispatches()), self.flowing().map_or(0, |f| f.search().dispatches()));
        self.program.passes(meet, flow)
    }

    fn met(&self) -> Option<MutexGuard<'_, Meeting>> {
        self.meeting.as_ref().map(|m| m.lock().unwrap_or_else(|e| e.into_inner()))
    }

    fn flowing(&self) -> Option<MutexGuard<'_, Flow>> {
        self.flow.as_ref().map(|f| f.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// Whether there are lists that may have no room.
    fn has_lists(&self) -> bool {
        self.meeting.is_some() || self.flow.is_some()
    }

    /// Waits; where lists of neighbors had no room, makes some and does the substeps that did not happen.
    fn make_room(&self, model: &Model) -> Result<(), GpuError> {
        loop {
            let marks = self.device.download_some(&self.buffers.marks, 0, 4 * MARKS as u64)?;
            let Signal::Crowded { done } = alarm::read(&marks)? else { return Ok(()) };
            if let Some(mut meeting) = self.met() {
                meeting.grow(&self.device, &self.desks)?;
            }
            if let Some(mut flow) = self.flowing() {
                flow.grow(&self.device, &self.desks)?;
            }
            self.buffers.thaw(&self.device);
            let mut first = self.substeps - u64::from((self.substeps as u32).wrapping_sub(done));
            while first < self.substeps {
                let count = (self.substeps - first).min(self.most_substeps());
                self.records.upload(&self.device, &self.buffers, model, first, count);
                let mut encoder = self.device.device.create_command_encoder(&Default::default());
                self.encode_substeps(&mut encoder, first, count);
                self.device.queue.submit([encoder.finish()]);
                first += count;
            }
        }
    }

    fn submit(&mut self, model: &Model, count: u64) -> Result<(), GpuError> {
        let clock = Instant::now();
        self.records.upload(&self.device, &self.buffers, model, self.substeps, count);
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        if self.profiling {
            self.encode_stages(&mut encoder, count);
        } else {
            self.encode_substeps(&mut encoder, self.substeps, count);
        }
        let look = self.alarm.encode(&mut encoder, &self.buffers.marks);
        let submission = self.device.queue.submit([encoder.finish()]);
        if look {
            self.alarm.send();
        }
        self.in_flight.push_back(submission);
        self.substeps += count;
        self.times.substeps += count;
        self.times.encode += clock.elapsed().as_secs_f64();
        if self.in_flight.len() > MOST_IN_FLIGHT {
            self.device.wait_for(self.in_flight.pop_front())?;
        }
        if let Some(timer) = self.timer.as_ref().filter(|_| self.profiling) {
            let seconds = timer.read(&self.device, count as u32)?;
            for (stage, s) in STAGES.into_iter().zip(seconds) {
                self.times.stages[stage as usize] += s;
            }
        }
        Ok(())
    }

    /// Substeps after the first `done` ones.
    fn encode_substeps(&self, encoder: &mut wgpu::CommandEncoder, done: u64, count: u64) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        let mut bound = usize::MAX;
        let program = &self.program;
        let mut k = 0;
        while k < count {
            let record = self.records.slot(done, k) * self.buffers.stride;
            let alike = self.records.alike(done, k, count - k);
            if let Some(&(substeps, one)) = program.several.iter().find(|(n, _)| *n <= alike) {
                self.encode(&mut pass, &[Command::Run(one)], record, &mut bound);
                k += substeps;
                continue;
            }
            k += 1;
            for list in [&program.neighbors, &program.predict, &program.stabilize, &program.islands] {
                self.encode(&mut pass, list, record, &mut bound);
            }
            for iteration in 0..program.count {
                self.encode(&mut pass, program.iteration(iteration), record, &mut bound);
            }
            self.encode(&mut pass, &program.finalize, record, &mut bound);
        }
    }

    /// One compute pass per stage, so that the device can say when each began and ended.
    fn encode_stages(&self, encoder: &mut wgpu::CommandEncoder, count: u64) {
        let Some(timer) = &self.timer else { return };
        let lists = STAGES.map(|stage| self.program.stage(stage));
        for k in 0..count {
            let record = self.records.slot(self.substeps, k) * self.buffers.stride;
            for (s, list) in lists.iter().enumerate() {
                let timestamp_writes = Some(timer.writes(k as u32, s));
                let label = Some(STAGES[s].name());
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes });
                let mut bound = usize::MAX;
                self.encode(&mut pass, list, record, &mut bound);
            }
        }
        timer.resolve(encoder, count as u32);
    }

    fn encode(&self, pass: &mut wgpu::ComputePass<'_>, list: &[Command], record: u32, bound: &mut usize) {
        let (meeting, flow) = (self.met(), self.flowing());
        for command in list {
            let d = match command {
                Command::Run(d) => d,
                found => {
                    match found {
                        Command::FindFlow => flow.iter().for_each(|f| f.search().encode(pass)),
                        _ => meeting.iter().for_each(|m| m.search().encode(pass)),
                    }
                    *bound = usize::MAX;
                    continue;
                }
            };
            if *bound != d.pipeline {
                pass.set_pipeline(&self.pipelines[d.pipeline]);
                *bound = d.pipeline;
                let own = match d.desk {
                    Desk::Main => None,
                    Desk::Meets | Desk::Sift | Desk::Bounces => meeting.as_ref().map(|m| &m.group),
                    Desk::Shapes => self.shapes.as_ref().map(|s| &s.group),
                    Desk::Flow => flow.as_ref().map(|f| &f.group),
                };
                if own.is_some() {
                    pass.set_bind_group(1, own, &[]);
                }
            }
            let offsets = [record, d.job as u32 * self.buffers.stride];
            pass.set_bind_group(0, self.desks.shared(d.desk), &offsets);
            let x = d.groups.min(MOST_GROUPS);
            pass.dispatch_workgroups(x as u32, d.groups.div_ceil(x.max(1)) as u32, 1);
        }
    }

    /// Waits and reads the state back, and what contacts have done.
    pub(crate) fn download(&self, model: &Model, state: &mut State) -> Result<Harvest, GpuError> {
        if self.has_lists() {
            self.make_room(model)?;
        }
        let (mut harvest, mut found, mut carried) = (Harvest::default(), Ok(Signal::Fine), Vec::new());
        let n = state.particles;
        self.buffers.download(&self.device, state, &self.tables, |pushes, marks| {
            found = alarm::read(marks);
            harvest.contacts = self.tables.pushes(model, n, pushes, marks).collect();
            harvest.pairs = self.tables.pairs(n, pushes);
            carried = self.tables.flow.seen(n, pushes).to_vec();
        })?;
        FlowTables::download(&carried, state);
        self.tables.patches.decks.iter().for_each(|deck| deck.gather(&mut state.multipliers));
        self.read_poses(state)?;
        state.substeps = self.substeps;
        state.time = self.records.time(self.substeps);
        if let Signal::Ran(runaway) = found? {
            harvest.runaway = Some(runaway);
        }
        Ok(harvest)
    }

    /// Puts a changed state on the device.
    pub fn upload(&mut self, model: &Model, state: &State) {
        self.substeps = state.substeps;
        self.upload_bodies(model, state);
        self.upload_poses(state);
        self.buffers.upload_state(&self.device, state, &self.tables);
        self.tables.flow.upload(&self.device, &self.buffers, model, state);
        // Radii stand among the parameters, which are uploaded whole when others of them change.
        let changed = self.tables.change_radii(&state.radii);
        let at = 4 * changed.start as u64;
        self.buffers.write(&self.device, &self.buffers.params, at, &self.tables.params[changed]);
        if let Some(mut meeting) = self.met() {
            meeting.refresh(&self.device, state);
        }
        if self.meeting.is_some() {
            let at = 4 * u64::from(self.tables.phases);
            self.buffers.write(&self.device, &self.buffers.topology, at, &state.phases);
        }
    }

    /// Puts on the device what bodies weigh, and how deep their particles are.
    pub(crate) fn upload_bodies(&mut self, model: &Model, state: &State) {
        let (Some(here), Some(there)) = (&self.shapes, &state.shapes) else { return };
        let first = self.tables.shapes.job.slots as usize;
        self.tables.shapes = ShapeTables::new(model, there, state.particles, first);
        here.upload(&self.device, &self.tables.shapes);
        let mut put = |at: u32, vectors: &[[u32; 4]]| {
            self.tables.fixtures[at as usize..][..vectors.len()].copy_from_slice(vectors);
            self.buffers.write(&self.device, &self.buffers.fixtures, 16 * u64::from(at), vectors);
        };
        if self.tables.loads != NOBODY {
            put(self.tables.loads, &loads::loads(there, state.particles));
        }
        let (fields, at_rest) = self.tables.fields;
        if fields != NOBODY && !(model.melts.is_empty() && model.freezes.is_empty()) {
            put(at_rest, &tables::fields(model, state));
        }
    }

    /// Brings where some particles are to the host. The steps before must be done.
    pub(crate) fn read_places(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.buffers.read_places(&self.device, state, range)
    }

    /// The same with velocities.
    pub(crate) fn read_particles(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_places(state, range.clone())?;
        self.buffers.read_velocities(&self.device, state, range)
    }

    /// The same with what pressure did.
    pub(crate) fn read_all(&self, state: &mut State, range: Range<usize>) -> Result<(), GpuError> {
        self.read_particles(state, range.clone())?;
        self.tables.flow.read_carried(&self.device, &self.buffers, state, range)
    }

    /// Brings to the host where bodies are. The steps before must be done.
    pub(crate) fn read_poses(&self, state: &mut State) -> Result<(), GpuError> {
        match (&self.shapes, &mut state.shapes) {
            (Some(here), Some(there)) => here.download(&self.device, there),
            _ => Ok(()),
        }
    }

    /// Puts on the device where bodies are.
    pub(crate) fn upload_poses(&self, state: &State) {
        if let (Some(here), Some(there)) = (&self.shapes, &state.shapes) {
            here.upload_poses(&self.device, there);
        }
    }

    /// Puts on the device how fast some particles are; they have no past then.
    pub(crate) fn upload_velocities(&self, state: &State, range: Range<usize>) {
        self.buffers.upload_velocities(&self.device, state, &self.tables, range);
    }

    /// Puts some particles of a state on the device, whatever the others do there. The steps before must be done.
    pub(crate) fn upload_particles(&self, model: &Model, state: &State, particles: &[u32]) {
        for run in particles.chunk_by(|a, b| a + 1 == *b) {
            self.upload_run(model, state, run[0] as usize..run[0] as usize + run.len());
        }
    }

    fn upload_run(&self, model: &Model, state: &State, range: Range<usize>) {
        self.buffers.upload_particles(&self.device, state, &self.tables, range.clone());
        if let Some(fluid) = &model.fluid {
            self.tables.flow.upload_phases(&self.device, &self.buffers, fluid, state, range.clone());
            self.tables.flow.upload_carried(&self.device, &self.buffers, state, range.clone());
        }
        let words = model.colliders.len().div_ceil(32);
        let masks = vec![0_u32; words * range.len()];
        let at = 4 * (u64::from(self.tables.masks) + (words * range.start) as u64);
        self.buffers.write(&self.device, &self.buffers.marks, at, &masks);
        if self.meeting.is_some() {
            let at = 4 * (u64::from(self.tables.phases) + range.start as u64);
            self.buffers.write(&self.device, &self.buffers.topology, at, &state.phases[range]);
        }
    }

    /// Substeps submitted since the start.
    pub(crate) fn substeps(&self) -> u64 {
        self.substeps
    }

    /// Pairs of particles that pushed each other in the last substep; waits for them.
    pub fn touching(&self, model: &Model) -> Result<Vec<Touching>, GpuError> {
        self.met().map_or(Ok(Vec::new()), |meeting| meeting.touching(&self.device, model))
    }

    /// Puts changed parameters on the device.
    pub fn upload_params(&mut self, model: &Model) {
        self.tables.refresh_params(model);
        self.buffers.upload_params(&self.device, &self.tables);
    }

    /// The error that the host makes of a runaway, with the state as it was read back.
    pub fn diverged(&self, model: &Model, state: &State, found: Runaway) -> Diverged {
        let [x, y, z, _] = state.rows[found.particle];
        Diverged::new(found.stage, model, found.particle, [x, y, z], self.records.time(found.substeps))
    }
}
