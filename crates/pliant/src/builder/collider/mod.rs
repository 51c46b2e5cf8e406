//! Builds colliders from the scene: analytic shapes directly, others as tables in a local frame.

pub mod sdf;

use crate::builder::placement::{motion, rotation};
use crate::builder::{BuildError, MeshSource, generate};
use crate::contact::collider::Collider as ModelCollider;
use crate::contact::collider_contact::{ColliderShape, Friction};
use crate::error::SceneError;
use crate::geometry::{Hull, Surface};
use crate::math::Pose;
use crate::mesh::repair::{SurfaceNeed, clean_surface};
use crate::mesh::topology::boundary;
use crate::mesh::{TetMesh, TriMesh};
use crate::scene::{Collider, MeshShape};
use glam::{DVec3, Quat, Vec3, Vec4};
use std::sync::Arc;

/// Maximum triangles of a collider: 100 bytes each including the BVH.
const MOST_TRIANGLES: usize = 4_000_000;

/// Maximum faces of a hull: every particle near it tests all of them.
const MOST_FACES: usize = 16_384;

/// Maximum distance of a vertex from the center of its mesh [m].
const MAX_POSITION: f32 = 1e5;

/// Default number of grid points along the longest side of a distance field.
const DEFAULT_GRID: u32 = 64;

