//! Bounding volumes of the tree: boxes and spheres (S31, D4 §5.2.4).
//!
//! Both are conservatively rounded outward, so that a volume intersects the query of every particle that has a neighbor
//! inside it.

use crate::neighbors::OUTWARD;
use crate::neighbors::sorted_particles::Probe;

/// Overlap query of a particle, or of a leaf's particles.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    center: [f32; 3],
    /// Radius plus margin, widened [m].
    reach: f32,
    /// Minimum coordinates, then the negated maximum: lower bounds for the corners of an intersecting box.
    corners: [f32; 6],
    /// Subtrees of this phase are skipped; 0 skips none.
    pub(crate) phase: u32,
}

impl Query {
    /// Everything closer to a point than `reach` [m], except particles of the given phase (unless that is 0).
    #[inline(always)]
    pub fn new([x, y, z]: [f32; 3], reach: f32, phase: u32) -> Self {
        let r = reach * OUTWARD;
        let corners = [x - r, y - r, z - r, -(x + r), -(y + r), -(z + r)];
        Self { center: [x, y, z], reach: r, corners, phase }
    }

    #[inline(always)]
    pub(crate) fn of(probe: &Probe) -> Self {
        Self::new([probe.x, probe.y, probe.z], probe.radius + probe.margin, probe.phase)
    }

    /// Union of two queries.
    #[inline(always)]
    pub(crate) fn either(&self, other: &Self) -> Self {
        let [a, b] = [self, other].map(|q| Ball { center: q.center, radius: q.reach });
        let ball = Ball::around(&a, &b);
        let corners =
            std::array::from_fn(
                |k| if other.corners[k] < self.corners[k] { other.corners[k] } else { self.corners[k] },
            );
        let phase = if self.phase == other.phase { self.phase } else { 0 };
        Self { center: ball.center, reach: ball.radius, corners, phase }
    }
}

/// A bounding volume.
pub trait Volume: Copy + Default + Send + Sync {
    /// Volume of one particle.
    fn of(center: [f32; 3], radius: f32) -> Self;
    /// Volume enclosing two volumes.
    fn around(a: &Self, b: &Self) -> Self;
    /// Whether the query may intersect anything inside.
    fn overlaps(&self, query: &Query) -> bool;
    /// Whether `other` is contained, up to a rounding error of `slack` [m].
    fn holds(&self, other: &Self, slack: f32) -> bool;
}

/// Axis-aligned box [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Box3 {
    /// Maximum coordinates, then the negated minimum: both are compared the same way, six at once.
    corners: [f32; 6],
}

impl Box3 {
    /// Minimum coordinates.
    pub fn min(&self) -> [f32; 3] {
        std::array::from_fn(|k| -self.corners[3 + k])
    }

    /// Maximum coordinates.
    pub fn max(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.corners[k])
    }
}

impl Volume for Box3 {
    #[inline(always)]
    fn of([x, y, z]: [f32; 3], radius: f32) -> Self {
        let r = radius * OUTWARD;
        Self { corners: [x + r, y + r, z + r, -(x - r), -(y - r), -(z - r)] }
    }
    #[inline(always)]
    fn around(a: &Self, b: &Self) -> Self {
        let greater = |k: usize| if b.corners[k] > a.corners[k] { b.corners[k] } else { a.corners[k] };
        Self { corners: std::array::from_fn(greater) }
    }
    /// If two particles are near, a − r_a ≤ b + r_b holds in real numbers with widened radii; each side is rounded
    /// once, and rounding is monotonic.
    #[inline(always)]
    fn overlaps(&self, query: &Query) -> bool {
        let mut yes = true;
        for k in 0..6 {
            yes &= self.corners[k] >= query.corners[k];
        }
        yes
    }
    fn holds(&self, other: &Self, slack: f32) -> bool {
        (0..6).all(|k| self.corners[k] >= other.corners[k] - slack)
    }
}

/// Sphere [m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    /// Center.
    pub center: [f32; 3],
    /// Radius.
    pub radius: f32,
}

impl Volume for Ball {
    #[inline(always)]
    fn of(center: [f32; 3], radius: f32) -> Self {
        Self { center, radius: radius * OUTWARD }
    }
    /// One of the two if it contains the other, else the smallest enclosing sphere. The radius is measured from the
    /// rounded center, so errors are relative to the radius, independent of the origin.
    #[inline(always)]
    fn around(a: &Self, b: &Self) -> Self {
        let d = distance(a.center, b.center) * OUTWARD;
        if d + b.radius <= a.radius {
            return *a;
        }
        if d + a.radius <= b.radius {
            return *b;
        }
        // Neither contains the other, so d > 0.
        let t = (0.5 * (d + b.radius - a.radius) / d).clamp(0.0, 1.0);
        let center = std::array::from_fn(|k| a.center[k] + (b.center[k] - a.center[k]) * t);
        let to_a = distance(center, a.center) * OUTWARD + a.radius;
        let to_b = distance(center, b.center) * OUTWARD + b.radius;
        Self { center, radius: to_a.max(to_b) * OUTWARD }
    }
    /// Rejects only if certainly out of range: squares that overflow are accepted.
    #[inline(always)]
    fn overlaps(&self, q: &Query) -> bool {
        let d: [f32; 3] = std::array::from_fn(|k| self.center[k] - q.center[k]);
        let reach = (self.radius + q.reach) * OUTWARD;
        let far = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > reach * reach;
        !far
    }
    fn holds(&self, other: &Self, slack: f32) -> bool {
        distance(self.center, other.center) + other.radius <= self.radius + slack
    }
}

#[inline(always)]
fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d: [f32; 3] = std::array::from_fn(|k| a[k] - b[k]);
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}
