//! Triangle setup: projection, clipping, and the edge and interpolation functions that tiles evaluate.
//!
//! Coverage uses the clipped corners in fixed point, so that neighbors share edges exactly. Depth and
//! interpolation use functions of the unclipped triangle, so clipping never moves a color.
//!
//! Reference: Olano, Greer, "Triangle scan conversion using 2D homogeneous coordinates", 1997.

use glam::{DMat3, DVec3, Vec3};
use rayon::prelude::*;

use crate::bins::Cells;
use crate::camera::View;
use crate::geometry::{Geometry, Triangle};
use crate::raster_grid::{SUBPIXEL_STEPS, TILE_HEIGHT, TILE_WIDTH};

/// Guard band: maximum distance of a clipped corner from the image center [px].
const GUARD_BAND: f32 = 4000.0;

/// A clipped triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScreenTriangle {
    /// Corners in fixed point, ordered so that the inside is on the positive side of each edge.
    pub corners: [[i32; 2]; 3],
    /// For each vertex of the whole triangle: its weight divided by view depth is
    /// `[a, b, c]·(x − origin.x, y − origin.y, 1)`, affine on the screen.
    pub weights: [[f32; 3]; 3],
    /// Origin of the weights [px], near the triangle for precision.
    pub origin: [f32; 2],
    /// Range of 1/depth over the corners; extrapolation past an edge-on triangle is clamped to it.
    pub inverse_depth: [f32; 2],
    /// Index of the gathered triangle that this is a part of.
    pub source: u32,
    /// The camera sees the front.
    pub front: bool,
}

impl ScreenTriangle {
    /// Weights over depth of the three vertices at a screen point.
    pub fn weights_at(&self, x: f32, y: f32) -> [f32; 3] {
        let (dx, dy) = (x - self.origin[0], y - self.origin[1]);
        self.weights.map(|w| w[0] * dx + w[1] * dy + w[2])
    }

    /// Tiles the triangle may touch, or none.
    pub fn tiles(&self, width: u32, height: u32) -> Option<Cells> {
        let range = |axis: usize, size: u32, tile: u32| {
            let at = self.corners.map(|c| c[axis]);
            let low = at[0].min(at[1]).min(at[2]).div_euclid(SUBPIXEL_STEPS).max(0);
            let high = at[0].max(at[1]).max(at[2]).div_euclid(SUBPIXEL_STEPS).min(size as i32 - 1);
            (low <= high).then(|| [low as u32 / tile, high as u32 / tile])
        };
        Some(Cells { x: range(0, width, TILE_WIDTH)?, y: range(1, height, TILE_HEIGHT)? })
    }
}

/// Screen triangles of everything in view, in the order of the gathered list.
pub(crate) fn screen_triangles(geometry: &Geometry, view: &View) -> Vec<ScreenTriangle> {
    let project = |p: &Vec3| view.project(*p);
    let projected: Vec<Vec3> = geometry.positions.par_iter().with_min_len(1024).map(project).collect();
    // Fixed chunks joined in order: the list is the same for any thread count.
    let chunks: Vec<Vec<ScreenTriangle>> = geometry
        .triangles
        .par_chunks(2048)
        .enumerate()
        .map(|(chunk, triangles)| {
            let mut out = Vec::with_capacity(triangles.len());
            for (i, triangle) in triangles.iter().enumerate() {
                set_up_triangle(triangle, (chunk * 2048 + i) as u32, &projected, view, &mut out);
            }
            out
        })
        .collect();
    chunks.concat()
}

fn set_up_triangle(triangle: &Triangle, source: u32, projected: &[Vec3], view: &View, out: &mut Vec<ScreenTriangle>) {
    let corners = triangle.vertices.map(|v| projected[v as usize]);
    // All corners outside one side of the picture: this rejects most triangles out of view.
    let sides = [
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(-1.0, 0.0, view.width),
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(0.0, -1.0, view.height),
    ];
    if sides.iter().any(|side| corners.iter().all(|c| side.dot(*c) < 0.0)) {
        return;
    }
    let Some(plane) = BarycentricPlanes::of(corners) else {
        return;
    };
    let (cx, cy) = (0.5 * view.width, 0.5 * view.height);
    let inside = |c: &Vec3| {
        c.z >= view.near && (c.x - cx * c.z).abs() <= GUARD_BAND * c.z && (c.y - cy * c.z).abs() <= GUARD_BAND * c.z
    };
    if corners.iter().all(inside) {
        out.extend(plane.part(corners, source, view));
        return;
    }
    let polygon = clip(&corners, view);
    for k in 2..polygon.len() {
        out.extend(plane.part([polygon[0], polygon[k - 1], polygon[k]], source, view));
    }
}

