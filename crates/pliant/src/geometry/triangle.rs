//! One triangle: nearest point, and time of impact of a moving sphere.

use glam::Vec3;

/// Sine of the angle below which a motion counts as parallel to the surface.
pub(crate) const PARALLEL: f32 = 1e-5;

/// Corners [m].
pub type Triangle = [Vec3; 3];

/// Nearest point of a triangle to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The point [m].
    pub point: Vec3,
    /// Vector from there to the other point [m]. Computed across the face or the edge and not as a difference, whose
    /// direction would suffer from the rounding of the point.
    pub away: Vec3,
    /// Factor on the squared distance when selecting the nearest of many triangles. Adjacent triangles share edges and
    /// corners, so their squares differ by rounding only, but their directions by its root: at equal distance faces
    /// precede edges, and edges precede corners.
    pub rank: f32,
}

/// Rank of edges; rounding of a square is less than a third of its excess over 1. Corners have twice the excess.
pub(crate) const FOOT_EDGE: f32 = 1.000_002;
pub(crate) const FOOT_CORNER: f32 = 1.000_004;

/// Nearest point of a triangle to `p`, by the Voronoi regions of its corners and edges ([RTCD] 5.1.5).
#[inline]
pub fn nearest_on_triangle(&[a, b, c]: &Triangle, p: Vec3) -> Foot {
    let corner = |v: Vec3| Foot { point: v, away: p - v, rank: FOOT_CORNER };
    let edge = |from: Vec3, to: Vec3, share: f32| {
        let (along, m) = (to - from, p - from);
        let away = m - along * (m.dot(along) / along.length_squared());
        Foot { point: from + along * share, away, rank: FOOT_EDGE }
    };
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return corner(a);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return corner(b);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return edge(a, b, d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return corner(c);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return edge(a, c, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return edge(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (va + vb + vc);
    let cross = ab.cross(ac);
    let away = cross * (cross.dot(ap) / cross.length_squared());
    Foot { point: a + ab * (vb * scale) + ac * (vc * scale), away, rank: 1.0 }
}

/// Time of impact of a sphere of `radius` that moves from `p` by `way` with a triangle, as a fraction of the motion,
/// 0 to 1; `None` if they do not touch, or only separate.
///
/// The distance to a triangle along a line is a convex function of the fraction. So a sphere that touches at the start
/// collides at 0 if it approaches, and never if it does not; otherwise the first contact is the earliest of
/// those with the face, the edges and the corners ([RTCD] 5.5.6).
pub fn sweep_to_triangle(triangle: &Triangle, p: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let apart = nearest_on_triangle(triangle, p).away;
    let square = apart.length_squared();
    if square <= radius * radius {
        // Exactly in the plane neither side is preferred: any motion is stopped.
        let in_plane = square == 0.0 && way.length_squared() > 0.0;
        // A sliding motion may point inward by rounding.
        let nearer = apart.dot(way) < -PARALLEL * (square * way.length_squared()).sqrt();
        return (in_plane || nearer).then_some(0.0);
    }
    let [a, b, c] = *triangle;
    let cross = (b - a).cross(c - a);
    let normal = cross * (1.0 / cross.length());
    let above = normal.dot(p - a);
    // From the starting side, the face is `above` away and approaches by `sink`.
    let (height, side) = if above < 0.0 { (-above, -normal) } else { (above, normal) };
    let sink = -side.dot(way);
    if height > radius {
        if sink <= height - radius {
            // The plane would be touched first, but is out of reach. False for NaN, which the other tests reject as
            // well.
            return None;
        }
        let share = (height - radius) / sink;
        let foot = p + way * share - side * radius;
        if holds(triangle, cross, foot) {
            return Some(share);
        }
    }
    let mut first: Option<f32> = None;
    let mut take = |found: Option<f32>| {
        if let Some(share) = found.filter(|&s| first.is_none_or(|f| s < f)) {
            first = Some(share);
        }
    };
    for (from, to) in [(a, b), (b, c), (c, a)] {
        take(sweep_to_edge(from, to, p, way, radius));
        take(sweep_to_point(from, p, way, radius));
    }
    first
}

/// Whether a point of the plane lies in the triangle.
#[inline]
fn holds(&[a, b, c]: &Triangle, cross: Vec3, p: Vec3) -> bool {
    let inside = |from: Vec3, to: Vec3| (to - from).cross(p - from).dot(cross) >= 0.0;
    inside(a, b) && inside(b, c) && inside(c, a)
}

#[inline]
fn sweep_to_point(corner: Vec3, p: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    enter(p - corner, way, radius)
}

/// Contact with the cylinder around an edge; its ends belong to the corners.
#[inline]
fn sweep_to_edge(from: Vec3, to: Vec3, p: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let edge = to - from;
    let square = edge.length_squared();
    let across = |v: Vec3| v - edge * (v.dot(edge) / square);
    let share = enter(across(p - from), across(way), radius)?;
    let along = (p + way * share - from).dot(edge);
    (along >= 0.0 && along <= square).then_some(share)
}

/// Fraction at which a point that starts at `m` and moves by `way` comes within `radius` of the origin.
///
/// Uses the closest point of the line instead of the usual quadratic, whose terms would cancel for a sphere that is
/// small relative to its motion.
#[inline]
fn enter(m: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let square = way.length_squared();
    let closest = -m.dot(way) / square;
    // Also false for zero motion.
    if closest > 0.0 {
        let q = m + way * closest;
        let chord = radius * radius - q.length_squared();
        if chord >= 0.0 {
            // A start outside only by rounding is a contact at once.
            let share = (closest - (chord / square).sqrt()).max(0.0);
            return (share <= 1.0).then_some(share);
        }
    }
    None
}
