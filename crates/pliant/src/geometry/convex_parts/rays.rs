//! A solid as rays along the three axes see it: where they enter and leave it.

use crate::geometry::convex_parts::clip::Planes;
use glam::DVec3;

/// Rays through the centers of cells, along each axis.
pub(super) struct Rays {
    /// Lower corner of the box around the solid [m].
    low: DVec3,
    /// Edges of a cell [m].
    cell: DVec3,
    /// Cells along each axis.
    cells: [usize; 3],
    /// For each axis and each ray, the intervals of that coordinate inside the solid [m].
    inside: [Vec<Vec<[f64; 2]>>; 3],
}

/// The axes across an axis, in order.
fn across(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

impl Rays {
    pub(super) fn new(points: &[DVec3], triangles: &[[u32; 3]], most: usize) -> Self {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = points.iter().fold(start, |(l, h), &p| (l.min(p), h.max(p)));
        let size = high - low;
        let count = |axis: usize| ((size[axis] / size.max_element() * most as f64).round() as usize).clamp(4, most);
        let cells = [count(0), count(1), count(2)];
        let cell = size / DVec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64);
        let mut rays = Self { low, cell, cells, inside: Default::default() };
        rays.inside = std::array::from_fn(|axis| rays.cast(axis, points, triangles));
        rays
    }

    /// All cells.
    pub(super) fn whole(&self) -> [[usize; 3]; 2] {
        [[0; 3], self.cells]
    }

    /// The sides of a range of cells.
    pub(super) fn planes(&self, range: [[usize; 3]; 2]) -> Planes {
        Planes { low: self.corner(range[0]), high: self.corner(range[1]) }
    }

    /// The corner below a cell.
    fn corner(&self, cell: [usize; 3]) -> DVec3 {
        let at = |axis: usize| {
            // The last one exactly: nothing of the solid may be outside.
            let whole = self.low[axis] + self.cell[axis] * self.cells[axis] as f64;
            if cell[axis] == self.cells[axis] {
                whole + 1e-9 * self.cell[axis]
            } else {
                self.at(axis, cell[axis] as f64)
            }
        };
        DVec3::new(at(0), at(1), at(2))
    }

    fn at(&self, axis: usize, cells: f64) -> f64 {
        self.low[axis] + self.cell[axis] * cells
    }

    fn cast(&self, axis: usize, points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Vec<[f64; 2]>> {
        let [u, v] = across(axis);
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); self.cells[u] * self.cells[v]];
        for triangle in triangles {
            let corners = triangle.map(|k| points[k as usize]);
            // Rays through the box around the triangle.
            let span = |a: usize| {
                let (low, high) =
                    corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[a]), h.max(p[a])));
                let cell = |x: f64| ((x - self.low[a]) / self.cell[a] - 0.5).clamp(-1.0, self.cells[a] as f64);
                (cell(low).ceil().max(0.0) as usize, ((cell(high).floor() + 1.0).max(0.0) as usize).min(self.cells[a]))
            };
            let ((first_u, end_u), (first_v, end_v)) = (span(u), span(v));
            for j in first_v..end_v {
                for i in first_u..end_u {
                    let through = [self.at(u, i as f64 + 0.5), self.at(v, j as f64 + 0.5)];
                    if let Some(found) = crossing(triangle, &corners, axis, through) {
                        crossings[j * self.cells[u] + i].push(found);
                    }
                }
            }
        }
        crossings.into_iter().map(intervals).collect()
    }

    /// Intervals of all rays along an axis within a range of cells.
    fn along(&self, axis: usize, range: [[usize; 3]; 2]) -> impl Iterator<Item = [f64; 2]> {
        let [u, v] = across(axis);
        let bounds = [0, 1].map(|k| self.at(axis, range[k][axis] as f64));
        let numbers = move |a: usize| range[0][a]..range[1][a];
        numbers(v).flat_map(move |j| numbers(u).map(move |i| (i, j))).flat_map(move |(i, j)| {
            let cut = move |[a, b]: &[f64; 2]| [a.max(bounds[0]), b.min(bounds[1])];
            self.inside[axis][j * self.cells[u] + i].iter().map(cut).filter(|[a, b]| a < b)
        })
    }

    /// Volume of the solid within a range of cells [m³]: the mean of what the three directions see.
    pub(super) fn volume(&self, range: [[usize; 3]; 2]) -> f64 {
        let one = |axis: usize| {
            let [u, v] = across(axis);
            let length: f64 = self.along(axis, range).map(|[a, b]| b - a).sum();
            length * self.cell[u] * self.cell[v]
        };
        (one(0) + one(1) + one(2)) / 3.0
    }
}

