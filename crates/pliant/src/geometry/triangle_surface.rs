//! A two-sided triangle surface of zero thickness: nearest points, and continuous collision of spheres.

use crate::geometry::bvh::Bvh;
use crate::geometry::triangle::{Foot, Triangle, nearest_on_triangle, sweep_to_triangle};
use crate::memory::of;
use glam::Vec3;

/// Minimum particle radius relative to the size of the surface: smaller particles are treated as this large, or
/// rounding would let them pass between triangles.
const LEAST_RADIUS: f32 = 1e-5;

/// Fraction of the radius used for sweeps. A sphere at rest touches all triangles of a floor at a distance
/// exact up to rounding: with the full radius it would collide with the edges between coplanar triangles.
pub(crate) const SWEPT_RADIUS: f32 = 0.99;

/// Factor on the squared distance within which boxes are visited although a nearer triangle is known: rounding.
pub(crate) const BOX_SLACK: f32 = 1.000_01;

/// Maximum surfaces that a sphere touches one after the other during its motion.
pub(crate) const MOST_SLIDES: usize = 4;

/// Maximum iterations of depenetration at the end of the motion.
pub(crate) const MOST_ROUNDS: usize = 4;

/// A surface of triangles in a collider's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    positions: Vec<Vec3>,
    /// Vertex indices, in the order of the tree's leaves.
    triangles: Vec<[u32; 3]>,
    tree: Bvh,
    least_radius: f32,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The point [m].
    pub point: Vec3,
    /// Distance [m].
    pub distance: f32,
    /// Unit vector from the point; the normal of the triangle if the distance is zero.
    pub normal: Vec3,
}

/// First contact of a moving sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Fraction of the motion, 0 to 1.
    pub share: f32,
    /// Unit normal toward the sphere.
    pub normal: Vec3,
}

/// End of a motion along a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// Center of the sphere [m].
    pub place: Vec3,
    /// Whether the surface was touched.
    pub touched: bool,
}

impl Surface {
    /// Memory on the host [bytes].
    pub(crate) fn bytes(&self) -> u64 {
        of(&self.positions) + of(&self.triangles) + self.tree.bytes()
    }

    /// From vertices and triangles of nonzero area.
    pub fn new(positions: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let corners = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
        let boxes: Vec<_> = triangles.iter().map(corners).map(|[a, b, c]| (a.min(b).min(c), a.max(b).max(c))).collect();
        let (tree, order) = Bvh::new(&boxes);
        let triangles: Vec<_> = order.iter().map(|&i| triangles[i as usize]).collect();
        let size = tree.bounds().map_or(0.0, |(min, max)| (max - min).length());
        Self { positions, triangles, tree, least_radius: LEAST_RADIUS * size }
    }

    /// Vertices [m].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Vertex numbers of the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Bounding box [m].
    pub fn bounds(&self) -> (Vec3, Vec3) {
        self.tree.bounds().unwrap_or((Vec3::ZERO, Vec3::ZERO))
    }

    /// Effective radius of a particle of `radius` [m].
    #[inline]
    pub fn radius(&self, radius: f32) -> f32 {
        radius.max(self.least_radius)
    }

