//! Visibility of the samples of one tile: the nearest surface, the first in order on a tie.
//!
//! Four samples per pixel on a rotated grid. No colors here; see `shade`.

use crate::camera::View;
use crate::raster_grid::{SUBPIXEL_STEPS, TILE_HEIGHT, TILE_WIDTH};
use crate::spheres::ScreenSphere;
use crate::triangle_setup::ScreenTriangle;

const PIXELS: usize = (TILE_WIDTH * TILE_HEIGHT) as usize;

/// Sample positions within a pixel, in fixed-point steps.
const SAMPLES: [[i32; 2]; 4] = [[12, 4], [28, 12], [4, 20], [20, 28]];

/// Sample positions within a pixel [px].
pub(crate) const SAMPLE_POINTS: [[f32; 2]; 4] = {
    let mut points = [[0.0; 2]; 4];
    let mut s = 0;
    while s < 4 {
        points[s] = [SAMPLES[s][0] as f32 / SUBPIXEL_STEPS as f32, SAMPLES[s][1] as f32 / SUBPIXEL_STEPS as f32];
        s += 1;
    }
    points
};

/// Object ids of samples: sky, ground, then spheres, then triangles.
pub(crate) const SKY: u32 = 0;
pub(crate) const GROUND: u32 = 1;
pub(crate) const FIRST_OBJECT: u32 = 2;

/// The samples of one tile.
pub(crate) struct Tile {
    /// Upper left corner [px].
    pub x: u32,
    pub y: u32,
    /// Size [px]; smaller than a full tile at the right and lower border.
    pub width: u32,
    pub height: u32,
    /// 1/depth of the nearest surface so far; 0 is infinitely far.
    inverse_depth: Vec<[f32; 4]>,
    visible: Vec<[u32; 4]>,
    /// Liquid in front of the visible surface; allocated on first use.
    liquid: Vec<LiquidLayer>,
    /// Whether the tile has liquid.
    pub has_liquid: bool,
}

/// Liquid in a pixel, in front of the visible surface.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LiquidLayer {
    /// 1/depth of the nearest front; 0 where there is none.
    inverse_depth: [f32; 4],
    /// Object id of the front; [`SKY`] where there is none.
    pub front: [u32; 4],
    /// Total depth between fronts and backs [m].
    pub thickness: [f32; 4],
}

impl Tile {
    pub fn new() -> Self {
        let (inverse_depth, visible) = (vec![[0.0; 4]; PIXELS], vec![[SKY; 4]; PIXELS]);
        Self { x: 0, y: 0, width: 0, height: 0, inverse_depth, visible, liquid: Vec::new(), has_liquid: false }
    }

    /// Empties the tile and moves it to column `column`, row `row` of the tile grid.
    pub fn start(&mut self, column: u32, row: u32, view: &View) {
        (self.x, self.y) = (column * TILE_WIDTH, row * TILE_HEIGHT);
        self.width = (view.width as u32 - self.x).min(TILE_WIDTH);
        self.height = (view.height as u32 - self.y).min(TILE_HEIGHT);
        self.inverse_depth.fill([0.0; 4]);
        self.visible.fill([SKY; 4]);
        self.has_liquid = false;
    }

    /// The liquid in a pixel, if any.
    pub fn liquid(&self, x: u32, y: u32) -> Option<&LiquidLayer> {
        let layer = self.has_liquid.then(|| &self.liquid[(y * TILE_WIDTH + x) as usize])?;
        (layer.front != [SKY; 4]).then_some(layer)
    }

    /// Object ids of the four samples of a pixel; coordinates are relative to the tile's corner.
    pub fn visible(&self, x: u32, y: u32) -> [u32; 4] {
        self.visible[(y * TILE_WIDTH + x) as usize]
    }

    /// Fills a plane without edges whose 1/depth is `plane·(x, y, 1)` in pixels.
    pub fn fill_ground(&mut self, plane: [f32; 3]) {
        for y in 0..self.height {
            for x in 0..self.width {
                let at = (y * TILE_WIDTH + x) as usize;
                for (s, point) in SAMPLE_POINTS.iter().enumerate() {
                    let (px, py) = ((self.x + x) as f32 + point[0], (self.y + y) as f32 + point[1]);
                    let depth = plane[0] * px + plane[1] * py + plane[2];
                    if depth > self.inverse_depth[at][s] {
                        self.inverse_depth[at][s] = depth;
                        self.visible[at][s] = GROUND;
                    }
                }
            }
        }
    }

    /// Fills the samples nearest to the camera that lie inside the triangle.
    pub fn fill_triangle(&mut self, triangle: &ScreenTriangle, id: u32) {
        let (depths, visible) = (&mut self.inverse_depth, &mut self.visible);
        let Some(span) = TriangleSpan::new([self.x, self.y], [self.width, self.height], triangle) else { return };
        span.each(triangle, |at, s, depth| {
            if depth > depths[at][s] {
                depths[at][s] = depth;
                visible[at][s] = id;
            }
        });
    }

    /// Adds a triangle of a liquid surface; all opaque objects must be filled before.
    pub fn fill_liquid(&mut self, triangle: &ScreenTriangle, id: u32) {
        let Some(span) = TriangleSpan::new([self.x, self.y], [self.width, self.height], triangle) else { return };
        if !self.has_liquid {
            self.liquid.clear();
            self.liquid.resize(PIXELS, LiquidLayer::default());
            self.has_liquid = true;
        }
        let (behind, liquid) = (&self.inverse_depth, &mut self.liquid);
        span.each(triangle, |at, s, depth| {
            let (layer, visible) = (&mut liquid[at], depth > behind[at][s]);
            // Depth is clamped to the opaque surface, so that fronts and backs behind it cancel.
            let distance = 1.0 / depth.max(behind[at][s]);
            layer.thickness[s] += if triangle.front { -distance } else { distance };
            if triangle.front && visible && depth > layer.inverse_depth[s] {
                layer.inverse_depth[s] = depth;
                layer.front[s] = id;
            }
        });
    }

