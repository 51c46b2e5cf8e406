//! Convex shapes of rigid bodies: support points, supporting faces, bounds.
//!
//! A shape is a core (point, segment, polytope, cylinder, cone) with a radius around it. Round shapes keep their radius out
//! of the core, so that distances between cores are exact and contact points do not turn with a rolling body.

use crate::rigid_body::polytope::Polytope;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// Position and orientation in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin [m].
    pub position: DVec3,
    /// Orientation.
    pub rotation: DQuat,
}

impl Frame {
    /// At the origin, upright.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// From local to world coordinates.
    #[inline]
    pub fn outward(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.position
    }

    /// From world to local coordinates.
    #[inline]
    pub fn inward(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }

    /// A frame given in this one.
    #[inline]
    pub fn then(&self, local: &Self) -> Self {
        Self { position: self.outward(local.position), rotation: (self.rotation * local.rotation).normalize() }
    }
}

/// A convex shape in its local frame. Axes of capsules, cylinders and cones are y.
#[derive(Clone, Debug, PartialEq)]
pub enum Convex {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// All points within `radius` of a segment.
    Capsule {
        /// Half of the segment's length [m].
        half_length: f64,
        /// Radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Half of the edge lengths [m].
        half: DVec3,
        /// The same as a polytope.
        polytope: Arc<Polytope>,
    },
    /// A cylinder.
    Cylinder {
        /// Half of its length [m].
        half_length: f64,
        /// Radius [m].
        radius: f64,
    },
    /// A cone with its apex at `half_length` and its base at −`half_length`.
    Cone {
        /// Half of its height [m].
        half_length: f64,
        /// Radius of the base [m].
        radius: f64,
    },
    /// A convex polytope.
    Hull(Arc<Polytope>),
}

/// Corners of the polygon that stands for a circle in manifolds. Supports are exact; only the corners of a disk that lies
/// flat are samples.
pub const CIRCLE: usize = 8;

impl Convex {
    /// A box of these half extents [m].
    pub fn cuboid(half: DVec3) -> Self {
        Self::Box { half, polytope: Arc::new(Polytope::cuboid(half)) }
    }

