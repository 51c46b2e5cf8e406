//! Merges deep voxels into larger ones, and creates particles from all (S29; D4 §4.4.3, Alg 4.8).

use crate::voxel::{Field, Grid, VoxelError, Voxels};
use glam::{DVec3, Vec3};

/// Particles that fill a solid: by level, smallest first, each level in grid order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Centers [m].
    pub positions: Vec<Vec3>,
    /// Half the edge of the cube that each represents [m]: neighbors of one level touch.
    pub radii: Vec<f32>,
    /// Volume of that cube [m³], which masses are proportional to: volumes add up to that of all voxels.
    pub volumes: Vec<f32>,
    /// Signed distance of the center from the surface [m], negative. Merged particles may be less deep than this
    /// value, never deeper (E26).
    pub phi: Vec<f32>,
    /// Unit vector toward the nearest surface point.
    pub gradients: Vec<Vec3>,
    /// Level: the particle represents 8^level voxels.
    pub levels: Vec<u8>,
}

impl Particles {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Number of particles by level, up to the highest in use.
    pub fn per_level(&self) -> Vec<usize> {
        let mut counts = vec![0; self.levels.last().map_or(0, |&l| l as usize + 1)];
        self.levels.iter().for_each(|&l| counts[l as usize] += 1);
        counts
    }

    fn reserve(&mut self, more: usize) {
        self.positions.reserve(more);
        self.radii.reserve(more);
        self.volumes.reserve(more);
        self.phi.reserve(more);
        self.gradients.reserve(more);
        self.levels.reserve(more);
    }
}

/// Merges voxels deeper than `depth` [voxels] by eights, recursively, and creates particles from all; without
/// a depth every voxel is a particle.
///
/// Blocks of level l are aligned to multiples of 2^l voxels from the corner of the padded grid. A block is merged if
/// all its eight children are (E27) and are deeper than `depth`, D4's −φ_b.
pub fn merge(grid: &Grid, voxels: &Voxels, field: &Field, depth: Option<f32>) -> Result<Particles, VoxelError> {
    let mut levels = Vec::new();
    check_depth(depth)?;
    if let Some(depth) = depth {
        let mut next = Level::first(voxels, field, -depth);
        while next.count > 0 {
            let above = next.above(levels.len() as u32 + 2, -depth);
            levels.push(std::mem::replace(&mut next, above));
        }
    }
    let mut writer = ParticleWriter { grid, field, particles: Particles::default() };
    writer.voxels(voxels, levels.first());
    for (l, level) in levels.iter().enumerate() {
        writer.blocks(l as u32 + 1, level, levels.get(l + 1));
    }
    Ok(writer.particles)
}

/// Validates the merge depth [voxels], if there is one.
pub(crate) fn check_depth(depth: Option<f32>) -> Result<(), VoxelError> {
    depth.filter(|d| !(*d >= 0.5 && d.is_finite())).map_or(Ok(()), |d| Err(VoxelError::Depth(d)))
}

/// Assumed depth of a block beyond that of its least deep child [voxels].
///
/// D4 4.37: the distance from the center of the child to that of the block is √3·2^(l−2). The block is at
/// most that much deeper, if it lies straight inward from the child (E26).
pub(crate) fn merge_step(level: u32) -> f32 {
    3_f32.sqrt() * 0.25 * (1_u32 << level) as f32
}

/// Half the edge of a particle of a level [m].
pub(crate) fn particle_radius(grid: &Grid, level: u32) -> f32 {
    (0.5 * f64::from(1_u32 << level) * grid.edge()) as f32
}

/// Volume of a particle of a level [m³].
pub(crate) fn particle_volume(grid: &Grid, level: u32) -> f32 {
    let size = f64::from(1_u32 << level);
    (size * size * size * grid.voxel_volume()) as f32
}

/// Blocks of one size. Invariant: a block that is not merged has φ = +∞ (E27), so that no threshold accepts it.
struct Level {
    dims: [u32; 3],
    phi: Vec<f32>,
    /// Index of the voxel that provides each block's gradient.
    source: Vec<u32>,
    count: usize,
}

impl Level {
    fn empty(below: [u32; 3]) -> Self {
        // D4 4.36: the remainder at the high sides is not merged.
        let dims = below.map(|d| d / 2);
        let blocks = dims.iter().map(|&d| d as usize).product();
        Self { dims, phi: vec![f32::INFINITY; blocks], source: vec![0; blocks], count: 0 }
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        (z as usize * self.dims[1] as usize + y as usize) * self.dims[0] as usize + x as usize
    }

