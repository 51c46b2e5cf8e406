//! Orthographic depth map of all geometry along a fixed direction.
//!
//! Shadow maps look along the sunlight, contact shadows look up from the ground.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::bins::{Bins, Cells};
use crate::geometry::Geometry;

/// Rows that one task fills.
const BAND: usize = 32;

/// Orthographic projection onto the grid: a point p is in cell (p·right − corner.x, p·up − corner.y)/cell, at depth p·away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrthoFrame {
    pub right: Vec3,
    pub up: Vec3,
    pub away: Vec3,
    pub corner: Vec2,
    /// Side of one cell [m].
    pub cell: f32,
    /// Cells per side.
    pub size: usize,
}

impl OrthoFrame {
    /// A square that holds the geometry's bounds with `margin` cells around it.
    ///
    /// Size and corner are quantized, so that texels do not crawl while the scene moves.
    pub fn around(geometry: &Geometry, axes: [Vec3; 3], size: usize, margin: f32) -> Self {
        let [right, up, away] = axes;
        let center = (geometry.min + geometry.max) * 0.5;
        let half = (geometry.max - geometry.min) * 0.5;
        let reach = |axis: Vec3| axis.abs().dot(half);
        let side = (2.0 * reach(right).max(reach(up))).max(1e-4);
        let step = 1.1f32;
        let side = step.powf(side.log(step).ceil());
        let cell = side / (size as f32 - 2.0 * margin - 1.0);
        let flat = Vec2::new(center.dot(right), center.dot(up)) - 0.5 * cell * size as f32;
        Self { right, up, away, corner: (flat / cell).floor() * cell, cell, size }
    }

    /// Grid coordinates and depth of a point.
    pub fn locate(&self, p: Vec3) -> Vec3 {
        let flat = (Vec2::new(p.dot(self.right), p.dot(self.up)) - self.corner) / self.cell;
        flat.extend(p.dot(self.away))
    }

    /// Smallest depth at each cell center; infinite where there is nothing. Liquids are transparent.
    pub fn nearest(&self, geometry: &Geometry) -> Vec<f32> {
        let mut points = Vec::new();
        geometry.positions.par_iter().with_min_len(1024).map(|p| self.locate(*p)).collect_into_vec(&mut points);
        let corners = |t: usize| geometry.triangles[t].vertices.map(|v| points[v as usize]);
        let triangles = geometry.opaque;
        let rows = |low: f32, high: f32| {
            let last = self.size as f32 - 1.0;
            let valid = low <= last && high >= 0.0;
            valid.then(|| Cells {
                x: [0, 0],
                y: [low.clamp(0.0, last), high.clamp(0.0, last)].map(|v| v as u32 / BAND as u32),
            })
        };
        let item_rows = |i: usize| {
            if i < triangles {
                let y = corners(i).map(|p| p.y);
                rows(y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]))
            } else {
                let sphere = &geometry.spheres[i - triangles];
                let (y, r) = (self.locate(sphere.center).y, sphere.radius / self.cell);
                rows(y - r, y + r)
            }
        };
        let cells: Vec<_> =
            (0..triangles + geometry.casting).into_par_iter().with_min_len(1024).map(item_rows).collect();
        let bins = Bins::sort(1, self.size.div_ceil(BAND) as u32, &cells);
        let mut grid = vec![f32::INFINITY; self.size * self.size];
        grid.par_chunks_mut(self.size * BAND).enumerate().for_each(|(band, rows)| {
            let mut band_depth = DepthBand { first: band * BAND, size: self.size, depth: rows };
            for &item in bins.cell(band) {
                if (item as usize) < triangles {
                    band_depth.triangle(corners(item as usize));
                } else {
                    let sphere = &geometry.spheres[item as usize - triangles];
                    band_depth.sphere(self.locate(sphere.center), sphere.radius, self.cell);
                }
            }
        });
        grid
    }
}

/// A band of rows of the grid.
struct DepthBand<'a> {
    first: usize,
    size: usize,
    depth: &'a mut [f32],
}