    /// Fills the samples nearest to the camera whose ray hits the sphere.
    pub fn fill_sphere(&mut self, sphere: &ScreenSphere, id: u32, view: &View) {
        let range = |low: f32, high: f32, start: u32, size: u32| {
            let first = (low.floor().max(start as f32) as u32).saturating_sub(start);
            let last = (high.floor().min((start + size) as f32 - 1.0).max(-1.0) + 1.0) as u32;
            first..last.saturating_sub(start)
        };
        for y in range(sphere.y[0], sphere.y[1], self.y, self.height) {
            for x in range(sphere.x[0], sphere.x[1], self.x, self.width) {
                let at = (y * TILE_WIDTH + x) as usize;
                for (s, point) in SAMPLE_POINTS.iter().enumerate() {
                    let (px, py) = ((self.x + x) as f32 + point[0], (self.y + y) as f32 + point[1]);
                    let Some(depth) = sphere.hit(view.ray(px, py), view.near) else {
                        continue;
                    };
                    let inverse = 1.0 / depth;
                    if inverse > self.inverse_depth[at][s] {
                        self.inverse_depth[at][s] = inverse;
                        self.visible[at][s] = id;
                    }
                }
            }
        }
    }
}

/// The pixels of a tile within a triangle's bounds.
struct TriangleSpan {
    /// Upper left corner of the tile [px].
    corner: [u32; 2],
    /// First and last column and row, counted from the corner.
    x: [i32; 2],
    y: [i32; 2],
}

impl TriangleSpan {
    fn new(corner: [u32; 2], size: [u32; 2], triangle: &ScreenTriangle) -> Option<Self> {
        let overlap = |axis: usize| {
            let at = triangle.corners.map(|c| c[axis]);
            let low = at[0].min(at[1]).min(at[2]).div_euclid(SUBPIXEL_STEPS) - corner[axis] as i32;
            let high = at[0].max(at[1]).max(at[2]).div_euclid(SUBPIXEL_STEPS) - corner[axis] as i32;
            let range = [low.max(0), high.min(size[axis] as i32 - 1)];
            (range[0] <= range[1]).then_some(range)
        };
        Some(Self { corner, x: overlap(0)?, y: overlap(1)? })
    }

    /// Calls `put` with pixel, sample and 1/depth of every sample that lies inside the triangle.
    #[inline(always)]
    fn each(&self, triangle: &ScreenTriangle, mut put: impl FnMut(usize, usize, f32)) {
        let ([x0, x1], [y0, y1]) = (self.x, self.y);
        let (left, top) =
            ((self.corner[0] as i32 + x0) * SUBPIXEL_STEPS, (self.corner[1] as i32 + y0) * SUBPIXEL_STEPS);
        let edges: [EdgeFunction; 3] =
            [0, 1, 2].map(|i| EdgeFunction::new(triangle.corners[i], triangle.corners[(i + 1) % 3], left, top));
        let slope = [0, 1].map(|k| triangle.weights[0][k] + triangle.weights[1][k] + triangle.weights[2][k]);
        let (px, py) = (left as f32 / SUBPIXEL_STEPS as f32, top as f32 / SUBPIXEL_STEPS as f32);
        let start: f32 = triangle.weights_at(px, py).iter().sum();
        let corner: [f32; 4] = SAMPLE_POINTS.map(|p| start + slope[0] * p[0] + slope[1] * p[1]);
        let [low, high] = triangle.inverse_depth;
        for y in y0..=y1 {
            let down = y - y0;
            let mut value = edges.map(|e| e.samples.map(|v| v + e.per_row * down));
            for x in x0..=x1 {
                let inside: [i32; 4] = [0, 1, 2, 3].map(|s| value[0][s] | value[1][s] | value[2][s]);
                if inside.iter().any(|&v| v >= 0) {
                    let shift = slope[0] * (x - x0) as f32 + slope[1] * down as f32;
                    let at = (y * TILE_WIDTH as i32 + x) as usize;
                    for s in (0..4).filter(|&s| inside[s] >= 0) {
                        put(at, s, (corner[s] + shift).clamp(low, high));
                    }
                }
                for (v, e) in value.iter_mut().zip(&edges) {
                    *v = v.map(|sample| sample + e.per_column);
                }
            }
        }
    }
}

/// An edge function over the samples of a tile; negative is outside.
#[derive(Clone, Copy)]
struct EdgeFunction {
    samples: [i32; 4],
    per_column: i32,
    per_row: i32,
}

impl EdgeFunction {
    /// EdgeFunction from `a` to `b`, evaluated at the samples of the pixel whose corner is (left, top).
    fn new(a: [i32; 2], b: [i32; 2], left: i32, top: i32) -> Self {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        // A sample exactly on an edge belongs to one of its two triangles: the rule flips with the
        // edge's direction, and neighbors run along it in opposite directions.
        let owned = dy < 0 || (dy == 0 && dx > 0);
        let samples = SAMPLES.map(|p| {
            let (x, y) = (i64::from(left + p[0] - a[0]), i64::from(top + p[1] - a[1]));
            let value = i64::from(dx) * y - i64::from(dy) * x - i64::from(!owned);
            // Coordinates span at most 8000 px: over a tile the value changes by less than 2^29, so
            // beyond 2^30 only its sign matters and 32 bits suffice.
            value.clamp(-(1 << 30), 1 << 30) as i32
        });
        Self { samples, per_column: -dy * SUBPIXEL_STEPS, per_row: dx * SUBPIXEL_STEPS }
    }
}
