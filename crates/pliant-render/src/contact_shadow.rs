//! Darkening of the ground close under things, where the sky is hidden.
//!
//! An approximation that costs little: the height of the lowest surface above each point of the
//! ground, turned into nearness and blurred.

use glam::Vec3;
use rayon::prelude::*;

use crate::geometry::Geometry;
use crate::ortho::OrthoFrame;

const SIZE: usize = 256;
/// Half width of one blur pass [cells]; two passes make it round enough.
const BLUR: usize = 6;

/// How much of the sky each point of the ground misses.
pub(crate) struct ContactMap {
    frame: OrthoFrame,
    hidden: Vec<f32>,
}

impl ContactMap {
    /// `None` when nothing stands above the ground.
    pub fn new(geometry: &Geometry, ground: f32) -> Option<Self> {
        if !geometry.min.cmple(geometry.max).all() {
            return None;
        }
        let axes = [Vec3::X, Vec3::Z, Vec3::Y];
        let frame = OrthoFrame::around(geometry, axes, SIZE, 2.0 * BLUR as f32 + 2.0);
        // Things count as near within the distance the blur spreads.
        let near = frame.cell * 2.0 * BLUR as f32;
        let nearness = |height: f32| (-(height - ground).max(0.0) / near).exp();
        let hidden: Vec<f32> = frame.nearest(geometry).into_par_iter().map(nearness).collect();
        let hidden = blur_columns(&blur_columns(&hidden));
        Some(Self { frame, hidden })
    }

    /// Share of the sky hidden at a ground point, from 0 to 1.
    pub fn hidden(&self, x: f32, z: f32) -> f32 {
        let per_cell = 1.0 / self.frame.cell;
        let (x, y) = ((x - self.frame.corner.x) * per_cell - 0.5, (z - self.frame.corner.y) * per_cell - 0.5);
        let last = (SIZE - 2) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let first = row * SIZE + column;
        let (s, t) = (x - column as f32, y - row as f32);
        let mix = |row: usize| self.hidden[row] * (1.0 - s) + self.hidden[row + 1] * s;
        mix(first) * (1.0 - t) + mix(first + SIZE) * t
    }
}

/// Blurs along rows twice and transposes; two calls blur both ways and restore the layout.
fn blur_columns(grid: &[f32]) -> Vec<f32> {
    let rows: Vec<Vec<f32>> = grid.par_chunks(SIZE).map(|row| blur_row(&blur_row(row))).collect();
    let mut turned = vec![0.0; SIZE * SIZE];
    for (y, row) in rows.iter().enumerate() {
        for (x, v) in row.iter().enumerate() {
            turned[x * SIZE + y] = *v;
        }
    }
    turned
}

/// Moving average as a running sum: what enters the window is added, what leaves is taken away.
fn blur_row(row: &[f32]) -> Vec<f32> {
    let mut sum: f32 = row[..BLUR].iter().sum();
    let mut step = |i: usize| {
        sum += row.get(i + BLUR).copied().unwrap_or(0.0);
        sum -= if i > BLUR { row[i - BLUR - 1] } else { 0.0 };
        sum / (2 * BLUR + 1) as f32
    };
    (0..SIZE).map(&mut step).collect()
}
