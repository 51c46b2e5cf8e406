//! Plan of a voxelization on the device: tables, records, buffer sizes, and the list of dispatches.
//!
//! Everything that needs 64 bits or a division is computed here, once per mesh: vertex positions are snapped, and
//! particle centers come from a table of half voxels along each axis, so that they are bitwise those of the CPU.

use crate::runtime::gpu::shader_constants::{ShaderConstants, ShaderValue};
use crate::voxel::gpu::shaders::Kernel;
use crate::voxel::gpu::{MOST_GROUPS, VoxelStage};
use crate::voxel::sites::{EMPTY, INSIDE};
use crate::voxel::{Grid, Reach, merge_step, particle_radius};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// Constants in front of the shaders.
pub(super) const CONSTANTS: ShaderConstants = &[
    ("STATUS", ShaderValue::U32(STATUS as u32)),
    ("STARTS", ShaderValue::U32(STARTS as u32)),
    ("CAST", ShaderValue::U32(CAST as u32)),
    ("WANTS_ALL", ShaderValue::U32(WANTS_ALL)),
    ("WANTS_PHI", ShaderValue::U32(WANTS_PHI)),
    ("EMPTY", ShaderValue::U32(EMPTY)),
    ("INSIDE", ShaderValue::U32(INSIDE)),
];

/// Words before those of voxels: the first leaking voxel, the number of inside voxels, unused.
pub const STATUS: usize = 16;
/// Words before the masks: the first particle of each level; the last is the total.
pub const STARTS: usize = 16;
/// Maximum levels above voxels: a block of 1024 voxels along each axis.
const MOST_LEVELS: usize = 10;
/// Levels in the table: the last dispatch reads beyond the highest.
const TABLE_LEVELS: usize = MOST_LEVELS + 4;
/// Words per level in the table.
const LEVEL_WORDS: usize = 8;
/// Triangles per workgroup.
const CAST: usize = 64;
/// Target number of columns of a large triangle per thread.
const COLUMNS_PER_THREAD: usize = 16;
/// Maximum slices of large triangles, and maximum workgroups of all slices: if there are many triangles, few of them
/// are large, and every slice tests all.
const MOST_SLICES: usize = 64;
const SLICED_GROUPS: usize = 1024;
/// Levels per dispatch.
const LEVELS_TOGETHER: usize = 3;

/// Uniform record of `bindings.wgsl`, which documents the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct VoxelUniforms {
    pub dims: [u32; 3],
    pub row_words: u32,
    pub axes: [u32; 3],
    pub fraction_bits: u32,
    pub triangle_count: u32,
    pub positions_at: u32,
    pub triangles_at: u32,
    pub half_positions_at: u32,
    pub levels: u32,
    pub merge_depth: u32,
    pub capacity: u32,
    pub level_words: u32,
    pub edge: f32,
    pub zero: u32,
    pub count_groups: u32,
    pub column_stride: u32,
    pub column_length: u32,
    pub wants: u32,
    pub level_below: u32,
    pub unused: u32,
}

/// Fields that differ between passes.
#[derive(Clone, Copy, Debug, Default)]
struct PassFields {
    column_stride: u32,
    column_length: u32,
    wants: u32,
    level_below: u32,
}

/// All voxels, not only inside ones.
const WANTS_ALL: u32 = 1;
/// Distances instead of site codes.
const WANTS_PHI: u32 = 2;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    pub kernel: Kernel,
    /// Index of its record.
    pub record: usize,
    /// Whether `codes` and `others` are swapped.
    pub swapped: bool,
    pub groups: [u32; 3],
}

/// Sizes of the buffers [bytes].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub mesh: u64,
    pub words: u64,
    pub codes: u64,
    pub blocks: u64,
    pub masks: u64,
}

/// Everything for one call.
pub struct Plan {
    dims: [u32; 3],
    threads: usize,
    /// Contents of the buffer `mesh`.
    pub table: Vec<u32>,
    /// Fields common to all records.
    base: VoxelUniforms,
    /// Fields that differ between records.
    passes: Vec<PassFields>,
    /// Dispatches by stage.
    pub stages: [Vec<Dispatch>; VoxelStage::ALL.len()],
    /// Number of levels, of their words and of their blocks.
    levels: usize,
    words: usize,
    blocks: usize,
}

