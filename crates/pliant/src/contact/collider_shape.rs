//! Collider shapes in their local frame: signed distance, bounds, triangles for drawing, and their code for shaders.

use crate::geometry::{DistanceField, Hull, Surface};
use crate::mesh::TriMesh;
use glam::Vec3;
use std::sync::Arc;

/// Collider shape in its local frame. Tables are shared: a model stores each of them once.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderShape {
    /// Half-space below the plane y = 0.
    Plane,
    /// Sphere.
    Sphere {
        /// Radius [m].
        radius: f32,
    },
    /// All points within `radius` of the segment (0, ±half_length, 0).
    Capsule {
        /// Half of the segment's length [m].
        half_length: f32,
        /// Radius [m].
        radius: f32,
    },
    /// All points within `radius` of the axis y, |y| ≤ half_length.
    Cylinder {
        /// Half of its length [m].
        half_length: f32,
        /// Radius [m].
        radius: f32,
    },
    /// Box.
    Box {
        /// Half extents [m].
        half: Vec3,
    },
    /// Convex polytope.
    Convex(Arc<Hull>),
    /// Two-sided triangle surface without an interior; particles are swept against it (continuous collision detection).
    Surface(Arc<Surface>),
    /// Signed distance field on a grid.
    Field(Arc<DistanceField>),
}

impl ColliderShape {
    /// Vertices [m] and triangles of a shape with tables, in its local frame.
    pub fn skin(&self) -> Option<(&[Vec3], &[[u32; 3]])> {
        match self {
            Self::Convex(hull) => Some((hull.surface().positions(), hull.surface().triangles())),
            Self::Surface(surface) => Some((surface.positions(), surface.triangles())),
            Self::Field(field) => Some((&field.skin().positions, &field.skin().triangles)),
            _ => None,
        }
    }

    /// Memory of its tables, and where they are: shapes may share them [bytes].
    pub fn table_bytes(&self) -> Option<(*const (), u64)> {
        match self {
            Self::Convex(hull) => Some((Arc::as_ptr(hull).cast(), hull.bytes())),
            Self::Surface(surface) => Some((Arc::as_ptr(surface).cast(), surface.bytes())),
            Self::Field(field) => Some((Arc::as_ptr(field).cast(), field.bytes())),
            _ => None,
        }
    }

    /// Lower and upper corner of the bounding box of a shape with tables [m], in its local frame.
    pub fn table_bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Self::Convex(hull) => Some(hull.surface().bounds()),
            Self::Surface(surface) => Some(surface.bounds()),
            Self::Field(field) => Some(field.bounds()),
            _ => None,
        }
    }

    /// Lower and upper corner of the bounding box [m], in its local frame; `None` for a plane.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let half = match *self {
            Self::Plane => return None,
            Self::Sphere { radius } => Vec3::splat(radius),
            Self::Capsule { half_length, radius } => Vec3::new(radius, half_length + radius, radius),
            Self::Cylinder { half_length, radius } => Vec3::new(radius, half_length, radius),
            Self::Box { half } => half,
            Self::Convex(_) | Self::Surface(_) | Self::Field(_) => return self.table_bounds(),
        };
        Some((-half, half))
    }

    /// Triangles for drawing, in the local frame. Faces that meet at an edge share no vertices. `None` for plane, sphere,
    /// capsule and box, which renderers draw as such.
    pub fn drawn(&self) -> Option<TriMesh> {
        Some(match self {
            Self::Plane | Self::Sphere { .. } | Self::Capsule { .. } | Self::Box { .. } => return None,
            Self::Cylinder { half_length, radius } => cylinder(*half_length, *radius),
            Self::Convex(hull) => {
                let (corners, triangles) = (hull.surface().positions(), hull.surface().triangles());
                TriMesh {
                    positions: triangles.iter().flatten().map(|&v| corners[v as usize]).collect(),
                    triangles: (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
                }
            }
            Self::Surface(_) | Self::Field(_) => {
                let (positions, triangles) = self.skin()?;
                TriMesh { positions: positions.to_vec(), triangles: triangles.to_vec() }
            }
        })
    }

    /// Code and sizes for shaders: half extents (x, y, z) or half length (x), and radius (w) [m].
    #[cfg(feature = "gpu")]
    pub fn shader_record(&self) -> (u32, [f32; 4]) {
        match *self {
            Self::Plane => (shader::PLANE, [0.0; 4]),
            Self::Sphere { radius } => (shader::SPHERE, [0.0, 0.0, 0.0, radius]),
            Self::Capsule { half_length, radius } => (shader::CAPSULE, [half_length, 0.0, 0.0, radius]),
            Self::Box { half } => (shader::BOX, half.extend(0.0).to_array()),
            Self::Cylinder { half_length, radius } => (shader::CYLINDER, [half_length, 0.0, 0.0, radius]),
            Self::Convex(_) => (shader::HULL_SHAPE, [0.0; 4]),
            Self::Surface(_) => (shader::SURFACE_SHAPE, [0.0; 4]),
            Self::Field(_) => (shader::FIELD_SHAPE, [0.0; 4]),
        }
    }
}

