//! Contact manifolds: clipping of supporting faces, and reduction to four points.

use crate::rigid_body::shape::Frame;
use glam::{DMat3, DVec3};

/// Most points of a manifold.
pub const POINTS: usize = 4;

/// A point of a manifold, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ManifoldPoint {
    /// Midway between the surfaces [m].
    pub position: DVec3,
    /// Distance along the normal [m], negative where the shapes overlap.
    pub separation: f64,
}

/// Where two convex shapes touch, or may touch soon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Unit normal, from the first shape to the second.
    pub normal: DVec3,
    points: [ManifoldPoint; POINTS],
    count: usize,
}

impl Manifold {
    /// Without points.
    pub fn empty(normal: DVec3) -> Self {
        let none = ManifoldPoint { position: DVec3::ZERO, separation: 0.0 };
        Self { normal, points: [none; POINTS], count: 0 }
    }

    /// A single point.
    pub fn one(normal: DVec3, position: DVec3, separation: f64) -> Self {
        let mut this = Self::empty(normal);
        this.points[0] = ManifoldPoint { position, separation };
        this.count = 1;
        this
    }

    /// Its points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// The same seen from the second shape.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        self
    }

    /// Distances for a second shape that is elsewhere by a way [m] than where it was found. The points stay where the shapes
    /// meet.
    pub fn move_apart(&mut self, by: DVec3) {
        let along = by.dot(self.normal);
        self.points[..self.count].iter_mut().for_each(|p| p.separation += along);
    }

    /// Keeps four points that span the area and include the deepest.
    pub fn reduce(normal: DVec3, all: &[ManifoldPoint]) -> Self {
        let mut this = Self::empty(normal);
        if all.len() <= POINTS {
            this.points[..all.len()].copy_from_slice(all);
            this.count = all.len();
            return this;
        }
        let pick = |score: &dyn Fn(&ManifoldPoint) -> f64| {
            let mut best = (f64::NEG_INFINITY, 0);
            for (k, p) in all.iter().enumerate() {
                let s = score(p);
                if s > best.0 {
                    best = (s, k);
                }
            }
            best
        };
        let (_, a) = pick(&|p| -p.separation);
        let first = all[a].position;
        let (_, b) = pick(&|p| p.position.distance_squared(first));
        let second = all[b].position;
        let across = normal.cross(second - first);
        let side = |p: &ManifoldPoint| (p.position - first).dot(across);
        let (_, c) = pick(&|p| side(p));
        let (_, d) = pick(&|p| -side(p));
        let mut chosen = [a, b, c, d];
        chosen.sort_unstable();
        for (k, &number) in chosen.iter().enumerate() {
            if k == 0 || chosen[k - 1] != number {
                this.points[this.count] = all[number];
                this.count += 1;
            }
        }
        this
    }
}

/// Buffers for clipping, kept between calls.
#[derive(Clone, Debug, Default)]
pub struct ClipBuffers {
    /// Supporting face of the first shape.
    pub first: Vec<DVec3>,
    /// Supporting face of the second shape.
    pub second: Vec<DVec3>,
    front: Vec<DVec3>,
    back: Vec<DVec3>,
    points: Vec<ManifoldPoint>,
}