/// A snapped mesh and its projection axis.
pub struct Snapped<'a> {
    pub places: &'a [[i32; 3]],
    pub triangles: &'a [[u32; 3]],
    pub axis: usize,
}

impl Plan {
    /// An empty plan for a grid with these dimensions.
    pub fn new(dims: [u32; 3], threads: usize) -> Self {
        let base = VoxelUniforms { dims, row_words: dims[0].div_ceil(32), ..VoxelUniforms::default() };
        let words = Self::words_of(dims);
        let mut plan = Self {
            dims,
            threads,
            table: vec![0; TABLE_LEVELS * LEVEL_WORDS],
            base,
            passes: vec![PassFields::default()],
            stages: Default::default(),
            levels: 0,
            words,
            blocks: 0,
        };
        plan.put_level(0, dims, 0, 0);
        plan
    }

    fn words_of(dims: [u32; 3]) -> usize {
        dims[0].div_ceil(32) as usize * dims[1] as usize * dims[2] as usize
    }

    fn voxels(&self) -> usize {
        self.dims.iter().map(|&d| d as usize).product()
    }

    /// Number of words of all voxels.
    pub fn voxel_words(&self) -> usize {
        Self::words_of(self.dims)
    }

    /// All records, with this particle capacity.
    pub fn records(&self, capacity: u32) -> Vec<VoxelUniforms> {
        let record = |&PassFields { column_stride, column_length, wants, level_below }: &PassFields| VoxelUniforms {
            capacity,
            column_stride,
            column_length,
            wants,
            level_below,
            ..self.base
        };
        self.passes.iter().map(record).collect()
    }

    /// Number of levels above voxels.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Number of dispatches of all stages.
    pub fn dispatches(&self) -> usize {
        self.stages.iter().map(Vec::len).sum()
    }

    /// Required buffer sizes.
    pub fn sizes(&self) -> Sizes {
        let used = |stage: VoxelStage| !self.stages[stage as usize].is_empty();
        let masks = if used(VoxelStage::Merge) { 2 * self.words + self.words.div_ceil(self.threads) } else { 0 };
        let codes = if used(VoxelStage::Distance) { 4 * self.voxels() as u64 } else { 4 };
        Sizes {
            mesh: 4 * self.table.len() as u64,
            words: 4 * (STATUS + self.voxel_words()) as u64,
            codes,
            blocks: 8 * self.blocks.max(1) as u64,
            masks: 4 * (STARTS + masks) as u64,
        }
    }

    fn put_level(&mut self, level: usize, dims: [u32; 3], first_word: usize, first_block: usize) {
        let row = [dims[0], dims[1], dims[2], dims[0].div_ceil(32), first_word as u32, first_block as u32];
        self.table[LEVEL_WORDS * level..][..row.len()].copy_from_slice(&row);
    }

    fn add(&mut self, stage: VoxelStage, kernel: Kernel, record: usize, groups: usize) {
        let groups = folded(groups);
        self.stages[stage as usize].push(Dispatch { kernel, record, swapped: false, groups });
    }

    /// Adds voxelization (S27).
    pub fn solid(&mut self, mesh: &Snapped, grid: &Grid) {
        let axes = [[1, 2, 0], [0, 2, 1], [0, 1, 2]][mesh.axis].map(|a: usize| a as u32);
        let first = self.table.len();
        self.table.extend(mesh.places.as_flattened().iter().map(|&c| c as u32));
        let triangles = self.table.len();
        self.table.extend(mesh.triangles.as_flattened());
        self.base = VoxelUniforms {
            axes,
            fraction_bits: grid.fraction_bits(),
            triangle_count: mesh.triangles.len() as u32,
            positions_at: first as u32,
            triangles_at: triangles as u32,
            ..self.base
        };
        let stage = VoxelStage::Voxelize;
        self.add(stage, Kernel::Wipe, 0, (STATUS + self.voxel_words()).div_ceil(self.threads));
        let columns = self.dims[axes[0] as usize] as usize * self.dims[axes[1] as usize] as usize;
        let groups = mesh.triangles.len().div_ceil(CAST).max(1);
        let most = (SLICED_GROUPS / groups).clamp(1, MOST_SLICES);
        let slices = columns.div_ceil(CAST * COLUMNS_PER_THREAD).clamp(1, most);
        let [x, y, _] = folded(groups);
        let dispatch = Dispatch { kernel: Kernel::Triangles, record: 0, swapped: false, groups: [x, y, slices as u32] };
        self.stages[stage as usize].push(dispatch);
        if mesh.axis == 0 {
            let rows = (self.dims[1] * self.dims[2]) as usize;
            self.add(stage, Kernel::AlongRows, 0, rows.div_ceil(self.threads));
        } else {
            let columns = self.voxel_words() / self.dims[mesh.axis] as usize;
            self.add(stage, Kernel::AlongColumns, 0, columns.div_ceil(16));
        }
    }

