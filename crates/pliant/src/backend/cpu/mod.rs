//! The CPU backend: walks the list of passes with its threads.
//!
//! One file per stage; each gathers, calls a kernel and scatters. Results are the same bits for any
//! number of threads and any lane width: passes only hold work that could run in any order, and every
//! sum has a fixed one.

mod bounce;
mod contacts;
mod finalize;
mod flow;
mod grains;
mod inflate;
mod isa;
mod jacobi;
mod lists;
mod loads;
mod measure;
mod meet;
mod patches;
mod phantoms;
mod predict;
mod rows;
pub(crate) mod shared;
mod solve;
mod threads;
mod wind;

use crate::error::Diverged;
use crate::kernels::contact::Obstacle;
use crate::kernels::shape::{self, ShapeMatch};
use crate::kernels::{Scales, V3};
use crate::memory::{nested, of};
use crate::model::{BLOCK, Model};
use crate::scene::{Integrator, Method, Partition};
use crate::state::{RowData, State};
use crate::step::schedule::{BatchId, Copies, Pass, Stage};
use crate::step::stats::{LiquidProbe, Probe, Residuals, Times, Touching};
use bounce::Rebounds;
pub(crate) use contacts::Contact;
#[cfg(feature = "gpu")]
pub(crate) use contacts::forces;
use flow::Flow;
#[cfg(feature = "gpu")]
pub(crate) use flow::phase_of as flow_phase;
pub use isa::Isa;
use loads::Loads;
#[cfg(feature = "gpu")]
pub(crate) use loads::{mean, rigid};
use meet::Meeting;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
pub use threads::Threads;

/// Beyond this a single-precision position resolves less than a decimeter [m].
const FARTHEST: f32 = 1e6;
/// Chunks of a body's particles that are worth a thread.
const SHAPE_GRAIN: usize = 16;
/// No scene of this engine's scale moves so fast [m/s].
const FASTEST: f32 = 1e4;

/// What every stage of a substep shares.
pub(crate) struct Substep {
    /// Number of the substep since the start.
    index: u64,
    /// Length [s].
    h: f32,
    /// Share of velocity kept by damping.
    keep: f32,
    /// Time at its start [s].
    start: f64,
    /// Time at its end [s].
    end: f64,
}

/// Remembers the first particle that ran away, whichever thread saw it.
pub(crate) struct Alarm(AtomicUsize);

impl Alarm {
    fn new() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
    #[inline(always)]
    fn check(&self, particle: usize, x: V3<f32>) {
        self.check_size(particle, x, FARTHEST);
    }
    #[inline(always)]
    fn check_speed(&self, particle: usize, v: V3<f32>) {
        self.check_size(particle, v, FASTEST);
    }
    #[inline(always)]
    fn check_size(&self, particle: usize, v: V3<f32>, most: f32) {
        // The comparison is false for NaN, so NaN is caught too.
        let fine = v.length_squared() <= most * most;
        if !fine {
            self.0.fetch_min(particle, Ordering::Relaxed);
        }
    }
    fn first(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&i| i != usize::MAX)
    }
}

/// Memory that passes use and nobody keeps; sized once.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Force on each particle [N]; empty without sails.
    forces: Vec<RowData>,
    triangle_forces: Vec<V3<f32>>,
    sail_forces: Vec<V3<f32>>,
    obstacles: Vec<Obstacle>,
    /// The same without friction, where there are liquids.
    slippery: Vec<Obstacle>,
    /// By run of particles.
    contacts: Vec<Vec<Contact>>,
    /// Time spent on each group, by patch.
    patch_seconds: Vec<Vec<f64>>,
    gradients: Vec<V3<f32>>,
    /// Corrections of Jacobi passes by group.
    slots: Vec<Vec<RowData>>,
    /// Constraints on each row.
    counts: Vec<f32>,
    /// Second position buffer of the gathering Jacobi pass.
    next: Vec<RowData>,
    /// Contacts between particles.
    meeting: Meeting,
    /// Rigid bodies behind contacts.
    loads: Loads,
    /// Liquids.
    flow: Flow,
    /// For contacts that bounce.
    rebounds: Rebounds,
}

impl Scratch {
    fn bytes(&self) -> u64 {
        let air = of(&self.forces) + of(&self.triangle_forces) + of(&self.sail_forces) + of(&self.gradients);
        let contacts = of(&self.obstacles) + nested(&self.contacts) + self.meeting.bytes() + self.loads.bytes();
        let contacts = contacts + of(&self.slippery) + self.flow.bytes();
        air + contacts + nested(&self.patch_seconds) + nested(&self.slots) + of(&self.counts) + of(&self.next)
    }

