//! The part of a surface within a box, and fewer corners for a hull.

use glam::DVec3;

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

/// Corners of all triangles cut at the sides of a box (Sutherland and Hodgman's method).
pub(super) fn clipped(points: &[DVec3], triangles: &[[u32; 3]], planes: &Planes) -> Vec<DVec3> {
    let mut all = Vec::new();
    let (mut polygon, mut next) = (Vec::with_capacity(9), Vec::with_capacity(9));
    for triangle in triangles {
        let corners = triangle.map(|k| points[k as usize]);
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        if low.cmpgt(planes.high).any() || high.cmplt(planes.low).any() {
            continue;
        }
        if low.cmpge(planes.low).all() && high.cmple(planes.high).all() {
            all.extend(corners);
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
        all.extend(&polygon);
    }
    all
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