/// Codes of shapes in shaders. Those from [`shader::HULL_SHAPE`] on have tables.
#[cfg(feature = "gpu")]
pub mod shader {
    crate::runtime::gpu::shader_constants::shader_constants! {
        /// Half-space.
        PLANE = 0;
        /// Sphere.
        SPHERE = 1;
        /// Capsule.
        CAPSULE = 2;
        /// Box.
        BOX = 3;
        /// Cylinder.
        CYLINDER = 4;
        /// Convex hull.
        HULL_SHAPE = 5;
        /// Triangle surface.
        SURFACE_SHAPE = 6;
        /// Signed distance field.
        FIELD_SHAPE = 7;
    }
}

/// Signed distance [m] (negative inside) and outward normal at a point in the collider's frame. Surfaces have no
/// interior: their normals point toward the query point.
#[inline]
pub fn signed_distance(shape: &ColliderShape, p: Vec3) -> (f32, Vec3) {
    match *shape {
        ColliderShape::Plane => (p.y, Vec3::Y),
        ColliderShape::Sphere { radius } => from_axis(p, radius),
        ColliderShape::Capsule { half_length, radius } => {
            from_axis(p - Vec3::new(0.0, p.y.clamp(-half_length, half_length), 0.0), radius)
        }
        ColliderShape::Box { half } => {
            let q = p.abs() - half;
            let outside = q.max(Vec3::ZERO);
            let length = outside.length();
            let sign = Vec3::new(sign(p.x), sign(p.y), sign(p.z));
            if length > 0.0 {
                (length, outside * sign / length)
            } else if q.x >= q.y && q.x >= q.z {
                (q.x, Vec3::new(sign.x, 0.0, 0.0))
            } else if q.y >= q.z {
                (q.y, Vec3::new(0.0, sign.y, 0.0))
            } else {
                (q.z, Vec3::new(0.0, 0.0, sign.z))
            }
        }
        ColliderShape::Cylinder { half_length, radius } => {
            let distance = (p.x * p.x + p.z * p.z).sqrt();
            let radial = if distance > 1e-12 { Vec3::new(p.x / distance, 0.0, p.z / distance) } else { Vec3::X };
            let axial = Vec3::new(0.0, sign(p.y), 0.0);
            let (side, end) = (distance - radius, p.y.abs() - half_length);
            let (out, over) = (side.max(0.0), end.max(0.0));
            let length = (out * out + over * over).sqrt();
            if length > 0.0 {
                (length, (radial * out + axial * over) / length)
            } else if side >= end {
                (side, radial)
            } else {
                (end, axial)
            }
        }
        ColliderShape::Convex(ref hull) => hull.signed_distance(p),
        ColliderShape::Surface(ref surface) => {
            surface.nearest(p, f32::INFINITY).map_or((f32::INFINITY, Vec3::Y), |near| (near.distance, near.normal))
        }
        ColliderShape::Field(ref field) => field.signed_distance(p),
    }
}

/// Distance to a sphere around the closest point of an axis; at zero distance the normal points up.
#[inline]
fn from_axis(d: Vec3, radius: f32) -> (f32, Vec3) {
    let length = d.length();
    let normal = if length > 1e-12 { d / length } else { Vec3::Y };
    (length - radius, normal)
}

/// Triangles of a cylinder: the side, then its two ends.
fn cylinder(half_length: f32, radius: f32) -> TriMesh {
    const SIDES: u32 = 48;
    let circle = |y: f32| {
        (0..SIDES).map(move |k| {
            let (s, c) = (k as f32 / SIDES as f32 * std::f32::consts::TAU).sin_cos();
            Vec3::new(radius * s, y, radius * c)
        })
    };
    let ends = [-half_length, half_length];
    let positions = ends.into_iter().chain(ends).flat_map(circle).collect();
    let side = |k: u32| {
        let next = (k + 1) % SIDES;
        [[k, next, SIDES + next], [k, SIDES + next, SIDES + k]]
    };
    let (bottom, top) = (2 * SIDES, 3 * SIDES);
    let fans = (1..SIDES - 1).flat_map(|k| [[bottom, bottom + k + 1, bottom + k], [top, top + k, top + k + 1]]);
    TriMesh { positions, triangles: (0..SIDES).flat_map(side).chain(fans).collect() }
}

#[inline]
fn sign(v: f32) -> f32 {
    if v < 0.0 { -1.0 } else { 1.0 }
}
