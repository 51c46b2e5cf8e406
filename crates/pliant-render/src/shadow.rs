//! Sun shadows: a shadow map with percentage-closer filtering.
//!
//! Reference: Reeves, Salesin, Cook, "Rendering antialiased shadows with depth maps", 1987.

use glam::Vec3;
use rayon::prelude::*;

use crate::geometry::Geometry;
use crate::ortho::OrthoFrame;

const SIZE: usize = 1024;
/// Texels per side of a block; larger than the filter radius, so that adjacent blocks suffice.
const BLOCK: usize = 8;
const BLOCKS: usize = SIZE / BLOCK;
/// Filter taps per side.
const TAPS: usize = 8;
/// Filter radius [texels].
const FILTER_RADIUS: f32 = 3.6;

/// Shadow map of the sun.
pub(crate) struct ShadowMap {
    frame: OrthoFrame,
    depth: Vec<f32>,
    /// Minimum and maximum depth in each block and its neighbors, to skip the filter where all texels are lit or in shadow.
    range: Vec<[f32; 2]>,
}

impl ShadowMap {
    /// `None` when nothing casts a shadow.
    pub fn new(geometry: &Geometry, to_sun: Vec3) -> Option<Self> {
        if !geometry.min.cmple(geometry.max).all() {
            return None;
        }
        let (right, up) = to_sun.any_orthonormal_pair();
        let frame = OrthoFrame::around(geometry, [right, up, -to_sun], SIZE, 6.0);
        let depth = frame.nearest(geometry);
        let range = dilate(&block_ranges(&depth));
        Some(Self { frame, depth, range })
    }

    /// Share of the sun that reaches `p`, from 0 to 1.
    ///
    /// `normal` is on the lit side. The normal-offset bias is radius·sin θ: on a plane at angle θ to the light it moves
    /// every tap of the filter above the plane's own depth.
    pub fn lit(&self, p: Vec3, normal: Vec3) -> f32 {
        let cosine = -normal.dot(self.frame.away);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let lift = normal * (self.frame.cell * ((FILTER_RADIUS + 0.5) * sine + 0.7));
        self.lit_at(self.frame.locate(p + lift))
    }

    /// The ground at `height` as seen by the map, for [`GroundShadow::lit`].
    pub fn on_ground(&self, height: f32) -> GroundShadow<'_> {
        let start = self.frame.locate(Vec3::Y * height);
        let along = |axis: Vec3| self.frame.locate(Vec3::Y * height + axis) - start;
        GroundShadow { map: self, start, along_x: along(Vec3::X), along_z: along(Vec3::Z) }
    }

    #[inline]
    fn lit_at(&self, at: Vec3) -> f32 {
        // There are no casters outside the map or within the filter radius of its border.
        let (low, high) = (TAPS as f32 + 0.5, (SIZE - TAPS) as f32);
        if !(at.x >= low && at.y >= low && at.x < high && at.y < high) {
            return 1.0;
        }
        let [least, greatest] = self.range[(at.y as u32 as usize / BLOCK) * BLOCKS + at.x as u32 as usize / BLOCK];
        if at.z <= least {
            1.0
        } else if at.z > greatest {
            0.0
        } else {
            self.filtered(at)
        }
    }

    fn filtered(&self, at: Vec3) -> f32 {
        let (x, y) = (at.x - 0.5, at.y - 0.5);
        let (column, row) = (x as usize, y as usize);
        let across = tap_weights(x - column as f32);
        let down = tap_weights(y - row as f32);
        let corner = (row + 1 - TAPS / 2) * SIZE + column + 1 - TAPS / 2;
        // One sum per column: eight independent SIMD lanes instead of one chain of additions.
        let mut lanes = [0.0; TAPS];
        for (row, weight) in down.iter().enumerate() {
            let texels = &self.depth[corner + row * SIZE..][..TAPS];
            for (lane, depth) in lanes.iter_mut().zip(texels) {
                *lane += if at.z <= *depth { *weight } else { 0.0 };
            }
        }
        let lit: f32 = lanes.iter().zip(&across).map(|(l, w)| l * w).sum();
        lit / (across.iter().sum::<f32>() * down.iter().sum::<f32>())
    }
}

/// The map restricted to the ground plane, where map coordinates are affine.
pub(crate) struct GroundShadow<'a> {
    map: &'a ShadowMap,
    start: Vec3,
    along_x: Vec3,
    along_z: Vec3,
}

impl GroundShadow<'_> {
    /// Share of the sun that reaches the ground at (x, z), from 0 to 1. The ground casts no shadow.
    #[inline]
    pub fn lit(&self, x: f32, z: f32) -> f32 {
        self.map.lit_at(self.start + self.along_x * x + self.along_z * z)
    }
}

/// Weights 1 − (d/radius)² of the taps around a point `fraction` past the middle.
fn tap_weights(fraction: f32) -> [f32; TAPS] {
    let mut weights = [0.0; TAPS];
    for (i, weight) in weights.iter_mut().enumerate() {
        let distance = (i as f32 + 1.0 - (TAPS / 2) as f32 - fraction) * (1.0 / FILTER_RADIUS);
        *weight = (1.0 - distance * distance).max(0.0);
    }
    weights
}

fn block_ranges(depth: &[f32]) -> Vec<[f32; 2]> {
    let block = |index: usize| {
        let (left, top) = (index % BLOCKS * BLOCK, index / BLOCKS * BLOCK);
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        for row in 0..BLOCK {
            for &d in &depth[(top + row) * SIZE + left..][..BLOCK] {
                range = [range[0].min(d), range[1].max(d)];
            }
        }
        range
    };
    (0..BLOCKS * BLOCKS).into_par_iter().with_min_len(256).map(block).collect()
}

/// Range over each block and its eight neighbors.
fn dilate(ranges: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let wide = |index: usize| {
        let (x, y) = (index % BLOCKS, index / BLOCKS);
        let mut range = [f32::INFINITY, f32::NEG_INFINITY];
        for row in y.saturating_sub(1)..=(y + 1).min(BLOCKS - 1) {
            for r in &ranges[row * BLOCKS + x.saturating_sub(1)..=row * BLOCKS + (x + 1).min(BLOCKS - 1)] {
                range = [range[0].min(r[0]), range[1].max(r[1])];
            }
        }
        range
    };
    (0..BLOCKS * BLOCKS).into_par_iter().with_min_len(256).map(wide).collect()
}