    /// Nodes of its tree, in index order.
    #[cfg(feature = "gpu")]
    pub(crate) fn nodes(&self) -> impl Iterator<Item = crate::geometry::bvh::Node> + '_ {
        self.tree.nodes()
    }

    fn triangle(&self, number: usize) -> Triangle {
        self.triangles[number].map(|v| self.positions[v as usize])
    }

    /// The first triangle that a ray meets before `limit`: `enters` has the distance to a box, `meets` distance and normal
    /// at a triangle.
    pub(crate) fn ray(
        &self,
        limit: f32,
        enters: impl Fn(Vec3, Vec3) -> f32,
        meets: impl Fn(Triangle) -> Option<(f32, Vec3)>,
    ) -> Option<(f32, Vec3)> {
        let mut found = None;
        self.tree.walk(limit, enters, |i, best| {
            if let Some(hit) = meets(self.triangle(i)).filter(|hit| hit.0 < *best) {
                *best = hit.0;
                found = Some(hit);
            }
        });
        found
    }

    /// The nearest point, if it is closer than `limit`.
    pub fn nearest(&self, p: Vec3, limit: f32) -> Option<Near> {
        let mut found: Option<(usize, Foot)> = None;
        let apart = |min: Vec3, max: Vec3| (p - p.clamp(min, max)).length_squared();
        let mut least = limit * limit;
        self.tree.walk(least * BOX_SLACK, apart, |i, best| {
            let foot = nearest_on_triangle(&self.triangle(i), p);
            let square = foot.away.length_squared() * foot.rank;
            if square < least {
                least = square;
                *best = square * BOX_SLACK;
                found = Some((i, foot));
            }
        });
        let (number, Foot { point, away, .. }) = found?;
        let distance = away.length();
        let normal = if distance > 1e-12 { away / distance } else { self.normal(number) };
        Some(Near { point, distance, normal })
    }

    fn normal(&self, number: usize) -> Vec3 {
        let [a, b, c] = self.triangle(number);
        (b - a).cross(c - a).normalize_or(Vec3::Y)
    }

    /// First contact of a sphere of `radius` that moves from `p` by `way`.
    pub fn sweep(&self, p: Vec3, way: Vec3, radius: f32) -> Option<Hit> {
        let mut found = None;
        let inverse = way.recip();
        let reach = Vec3::splat(radius * 1.0001 + self.least_radius);
        let enters = |min: Vec3, max: Vec3| {
            let (low, high) = ((min - reach - p) * inverse, (max + reach - p) * inverse);
            let (mut first, mut last) = (0.0_f32, f32::INFINITY);
            for k in 0..3 {
                // 0·∞ at the side of a box is NaN, which min and max discard.
                first = first.max(f32::min(low[k], high[k]));
                last = last.min(f32::max(low[k], high[k]));
            }
            // Rounding of the two must not lose a contact at a single point.
            if first <= last * 1.00001 + 1e-6 { first } else { f32::INFINITY }
        };
        // A contact exactly at the end counts, too.
        self.tree.walk(1.0 + f32::EPSILON, enters, |i, best| {
            let touch = sweep_to_triangle(&self.triangle(i), p, way, radius);
            if let Some(share) = touch.filter(|s| s < best) {
                *best = share;
                found = Some((i, share));
            }
        });
        let (number, share) = found?;
        let there = p + way * share;
        // Use the nearest of all: adjacent triangles are touched simultaneously up to rounding.
        let near = self.nearest(there, 2.0 * radius);
        let flat = self.normal(number);
        // In the plane itself: the side opposite to the motion.
        let against = if flat.dot(way) > 0.0 { -flat } else { flat };
        let normal = near.filter(|near| near.distance > 1e-12).map_or(against, |near| near.normal);
        Some(Hit { share, normal })
    }

    /// Moves a sphere of `radius` from `from` to `to` without crossing the surface: it stops at each contact,
    /// slides along with the remaining motion, and ends outside, however long the motion (S17: time of impact).
    ///
    /// Every part of the motion is swept, so the center never crosses the surface.
    pub fn slide(&self, from: Vec3, to: Vec3, radius: f32) -> Slide {
        let (mut place, mut left) = (from, to - from);
        let mut touched = false;
        let mut walls = [Vec3::ZERO; MOST_SLIDES];
        for k in 0..MOST_SLIDES {
            // Smaller after every contact: the surface it slides along is not touched again.
            let swept = radius * (1.0 - (k + 1) as f32 * (1.0 - SWEPT_RADIUS));
            let Some(hit) = self.sweep(place, left, swept) else {
                place = if touched { place + left } else { to };
                break;
            };
            touched = true;
            place += left * hit.share;
            walls[k] = hit.normal;
            left = along_walls(left * (1.0 - hit.share), &walls[..=k]);
        }
        // The motion remaining after the last contact is dropped: the sphere stays at a free position.
        self.out(place, radius, touched)
    }

    /// Moves a sphere at `place` out of everything it still touches.
    fn out(&self, mut place: Vec3, radius: f32, mut touched: bool) -> Slide {
        for _ in 0..MOST_ROUNDS {
            let Some(near) = self.nearest(place, radius) else { break };
            touched = true;
            let way = near.normal * (radius - near.distance);
            // Between two sheets closer than its diameter a sphere stays where it is.
            let small = near.distance * SWEPT_RADIUS;
            let stopped = if small > 0.0 { self.sweep(place, way, small) } else { None };
            place += way * stopped.map_or(1.0, |hit| hit.share);
            if stopped.is_some() {
                break;
            }
        }
        Slide { place, touched }
    }

    /// Depenetration of a sphere at `p`; zero if it does not penetrate.
    pub fn depenetration(&self, p: Vec3, radius: f32) -> Vec3 {
        self.out(p, self.radius(radius), false).place - p
    }

    /// Free fraction of the straight motion of a sphere from `from` to `to`.
    pub fn straight(&self, from: Vec3, to: Vec3, radius: f32) -> f32 {
        self.sweep(from, to - from, radius * SWEPT_RADIUS).map_or(1.0, |hit| hit.share)
    }
}

/// Component of a motion that enters none of the walls: along the last one, along the crease with another, or
/// zero in a corner of three.
fn along_walls(way: Vec3, walls: &[Vec3]) -> Vec3 {
    let Some((&last, before)) = walls.split_last() else { return way };
    let flat = way - last * way.dot(last).min(0.0);
    let into = |v: Vec3, wall: Vec3| v.dot(wall) < -1e-6 * v.length();
    let Some(&other) = before.iter().find(|&&w| into(flat, w)) else { return flat };
    let crease = last.cross(other);
    let square = crease.length_squared();
    if square < 1e-12 {
        return Vec3::ZERO;
    }
    let rest = crease * (way.dot(crease) / square);
    if before.iter().any(|&w| into(rest, w)) { Vec3::ZERO } else { rest }
}