    fn has(&self, block: [u32; 3]) -> bool {
        (0..3).all(|k| block[k] < self.dims[k]) && self.phi[self.index(block)] < f32::INFINITY
    }

    /// Level 1, from voxels: pairs of bits in four rows test at once where all eight are inside.
    fn first(voxels: &Voxels, field: &Field, threshold: f32) -> Self {
        let mut level = Self::empty(voxels.dims());
        let [nx, ny, nz] = level.dims;
        for z in 0..nz {
            for y in 0..ny {
                let rows = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dy, dz)| voxels.row(2 * y + dy, 2 * z + dz));
                for word in 0..voxels.words_per_row() {
                    let all = rows.iter().fold(u32::MAX, |all, row| all & row[word]);
                    let mut pairs = all & all >> 1 & 0x5555_5555;
                    while pairs != 0 {
                        let x = 16 * word as u32 + pairs.trailing_zeros() / 2;
                        pairs &= pairs - 1;
                        if x < nx {
                            let child = |at| (field.phi()[field.index(at)], field.index(at) as u32);
                            level.join([x, y, z], 1, threshold, child);
                        }
                    }
                }
            }
        }
        level
    }

    /// The next level, `number`.
    fn above(&self, number: u32, threshold: f32) -> Self {
        let mut level = Self::empty(self.dims);
        let [nx, ny, nz] = level.dims;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let child = |at| (self.phi[self.index(at)], self.source[self.index(at)]);
                    level.join([x, y, z], number, threshold, child);
                }
            }
        }
        level
    }

    /// Merges a block if all its children are below the threshold (D4 Alg 4.8).
    #[inline]
    fn join(&mut self, [x, y, z]: [u32; 3], number: u32, threshold: f32, child: impl Fn([u32; 3]) -> (f32, u32)) {
        let mut highest = (f32::NEG_INFINITY, 0);
        for corner in 0..8 {
            let found = child([2 * x + (corner & 1), 2 * y + (corner >> 1 & 1), 2 * z + (corner >> 2)]);
            if found.0 >= threshold {
                return;
            }
            if found.0 > highest.0 {
                highest = found;
            }
        }
        let index = self.index([x, y, z]);
        self.phi[index] = highest.0 - merge_step(number);
        self.source[index] = highest.1;
        self.count += 1;
    }
}

/// Creates particles.
struct ParticleWriter<'a> {
    grid: &'a Grid,
    field: &'a Field,
    particles: Particles,
}

impl ParticleWriter<'_> {
    /// Adds the voxels that are not merged.
    fn voxels(&mut self, voxels: &Voxels, above: Option<&Level>) {
        let joined = above.map_or(0, |level| 8 * level.count);
        self.particles.reserve(voxels.count() - joined + above.map_or(0, |level| level.count));
        let [_, ny, nz] = voxels.dims();
        for z in 0..nz {
            for y in 0..ny {
                for (i, &word) in voxels.row(y, z).iter().enumerate() {
                    let mut left = word;
                    while left != 0 {
                        let at = [32 * i as u32 + left.trailing_zeros(), y, z];
                        left &= left - 1;
                        if !above.is_some_and(|level| level.has(at.map(|c| c / 2))) {
                            let index = self.field.index(at);
                            self.push(at, 0, self.field.phi()[index], at);
                        }
                    }
                }
            }
        }
    }

    fn blocks(&mut self, number: u32, level: &Level, above: Option<&Level>) {
        let [nx, ny, _] = level.dims;
        for (index, &phi) in level.phi.iter().enumerate().filter(|(_, phi)| **phi < f32::INFINITY) {
            let at = unravel(index as u32, [nx, ny]);
            if !above.is_some_and(|level| level.has(at.map(|c| c / 2))) {
                let [nx, ny, _] = self.field.dims();
                self.push(at, number, phi, unravel(level.source[index], [nx, ny]));
            }
        }
    }

    fn push(&mut self, at: [u32; 3], level: u32, phi: f32, source: [u32; 3]) {
        let size = f64::from(1_u32 << level);
        let center = self.grid.place((DVec3::from(at.map(f64::from)) + 0.5) * size);
        let p = &mut self.particles;
        p.positions.push(center.as_vec3());
        p.radii.push(particle_radius(self.grid, level));
        p.volumes.push(particle_volume(self.grid, level));
        p.phi.push(phi * self.grid.edge() as f32);
        p.gradients.push(self.field.gradient(source));
        p.levels.push(level as u8);
    }
}

fn unravel(index: u32, [nx, ny]: [u32; 2]) -> [u32; 3] {
    [index % nx, index / nx % ny, index / (nx * ny)]
}
