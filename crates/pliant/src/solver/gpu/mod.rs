//! The GPU backend: encodes the list of passes for wgpu (Vulkan, Metal, DX12).
//!
//! All state but rigid bodies (`rigid_bodies`) is on the device. A step is encoded from a list made once, and submitted
//! without waiting. State is read back only when the caller asks for it; uploads happen only for kinematic pins and
//! colliders, and after edits.
//!
//! ```text
//! Model + State ─ tables ─▶ flat arrays ─ buffers ─▶ device
//!                 program ─▶ list of dispatches ─ encode ─▶ one submission for many substeps
//! ```
//!
//! A phenomenon has its tables, shaders and passes in its own folder (`contact::gpu`, `fluid::gpu`, `shape_matching::gpu`,
//! `aero::gpu`, `integration::gpu`, `constraints::gpu`). Here they become one program: `model_packing` lays all tables out,
//! `program` puts the passes of all stages in order, `shaders` composes modules, `substep_uniforms` writes the record of
//! each substep. Of the solve stage itself, patches, copies, Jacobi sums and inflatables are here.

pub(crate) mod append;
pub(crate) mod coresidency_probe;
pub(crate) mod cost_model;
pub(crate) mod device_carry;
pub(crate) mod device_snapshot;
pub(crate) mod device_state;
pub(crate) mod inflate;
#[doc(hidden)]
pub mod model_packing;
pub(crate) mod motion_change;
pub(crate) mod near;
#[doc(hidden)]
pub mod normals;
#[doc(hidden)]
pub mod pass_uniforms;
#[doc(hidden)]
pub mod patches;
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod reactions;
pub(crate) mod rigid_bodies;
pub(crate) mod row_request;
#[doc(hidden)]
pub mod shader_constants;
#[doc(hidden)]
pub mod shaders;
pub(crate) mod state_transfer;
pub(crate) mod status_readback;
pub(crate) mod submission;
pub(crate) mod substep_uniforms;
pub(crate) mod transfer;
#[doc(hidden)]
pub mod workgroup_memory;

use crate::contact::gpu::neighbor_lists::{PARTICLE_CONTACT_GROUP, ParticleContacts};
use crate::error::Diverged;
use crate::fluid::gpu::neighbor_lists::{FLUID_CELLS, FLUID_GROUP, FluidNeighbors};
use crate::integration::gpu::motion_arrays;
use crate::model::Model;
use crate::partition::Target;
use crate::runtime::gpu::bind_groups::BindGroups;
use crate::runtime::gpu::buffers::{Buffers, Sizes};
pub use crate::runtime::gpu::device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use crate::runtime::gpu::error::GpuError;
use crate::runtime::gpu::program::{OwnGroup, ShaderSource};
use crate::runtime::gpu::timing::Timer;
use crate::schedule::gpu::Substep;
use crate::schedule::passes::Halves;
use crate::schedule::stats::{ContactPair, Times};
use crate::shape_matching::gpu::bodies::{BODY_GROUP, DeviceBodies};
use crate::solver::gpu::model_packing::Tables;
use crate::solver::gpu::normals::Normals;
pub use crate::solver::gpu::normals::Surface;
use crate::solver::gpu::program::{CONTACT_SEARCH, FLUID_SEARCH, Program, SEARCHES};
use crate::solver::gpu::rigid_bodies::HostBodies;
pub use crate::solver::gpu::status_readback::Divergence;
use crate::solver::gpu::status_readback::StatusReadback;
use crate::solver::gpu::substep_uniforms::SubstepUniforms;
use crate::state::State;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
pub use wgpu;

/// How far the host may be ahead of a GPU. Results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubmissionMode {
    /// One submission: a call that steps waits for the call before it. For programs that look at every step.
    Latency,
    /// Four submissions: enough that the device never runs dry, few enough that their memory stays small.
    #[default]
    Throughput,
}

impl SubmissionMode {
    /// Submissions in flight at most.
    pub fn submissions(self) -> usize {
        match self {
            Self::Latency => 1,
            Self::Throughput => MOST_IN_FLIGHT,
        }
    }
}