impl ClipBuffers {
    /// Manifold of `first` and `second`, which are points, segments or polygons in world coordinates. `normal` points from
    /// the first to the second; radii of the shapes around them are `radii`. Points farther apart than `margin` are left
    /// out.
    pub fn clip(&mut self, normal: DVec3, radii: [f64; 2], margin: f64) -> Manifold {
        let [from, to] = [polygon_normal(&self.first), polygon_normal(&self.second)];
        // The polygon that is more parallel to the contact plane is the reference.
        let lean = |n: Option<DVec3>| n.map_or(-1.0, |n| n.dot(normal).abs());
        let flip = lean(to) > lean(from) + 1e-9;
        let (reference, incident, outward) =
            if flip { (&self.second, &self.first, -normal) } else { (&self.first, &self.second, normal) };
        let reference_radius = if flip { radii[1] } else { radii[0] };
        let incident_radius = if flip { radii[0] } else { radii[1] };
        self.points.clear();
        let plane = match (flip, from, to) {
            (false, Some(n), _) | (true, _, Some(n)) => Some(if n.dot(outward) < 0.0 { -n } else { n }),
            _ => None,
        };
        // Faces that lean by more than about 60° are no faces of this contact.
        if let Some(plane) = plane.filter(|p| p.dot(outward) > 0.5) {
            self.front.clear();
            self.front.extend_from_slice(incident);
            let count = reference.len();
            let turn = polygon_normal(reference).map_or(1.0, |n| if n.dot(plane) < 0.0 { -1.0 } else { 1.0 });
            for k in 0..count {
                let (a, b) = (reference[k], reference[(k + 1) % count]);
                // Along the normal of the contact, so that points are measured on the face itself.
                let inward = outward.cross(b - a) * turn;
                clip_by(&self.front, &mut self.back, a, inward);
                std::mem::swap(&mut self.front, &mut self.back);
            }
            for &p in &self.front {
                let over = (p - reference[0]).dot(plane) / plane.dot(outward);
                let separation = over - reference_radius - incident_radius;
                if separation <= margin {
                    let on_incident = p - outward * incident_radius;
                    self.points
                        .push(ManifoldPoint { position: on_incident - outward * (0.5 * separation), separation });
                }
            }
        } else if reference.len() == 2 && incident.len() == 2 {
            segments(reference, incident, outward, [reference_radius, incident_radius], margin, &mut self.points);
        }
        Manifold::reduce(normal, &self.points)
    }
}

/// Axis along which a vector is largest, and its sign there.
fn largest(v: DVec3) -> (usize, f64) {
    let a = v.abs();
    let axis = if a.x >= a.y && a.x >= a.z {
        0
    } else if a.y >= a.z {
        1
    } else {
        2
    };
    (axis, if v[axis] < 0.0 { -1.0 } else { 1.0 })
}

/// Manifold of two boxes of half extents, whose contact normal is that of a face: the facing rectangle of the other box, clipped by
/// this face. Points farther apart than `margin` are left out.
pub fn box_faces(a: (DVec3, &Frame), b: (DVec3, &Frame), normal: DVec3, margin: f64) -> Manifold {
    let toward = [a.1.rotation.conjugate() * normal, b.1.rotation.conjugate() * -normal];
    let lean = |k: usize| toward[k].abs().max_element();
    let flip = lean(1) > lean(0) + 1e-9;
    let ((half, at), (other, at_other)) = if flip { (b, a) } else { (a, b) };
    let (axis, sign) = largest(toward[usize::from(flip)]);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    // The rectangle of the other box in the frame of this one: u, v, and height over the face.
    let turn = DMat3::from_quat(at.rotation.conjugate() * at_other.rotation);
    let shift = at.inward(at_other.position);
    let (facing, facing_sign) = largest(toward[usize::from(!flip)]);
    let columns = [turn.x_axis, turn.y_axis, turn.z_axis];
    let middle = shift + columns[facing] * (facing_sign * other[facing]);
    let (p, q) = ((facing + 1) % 3, (facing + 2) % 3);
    let (e, f) = (columns[p] * other[p], columns[q] * other[q]);
    let mut corners = [[0.0; 3]; 8];
    let mut count = 4;
    for (to, c) in corners.iter_mut().zip([middle + e + f, middle - e + f, middle - e - f, middle + e - f]) {
        *to = [c[u], c[v], sign * c[axis] - half[axis]];
    }
    for (coordinate, bound) in [(0, half[u]), (1, half[v])] {
        for side in [1.0, -1.0] {
            count = clip_rectangle(&mut corners, count, (coordinate, side, bound));
        }
    }
    let outward = if flip { -normal } else { normal };
    let mut points = [ManifoldPoint { position: DVec3::ZERO, separation: 0.0 }; 8];
    let mut found = 0;
    for [x, y, z] in corners.iter().take(count).filter(|c| c[2] <= margin) {
        let mut local = DVec3::ZERO;
        (local[u], local[v], local[axis]) = (*x, *y, sign * (z + half[axis]));
        points[found] = ManifoldPoint { position: at.outward(local) - outward * (0.5 * z), separation: *z };
        found += 1;
    }
    Manifold::reduce(normal, &points[..found])
}

