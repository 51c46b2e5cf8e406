//! Collider shapes in their local frame: signed distance, bounds, triangles for drawing, how rigid bodies and triangles of
//! particles meet them, and their code for shaders. No other file has to know all shapes.

use crate::geometry::{DistanceField, Hull, Surface};
use crate::mesh::TriMesh;
use crate::rigid_body::bodies::{ColliderGeometry, TriangleSet};
use crate::rigid_body::polytope::Polytope;
use crate::rigid_body::shape::Convex;
use glam::{DVec3, Vec3};
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

/// Vertices, edges and faces of a shape.
pub struct RoundedMesh {
    /// Vertices [m], in the local frame.
    pub positions: Vec<Vec3>,
    /// Triangles; an edge repeats its last vertex, a point repeats its only one.
    pub primitives: Vec<[u32; 3]>,
    /// Radius of the solid around them [m].
    pub radius: f32,
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

    /// The shape as rigid bodies see it: a half-space, a convex solid, triangles or a distance field.
    pub fn rigid_geometry(&self) -> ColliderGeometry {
        let convex = ColliderGeometry::Convex;
        match self {
            Self::Plane => ColliderGeometry::Plane,
            Self::Sphere { radius } => convex(Convex::Sphere { radius: f64::from(*radius) }),
            Self::Capsule { half_length, radius } => {
                convex(Convex::Capsule { half_length: f64::from(*half_length), radius: f64::from(*radius) })
            }
            Self::Cylinder { half_length, radius } => {
                convex(Convex::Cylinder { half_length: f64::from(*half_length), radius: f64::from(*radius) })
            }
            Self::Box { half } => convex(Convex::cuboid(half.as_dvec3())),
            Self::Convex(hull) => {
                let points: Vec<DVec3> = hull.surface().positions().iter().map(|p| p.as_dvec3()).collect();
                match Polytope::hull(&points) {
                    Some(polytope) => convex(Convex::Hull(Arc::new(polytope))),
                    None => ColliderGeometry::Triangles(Arc::new(TriangleSet::new(hull.surface()))),
                }
            }
            Self::Surface(surface) => ColliderGeometry::Triangles(Arc::new(TriangleSet::new(surface))),
            Self::Field(field) => ColliderGeometry::Field(field.clone()),
        }
    }

    /// Its vertices, edges and faces for contact between triangles; `None` for shapes that only vertices touch, because
    /// they have no corners and edges or none are known.
    pub fn rounded_mesh(&self) -> Option<RoundedMesh> {
        let of = |surface: &Surface| RoundedMesh {
            positions: surface.positions().to_vec(),
            primitives: surface.triangles().to_vec(),
            radius: 0.0,
        };
        Some(match self {
            Self::Plane | Self::Field(_) => return None,
            Self::Sphere { radius } => {
                RoundedMesh { positions: vec![Vec3::ZERO], primitives: vec![[0; 3]], radius: *radius }
            }
            Self::Capsule { half_length, radius } => {
                let end = Vec3::Y * *half_length;
                RoundedMesh { positions: vec![-end, end], primitives: vec![[0, 1, 1]], radius: *radius }
            }
            Self::Box { half } => cuboid(*half),
            Self::Cylinder { half_length, radius } => prism(*half_length, *radius),
            Self::Convex(hull) => of(hull.surface()),
            Self::Surface(surface) => of(surface),
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

fn cuboid(half: Vec3) -> RoundedMesh {
    let sign = |k: usize, bit: u32| if k as u32 >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let positions = (0..8).map(|k| half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let primitives = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    RoundedMesh { positions, primitives, radius: 0.0 }
}

/// A prism in a cylinder.
fn prism(half_length: f32, radius: f32) -> RoundedMesh {
    const SIDES: u32 = 24;
    let ring = |y: f32| {
        (0..SIDES).map(move |k| {
            let angle = k as f32 / SIDES as f32 * std::f32::consts::TAU;
            Vec3::new(radius * libm::sinf(angle), y, radius * libm::cosf(angle))
        })
    };
    let ends = [Vec3::Y * -half_length, Vec3::Y * half_length];
    let positions = ring(-half_length).chain(ring(half_length)).chain(ends).collect();
    let primitives = (0..SIDES).flat_map(|k| {
        let next = (k + 1) % SIDES;
        let (a, b, c, d) = (k, next, SIDES + next, SIDES + k);
        [[a, b, c], [a, c, d], [2 * SIDES, b, a], [2 * SIDES + 1, d, c]]
    });
    RoundedMesh { positions, primitives: primitives.collect(), radius: 0.0 }
}

#[inline]
fn sign(v: f32) -> f32 {
    if v < 0.0 { -1.0 } else { 1.0 }
}
