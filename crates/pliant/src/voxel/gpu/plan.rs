//! What a mesh and a grid come to on the device: tables, records, sizes of buffers, and the list of dispatches.
//!
//! Everything that needs 64 bits or a division is decided here, once per mesh: places of vertices are snapped, and
//! centers of particles stand in a table of half voxels along each axis, so that they are the CPU's to the bit.

use crate::voxel::gpu::shaders::Kernel;
use crate::voxel::gpu::{MOST_GROUPS, VoxelStage};
use crate::voxel::{Grid, Reach, merge_step, particle_radius};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// Words before those of voxels: the first voxel that leaks, how many are inside, and nothing.
pub const STATUS: usize = 16;
/// Words before the masks: the first particle of each level; the last is the number of all.
pub const STARTS: usize = 16;
/// Most levels above voxels: a block of 1024 voxels along each axis.
const MOST_LEVELS: usize = 10;
/// Levels in the table: one more is looked at by the last dispatch.
const TABLE_LEVELS: usize = MOST_LEVELS + 4;
/// Words of a level in the table.
const LEVEL_WORDS: usize = 8;
/// Triangles of a workgroup.
const CAST: usize = 64;
/// Columns of a large triangle that a thread shall look at.
const COLUMNS_PER_THREAD: usize = 16;
/// Slices of large triangles at most, and workgroups of all slices: where triangles are many, few of them are large, and
/// every slice looks at all.
const MOST_SLICES: usize = 64;
const SLICED_GROUPS: usize = 1024;
/// Levels that one dispatch makes.
const LEVELS_TOGETHER: usize = 3;

/// `Record` of `bindings.wgsl`, which says what the numbers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    pub dims: [u32; 4],
    pub axes: [u32; 4],
    pub mesh: [u32; 4],
    pub merge: [u32; 4],
    pub scale: [u32; 4],
    pub job: [u32; 4],
}

/// All voxels, not only those inside.
const WANTS_ALL: u32 = 1;
/// Distances in place of numbers of sites.
const WANTS_PHI: u32 = 2;

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    pub kernel: Kernel,
    /// Number of its record.
    pub record: usize,
    /// Whether `codes` and `others` change places.
    pub swapped: bool,
    pub groups: [u32; 3],
}

/// Bytes of the buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub mesh: u64,
    pub words: u64,
    pub codes: u64,
    pub blocks: u64,
    pub marks: u64,
}

/// What one call is made of.
pub struct Plan {
    dims: [u32; 3],
    threads: usize,
    /// The buffer `mesh`.
    pub table: Vec<u32>,
    /// What all records have.
    base: Record,
    /// What they differ in.
    jobs: Vec<[u32; 4]>,
    /// Dispatches by stage.
    pub stages: [Vec<Dispatch>; VoxelStage::ALL.len()],
    /// Levels, their words and their blocks.
    levels: usize,
    words: usize,
    blocks: usize,
}

/// A mesh that was snapped, and the axis that it is looked at along.
pub struct Snapped<'a> {
    pub places: &'a [[i32; 3]],
    pub triangles: &'a [[u32; 3]],
    pub axis: usize,
}