    /// Adds distances (S28): rows, then columns along y and along z, alternating between two buffers.
    pub fn distances(&mut self, reach: Reach) {
        let wants = if reach == Reach::Everywhere { WANTS_ALL } else { 0 };
        let [nx, ny, nz] = self.dims;
        self.passes[0] = PassFields { column_stride: nx, column_length: ny, wants, level_below: 0 };
        let last = PassFields { column_stride: nx * ny, column_length: nz, wants: wants | WANTS_PHI, level_below: 0 };
        self.passes.push(last);
        let stage = VoxelStage::Distance;
        self.add(stage, Kernel::Rows, 0, ((ny * nz) as usize).div_ceil(self.threads / 64));
        let groups = self.voxels().div_ceil(self.threads);
        self.add(stage, Kernel::Columns, 0, groups);
        self.add(stage, Kernel::Columns, self.passes.len() - 1, groups);
        if let Some(last) = self.stages[stage as usize].last_mut() {
            last.swapped = true;
        }
    }

    /// Adds particles (S29), of several sizes if there is a merge depth.
    pub fn particles(&mut self, grid: &Grid, depth: Option<f32>) {
        let shortest = self.dims.iter().min().copied().unwrap_or(1).max(1);
        self.levels = depth.map_or(0, |_| shortest.ilog2() as usize);
        for level in 1..=self.levels {
            let dims = self.dims.map(|d| d >> level);
            self.put_level(level, dims, self.words, self.blocks);
            self.words += Self::words_of(dims);
            self.blocks += dims.iter().map(|&d| d as usize).product::<usize>();
        }
        for level in 0..=self.levels as u32 {
            let numbers = [particle_radius(grid, level), merge_step(level)].map(f32::to_bits);
            self.table[LEVEL_WORDS * level as usize + 6..][..2].copy_from_slice(&numbers);
        }
        self.base.half_positions_at = self.table.len() as u32;
        for (axis, &voxels) in self.dims.iter().enumerate() {
            let place = |half: u32| grid.place(DVec3::splat(f64::from(half) * 0.5))[axis] as f32;
            self.table.extend((0..=2 * voxels).map(|half| place(half).to_bits()));
        }
        let groups = self.words.div_ceil(self.threads);
        self.base = VoxelUniforms {
            levels: self.levels as u32,
            merge_depth: depth.map_or(0, f32::to_bits),
            level_words: self.words as u32,
            edge: grid.edge() as f32,
            count_groups: groups as u32,
            ..self.base
        };
        let stage = VoxelStage::Merge;
        for below in (0..self.levels).step_by(LEVELS_TOGETHER) {
            self.passes.push(PassFields { level_below: below as u32, ..PassFields::default() });
            let groups = self.dims.map(|d| (d >> below).div_ceil(8));
            let record = self.passes.len() - 1;
            self.stages[stage as usize].push(Dispatch { kernel: Kernel::Join, record, swapped: false, groups });
        }
        self.add(stage, Kernel::Count, 0, groups);
        self.add(stage, Kernel::AddGroups, 0, 1);
        self.add(stage, Kernel::Emit, 0, self.words.div_ceil(self.threads / 32));
    }
}

/// Workgroup counts in two dimensions, since each is limited.
fn folded(groups: usize) -> [u32; 3] {
    let x = groups.clamp(1, MOST_GROUPS);
    [x as u32, groups.div_ceil(x).max(1) as u32, 1]
}
