//! One triangle: its point nearest to another, and when a moving ball touches it.

use glam::Vec3;

/// Sine of the angle below which a way counts as parallel to what is touched.
const PARALLEL: f32 = 1e-5;

/// Corners [m].
pub type Triangle = [Vec3; 3];

/// The point of a triangle that is nearest to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The point [m].
    pub point: Vec3,
    /// From there to the other [m]. Not their difference, which would be as wrong in direction as the point is rounded:
    /// across the face or the edge, exactly.
    pub away: Vec3,
    /// What to multiply its square by to find the nearest of many triangles. Neighbors share edges and corners, so that
    /// their squares differ by rounding alone, but their directions by the root of it: faces go before edges, and edges
    /// before corners, where they are as near.
    pub rank: f32,
}

/// Of edges; rounding of a square is less than a third of what it is above 1. Corners have twice as much.
const EDGE: f32 = 1.000_002;
const CORNER: f32 = 1.000_004;

/// Point of a triangle that is nearest to `p`, by the Voronoi regions of its corners and edges ([RTCD] 5.1.5).
#[inline]
pub fn nearest_on_triangle(&[a, b, c]: &Triangle, p: Vec3) -> Foot {
    let corner = |v: Vec3| Foot { point: v, away: p - v, rank: CORNER };
    let edge = |from: Vec3, to: Vec3, share: f32| {
        let (along, m) = (to - from, p - from);
        let away = m - along * (m.dot(along) / along.length_squared());
        Foot { point: from + along * share, away, rank: EDGE }
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

/// When a ball of `radius` that moves from `p` by `way` first touches a triangle, as a share of the way between 0
/// and 1; none if it does not, or only leaves it.
///
/// The distance to a triangle along a line is a convex function of the share. So a ball that touches at the start is in
/// the way at 0 where it comes nearer, and never again where it does not; and otherwise the first touch is the least of
/// those with the face, the edges and the corners ([RTCD] 5.5.6).
pub fn sweep_to_triangle(triangle: &Triangle, p: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let apart = nearest_on_triangle(triangle, p).away;
    let square = apart.length_squared();
    if square <= radius * radius {
        // In the very plane either side is as good: whoever moves is stopped.
        let in_plane = square == 0.0 && way.length_squared() > 0.0;
        // What slides along may point inward by rounding.
        let nearer = apart.dot(way) < -PARALLEL * (square * way.length_squared()).sqrt();
        return (in_plane || nearer).then_some(0.0);
    }
    let [a, b, c] = *triangle;
    let cross = (b - a).cross(c - a);
    let normal = cross * (1.0 / cross.length());
    let above = normal.dot(p - a);
    // From the side where it starts, the face is `above` away and comes nearer by `sink`.
    let (height, side) = if above < 0.0 { (-above, -normal) } else { (above, normal) };
    let sink = -side.dot(way);
    if height > radius {
        if sink <= height - radius {
            // The plane comes first, and is out of reach. False for NaN, which the other tests refuse as well.
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

/// The cylinder around an edge; its ends belong to the corners.
#[inline]
fn sweep_to_edge(from: Vec3, to: Vec3, p: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let edge = to - from;
    let square = edge.length_squared();
    let across = |v: Vec3| v - edge * (v.dot(edge) / square);
    let share = enter(across(p - from), across(way), radius)?;
    let along = (p + way * share - from).dot(edge);
    (along >= 0.0 && along <= square).then_some(share)
}

/// When a point that starts at `m` and moves by `way` comes within `radius` of the origin.
///
/// From the closest point of the line instead of the usual quadratic, whose terms would cancel for a ball that is small
/// against its way: what is left is rounding of the way itself.
#[inline]
fn enter(m: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    let square = way.length_squared();
    let closest = -m.dot(way) / square;
    // Also false for ways without length.
    if closest > 0.0 {
        let q = m + way * closest;
        let chord = radius * radius - q.length_squared();
        if chord >= 0.0 {
            // Who starts outside by rounding alone is in the way at once.
            let share = (closest - (chord / square).sqrt()).max(0.0);
            return (share <= 1.0).then_some(share);
        }
    }
    None
}