impl DepthBand<'_> {
    /// Cells whose centers lie between `low` and `high`, limited to `count` cells from `first`.
    fn span(low: f32, high: f32, first: usize, count: usize) -> std::ops::Range<usize> {
        // Casts saturate at 0 and round down, so +0.5 makes them round to the nearest center.
        ((low + 0.5) as usize).max(first)..((high + 0.5) as usize).min(first + count)
    }

    fn keep_nearest(&mut self, x: usize, y: usize, depth: f32) {
        let cell = &mut self.depth[(y - self.first) * self.size + x];
        *cell = cell.min(depth);
    }

    fn triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        let (u, v) = (b - a, c - a);
        let area = u.x * v.y - u.y * v.x;
        if area == 0.0 {
            return;
        }
        let rows = self.depth.len() / self.size;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        // Depth and the weights of the corners are affine over the grid.
        let weight_b = Vec2::new(v.y, -v.x) / area;
        let weight_c = Vec2::new(-u.y, u.x) / area;
        let slopes = [weight_b.x, weight_c.x, -weight_b.x - weight_c.x];
        let inverse = slopes.map(|k| 1.0 / k);
        let along = u.z * weight_b.x + v.z * weight_c.x;
        let columns = Self::span(low.x, high.x, 0, self.size);
        for y in Self::span(low.y, high.y, self.first, rows) {
            let at = Vec2::new(0.5 - a.x, y as f32 + 0.5 - a.y);
            let (s, t) = (weight_b.dot(at), weight_c.dot(at));
            // The row's cells are where all three weights are positive: an interval, found by division
            // instead of by testing each cell. The tolerance closes cracks between neighbors.
            let (mut left, mut right) = (columns.start as f32, columns.end as f32 - 1.0);
            for ((value, slope), inverse) in [s, t, 1.0 - s - t].into_iter().zip(slopes).zip(inverse) {
                let zero = -(value + 1e-4) * inverse;
                if slope > 0.0 {
                    left = left.max(zero);
                } else if slope < 0.0 {
                    right = right.min(zero);
                } else if value < -1e-4 {
                    right = -1.0;
                }
            }
            if left > right {
                continue;
            }
            // Rounds `left` up and `right` down to whole cells.
            let below = left as usize;
            let (first, end) = (below + usize::from((below as f32) < left), right as usize + 1);
            let start = a.z + u.z * s + v.z * t;
            let row = &mut self.depth[(y - self.first) * self.size..][..self.size];
            for (x, cell) in row.iter_mut().enumerate().take(end).skip(first) {
                let depth = (start + along * x as f32).clamp(low.z, high.z);
                *cell = if depth < *cell { depth } else { *cell };
            }
        }
    }

    fn sphere(&mut self, center: Vec3, radius: f32, cell: f32) {
        let rows = self.depth.len() / self.size;
        let reach = radius / cell;
        for y in Self::span(center.y - reach, center.y + reach, self.first, rows) {
            for x in Self::span(center.x - reach, center.x + reach, 0, self.size) {
                let away = Vec2::new(x as f32 + 0.5 - center.x, y as f32 + 0.5 - center.y) * cell;
                let half_chord_squared = radius * radius - away.length_squared();
                if half_chord_squared >= 0.0 {
                    self.keep_nearest(x, y, center.z - half_chord_squared.sqrt());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_fills_every_cell_whose_center_it_covers() {
        let size = 128;
        // Fractions of multiples of the golden ratio: spread evenly, no two alike.
        let mut k = 0.0f32;
        let mut next = || {
            k += 0.618_034;
            k.fract() * size as f32
        };
        for i in 0..400 {
            let [a, mut b, mut c] = [0; 3].map(|_| Vec3::new(next(), next(), 1.0));
            // Every other one is small, like those of a fine mesh.
            if i % 2 == 0 {
                (b, c) = (a.lerp(b, 0.08), a.lerp(c, 0.08));
            }
            let mut depth = vec![f32::INFINITY; size * size];
            DepthBand { first: 0, size, depth: &mut depth }.triangle([a, b, c]);
            let side = |p: Vec3, q: Vec3, x: f32, y: f32| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
            let turn = side(a, b, c.x, c.y).signum();
            for (cell, &found) in depth.iter().enumerate() {
                let (x, y) = ((cell % size) as f32 + 0.5, (cell / size) as f32 + 0.5);
                let least = [(a, b), (b, c), (c, a)].map(|(p, q)| side(p, q, x, y) * turn / p.distance(q));
                let inside = least.into_iter().fold(f32::INFINITY, f32::min);
                // Within a hundredth of a cell of an edge either answer is right.
                if inside.abs() > 0.01 {
                    assert_eq!(found == 1.0, inside > 0.0, "({x}, {y}) in {a} {b} {c}: {inside}");
                }
            }
        }
    }
}