/// A collider in its local frame, and the pose of that frame. Its motion begins at `start` [s].
pub fn collider(
    number: usize,
    c: &Collider,
    start: f64,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<ModelCollider, BuildError> {
    let (shape, base) = match analytic(c) {
        Some(found) => found,
        None => tables(&format!("collider[{number}]"), c, meshes, notes)?,
    };
    Ok(ModelCollider {
        name: if c.name.is_empty() { format!("collider {number}") } else { c.name.clone() },
        shape,
        friction: Friction {
            static_friction: c.friction.static_friction,
            kinetic_friction: c.friction.kinetic_friction,
        },
        restitution: c.restitution,
        rolling: c.rolling,
        motion: motion(c.motion.as_ref(), base, start),
    })
}

fn analytic(c: &Collider) -> Option<(ColliderShape, Pose)> {
    let upright = |axis: Vec3| Quat::from_rotation_arc(Vec3::Y, axis);
    let (shape, position, rotation) = if let Some(p) = &c.plane {
        let normal = Vec3::from(p.normal).normalize();
        (ColliderShape::Plane, normal * p.offset, upright(normal))
    } else if let Some(s) = &c.sphere {
        (ColliderShape::Sphere { radius: s.radius }, Vec3::from(s.center), Quat::IDENTITY)
    } else if let Some(k) = &c.capsule {
        let (from, to) = (Vec3::from(k.from), Vec3::from(k.to));
        let half_length = from.distance(to) / 2.0;
        // A capsule of zero length is a sphere without direction.
        let axis = if half_length > 0.0 { (to - from).normalize() } else { Vec3::Y };
        (ColliderShape::Capsule { half_length, radius: k.radius }, (from + to) / 2.0, upright(axis))
    } else if let Some(k) = &c.cylinder {
        let (from, to) = (Vec3::from(k.from), Vec3::from(k.to));
        let shape = ColliderShape::Cylinder { half_length: from.distance(to) / 2.0, radius: k.radius };
        (shape, (from + to) / 2.0, upright((to - from).normalize()))
    } else if let Some(b) = &c.cuboid {
        (ColliderShape::Box { half: Vec3::from(b.size) / 2.0 }, Vec3::from(b.center), rotation(b.rotate))
    } else {
        return None;
    };
    Some((shape, Pose { position, rotation }))
}

/// Builds the three tabulated shapes.
fn tables(
    at: &str,
    c: &Collider,
    meshes: &dyn MeshSource,
    notes: &mut Vec<String>,
) -> Result<(ColliderShape, Pose), BuildError> {
    let (key, spec) = match (&c.convex, &c.surface, &c.sdf) {
        (Some(spec), ..) => ("convex", spec),
        (_, Some(spec), _) => ("surface", spec),
        (.., Some(spec)) => ("sdf", spec),
        _ => return Err(BuildError::nothing(at)),
    };
    let at = format!("{at}.{key}");
    let mut mesh = source(&at, spec, meshes)?;
    let wrong = |message: String| BuildError::Scene(SceneError::new(&at, message));
    if key != "convex" {
        let need = if key == "sdf" { SurfaceNeed::Closed } else { SurfaceNeed::Open };
        let (clean, repairs) = clean_surface(mesh, need).map_err(|e| wrong(e.to_string()))?;
        notes.extend(repairs.into_iter().map(|note| format!("{at}: {note}")));
        mesh = clean;
    }
    if mesh.triangles.len() > MOST_TRIANGLES {
        let found = mesh.triangles.len();
        return Err(wrong(format!("has {found} triangles, but at most {MOST_TRIANGLES} are allowed")));
    }
    let base = center(&at, &mut mesh, spec)?;
    let shape = match key {
        "convex" => ColliderShape::Convex(Arc::new(hull(&at, &mesh.positions)?)),
        "surface" => ColliderShape::Surface(Arc::new(Surface::new(mesh.positions, &mesh.triangles))),
        _ => {
            let grid = spec.grid.unwrap_or(DEFAULT_GRID);
            ColliderShape::Field(Arc::new(sdf::field(mesh, grid).map_err(|e| wrong(e.to_string()))?))
        }
    };
    Ok((shape, base))
}

/// The mesh as the scene describes it, untransformed.
fn source(at: &str, spec: &MeshShape, meshes: &dyn MeshSource) -> Result<TriMesh, BuildError> {
    let skin =
        |mesh: TetMesh| TriMesh { triangles: boundary(mesh.positions.len(), &mesh.tets), positions: mesh.positions };
    Ok(if let Some(points) = &spec.points {
        TriMesh { positions: points.iter().map(|&p| Vec3::from(p)).collect(), triangles: Vec::new() }
    } else if let Some(inline) = &spec.inline {
        let positions = inline.points.iter().map(|&p| Vec3::from(p)).collect();
        TriMesh { positions, triangles: inline.triangles.clone() }
    } else if let Some(bowl) = &spec.bowl {
        generate::bowl(bowl)
    } else if let Some(torus) = &spec.torus {
        skin(generate::torus(torus))
    } else if let Some(figure) = &spec.figure {
        skin(generate::figure(figure))
    } else if let Some(file) = &spec.mesh {
        meshes.triangles(file).map_err(|e| SceneError::new(format!("{at}.mesh"), e))?
    } else {
        return Err(BuildError::nothing(at));
    })
}

/// Scales the mesh and centers it at the origin; returns its pose. Small coordinates keep precision.
fn center(at: &str, mesh: &mut TriMesh, spec: &MeshShape) -> Result<Pose, BuildError> {
    let t = &spec.transform;
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = mesh.positions.iter().fold(start, |(l, h), &p| (l.min(p), h.max(p)));
    let middle = (low + high) * 0.5;
    let farthest = (high - middle).max_element() * t.scale;
    // Also false for NaN, as of an empty mesh.
    if !(farthest <= MAX_POSITION && middle.abs().max_element() * t.scale <= MAX_POSITION) {
        let message = format!("must be finite, and within {MAX_POSITION} m of the origin");
        return Err(SceneError::new(at, message).into());
    }
    mesh.positions.iter_mut().for_each(|p| *p = (*p - middle) * t.scale);
    let turn = rotation(t.rotate);
    Ok(Pose { position: turn * (middle * t.scale) + Vec3::from(t.translate), rotation: turn })
}

/// Planes and surface of the convex hull of points.
pub(crate) fn hull(at: &str, points: &[Vec3]) -> Result<Hull, BuildError> {
    if let Some(bad) = points.iter().position(|p| !p.is_finite()) {
        return Err(SceneError::new(at, format!("point {bad} is not finite")).into());
    }
    let precise: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
    let Some(found) = crate::geometry::quickhull::hull(&precise) else {
        let message = format!("its {} points lie in one plane, so they enclose nothing", points.len());
        return Err(SceneError::new(at, message).help("for a thin sheet use surface instead of convex").into());
    };
    let faces = found.faces.iter().max().map_or(0, |&f| f as usize + 1);
    if faces > MOST_FACES {
        let message = format!("its hull has {faces} faces, but at most {MOST_FACES} are allowed");
        return Err(SceneError::new(at, message).into());
    }
    let corners: Vec<Vec3> = found.corners.iter().map(|&c| points[c as usize]).collect();
    let mut normals = vec![DVec3::ZERO; faces];
    for (t, &face) in found.triangles.iter().zip(&found.faces) {
        let [a, b, c] = t.map(|v| corners[v as usize].as_dvec3());
        normals[face as usize] += (b - a).cross(c - a);
    }
    let planes = normals.iter().map(|n| {
        let n = n.normalize().as_vec3();
        // The farthest corner: rounding of the normal must not cut one off.
        let offset = corners.iter().map(|p| n.dot(*p)).fold(f32::NEG_INFINITY, f32::max);
        Vec4::from((n, offset))
    });
    let planes = planes.collect();
    Ok(Hull::new(planes, Surface::new(corners, &found.triangles)))
}