    /// Radius around the core [m].
    #[inline]
    pub fn radius(&self) -> f64 {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius,
            _ => 0.0,
        }
    }

    /// The polytope, if it is one.
    #[inline]
    pub fn polytope(&self) -> Option<&Polytope> {
        match self {
            Self::Box { polytope, .. } | Self::Hull(polytope) => Some(polytope),
            _ => None,
        }
    }

    /// The point of the core farthest along a direction.
    #[inline]
    pub fn core_support(&self, d: DVec3) -> DVec3 {
        let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
        match self {
            Self::Sphere { .. } => DVec3::ZERO,
            Self::Capsule { half_length, .. } => DVec3::new(0.0, half_length * sign(d.y), 0.0),
            Self::Box { half, .. } => DVec3::new(half.x * sign(d.x), half.y * sign(d.y), half.z * sign(d.z)),
            Self::Hull(polytope) => polytope.support(d),
            Self::Cylinder { half_length, radius } => {
                let along = DVec3::new(d.x, 0.0, d.z).normalize_or_zero();
                along * *radius + DVec3::new(0.0, half_length * sign(d.y), 0.0)
            }
            Self::Cone { half_length, radius } => {
                let along = DVec3::new(d.x, 0.0, d.z).normalize_or_zero();
                let base = along * *radius - DVec3::new(0.0, *half_length, 0.0);
                let apex = DVec3::new(0.0, *half_length, 0.0);
                if apex.dot(d) > base.dot(d) { apex } else { base }
            }
        }
    }

    /// A point inside the core.
    pub fn center(&self) -> DVec3 {
        match self {
            Self::Hull(polytope) => polytope.center,
            _ => DVec3::ZERO,
        }
    }

    /// The part of the core's surface that faces a unit direction: a point, a segment, or a polygon counter-clockwise from
    /// outside.
    pub fn supporting_face(&self, d: DVec3, out: &mut Vec<DVec3>) {
        out.clear();
        match self {
            Self::Sphere { .. } => out.push(DVec3::ZERO),
            Self::Capsule { half_length, .. } => {
                let end = DVec3::new(0.0, *half_length, 0.0);
                out.extend([-end, end]);
            }
            Self::Box { polytope, .. } | Self::Hull(polytope) => {
                let face = &polytope.faces[polytope.face_toward(d)];
                out.extend(face.corners.iter().map(|&k| polytope.corners[k as usize]));
            }
            Self::Cylinder { half_length, radius } => {
                let across = DVec3::new(d.x, 0.0, d.z);
                // The corner of the profile decides between an end and the side.
                if d.y.abs() >= across.length() {
                    let y = if d.y < 0.0 { -half_length } else { *half_length };
                    disk(*radius, y, d, out);
                } else {
                    let side = across.normalize_or(DVec3::X) * *radius;
                    out.extend([side - DVec3::Y * *half_length, side + DVec3::Y * *half_length]);
                }
            }
            Self::Cone { half_length, radius } => {
                let across = DVec3::new(d.x, 0.0, d.z);
                // Normals of base (down) and side (2h across, r up): the nearer one.
                let height = 2.0 * half_length;
                let length = (height * height + radius * radius).sqrt();
                let side = (across.length() * height + d.y * radius) / length;
                if -d.y > side {
                    disk(*radius, -half_length, d, out);
                } else {
                    let rim = across.normalize_or(DVec3::X) * *radius - DVec3::Y * *half_length;
                    out.extend([rim, DVec3::Y * *half_length]);
                }
            }
        }
    }

    /// Half extents of the bounding box in world axes, and its center relative to the frame's origin [m].
    pub fn extents(&self, rotation: &DMat3) -> (DVec3, DVec3) {
        let round = |half_length: f64, radius: f64| {
            let axis = rotation.y_axis;
            let ring = (DVec3::ONE - axis * axis).max(DVec3::ZERO);
            axis.abs() * half_length + DVec3::new(ring.x.sqrt(), ring.y.sqrt(), ring.z.sqrt()) * radius
        };
        match self {
            Self::Sphere { radius } => (DVec3::ZERO, DVec3::splat(*radius)),
            Self::Capsule { half_length, radius } => {
                (DVec3::ZERO, rotation.y_axis.abs() * *half_length + DVec3::splat(*radius))
            }
            Self::Cylinder { half_length, radius } => (DVec3::ZERO, round(*half_length, *radius)),
            Self::Cone { half_length, radius } => {
                // Around its apex and the disk of its base.
                let (apex, disk) = (rotation.y_axis * *half_length, round(0.0, *radius));
                let (low, high) = (apex.min(-apex - disk), apex.max(disk - apex));
                (0.5 * (low + high), 0.5 * (high - low))
            }
            Self::Box { half, .. } => {
                let r = rotation;
                (DVec3::ZERO, r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z)
            }
            Self::Hull(polytope) => {
                let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                for &p in &polytope.corners {
                    let p = *rotation * p;
                    (low, high) = (low.min(p), high.max(p));
                }
                (0.5 * (low + high), 0.5 * (high - low))
            }
        }
    }

    /// Distance of its farthest point from the frame's origin [m].
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule { half_length, radius } => half_length + radius,
            Self::Cylinder { half_length, radius } | Self::Cone { half_length, radius } => {
                (half_length * half_length + radius * radius).sqrt()
            }
            Self::Box { half, .. } => half.length(),
            Self::Hull(polytope) => polytope.corners.iter().map(|p| p.length()).fold(0.0, f64::max),
        }
    }

    /// A length that stands for its thickness [m]: motion beyond it may cross thin things.
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            Self::Cylinder { half_length, radius } | Self::Cone { half_length, radius } => half_length.min(*radius),
            Self::Box { half, .. } => half.min_element(),
            Self::Hull(polytope) => {
                let inner = polytope.faces.iter().map(|f| f.offset - f.normal.dot(polytope.center));
                inner.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Signed distance [m] (negative inside) and outward normal at a local point.
    pub fn signed_distance(&self, p: DVec3) -> (f64, DVec3) {
        let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
        let from = |d: DVec3, radius: f64| (d.length() - radius, d.normalize_or(DVec3::Y));
        match self {
            Self::Sphere { radius } => from(p, *radius),
            Self::Capsule { half_length, radius } => {
                from(p - DVec3::new(0.0, p.y.clamp(-half_length, *half_length), 0.0), *radius)
            }
            Self::Box { half, .. } => {
                let q = p.abs() - *half;
                let outside = q.max(DVec3::ZERO);
                let length = outside.length();
                let s = DVec3::new(sign(p.x), sign(p.y), sign(p.z));
                if length > 0.0 {
                    (length, outside * s / length)
                } else if q.x >= q.y && q.x >= q.z {
                    (q.x, DVec3::X * s.x)
                } else if q.y >= q.z {
                    (q.y, DVec3::Y * s.y)
                } else {
                    (q.z, DVec3::Z * s.z)
                }
            }
            Self::Cylinder { half_length, radius } => profile(
                p,
                &[[0.0, *half_length], [*radius, *half_length], [*radius, -half_length], [0.0, -half_length]],
            ),
            Self::Cone { half_length, radius } => {
                profile(p, &[[0.0, *half_length], [*radius, -half_length], [0.0, -half_length]])
            }
            Self::Hull(polytope) => hull_distance(polytope, p),
        }
    }
}