/// What a GPU times. It takes time itself: the device waits between what is timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profiling {
    /// Nothing.
    #[default]
    Off,
    /// Stages.
    Stages,
    /// Every pass, one substep per submission.
    Passes,
}

/// Submissions in flight at most in any mode.
const MOST_IN_FLIGHT: usize = 4;

/// Backends so far.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// Bind groups of phenomena, by number.
pub(crate) static OWN_GROUPS: [&OwnGroup; 4] = [&PARTICLE_CONTACT_GROUP, &FLUID_GROUP, &BODY_GROUP, &FLUID_CELLS];
/// Number of [`PARTICLE_CONTACT_GROUP`].
pub(crate) const CONTACTS: usize = 0;
/// Number of [`FLUID_GROUP`].
pub(crate) const FLUID: usize = 1;
/// Number of [`BODY_GROUP`].
pub(crate) const BODIES: usize = 2;
/// Number of [`FLUID_CELLS`].
pub(crate) const CELLS: usize = 3;

/// A compiled shader with the numbers of its bind groups.
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    /// Name in tables of times.
    pub(crate) label: String,
    pub(crate) shared: usize,
    pub(crate) own: Option<usize>,
}

/// Limits that a plan for this device must respect.
pub fn target(device: &Device) -> Target {
    Target::gpu(device.workgroup_bytes as usize, device.threads as usize)
}

/// Runs a model on a device.
///
/// Shaders run without checks of their indices, so only [`crate::World`] makes one and hands it models and states:
/// those that its tables were written for.
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) tables: Tables,
    pub(crate) program: Program,
    pub(crate) pipelines: Vec<Pipeline>,
    pub(crate) buffers: Buffers,
    pub(crate) bind_groups: BindGroups,
    pub(crate) bodies: Option<DeviceBodies>,
    /// Grows also when the state is read and its lists have overflowed, hence the lock.
    pub(crate) particle_contacts: Option<Mutex<ParticleContacts>>,
    /// Likewise.
    pub(crate) fluid: Option<Mutex<FluidNeighbors>>,
    pub(crate) records: SubstepUniforms,
    pub(crate) status: StatusReadback,
    pub(crate) timer: Option<Timer>,
    /// Created at the first drawing.
    pub(crate) normals: Option<Normals>,
    pub(crate) profiling: Profiling,
    pub(crate) times: Times,
    /// Substeps submitted since the start.
    pub(crate) substeps: u64,
    /// How many of them there may be.
    pub(crate) submission_mode: SubmissionMode,
    /// Number of this backend among all.
    pub(crate) number: u64,
    /// Submissions that may be unfinished.
    pub(crate) in_flight: VecDeque<wgpu::SubmissionIndex>,
    /// Rigid bodies, which the host moves.
    pub(crate) rigid_bodies: HostBodies,
}

/// Data read back with the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readback {
    /// Number of pairs of particles in contact in the last substep.
    pub pairs: u64,
    /// The first particle that diverged.
    pub divergence: Option<Divergence>,
}

