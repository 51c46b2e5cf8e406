//! The part of a surface within a box, and fewer corners for a hull.

use glam::DVec3;
use std::collections::BTreeMap;

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planes {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Planes {
    pub(super) fn corners(&self) -> [DVec3; 8] {
        let pick = |k: usize, axis: usize| if k >> axis & 1 == 1 { self.high[axis] } else { self.low[axis] };
        std::array::from_fn(|k| DVec3::new(pick(k, 0), pick(k, 1), pick(k, 2)))
    }
}

/// All points within a box, and where triangles are cut at its sides (Sutherland and Hodgman's method).
pub(super) fn clipped(points: &[DVec3], triangles: &[[u32; 3]], planes: &Planes) -> Vec<DVec3> {
    let within = |p: DVec3| p.cmpge(planes.low).all() && p.cmple(planes.high).all();
    let mut all: Vec<DVec3> = points.iter().copied().filter(|&p| within(p)).collect();
    let (mut polygon, mut next) = (Vec::with_capacity(9), Vec::with_capacity(9));
    for triangle in triangles {
        let corners = triangle.map(|k| points[k as usize]);
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if low.cmpgt(planes.high).any() || high.cmplt(planes.low).any() {
            continue;
        }
        if within(low) && within(high) {
            continue;
        }
        polygon.clear();
        polygon.extend(corners);
        for axis in 0..3 {
            for (bound, sign) in [(planes.low[axis], 1.0), (planes.high[axis], -1.0)] {
                next.clear();
                for k in 0..polygon.len() {
                    let (p, q): (DVec3, DVec3) = (polygon[k], polygon[(k + 1) % polygon.len()]);
                    let (over_p, over_q) = (sign * (p[axis] - bound), sign * (q[axis] - bound));
                    if over_p >= 0.0 {
                        next.push(p);
                    }
                    if (over_p > 0.0 && over_q < 0.0) || (over_p < 0.0 && over_q > 0.0) {
                        let mut cut = p + (q - p) * (over_p / (over_p - over_q));
                        cut[axis] = bound;
                        next.push(cut);
                    }
                }
                std::mem::swap(&mut polygon, &mut next);
            }
        }
        all.extend(polygon.iter().filter(|&p| !corners.contains(p)));
    }
    all
}

/// A surface with one vertex for each cell of a grid of so many cells along the longest side: the one farthest from the
/// center of all. It need not be closed.
pub(super) fn coarser(points: &[DVec3], triangles: &[[u32; 3]], cells: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(start, |(l, h), &p| (l.min(p), h.max(p)));
    let (center, size) = (0.5 * (low + high), (high - low).max_element());
    let mut number_of: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut kept: Vec<DVec3> = Vec::new();
    let cell = |p: DVec3| ((p - low) * (cells / size)).floor().to_array().map(|c| c as i64);
    let numbers: Vec<u32> = points
        .iter()
        .map(|&p| {
            let number = *number_of.entry(cell(p)).or_insert(kept.len() as u32) as usize;
            match kept.get(number) {
                None => kept.push(p),
                Some(q) if p.distance_squared(center) > q.distance_squared(center) => kept[number] = p,
                Some(_) => {}
            }
            number as u32
        })
        .collect();
    let all = triangles.iter().map(|t| t.map(|k| numbers[k as usize]));
    (kept, all.filter(|[a, b, c]| a != b && b != c && c != a).collect())
}

/// At most `most` of some points: those farthest along directions that are spread evenly.
pub(super) fn thinned(points: &[DVec3], most: usize) -> Vec<DVec3> {
    let mut kept: Vec<usize> = (0..most)
        .map(|k| {
            // Points of a spiral on the sphere.
            let height = 1.0 - (2.0 * k as f64 + 1.0) / most as f64;
            let (around, across) = (k as f64 * GOLDEN_ANGLE, (1.0 - height * height).sqrt());
            let direction = DVec3::new(across * libm::cos(around), height, across * libm::sin(around));
            let farther = |best: usize, i: usize| {
                if points[i].dot(direction) > points[best].dot(direction) { i } else { best }
            };
            (0..points.len()).fold(0, farther)
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|k| points[k]).collect()
}

/// Turn from one point of a spiral to the next [rad].
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
