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
mod device;
mod error;
mod glue;
pub mod layout;
mod normals;
mod patches;
mod program;
mod records;
mod rendezvous;
mod rooms;
pub mod shader;
mod tables;
mod timing;

use crate::error::Diverged;
use crate::model::Model;
use crate::state::State;
use crate::step::stats::Times;
use alarm::Alarm;
pub use alarm::Runaway;
use buffers::{Buffers, Sizes};
pub use device::{AdapterReport, Cap, Device, GpuOptions, adapters};
pub use error::GpuError;
use normals::Normals;
pub use normals::Surface;
use program::{Dispatch, Program};
use records::Records;
use std::collections::VecDeque;
use std::time::Instant;
use tables::Tables;
use timing::{STAGES, Timer};
pub use wgpu;

/// Workgroups of one dimension of a dispatch, at most.
const MOST_GROUPS: usize = 65_535;

/// Dispatches of one submission at most, so that a driver's watchdog sees an end.
const MOST_DISPATCHES: usize = 20_000;

/// Submissions that the host may be ahead of the device: enough that it never runs dry, few enough that their memory
/// stays small.
const MOST_IN_FLIGHT: usize = 4;

/// What a dependent pass costs [s], measured on a large card; smaller ones are no faster.
const PASS: f64 = 5.5e-6;
/// What a color within a workgroup costs [s].
const COLOR: f64 = 0.35e-6;
/// What a solve costs where there are enough of them [s].
const SOLVE: f64 = 2e-11;
/// Solves that one core does in a second.
const CORE_SOLVES: f64 = 2e8;

/// Runs a model on a device.
pub struct Gpu {
    device: Device,
    tables: Tables,
    program: Program,
    pipelines: Vec<wgpu::ComputePipeline>,
    buffers: Buffers,
    bindings: wgpu::BindGroup,
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
        if model.mutual.is_some() || state.shapes.is_some() {
            return Err(GpuError::Missing { what: "contact between particles" });
        }
        if let Some(what) = model.cpu_only() {
            return Err(GpuError::Missing { what });
        }
        let threads = device.threads as usize;
        let tables = Tables::new(model, state, threads, device.workgroup_bytes as usize);
        let together = tables.fused && rendezvous::possible(&device, model, &tables)?;
        let program = Program::new(model, state, &tables, together);
        let records = Records::new(model, state, &tables);
        let sizes = Sizes { substeps: records.slots(), fixtures: records.fixtures() };
        let buffers = Buffers::new(&device, model, state, &tables, &program.jobs, &sizes)?;
        let layout = bind_group_layout(&device);
        let bindings = device.attempt("the bindings", || bind(&device, &layout, &buffers))?;
        let pipelines = pipelines(&device, &layout, &program)?;
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
            bindings,
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
        let longest = |range: std::ops::Range<usize>| self.tables.patches.chains[range].iter().max().copied();
        let islands = longest(0..model.schedule.islands).unwrap_or(0);
        let tilings = model.schedule.tilings().filter_map(longest);
        let chain = (islands + tilings.sum::<usize>()) * model.settings.iterations as usize;
        let workgroup_bytes = self.tables.patches.rooms.iter().map(|(_, room)| room.bytes()).max().unwrap_or(0);
        Shape { passes: self.program.passes(), chain, bytes: self.buffers.bytes, workgroup_bytes }
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
        if let Some(found) = self.alarm.look(&self.device)? {
            return Ok(Some(found));
        }
        let mut left = u64::from(steps) * u64::from(model.settings.substeps);
        let dispatches = (MOST_DISPATCHES / self.program.passes().max(1)).max(1) as u64;
        let most = if self.profiling { u64::from(timing::MOST) } else { u64::MAX };
        while left > 0 {
            let count = left.min(dispatches).min(self.records.most()).min(most);
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

    /// Whether it is expected to be faster than so many cores: its passes, its longest chain and its traffic against
    /// the solves that a core does in a second.
    pub fn wins(&self, model: &Model, cores: usize) -> bool {
        let shape = self.shape(model);
        let solves = model.constraints() as f64 * f64::from(model.settings.iterations);
        let here = shape.passes as f64 * PASS + shape.chain as f64 * COLOR + solves * SOLVE;
        here < solves / (CORE_SOLVES * cores as f64)
    }

    /// Waits until all submitted steps are done.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device.wait()
    }