/// Size of the program of a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramStats {
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
    /// Uploads a model and its state to a device.
    pub(crate) fn new(device: Device, model: &Model, state: &State) -> Result<Self, GpuError> {
        device.alive()?;
        let threads = device.threads as usize;
        let tables = Tables::new(model, state, threads, device.workgroup_bytes as usize);
        let coresident = tables.fused && coresidency_probe::possible(&device, model, &tables)?;
        let program = Program::new(model, state, &tables, coresident, device.software);
        let records = SubstepUniforms::new(model, state, &tables);
        let solid = state.velocities.len();
        let copies = model.phantoms.owners.len() + if tables.fused { model.phantoms.seams } else { 0 };
        let sizes = Sizes {
            rows: solid + copies,
            constants: records.constants(),
            substeps: records.slots(),
            substep_bytes: size_of::<Substep>(),
            readback: [solid, motion_arrays(state) * solid, tables.work_read(model, state)],
        };
        let buffers = Buffers::new(&device, &tables.arena, &program.uniforms, &sizes)?;
        state_transfer::upload_state(&device, &buffers, state, &tables);
        let groups = BindGroups::new(&device, &buffers, &program.shaders, &OWN_GROUPS)?;
        let pipelines = pipelines(&device, &groups, &program.shaders)?;
        let bodies = match &state.shapes {
            Some(shapes) => Some(DeviceBodies::new(&device, groups.own_layout(BODIES), &tables.shapes, shapes)?),
            None => None,
        };
        let contact_layout = groups.own_layout(CONTACTS);
        let (radii, separation) = (tables.search_radii, model.environments.separation());
        let contact = &tables.contact;
        let particle_contacts =
            ParticleContacts::new(&device, contact_layout, &buffers, contact, radii, state, separation)?;
        let fluid_layouts = [FLUID, CELLS].map(|group| groups.own_layout(group));
        let fluid = match model.fluid {
            Some(_) => {
                let (tables, predicted) = (&tables.fluid, tables.predicted);
                let n = state.particles;
                Some(FluidNeighbors::new(&device, fluid_layouts, &buffers, tables, predicted, n, separation)?)
            }
            None => None,
        };
        tables.fluid.upload(&device, &buffers, &model.fluid_model(), state);
        records.upload_fixed(&device, &buffers, model);
        let gpu = Self {
            status: StatusReadback::new(&device),
            timer: Timer::new(&device, submission::STAGES.len()),
            normals: None,
            profiling: Profiling::Off,
            times: Times { groups: vec![0.0; model.groups.len()], ..Times::default() },
            substeps: state.substeps,
            submission_mode: SubmissionMode::default(),
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            in_flight: VecDeque::with_capacity(MOST_IN_FLIGHT + 1),
            device,
            tables,
            program,
            pipelines,
            buffers,
            bind_groups: groups,
            bodies,
            particle_contacts: particle_contacts.map(Mutex::new),
            fluid: fluid.map(Mutex::new),
            records,
            rigid_bodies: HostBodies::new(&state.rigid_bodies),
        };
        gpu.device.alive()?;
        Ok(gpu)
    }

    /// Limits that plans for its device respect.
    pub fn target(&self) -> Target {
        target(&self.device)
    }

    /// The device it runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// What a substep is made of.
    pub fn stats(&self, model: &Model) -> ProgramStats {
        let longest = |range: Range<usize>| self.tables.patches.chains[range].iter().max().copied();
        let islands = longest(0..model.schedule.islands).unwrap_or(0);
        let tilings = model.schedule.tilings().filter_map(longest);
        let between = self.program.count == 0 && model.schedule.halves() == Halves::Last;
        let chain = (islands + tilings.sum::<usize>()) * model.settings.iterations as usize + usize::from(between);
        let workgroup_bytes = self.tables.patches.memories.iter().map(|(_, memory)| memory.bytes()).max().unwrap_or(0);
        let bytes = self.buffers.bytes
            + self.lock_contacts().map_or(0, |m| m.bytes())
            + self.bodies.as_ref().map_or(0, DeviceBodies::bytes)
            + self.lock_fluid().map_or(0, |f| f.bytes());
        ProgramStats { passes: self.passes(), chain, bytes, workgroup_bytes }
    }

    /// What the host has sent to the device so far [bytes]: does not grow while nothing is kinematic and the
    /// caller changes nothing.
    pub fn uploaded(&self) -> u64 {
        self.buffers.written()
    }

    /// What the host has read of the state so far [bytes]: positions, velocities, poses, contacts. The status words are
    /// not counted.
    pub fn downloaded(&self) -> u64 {
        self.buffers.read_so_far()
    }

    /// What the device times from now on; false where it has no timestamps.
    pub(crate) fn set_profiling(&mut self, what: Profiling) -> bool {
        self.profiling = if self.timer.is_some() { what } else { Profiling::Off };
        self.profiling == what
    }

    /// Times since the last call. Stages are there only while profiling.
    pub(crate) fn take_times(&mut self) -> Times {
        let fresh = Times { groups: vec![0.0; self.times.groups.len()], ..Times::default() };
        std::mem::replace(&mut self.times, fresh)
    }

    /// Simulated time that was submitted [s].
    pub fn time(&self) -> f64 {
        self.records.time(self.substeps)
    }

    /// Waits until all submitted steps are done.
    pub(crate) fn wait(&self, model: &Model) -> Result<(), GpuError> {
        self.device.wait()?;
        if self.has_lists() { self.regrow_lists(model).map(|_| ()) } else { Ok(()) }
    }

    /// Waits until all submitted steps are done, and says whether one of them has diverged.
    pub(crate) fn settle(&mut self, model: &Model) -> Result<Option<Divergence>, GpuError> {
        let found = self.regrow_lists(model)?;
        self.in_flight.clear();
        Ok(found)
    }

    pub(crate) fn passes(&self) -> usize {
        self.program.passes(self.search_passes())
    }

    /// Dispatches of each neighbor search.
    pub(crate) fn search_passes(&self) -> [usize; SEARCHES] {
        let mut searches = [0; SEARCHES];
        searches[CONTACT_SEARCH] = self.lock_contacts().map_or(0, |c| c.search().dispatches());
        searches[FLUID_SEARCH] = self.lock_fluid().map_or(0, |f| f.search().dispatches());
        searches
    }

    pub(crate) fn lock_contacts(&self) -> Option<MutexGuard<'_, ParticleContacts>> {
        self.particle_contacts.as_ref().map(|m| m.lock().unwrap_or_else(|e| e.into_inner()))
    }

    pub(crate) fn lock_fluid(&self) -> Option<MutexGuard<'_, FluidNeighbors>> {
        self.fluid.as_ref().map(|f| f.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// Whether there are lists that may have no room.
    pub(crate) fn has_lists(&self) -> bool {
        self.particle_contacts.is_some() || self.fluid.is_some()
    }

    /// Substeps submitted since the start.
    pub(crate) fn substeps(&self) -> u64 {
        self.substeps
    }

    /// Pairs of particles that pushed each other in the last substep; waits for them.
    pub(crate) fn contact_pairs(&self, model: &Model) -> Result<Vec<ContactPair>, GpuError> {
        self.lock_contacts()
            .map_or(Ok(Vec::new()), |particle_contacts| particle_contacts.contact_pairs(&self.device, &model.contact()))
    }

    /// The error that the host makes of a runaway, with the state as it was read back.
    pub(crate) fn diverged(&self, model: &Model, state: &State, found: Divergence) -> Diverged {
        if let Some(body) = found.particle.checked_sub(state.particles) {
            let position = state.rigid_bodies.bodies[body].position.as_vec3().to_array();
            return model.diverged_body(found.stage, body, position, self.records.time(found.substeps));
        }
        let [x, y, z, _] = state.rows[found.particle];
        model.diverged(found.stage, found.particle, [x, y, z], self.records.time(found.substeps))
    }
}

/// Compiles the shaders of a program, side by side: each takes milliseconds of one core, and there are dozens.
fn pipelines(device: &Device, groups: &BindGroups, shaders: &[ShaderSource]) -> Result<Vec<Pipeline>, GpuError> {
    let compile = |source: &ShaderSource| {
        let layout = groups.pipeline_layout(device, &source.bindings);
        // SAFETY: `builder::packing` has proved every row number in range, all other numbers are written by the tables of
        // the phenomena, neighbor lists hold numbers of particles, and every loop of the shaders runs over a table's length.
        let pipeline = unsafe { device.pipeline(&source.label, source.entry, shaders::module(source), Some(&layout))? };
        Ok(Pipeline {
            pipeline,
            label: source.label.clone(),
            shared: groups.shared_index(&source.bindings),
            own: groups.own_index(&source.bindings),
        })
    };
    shaders.par_iter().map(compile).collect()
}