    fn new(model: &Model, state: &State) -> Self {
        let jacobi = matches!(model.settings.partition, Partition::Jacobi | Partition::JacobiGather);
        let sails = !model.sails.triangles.is_empty();
        let offsets = &model.incidence.offsets;
        let gather = model.settings.partition == Partition::JacobiGather;
        Self {
            forces: if sails { vec![[0.0; 4]; state.particles] } else { Vec::new() },
            triangle_forces: vec![V3::zero(); model.sails.triangles.len()],
            sail_forces: vec![V3::zero(); model.sails.particles.len()],
            obstacles: Vec::with_capacity(model.colliders.len()),
            slippery: Vec::new(),
            contacts: vec![Vec::new(); model.runs.len()],
            patch_seconds: vec![vec![0.0; model.groups.len()]; model.schedule.patches.len()],
            gradients: vec![V3::zero(); model.inflatables.iter().map(|b| b.particles.len()).max().unwrap_or(0)],
            slots: if jacobi {
                model.groups.iter().map(|g| vec![[0.0; 4]; g.blocks() * g.layout().rows * BLOCK]).collect()
            } else {
                Vec::new()
            },
            counts: offsets.windows(2).map(|w| (w[1] - w[0]) as f32).collect(),
            next: if gather { state.rows.clone() } else { Vec::new() },
            meeting: Meeting::default(),
            loads: Loads::default(),
            flow: Flow::default(),
            rebounds: Rebounds::default(),
        }
    }
}

/// Runs a model on the threads of this machine.
pub struct Cpu {
    threads: Threads,
    isa: Isa,
    scratch: Scratch,
    times: Times,
    /// Rows that the model's indices were proved against.
    rows: usize,
}

impl Cpu {
    /// `threads` 0 means one per core.
    pub fn new(model: &Model, state: &State, threads: usize, isa: Isa) -> std::io::Result<Self> {
        let times = Times { groups: vec![0.0; model.groups.len()], ..Times::default() };
        Ok(Self {
            threads: Threads::new(threads)?,
            isa,
            scratch: Scratch::new(model, state),
            times,
            rows: state.rows.len(),
        })
    }

    /// Threads that measure a state which somebody else moves.
    #[cfg(feature = "gpu")]
    pub fn observer(threads: usize) -> std::io::Result<Self> {
        let threads = Threads::new(threads)?;
        Ok(Self { threads, isa: Isa::detect(), scratch: Scratch::default(), times: Times::default(), rows: 0 })
    }

    /// Number of threads.
    pub fn thread_count(&self) -> usize {
        self.threads.count()
    }

    /// Forgets what went on from one substep to the next: somebody has changed the state.
    pub fn forget(&mut self) {
        self.scratch.contacts.iter_mut().for_each(Vec::clear);
    }

    /// Forgets contacts of particles that have left the world.
    pub fn forget_fixed(&mut self, state: &State) {
        self.scratch.contacts.iter_mut().for_each(|run| run.retain(|c| state.rows[c.particle as usize][3] > 0.0));
    }

    /// Memory of the passes [bytes]; the threads' stacks come on top.
    pub fn bytes(&self) -> u64 {
        self.scratch.bytes()
    }

    /// Times since the last call.
    pub fn take_times(&mut self) -> Times {
        let fresh = Times { groups: vec![0.0; self.times.groups.len()], ..Times::default() };
        std::mem::replace(&mut self.times, fresh)
    }

    /// One step of dt: all of its substeps.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), Diverged> {
        // The state is open to its owner between steps, and the loops do not check their indices again.
        assert_eq!(state.rows.len(), self.rows, "the number of rows has changed since the model was built");
        let Self { threads, isa, scratch, times, .. } = self;
        threads.enter(|| {
            for _ in 0..model.settings.substeps {
                substep(threads, *isa, model, state, scratch, times)?;
            }
            Ok(())
        })
    }

    /// Densities of liquids over those at rest; NaN for other particles.
    pub fn densities(&self, model: &Model, state: &State) -> Vec<f32> {
        let mut all = self.threads.enter(|| flow::survey(&self.threads, model, state).errors);
        all.iter_mut().for_each(|c| *c += 1.0);
        all
    }

    /// Pressures of liquids [Pa].
    pub fn pressures(&self, model: &Model, state: &State) -> Vec<f32> {
        measure::pressures(model, state)
    }

    /// Mean and greatest relative error by kind, and what liquids are like, where there are any.
    pub fn measure(&self, model: &Model, state: &State) -> (Residuals, Option<LiquidProbe>) {
        self.threads.enter(|| measure::everything(&self.threads, model, state))
    }

    /// Energies and momenta.
    pub fn probe(&self, model: &Model, state: &State) -> Probe {
        let mut probe = self.threads.enter(|| measure::probe(&self.threads, model, state));
        let touching = self.scratch.contacts.iter().flatten().filter(|c| c.push.normal > 0.0);
        probe.contacts = touching.count() as u64 + self.scratch.meeting.count();
        probe
    }

    /// Particles that pushed each other in the last substep.
    pub fn touching(&self, model: &Model) -> Vec<Touching> {
        if model.mutual.is_none() {
            return Vec::new();
        }
        self.scratch.meeting.touching(model.settings.dt / model.settings.substeps as f32).collect()
    }

    /// Force of all particles on each collider in the last substep [N].
    pub fn collider_forces(&self, model: &Model, state: &State) -> Vec<glam::Vec3> {
        contacts::forces(model, state, self.scratch.contacts.iter().flatten())
    }

    /// Volume of each inflatable [m³].
    pub fn volumes(&self, model: &Model, state: &State) -> Vec<f64> {
        let volume = |b| inflate::volume(&self.threads, b, &state.rows);
        self.threads.enter(|| model.inflatables.iter().map(volume).collect())
    }
}

