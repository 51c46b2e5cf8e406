//! Contact shadows: ambient occlusion of the ground below objects.
//!
//! Approximation: an exponential of the height of the lowest surface above each point of the ground, blurred.

use glam::Vec3;
use rayon::prelude::*;

use crate::geometry::Geometry;
use crate::ortho::OrthoFrame;

const SIZE: usize = 256;
/// Half width of one box blur pass [cells]; two passes approximate a Gaussian.
const BLUR: usize = 6;

/// Occlusion of the sky at each point of the ground.
pub(crate) struct ContactShadowMap {
    frame: OrthoFrame,
    occlusion: Vec<f32>,
}

impl ContactShadowMap {
    /// `None` without objects.
    pub fn new(geometry: &Geometry, ground: f32) -> Option<Self> {
        if !geometry.min.cmple(geometry.max).all() {
            return None;
        }
        let axes = [Vec3::X, Vec3::Z, Vec3::Y];
        let frame = OrthoFrame::around(geometry, axes, SIZE, 2.0 * BLUR as f32 + 2.0);
        // The falloff length is the width of the blur [m].
        let falloff = frame.cell * 2.0 * BLUR as f32;
        let occlusion_at = |height: f32| (-(height - ground).max(0.0) / falloff).exp();
        let occlusion: Vec<f32> = frame.nearest(geometry).into_par_iter().map(occlusion_at).collect();
        let occlusion = blur_columns(&blur_columns(&occlusion));
        Some(Self { frame, occlusion })
    }

    /// Occluded share of the sky at a ground point, from 0 to 1.
    pub fn occlusion(&self, x: f32, z: f32) -> f32 {
        let per_cell = 1.0 / self.frame.cell;
        let (x, y) = ((x - self.frame.corner.x) * per_cell - 0.5, (z - self.frame.corner.y) * per_cell - 0.5);
        let last = (SIZE - 2) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let first = row * SIZE + column;
        let (s, t) = (x - column as f32, y - row as f32);
        let mix = |row: usize| self.occlusion[row] * (1.0 - s) + self.occlusion[row + 1] * s;
        mix(first) * (1.0 - t) + mix(first + SIZE) * t
    }
}

/// Blurs rows twice and transposes; two calls blur both axes and restore the layout.
fn blur_columns(grid: &[f32]) -> Vec<f32> {
    let rows: Vec<Vec<f32>> = grid.par_chunks(SIZE).map(|row| blur_row(&blur_row(row))).collect();
    let mut transposed = vec![0.0; SIZE * SIZE];
    for (y, row) in rows.iter().enumerate() {
        for (x, v) in row.iter().enumerate() {
            transposed[x * SIZE + y] = *v;
        }
    }
    transposed
}

/// Moving average by a running sum over the window.
fn blur_row(row: &[f32]) -> Vec<f32> {
    let mut sum: f32 = row[..BLUR].iter().sum();
    let mut step = |i: usize| {
        sum += row.get(i + BLUR).copied().unwrap_or(0.0);
        sum -= if i > BLUR { row[i - BLUR - 1] } else { 0.0 };
        sum / (2 * BLUR + 1) as f32
    };
    (0..SIZE).map(&mut step).collect()
}