/// Corners of a disk of a radius at a height, counter-clockwise seen along −d, the first one toward d.
fn disk(radius: f64, y: f64, d: DVec3, out: &mut Vec<DVec3>) {
    // The lowest point of a disk that leans is exact: the polygon begins there.
    let toward = DVec3::new(d.x, 0.0, d.z);
    let first = if toward.length() > 1e-9 { toward.normalize() } else { DVec3::X };
    let side = DVec3::new(first.z, 0.0, -first.x) * if y < 0.0 { -1.0 } else { 1.0 };
    const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
    let ring: [(f64, f64); CIRCLE] =
        [(1.0, 0.0), (HALF, HALF), (0.0, 1.0), (-HALF, HALF), (-1.0, 0.0), (-HALF, -HALF), (0.0, -1.0), (HALF, -HALF)];
    out.extend(ring.iter().map(|&(c, s)| (first * c + side * s) * radius + DVec3::Y * y));
}

/// Distance to a solid of revolution about y: its convex profile from the top of the axis to its bottom, clockwise in the
/// half-plane (r, y).
fn profile(p: DVec3, corners: &[[f64; 2]]) -> (f64, DVec3) {
    let r = (p.x * p.x + p.z * p.z).sqrt();
    let radial = if r > 1e-12 { DVec3::new(p.x / r, 0.0, p.z / r) } else { DVec3::X };
    let mut inside = (f64::NEG_INFINITY, [0.0, 1.0]);
    let mut nearest = (f64::INFINITY, [0.0, 1.0]);
    for pair in corners.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let way = [b[0] - a[0], b[1] - a[1]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        // Clockwise from the top: outward is to the left of the way.
        let normal = [-way[1] / length, way[0] / length];
        let offset = [r - a[0], p.y - a[1]];
        let over = normal[0] * offset[0] + normal[1] * offset[1];
        if over > inside.0 {
            inside = (over, normal);
        }
        let share = ((offset[0] * way[0] + offset[1] * way[1]) / (length * length)).clamp(0.0, 1.0);
        let gap = [offset[0] - share * way[0], offset[1] - share * way[1]];
        let distance = (gap[0] * gap[0] + gap[1] * gap[1]).sqrt();
        if distance < nearest.0 {
            nearest = (distance, if distance > 1e-12 { [gap[0] / distance, gap[1] / distance] } else { normal });
        }
    }
    let (distance, normal) = if inside.0 <= 0.0 { inside } else { nearest };
    (distance, (radial * normal[0] + DVec3::Y * normal[1]).normalize_or(DVec3::Y))
}

fn hull_distance(polytope: &Polytope, p: DVec3) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (k, face) in polytope.faces.iter().enumerate() {
        let over = face.normal.dot(p) - face.offset;
        if over > best.0 {
            best = (over, k);
        }
    }
    if best.0 <= 0.0 {
        return (best.0, polytope.faces[best.1].normal);
    }
    let mut nearest = (f64::INFINITY, polytope.faces[best.1].normal);
    for face in polytope.faces.iter().filter(|f| f.normal.dot(p) > f.offset) {
        let corner = |k: usize| polytope.corners[face.corners[k % face.corners.len()] as usize];
        let mut foot = Some(p - face.normal * (face.normal.dot(p) - face.offset));
        let mut edge_foot = (f64::INFINITY, p);
        for k in 0..face.corners.len() {
            let (a, b) = (corner(k), corner(k + 1));
            if (b - a).cross(p - a).dot(face.normal) < 0.0 {
                foot = None;
            }
            let q = nearest_on_segment(a, b, p);
            let distance = q.distance(p);
            if distance < edge_foot.0 {
                edge_foot = (distance, q);
            }
        }
        let q = foot.unwrap_or(edge_foot.1);
        let distance = q.distance(p);
        if distance < nearest.0 {
            nearest = (distance, (p - q).normalize_or(face.normal));
        }
    }
    nearest
}

/// The point of a segment nearest to another.
pub fn nearest_on_segment(a: DVec3, b: DVec3, p: DVec3) -> DVec3 {
    let way = b - a;
    let square = way.length_squared();
    if square <= 0.0 { a } else { a + way * ((p - a).dot(way) / square).clamp(0.0, 1.0) }
}
