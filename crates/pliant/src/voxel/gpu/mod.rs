//! Fills closed meshes with particles on the GPU: the GPU version of `voxel` (S27–S29), with bitwise the same
//! result.
//!
//! ```text
//! mesh ─ snap (host) ─▶ triangles flip bits ─▶ parities ─▶ rows, columns ─▶ levels, masks, sums ─▶ particles
//! ```
//!
//! All data between the upload of the mesh and the readback of particles stays on the device, in a dozen dispatches
//! of one submission. Decisions are signs of integers, minima and XOR, which are order-independent; roots and quotients
//! are correctly rounded (`exact.wgsl`); values that need double precision (vertex positions, particle centers)
//! come in tables from the host (`plan`).
//!
//! Reference: D4, chapter 4, with the errata E24–E27.

pub mod buffers;
pub mod plan;
pub mod shaders;
pub mod timing;

use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::{MeshError, TriMesh};
use crate::runtime::gpu::MOST_GROUPS;
use crate::runtime::gpu::device::Device;
use crate::runtime::gpu::error::GpuError;
use crate::voxel::gpu::buffers::VoxelBuffers;
use crate::voxel::gpu::plan::{Plan, STARTS, STATUS, Snapped};
use crate::voxel::gpu::shaders::Pipelines;
use crate::voxel::gpu::timing::VoxelTimer;
use crate::voxel::{
    Field, Filling, Grid, MOST_ALONG, MOST_VOXELS, Particles, Reach, VoxelError, Voxels, check_depth, leak_at,
    particle_volume, projection_axis, snap,
};
use glam::Vec3;
use std::time::Instant;

/// Stages that are timed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoxelStage {
    /// Voxelization.
    Voxelize,
    /// Distances to the surface.
    Distance,
    /// Merging and particle creation.
    Merge,
}

impl VoxelStage {
    /// All stages, in order.
    pub const ALL: [Self; 3] = [Self::Voxelize, Self::Distance, Self::Merge];
}

/// Times of a call [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VoxelTimes {
    /// Each stage on the device: by timestamp queries if supported, else host time from submission to completion.
    pub stages: [f64; VoxelStage::ALL.len()],
    /// Host time before: snapping, tables, buffer growth, upload.
    pub prepare: f64,
    /// Host time after: readback, and particles as arrays.
    pub readback: f64,
}

/// A filled mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// Its particles; bitwise those of the CPU, order included.
    pub particles: Particles,
    /// Number of voxels inside.
    pub voxels: usize,
    /// Times of the call.
    pub times: VoxelTimes,
    /// Number of dispatches.
    pub dispatches: usize,
}

/// Why a mesh was not filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuVoxelError {
    /// The mesh or the grid is invalid; the CPU reports the same.
    #[error(transparent)]
    Voxel(#[from] VoxelError),
    /// A device error.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Fills meshes with particles on a device. Pipelines are created once, buffers grow and are reused.
pub struct GpuVoxelizer<'a> {
    device: &'a Device,
    pipelines: Pipelines,
    buffers: VoxelBuffers,
    timer: Option<VoxelTimer>,
    threads: usize,
}

/// Results before particles are read: status, starts of levels, times.
struct Outcome {
    leak: Option<u32>,
    voxels: usize,
    starts: [u32; STARTS],
    stages: [f64; VoxelStage::ALL.len()],
}

impl Outcome {
    fn particles(&self) -> u32 {
        self.starts[STARTS - 1]
    }
}

impl<'a> GpuVoxelizer<'a> {
    /// Compiles the shaders.
    pub fn new(device: &'a Device) -> Result<Self, GpuError> {
        device.alive()?;
        let pipelines = Pipelines::new(device)?;
        let buffers = VoxelBuffers::new(device, &pipelines)?;
        let threads = shaders::threads(device) as usize;
        Ok(Self { timer: VoxelTimer::new(device), device, pipelines, buffers, threads })
    }

    /// Device memory in use [bytes].
    pub fn bytes(&self) -> u64 {
        self.buffers.bytes()
    }

    /// As `voxel::fill`: checks and repairs the mesh first. Returns notes on repairs.
    pub fn fill(&mut self, mesh: TriMesh, filling: &Filling) -> Result<(Particles, Vec<String>), GpuVoxelError> {
        let (mesh, notes) = clean_surface(mesh, SurfaceNeed::Closed).map_err(VoxelError::from)?;
        let grid = Grid::fit(&mesh.positions, filling.grid, filling.padding)?;
        Ok((self.particles(&mesh, &grid, filling.merge)?.particles, notes))
    }