impl Plan {
    /// A plan for a grid of so many voxels along each axis, which does nothing yet.
    pub fn new(dims: [u32; 3], threads: usize) -> Self {
        let base = Record { dims: [dims[0], dims[1], dims[2], dims[0].div_ceil(32)], ..Record::default() };
        let words = Self::words_of(dims);
        let mut plan = Self {
            dims,
            threads,
            table: vec![0; TABLE_LEVELS * LEVEL_WORDS],
            base,
            jobs: vec![[0; 4]],
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

    /// Words of all voxels.
    pub fn voxel_words(&self) -> usize {
        Self::words_of(self.dims)
    }

    /// All records, with room for so many particles.
    pub fn records(&self, capacity: u32) -> Vec<Record> {
        let mut base = self.base;
        base.merge[2] = capacity;
        self.jobs.iter().map(|&job| Record { job, ..base }).collect()
    }

    /// Levels above voxels.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Dispatches of all stages.
    pub fn dispatches(&self) -> usize {
        self.stages.iter().map(Vec::len).sum()
    }

    /// What buffers must hold.
    pub fn sizes(&self) -> Sizes {
        let used = |stage: VoxelStage| !self.stages[stage as usize].is_empty();
        let marks = if used(VoxelStage::Merge) { 2 * self.words + self.words.div_ceil(self.threads) } else { 0 };
        let codes = if used(VoxelStage::Distance) { 4 * self.voxels() as u64 } else { 4 };
        Sizes {
            mesh: 4 * self.table.len() as u64,
            words: 4 * (STATUS + self.voxel_words()) as u64,
            codes,
            blocks: 8 * self.blocks.max(1) as u64,
            marks: 4 * (STARTS + marks) as u64,
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

    /// Which voxels are inside (S27).
    pub fn solid(&mut self, mesh: &Snapped, grid: &Grid) {
        let axes = [[1, 2, 0], [0, 2, 1], [0, 1, 2]][mesh.axis].map(|a: usize| a as u32);
        let first = self.table.len();
        self.table.extend(mesh.places.as_flattened().iter().map(|&c| c as u32));
        let triangles = self.table.len();
        self.table.extend(mesh.triangles.as_flattened());
        self.base.axes = [axes[0], axes[1], axes[2], grid.fraction_bits()];
        self.base.mesh[..3].copy_from_slice(&[mesh.triangles.len() as u32, first as u32, triangles as u32]);
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

    /// Distances (S28): rows, then columns along y and along z, from one buffer to the other and back.
    pub fn distances(&mut self, reach: Reach) {
        let wants = if reach == Reach::Everywhere { WANTS_ALL } else { 0 };
        let [nx, ny, nz] = self.dims;
        self.jobs[0] = [nx, ny, wants, 0];
        self.jobs.push([nx * ny, nz, wants | WANTS_PHI, 0]);
        let stage = VoxelStage::Distance;
        self.add(stage, Kernel::Rows, 0, ((ny * nz) as usize).div_ceil(self.threads / 64));
        let groups = self.voxels().div_ceil(self.threads);
        self.add(stage, Kernel::Columns, 0, groups);
        self.add(stage, Kernel::Columns, self.jobs.len() - 1, groups);
        if let Some(last) = self.stages[stage as usize].last_mut() {
            last.swapped = true;
        }
    }

    /// Particles (S29), of several sizes where there is a depth to merge at.
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
        self.base.mesh[3] = self.table.len() as u32;
        for (axis, &voxels) in self.dims.iter().enumerate() {
            let place = |half: u32| grid.place(DVec3::splat(f64::from(half) * 0.5))[axis] as f32;
            self.table.extend((0..=2 * voxels).map(|half| place(half).to_bits()));
        }
        let groups = self.words.div_ceil(self.threads);
        self.base.merge = [self.levels as u32, depth.map_or(0, f32::to_bits), 0, self.words as u32];
        self.base.scale = [(grid.edge() as f32).to_bits(), 0, groups as u32, 0];
        let stage = VoxelStage::Merge;
        for below in (0..self.levels).step_by(LEVELS_TOGETHER) {
            self.jobs.push([0, 0, 0, below as u32]);
            let groups = self.dims.map(|d| (d >> below).div_ceil(8));
            let record = self.jobs.len() - 1;
            self.stages[stage as usize].push(Dispatch { kernel: Kernel::Join, record, swapped: false, groups });
        }
        self.add(stage, Kernel::Count, 0, groups);
        self.add(stage, Kernel::AddGroups, 0, 1);
        self.add(stage, Kernel::Emit, 0, self.words.div_ceil(self.threads / 32));
    }
}

/// Workgroups in two dimensions, since one holds only so many.
fn folded(groups: usize) -> [u32; 3] {
    let x = groups.clamp(1, MOST_GROUPS);
    [x as u32, groups.div_ceil(x).max(1) as u32, 1]
}