    fn submit(&mut self, model: &Model, count: u64) -> Result<(), GpuError> {
        let clock = Instant::now();
        self.records.upload(&self.device, &self.buffers, model, self.substeps, count);
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        if self.profiling {
            self.encode_stages(&mut encoder, count);
        } else {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let mut bound = usize::MAX;
            for k in 0..count {
                let record = self.records.slot(self.substeps, k) * self.buffers.stride;
                for list in [&self.program.predict, &self.program.islands] {
                    self.encode(&mut pass, list, record, &mut bound);
                }
                for iteration in 0..self.program.count {
                    self.encode(&mut pass, self.program.iteration(iteration), record, &mut bound);
                }
                self.encode(&mut pass, &self.program.finalize, record, &mut bound);
            }
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

    fn encode(&self, pass: &mut wgpu::ComputePass<'_>, list: &[Dispatch], record: u32, bound: &mut usize) {
        for d in list {
            if *bound != d.pipeline {
                pass.set_pipeline(&self.pipelines[d.pipeline]);
                *bound = d.pipeline;
            }
            pass.set_bind_group(0, &self.bindings, &[record, d.job as u32 * self.buffers.stride]);
            let x = d.groups.min(MOST_GROUPS);
            pass.dispatch_workgroups(x as u32, d.groups.div_ceil(x.max(1)) as u32, 1);
        }
    }

    /// Waits and reads the state back. Returns how many contacts there are, and who ran away, if anybody.
    pub fn download(&self, model: &Model, state: &mut State) -> Result<(u64, Option<Runaway>), GpuError> {
        let (mut contacts, mut found) = (0, Ok(None));
        let n = state.particles;
        self.buffers.download(&self.device, state, &self.tables, |pushes, marks| {
            found = alarm::read(marks);
            contacts = self.tables.contacts(model, n, pushes, marks);
        })?;
        self.tables.patches.decks.iter().for_each(|deck| deck.gather(&mut state.multipliers));
        state.substeps = self.substeps;
        state.time = self.records.time(self.substeps);
        Ok((contacts, found?))
    }

    /// Puts a changed state on the device.
    pub fn upload(&mut self, state: &State) {
        self.substeps = state.substeps;
        self.buffers.upload_state(&self.device, state, &self.tables);
        // Radii stand among the parameters, which are uploaded whole when others of them change.
        let radii = &mut self.tables.params[self.tables.radii as usize..][..state.radii.len()];
        radii.copy_from_slice(&state.radii);
        self.buffers.write(&self.device, &self.buffers.params, 4 * u64::from(self.tables.radii), radii);
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

fn bind_group_layout(device: &Device) -> wgpu::BindGroupLayout {
    let entry = |binding: u32| {
        let ty = match binding {
            0..5 => wgpu::BufferBindingType::Storage { read_only: false },
            5..8 => wgpu::BufferBindingType::Storage { read_only: true },
            _ => wgpu::BufferBindingType::Uniform,
        };
        wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: binding >= 8, min_binding_size: None },
            count: None,
        }
    };
    let entries: Vec<_> = (0..10).map(entry).collect();
    device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn bind(device: &Device, layout: &wgpu::BindGroupLayout, b: &Buffers) -> wgpu::BindGroup {
    let storage = [&b.rows, &b.motion, &b.lambda, &b.work, &b.marks, &b.params, &b.topology, &b.fixtures];
    let mut entries: Vec<_> = storage
        .into_iter()
        .enumerate()
        .map(|(k, buffer)| wgpu::BindGroupEntry { binding: k as u32, resource: buffer.as_entire_binding() })
        .collect();
    let record = |binding: u32, buffer, size: usize| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: std::num::NonZeroU64::new(size as u64),
        }),
    };
    entries.push(record(8, &b.substeps, size_of::<layout::Substep>()));
    entries.push(record(9, &b.jobs, size_of::<layout::Job>()));
    device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

fn pipelines(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    program: &Program,
) -> Result<Vec<wgpu::ComputePipeline>, GpuError> {
    let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let make = |source: &shader::Source| {
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(&source.label),
            source: wgpu::ShaderSource::Wgsl(source.text().into()),
        };
        device.attempt(&format!("shader {:?}", source.label), || {
            let module = if device.checks {
                device.device.create_shader_module(descriptor)
            } else {
                // SAFETY: `build::pack` has proved every row number in range, `Tables` writes all others, and
                // every loop of the shaders runs over a table's length.
                unsafe {
                    device.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
                }
            };
            device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&source.label),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(source.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: device.checks,
                    ..Default::default()
                },
                cache: None,
            })
        })
    };
    program.pipelines.iter().map(make).collect()
}