/// Cuts a triangle at the near plane and the guard band (Sutherland, Hodgman, 1974).
fn clip(corners: &[Vec3; 3], view: &View) -> Vec<Vec3> {
    let (cx, cy) = (0.5 * view.width, 0.5 * view.height);
    // Each plane keeps n·(X, Y, W) ≥ d.
    let planes = [
        (Vec3::Z, view.near),
        (Vec3::new(1.0, 0.0, GUARD_BAND - cx), 0.0),
        (Vec3::new(-1.0, 0.0, GUARD_BAND + cx), 0.0),
        (Vec3::new(0.0, 1.0, GUARD_BAND - cy), 0.0),
        (Vec3::new(0.0, -1.0, GUARD_BAND + cy), 0.0),
    ];
    let mut polygon = corners.to_vec();
    for (normal, offset) in planes {
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, &current) in polygon.iter().enumerate() {
            let next = polygon[(i + 1) % polygon.len()];
            let (current_side, next_side) = (normal.dot(current) - offset, normal.dot(next) - offset);
            if current_side >= 0.0 {
                kept.push(current);
            }
            if (current_side >= 0.0) != (next_side >= 0.0) {
                kept.push(current.lerp(next, current_side / (current_side - next_side)));
            }
        }
        polygon = kept;
    }
    polygon
}

/// Screen functions of a whole triangle: rows of the inverse of its corner matrix.
struct BarycentricPlanes {
    rows: [DVec3; 3],
    front: bool,
}

impl BarycentricPlanes {
    /// `None` for a triangle exactly edge-on, which covers no sample.
    fn of(corners: [Vec3; 3]) -> Option<Self> {
        let matrix = DMat3::from_cols_array_2d(&corners.map(|c| c.as_dvec3().to_array()));
        let determinant = matrix.determinant();
        if determinant.abs() < 1e-30 || !determinant.is_finite() {
            return None;
        }
        let inverse = matrix.inverse();
        // Pixel y points down, so counterclockwise in the world is a negative determinant here.
        Some(Self { rows: [inverse.row(0), inverse.row(1), inverse.row(2)], front: determinant < 0.0 })
    }

    /// The part of the triangle inside three clipped corners.
    fn part(&self, corners: [Vec3; 3], source: u32, view: &View) -> Option<ScreenTriangle> {
        let inverse = corners.map(|c| 1.0 / c.z.max(view.near));
        let snap = |v: f32| (v * SUBPIXEL_STEPS as f32).round() as i32;
        let mut fixed = [0, 1, 2].map(|i| [snap(corners[i].x * inverse[i]), snap(corners[i].y * inverse[i])]);
        let edge = |a: [i32; 2], b: [i32; 2]| [i64::from(b[0] - a[0]), i64::from(b[1] - a[1])];
        let (u, v) = (edge(fixed[0], fixed[1]), edge(fixed[0], fixed[2]));
        let area = u[0] * v[1] - u[1] * v[0];
        if area == 0 {
            return None;
        }
        if area < 0 {
            fixed.swap(1, 2);
        }
        let origin = [0, 1].map(|axis| {
            let low = fixed[0][axis].min(fixed[1][axis]).min(fixed[2][axis]) as f32 / SUBPIXEL_STEPS as f32;
            low.clamp(0.0, if axis == 0 { view.width } else { view.height })
        });
        let (ox, oy) = (f64::from(origin[0]), f64::from(origin[1]));
        let weights = self.rows.map(|r| [r.x as f32, r.y as f32, (r.x * ox + r.y * oy + r.z) as f32]);
        let inverse_depth = [inverse[0].min(inverse[1]).min(inverse[2]), inverse[0].max(inverse[1]).max(inverse[2])];
        Some(ScreenTriangle { corners: fixed, weights, origin, inverse_depth, source, front: self.front })
    }
}