fn substep(
    threads: &Threads,
    isa: Isa,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    times: &mut Times,
) -> Result<(), Diverged> {
    let settings = &model.settings;
    let h = settings.dt / settings.substeps as f32;
    let length = f64::from(settings.dt) / f64::from(settings.substeps);
    let sub = Substep {
        index: state.substeps,
        h,
        keep: libm::expf(-settings.damping * h),
        start: state.time,
        end: (state.substeps + 1) as f64 * length,
    };
    let mut clock = Clock::start();
    let alarm = Alarm::new();

    scratch.rebounds.remember(model, state);
    predict::predict(threads, model, state, scratch, &sub, &alarm);
    clock.lap(&mut times.stages[Stage::Predict as usize]);
    check(&alarm, Stage::Predict, model, state)?;

    if let Some(shapes) = &mut state.shapes {
        shapes.begin(h, settings.iterations);
    }
    scratch.loads.begin(model, state);
    if let Some(fluid) = &model.fluid {
        scratch.flow.begin(threads, fluid, state);
        scratch.flow.find(threads, fluid, state);
        clock.lap(&mut times.stages[Stage::Neighbors as usize]);
    }
    if model.mutual.is_some() {
        scratch.meeting.find(threads, model, state, &scratch.loads);
        clock.lap(&mut times.stages[Stage::Neighbors as usize]);
        // Particles that a surface holds back are out of their body's shape; to take it back would lead them through.
        let keeps = !model.has_surface();
        let shape = |shapes: &mut ShapeMatch, rows: &mut [RowData]| {
            if keeps {
                match_shapes(threads, isa, model, shapes, rows);
            }
        };
        scratch.meeting.stabilize((threads, isa), model, state, shape);
        clock.lap(&mut times.stages[Stage::Stabilize as usize]);
    }
    if !model.colliders.is_empty() {
        contacts::find(threads, model, state, scratch, &sub);
        clock.lap(&mut times.stages[Stage::Contacts as usize]);
        contacts::stabilize(threads, model, state, scratch);
        clock.lap(&mut times.stages[Stage::Stabilize as usize]);
        scratch.flow.find_walls(threads, model, state, &scratch.obstacles, &sub);
        clock.lap(&mut times.stages[Stage::Contacts as usize]);
    }

    if let Some(shapes) = &mut state.shapes {
        shapes.begin(h, settings.iterations);
    }
    let scales = scales(model, &sub);
    patches::run_islands(threads, isa, model, state, scratch, scales);
    clock.lap(&mut times.stages[Stage::Solve as usize]);
    for iteration in 1..=settings.iterations {
        for pass in model.schedule.passes(iteration == settings.iterations) {
            run_pass(threads, isa, model, state, scratch, pass, scales);
            let time = clock.lap(&mut times.stages[Stage::Solve as usize]);
            book(model, pass, time, &mut times.groups);
        }
    }

    if state.shapes.is_some() && model.has_surface() {
        // Bodies take back their shape last, which may have led particles through a surface.
        contacts::touch(threads, model.schedule.islands, state, scratch);
        clock.lap(&mut times.stages[Stage::Solve as usize]);
    }
    patches::collect_seconds(threads, &mut scratch.patch_seconds, &mut times.groups);

    if let Some(shapes) = &mut state.shapes {
        shapes.flow(h);
    }
    finalize::finalize(threads, model, state, scratch, &sub, &alarm);
    if model.mutual.is_some() {
        scratch.meeting.fall_back(model, state, 1.0 / h);
    }
    scratch.flow.settle(threads, isa, model, state, &sub);
    bounce::bounce(threads, model, state, scratch, &sub);
    state.substeps += 1;
    state.time = sub.end;
    clock.lap(&mut times.stages[Stage::Finalize as usize]);
    times.substeps += 1;
    check(&alarm, Stage::Solve, model, state)
}