    /// As `voxel::{voxelize, Field::inside, merge}` in sequence: particles of a valid closed mesh, merged below a
    /// depth [voxels] if there is one. No voxel inside is an error.
    pub fn particles(&mut self, mesh: &TriMesh, grid: &Grid, depth: Option<f32>) -> Result<Filled, GpuVoxelError> {
        let start = Instant::now();
        check_depth(depth)?;
        let (mut plan, axis) = self.plan_solid(mesh, grid)?;
        plan.distances(Reach::Inside);
        plan.particles(grid, depth);
        let mut outcome = None;
        // Merging reduces the number, so an estimate that does not fit is no error yet.
        let mut needed = expected(mesh, grid).min(self.device.binding_bytes / buffers::PARTICLE);
        let mut prepare = 0.0;
        // Twice at most: the first run determines the number of particles.
        while outcome.as_ref().is_none_or(|o: &Outcome| o.particles() > self.buffers.capacity()) {
            self.buffers.grow(self.device, &self.pipelines, &plan.sizes(), needed)?;
            self.buffers.send(self.device, &plan.table, &plan.records(self.buffers.capacity()));
            prepare = start.elapsed().as_secs_f64();
            let found = self.execute(&plan)?;
            needed = u64::from(found.particles());
            outcome = Some(found);
        }
        let Some(outcome) = outcome else { return Err(VoxelError::Nothing.into()) };
        refuse_leak(&outcome, grid, axis)?;
        if outcome.voxels == 0 {
            return Err(VoxelError::Nothing.into());
        }
        let start = Instant::now();
        let particles = self.read_particles(grid, &outcome, plan.levels())?;
        let times = VoxelTimes { stages: outcome.stages, prepare, readback: start.elapsed().as_secs_f64() };
        Ok(Filled { particles, voxels: outcome.voxels, times, dispatches: plan.dispatches() })
    }

    /// As `voxel::voxelize`.
    pub fn voxelize(&mut self, mesh: &TriMesh, grid: &Grid) -> Result<Voxels, GpuVoxelError> {
        let (plan, axis) = self.plan_solid(mesh, grid)?;
        self.buffers.grow(self.device, &self.pipelines, &plan.sizes(), 0)?;
        self.buffers.send(self.device, &plan.table, &plan.records(0));
        let outcome = self.execute(&plan)?;
        refuse_leak(&outcome, grid, axis)?;
        let (first, count) = (4 * STATUS as u64, 4 * plan.voxel_words() as u64);
        let words = self.buffers.fetch(self.device, &[(buffers::WORDS, first..first + count)])?;
        Ok(Voxels::from_words(grid.dims(), words))
    }

    /// As `Field::inside` or `Field::new`, for any voxels.
    pub fn distances(&mut self, voxels: &Voxels, reach: Reach) -> Result<Field, GpuVoxelError> {
        let dims = voxels.dims();
        if let Some(&found) = dims.iter().find(|d| !(1..=MOST_ALONG).contains(*d)) {
            return Err(VoxelError::Along { found, most: MOST_ALONG }.into());
        }
        let count = dims.iter().map(|&d| u64::from(d)).product();
        if count > MOST_VOXELS {
            return Err(VoxelError::TooLarge { dims, voxels: count }.into());
        }
        let mut plan = Plan::new(dims, self.threads);
        plan.distances(reach);
        self.buffers.grow(self.device, &self.pipelines, &plan.sizes(), 0)?;
        self.buffers.send(self.device, &plan.table, &plan.records(0));
        let words = bytemuck::cast_slice(voxels.words());
        self.device.queue.write_buffer(self.buffers.buffer(buffers::WORDS), 4 * STATUS as u64, words);
        self.execute(&plan)?;
        let bits = self.buffers.fetch(self.device, &[(buffers::CODES, 0..4 * count)])?;
        Ok(Field::from_parts(dims, bits.into_iter().map(f32::from_bits).collect()))
    }

    fn plan_solid(&self, mesh: &TriMesh, grid: &Grid) -> Result<(Plan, usize), VoxelError> {
        let vertices = mesh.positions.len();
        if let Some(t) = mesh.triangles.iter().position(|t| t.iter().any(|&v| v as usize >= vertices)) {
            let reason = format!("triangle {t} uses a vertex out of range: the mesh has {vertices}");
            return Err(MeshError(reason).into());
        }
        let places = snap(&mesh.positions, grid)?;
        let axis = projection_axis(&places);
        let mut plan = Plan::new(grid.dims(), self.threads);
        plan.solid(&Snapped { places: &places, triangles: &mesh.triangles, axis }, grid);
        Ok((plan, axis))
    }

