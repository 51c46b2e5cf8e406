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
mod run;
pub mod shader;
mod shapes;
pub mod solids;
pub mod space;
mod tables;
mod timing;
mod transfer;
pub mod voxel;
mod worth;

use crate::backend::cpu::Contact;
use crate::error::Diverged;
use crate::model::Model;
use crate::state::State;
use crate::step::schedule::Halves;
use crate::step::stats::{Times, Touching};
use alarm::Alarm;
pub use alarm::Runaway;
use buffers::{Buffers, Sizes};
use desks::Desks;
pub use device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use error::GpuError;
use flow::Flow;
use meeting::Meeting;
use normals::Normals;
pub use normals::Surface;
use program::Program;
use records::Records;
use shapes::Shapes;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};
use tables::Tables;
use timing::Timer;
pub use wgpu;

/// Workgroups of one dimension of a dispatch, at most.
const MOST_GROUPS: usize = 65_535;

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

    /// Simulated time that was submitted [s].
    pub fn time(&self) -> f64 {
        self.records.time(self.substeps)
    }

    /// Waits until all submitted steps are done.
    pub fn wait(&self, model: &Model) -> Result<(), GpuError> {
        self.device.wait()?;
        if self.has_lists() { self.make_room(model) } else { Ok(()) }
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

    /// Substeps submitted since the start.
    pub(crate) fn substeps(&self) -> u64 {
        self.substeps
    }

    /// Pairs of particles that pushed each other in the last substep; waits for them.
    pub fn touching(&self, model: &Model) -> Result<Vec<Touching>, GpuError> {
        self.met().map_or(Ok(Vec::new()), |meeting| meeting.touching(&self.device, model))
    }

    /// The error that the host makes of a runaway, with the state as it was read back.
    pub fn diverged(&self, model: &Model, state: &State, found: Runaway) -> Diverged {
        let [x, y, z, _] = state.rows[found.particle];
        Diverged::new(found.stage, model, found.particle, [x, y, z], self.records.time(found.substeps))
    }
}