/// Keeps the part of a polygon where `side` times a coordinate is at most `bound`.
fn clip_rectangle(corners: &mut [[f64; 3]; 8], count: usize, (coordinate, side, bound): (usize, f64, f64)) -> usize {
    let from = *corners;
    // Corners on the edge count as inside: rounding must not remove an aligned face.
    let tolerance = 1e-12 * (1.0 + bound);
    let over = |c: &[f64; 3]| side * c[coordinate] - bound;
    let mut kept = 0;
    for k in 0..count {
        let (p, q) = (&from[k], &from[(k + 1) % count]);
        let (s, t) = (over(p), over(q));
        if s <= tolerance && kept < 8 {
            corners[kept] = *p;
            kept += 1;
        }
        if (s <= tolerance) != (t <= tolerance) && kept < 8 {
            let share = s / (s - t);
            corners[kept] = [0, 1, 2].map(|i| p[i] + (q[i] - p[i]) * share);
            kept += 1;
        }
    }
    kept
}

/// Two points of nearly parallel segments; none if they cross at an angle.
fn segments(
    a: &[DVec3],
    b: &[DVec3],
    outward: DVec3,
    [ra, rb]: [f64; 2],
    margin: f64,
    points: &mut Vec<ManifoldPoint>,
) {
    let way = a[1] - a[0];
    let length = way.length();
    let other = b[1] - b[0];
    if length < 1e-12 || other.length() < 1e-12 {
        return;
    }
    let axis = way / length;
    if axis.cross(other / other.length()).length() > 0.1 {
        return;
    }
    let (mut t0, mut t1) = ((b[0] - a[0]).dot(axis), (b[1] - a[0]).dot(axis));
    let (mut p0, mut p1) = (b[0], b[1]);
    if t0 > t1 {
        (t0, t1, p0, p1) = (t1, t0, p1, p0);
    }
    let (low, high) = (t0.max(0.0), t1.min(length));
    if high <= low {
        return;
    }
    for t in [low, high] {
        let q = p0 + (p1 - p0) * ((t - t0) / (t1 - t0));
        let separation = (q - (a[0] + axis * t)).dot(outward) - ra - rb;
        if separation <= margin {
            let position = q - outward * rb - outward * (0.5 * separation);
            points.push(ManifoldPoint { position, separation });
        }
    }
}

/// Keeps the part of a polygon or segment on the inner side of a plane through `a`.
fn clip_by(polygon: &[DVec3], out: &mut Vec<DVec3>, a: DVec3, inward: DVec3) {
    out.clear();
    let count = polygon.len();
    // Corners on the plane count as inside: rounding must not remove an aligned face.
    let tolerance = -1e-12 * (1.0 + inward.length_squared());
    for k in 0..count {
        let (p, q) = (polygon[k], polygon[(k + 1) % count]);
        let (s, t) = ((p - a).dot(inward), (q - a).dot(inward));
        if s >= tolerance {
            out.push(p);
        }
        let last_of_segment = count == 2 && k == 1;
        if (s >= tolerance) != (t >= tolerance) && count > 1 && !last_of_segment {
            out.push(p + (q - p) * (s / (s - t)));
        }
    }
}

/// Unit normal of a polygon of three or more corners.
fn polygon_normal(polygon: &[DVec3]) -> Option<DVec3> {
    if polygon.len() < 3 {
        return None;
    }
    let at = |k: usize| polygon[k % polygon.len()] - polygon[0];
    let sum: DVec3 = (0..polygon.len()).map(|k| at(k).cross(at(k + 1))).sum();
    sum.try_normalize()
}