    /// Runs all stages: in one submission if the device has timestamps, else in one each.
    fn execute(&mut self, plan: &Plan) -> Result<Outcome, GpuError> {
        let mut stages = [0.0; VoxelStage::ALL.len()];
        let mut encoder = self.device.device.create_command_encoder(&Default::default());
        for stage in VoxelStage::ALL {
            self.encode(&mut encoder, plan, stage);
            if self.timer.is_none() {
                let start = Instant::now();
                let next = self.device.device.create_command_encoder(&Default::default());
                self.device.queue.submit([std::mem::replace(&mut encoder, next).finish()]);
                self.device.wait()?;
                stages[stage as usize] = start.elapsed().as_secs_f64();
            }
        }
        let (status, starts) = (4 * STATUS as u64, 4 * STARTS as u64);
        encoder.copy_buffer_to_buffer(self.buffers.buffer(buffers::WORDS), 0, self.buffers.head(), 0, status);
        encoder.copy_buffer_to_buffer(self.buffers.buffer(buffers::MASKS), 0, self.buffers.head(), status, starts);
        if let Some(timer) = &self.timer {
            timer.resolve(&mut encoder, &self.buffers);
        }
        self.device.queue.submit([encoder.finish()]);
        let head = self.buffers.read_head(self.device)?;
        if let Some(timer) = &self.timer {
            stages = VoxelStage::ALL.map(|stage| timer.seconds(&head, stage));
        }
        let starts = std::array::from_fn(|k| head[STATUS + k]);
        let leak = Some(head[0]).filter(|&at| at != u32::MAX);
        Ok(Outcome { leak, voxels: head[1] as usize, starts, stages })
    }

    fn encode(&self, encoder: &mut wgpu::CommandEncoder, plan: &Plan, stage: VoxelStage) {
        let timestamp_writes = self.timer.as_ref().map(|timer| timer.writes(stage));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        for dispatch in &plan.stages[stage as usize] {
            pass.set_pipeline(self.pipelines.get(dispatch.kernel));
            let record = dispatch.record as u32 * self.buffers.stride;
            pass.set_bind_group(0, self.buffers.bindings(dispatch.swapped), &[record]);
            let [x, y, z] = dispatch.groups;
            pass.dispatch_workgroups(x, y, z);
        }
    }

    fn read_particles(&mut self, grid: &Grid, outcome: &Outcome, levels: usize) -> Result<Particles, GpuError> {
        let count = outcome.particles() as usize;
        let bytes = buffers::PARTICLE * count as u64;
        let words = self.buffers.fetch(self.device, &[(buffers::PLACES, 0..bytes), (buffers::SHAPES, 0..bytes)])?;
        let (places, shapes) = words.split_at(4 * count);
        let number = |word: u32| f32::from_bits(word);
        let vector = |row: &[u32]| Vec3::new(number(row[0]), number(row[1]), number(row[2]));
        let mut particles = Particles {
            positions: places.chunks_exact(4).map(vector).collect(),
            radii: places.chunks_exact(4).map(|row| number(row[3])).collect(),
            gradients: shapes.chunks_exact(4).map(vector).collect(),
            phi: shapes.chunks_exact(4).map(|row| number(row[3])).collect(),
            volumes: Vec::with_capacity(count),
            levels: Vec::with_capacity(count),
        };
        // A level begins where the one below ends.
        for level in 0..=levels {
            let next = if level < levels { outcome.starts[level + 1] as usize } else { count };
            particles.levels.resize(next, level as u8);
            particles.volumes.resize(next, particle_volume(grid, level as u32));
        }
        Ok(particles)
    }
}

/// Initial particle capacity: the mesh volume in voxels, plus the possible contribution of its surface.
/// A mesh that needs more, such as one that is partly inverted, is filled a second time.
fn expected(mesh: &TriMesh, grid: &Grid) -> u64 {
    let by_volume = mesh.volume().abs() / grid.voxel_volume();
    let [x, y, z] = grid.dims().map(u64::from);
    (by_volume as u64 + x * y + y * z + z * x).min(x * y * z)
}

fn refuse_leak(outcome: &Outcome, grid: &Grid, axis: usize) -> Result<(), VoxelError> {
    let [nx, ny, _] = grid.dims();
    outcome.leak.map_or(Ok(()), |at| Err(leak_at(grid, axis, [at % nx, at / nx % ny, at / nx / ny])))
}