/// Adds the time of a pass [s] to that of its groups. Patches have clocks of their own.
fn book(model: &Model, pass: &Pass, time: f64, groups: &mut [f64]) {
    // Kinds that run together share the time by their numbers.
    let count = |id: &BatchId| model.groups[id.group].batches[id.batch].count;
    let all: usize = match pass {
        Pass::Batches(ids) => ids.iter().map(count).sum(),
        _ => model.groups.iter().map(|g| g.count).sum(),
    };
    let share = |own: usize| time * own as f64 / all as f64;
    match pass {
        Pass::Serial { group } => groups[*group] += time,
        Pass::Spread(Copies { group: Some(group), .. }) | Pass::Join(Copies { group: Some(group), .. }) => {
            groups[*group] += time;
        }
        Pass::Spread(_) | Pass::Join(_) => {
            groups.iter_mut().zip(&model.groups).for_each(|(sum, g)| *sum += share(g.count));
        }
        Pass::Batches(ids) => ids.iter().for_each(|id| groups[id.group] += share(count(id))),
        _ => {}
    }
}

/// α̃/α and the memory of multipliers in this substep (E11, E12).
fn scales(model: &Model, sub: &Substep) -> Scales<f32> {
    let second = model.settings.integrator == Integrator::Bdf2 && sub.index > 0;
    Scales {
        inv_h2: if second { 9.0 / (4.0 * sub.h * sub.h) } else { 1.0 / (sub.h * sub.h) },
        memory: if model.settings.method == Method::Xpbd { 1.0 } else { 0.0 },
    }
}

fn run_pass(
    threads: &Threads,
    isa: Isa,
    model: &Model,
    state: &mut State,
    scratch: &mut Scratch,
    pass: &Pass,
    scales: Scales<f32>,
) {
    match pass {
        Pass::Batches(ids) => {
            for id in ids {
                let g = &model.groups[id.group];
                let lambda = &mut state.multipliers[id.group];
                solve::run_batch(threads, isa, scales, g, g.batches[id.batch], &mut state.rows, lambda);
            }
        }
        Pass::Patches(range) => {
            patches::run_tiling((threads, isa), model, state, &mut scratch.patch_seconds, scales, (range, None));
        }
        Pass::Half(range, half) => {
            let tiling = (range, Some(*half));
            patches::run_tiling((threads, isa), model, state, &mut scratch.patch_seconds, scales, tiling);
        }
        Pass::Spread(copies) => {
            phantoms::spread_all(threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
        }
        Pass::Join(copies) => {
            phantoms::join_all(threads, &model.phantoms.ties[copies.ties.clone()], &mut state.rows);
        }
        Pass::Serial { group } => {
            let lambda = &mut state.multipliers[*group];
            solve::run_serial(scales, &model.groups[*group], &mut state.rows, lambda);
        }
        Pass::JacobiScatter => jacobi::scatter(threads, isa, model, state, scratch, scales),
        Pass::JacobiGather => jacobi::gather(threads, model, state, scratch, scales),
        Pass::Inflate => inflate::inflate(threads, model, state, scratch, &scales),
        Pass::Touch => contacts::touch(threads, model.schedule.islands, state, scratch),
        Pass::Meet => {
            let Scratch { meeting, loads, contacts, .. } = scratch;
            let between = meeting.count_contacts(threads, state);
            loads.count(between, &state.rows, contacts, model.settings.iterations);
            meeting.touch((threads, isa), model, state, loads);
        }
        Pass::Flow => scratch.flow.project(threads, isa, model, state),
        Pass::Shapes => {
            if let Some(shapes) = &mut state.shapes {
                match_shapes(threads, isa, model, shapes, &mut state.rows);
            }
        }
    }
}

/// Bodies take back their shape.
fn match_shapes(threads: &Threads, isa: Isa, model: &Model, shapes: &mut ShapeMatch, rows: &mut [RowData]) {
    let grain = if threads.count() > 1 { SHAPE_GRAIN } else { usize::MAX };
    let pass = shape::Pass { extraction: model.settings.extraction, weights: None, grain, isa, forced: true };
    shape::match_shapes(shapes, rows, &pass);
}

fn check(alarm: &Alarm, stage: Stage, model: &Model, state: &State) -> Result<(), Diverged> {
    let Some(particle) = alarm.first() else { return Ok(()) };
    let [x, y, z, _] = state.rows[particle];
    Err(Diverged::new(stage, model, particle, [x, y, z], state.time))
}

/// Stopwatch with laps.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }
    /// Adds the time since the last lap [s] and returns it.
    fn lap(&mut self, sum: &mut f64) -> f64 {
        let now = Instant::now();
        let seconds = now.duration_since(self.0).as_secs_f64();
        self.0 = now;
        *sum += seconds;
        seconds
    }
}