/// Intervals in which the winding number is positive.
fn intervals(mut crossings: Vec<(f64, i32)>) -> Vec<[f64; 2]> {
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let (mut all, mut depth, mut begun) = (Vec::new(), 0, 0.0);
    for (at, enters) in crossings {
        if depth == 0 && enters > 0 {
            begun = at;
        }
        if depth == 1 && enters < 0 && at > begun {
            all.push([begun, at]);
        }
        depth += enters;
    }
    all
}

/// Where the line along `axis` through a point across crosses a triangle, and whether it enters (1) or leaves (−1) there.
///
/// Edges are oriented by the numbers of their corners: a line through an edge of two triangles crosses exactly one of them
/// where they lie side by side, and both or none where they fold.
fn crossing(triangle: &[u32; 3], corners: &[DVec3; 3], axis: usize, through: [f64; 2]) -> Option<(f64, i32)> {
    let [u, v] = across(axis);
    let side = |k: usize| {
        let (i, j) = (k, (k + 1) % 3);
        let flip = triangle[i] > triangle[j];
        let (a, b) = if flip { (corners[j], corners[i]) } else { (corners[i], corners[j]) };
        let area = (b[u] - a[u]) * (through[1] - a[v]) - (b[v] - a[v]) * (through[0] - a[u]);
        ((area >= 0.0) != flip, if flip { -area } else { area })
    };
    let [a, b, c] = [side(0), side(1), side(2)];
    if a.0 != b.0 || b.0 != c.0 {
        return None;
    }
    let sum = a.1 + b.1 + c.1;
    if sum == 0.0 {
        return None;
    }
    // The area opposite to a corner is its weight.
    let at = (corners[0][axis] * b.1 + corners[1][axis] * c.1 + corners[2][axis] * a.1) / sum;
    // Counter-clockwise seen from the end of the axis: the outside lies there, and the line leaves.
    Some((at, if a.0 { -1 } else { 1 }))
}

/// Whether a point is inside a closed surface.
pub(super) fn is_inside(points: &[DVec3], triangles: &[[u32; 3]], point: DVec3) -> bool {
    let mut winding = 0;
    for triangle in triangles {
        let corners = triangle.map(|k| points[k as usize]);
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if point.y < low.y || point.y > high.y || point.z < low.z || point.z > high.z || high.x < point.x {
            continue;
        }
        if let Some((at, enters)) = crossing(triangle, &corners, 0, [point.y, point.z])
            && at > point.x
        {
            winding -= enters;
        }
    }
    winding > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron.
    fn solid() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        (points, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn rays_measure_volumes() {
        let (points, triangles) = solid();
        let rays = Rays::new(&points, &triangles, 40);
        assert!((rays.volume(rays.whole()) * 6.0 - 1.0).abs() < 0.01);
        // Below half of its height there are 7/8.
        let half = rays.volume([[0; 3], [40, 20, 40]]);
        assert!((half * 48.0 / 7.0 - 1.0).abs() < 0.01, "{half}");
    }

    #[test]
    fn points_are_inside_or_outside() {
        let (points, triangles) = solid();
        for (point, expected) in
            [([0.1, 0.2, 0.3], true), ([0.4, 0.4, 0.4], false), ([-0.1, 0.2, 0.2], false), ([0.9, 0.2, 0.2], false)]
        {
            assert_eq!(is_inside(&points, &triangles, DVec3::from(point)), expected, "{point:?}");
        }
    }
}
