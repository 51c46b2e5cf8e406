//! Manifolds of pairs of convex shapes, and of convex shapes with half-spaces and distance functions.
//!
//! | pair | method |
//! | --- | --- |
//! | sphere – any | signed distance at its center |
//! | capsule – capsule | nearest points of segments |
//! | box, hull – box, hull | separating axes, clipped faces |
//! | others | GJK and EPA on cores, clipped supporting faces |

use crate::rigid_body::gjk;
use crate::rigid_body::manifold::{ClipBuffers, Manifold, ManifoldPoint, box_faces};
use crate::rigid_body::sat::{self, Axis, nearest_of_segments};
use crate::rigid_body::shape::{Convex, Frame};
use glam::DVec3;

/// A shape where it is.
pub type Placed<'a> = (&'a Convex, &'a Frame);

/// Where two shapes touch or come within `margin` [m]; the normal points from the first to the second.
pub fn collide(a: Placed<'_>, b: Placed<'_>, margin: f64, buffers: &mut ClipBuffers) -> Option<Manifold> {
    match (a.0, b.0) {
        (Convex::Sphere { radius }, _) => sphere(b, a.1.position, *radius, margin).map(Manifold::flipped),
        (_, Convex::Sphere { radius }) => sphere(a, b.1.position, *radius, margin),
        (Convex::Capsule { half_length: la, radius: ra }, Convex::Capsule { half_length: lb, radius: rb }) => {
            capsules((*la, *ra, a.1), (*lb, *rb, b.1), margin, buffers)
        }
        _ => match (solid(a.0), solid(b.0)) {
            (Some(pa), Some(pb)) => {
                let found = match (a.0, b.0) {
                    (Convex::Box { half: ha, .. }, Convex::Box { half: hb, .. }) => {
                        sat::separate_boxes(*ha, a.1, *hb, b.1, margin)?
                    }
                    _ => sat::separate(pa, a.1, pb, b.1, margin)?,
                };
                match found.axis {
                    Axis::Face if boxes(a, b).is_some() => {
                        let manifold =
                            boxes(a, b).map(|[ha, hb]| box_faces((ha, a.1), (hb, b.1), found.normal, margin));
                        // Deep overlaps may have faces that do not meet along the normal.
                        let full = manifold.filter(|m| !m.points().is_empty());
                        full.or_else(|| by_support(a, b, margin, buffers))
                    }
                    Axis::Edges(middle) => Some(Manifold::one(found.normal, middle, found.distance)),
                    Axis::Face => {
                        let manifold = faces(a, b, found.normal, margin, buffers);
                        // Deep overlaps may have faces that do not meet along the normal.
                        if manifold.points().is_empty() { by_support(a, b, margin, buffers) } else { Some(manifold) }
                    }
                }
            }
            _ => by_support(a, b, margin, buffers),
        },
    }
}

/// The polytope of a shape with an inside.
fn solid(shape: &Convex) -> Option<&crate::rigid_body::polytope::Polytope> {
    shape.polytope().filter(|p| p.faces.len() > 2)
}

/// Half extents of two boxes.
fn boxes(a: Placed<'_>, b: Placed<'_>) -> Option<[DVec3; 2]> {
    match (a.0, b.0) {
        (Convex::Box { half: a, .. }, Convex::Box { half: b, .. }) => Some([*a, *b]),
        _ => None,
    }
}

fn sphere(a: Placed<'_>, center: DVec3, radius: f64, margin: f64) -> Option<Manifold> {
    let (distance, normal) = a.0.signed_distance(a.1.inward(center));
    let separation = distance - radius;
    let normal = a.1.rotation * normal;
    (separation <= margin).then(|| Manifold::one(normal, center - normal * (radius + 0.5 * separation), separation))
}

fn capsules(
    (la, ra, fa): (f64, f64, &Frame),
    (lb, rb, fb): (f64, f64, &Frame),
    margin: f64,
    buffers: &mut ClipBuffers,
) -> Option<Manifold> {
    let ends = |half: f64, f: &Frame| [f.outward(DVec3::Y * -half), f.outward(DVec3::Y * half)];
    let (a, b) = (ends(la, fa), ends(lb, fb));
    let (p, q) = nearest_of_segments(a[0], a[1], b[0], b[1]);
    let distance = p.distance(q);
    if distance - ra - rb > margin {
        return None;
    }
    let crossed = (a[1] - a[0]).cross(b[1] - b[0]).normalize_or(DVec3::Y);
    let normal = if distance > 1e-9 * (ra + rb) { (q - p) / distance } else { crossed };
    buffers.first.clear();
    buffers.first.extend(a);
    buffers.second.clear();
    buffers.second.extend(b);
    let parallel = buffers.clip(normal, [ra, rb], margin);
    if !parallel.points().is_empty() {
        return Some(parallel);
    }
    let separation = distance - ra - rb;
    Some(Manifold::one(normal, p + normal * (ra + 0.5 * separation), separation))
}

/// Clips the supporting faces of two shapes.
fn faces(a: Placed<'_>, b: Placed<'_>, normal: DVec3, margin: f64, buffers: &mut ClipBuffers) -> Manifold {
    a.0.supporting_face(a.1.rotation.conjugate() * normal, &mut buffers.first);
    b.0.supporting_face(b.1.rotation.conjugate() * -normal, &mut buffers.second);
    buffers.first.iter_mut().for_each(|p| *p = a.1.outward(*p));
    buffers.second.iter_mut().for_each(|p| *p = b.1.outward(*p));
    buffers.clip(normal, [a.0.radius(), b.0.radius()], margin)
}

fn by_support(a: Placed<'_>, b: Placed<'_>, margin: f64, buffers: &mut ClipBuffers) -> Option<Manifold> {
    let radii = a.0.radius() + b.0.radius();
    let found = gjk::nearest(a, b, margin + radii)?;
    let separation = found.distance - radii;
    if separation > margin {
        return None;
    }
    let manifold = faces(a, b, found.normal, margin, buffers);
    // A clipped face must not miss the point that is nearest.
    let deepest = manifold.points().iter().map(|p| p.separation).fold(f64::INFINITY, f64::min);
    if deepest <= separation + 0.02 * (a.0.thickness().min(b.0.thickness())) {
        return Some(manifold);
    }
    let position = found.on_first + found.normal * (a.0.radius() + 0.5 * separation);
    Some(Manifold::one(found.normal, position, separation))
}

/// Where a shape touches the half-space below a plane: all points x with normal·x ≤ offset. The normal points to the shape.
pub fn collide_plane(
    normal: DVec3,
    offset: f64,
    b: Placed<'_>,
    margin: f64,
    buffers: &mut ClipBuffers,
) -> Option<Manifold> {
    let radius = b.0.radius();
    let local = b.1.rotation.conjugate() * -normal;
    if (b.1.outward(b.0.core_support(local))).dot(normal) - offset - radius > margin {
        return None;
    }
    let mut points = std::mem::take(&mut buffers.first);
    match b.0.polytope() {
        // All corners: a box on its edge has two of different faces.
        Some(polytope) => {
            points.clear();
            points.extend_from_slice(&polytope.corners);
        }
        None => b.0.supporting_face(local, &mut points),
    }
    let mut all: Vec<ManifoldPoint> = Vec::with_capacity(points.len());
    for p in &points {
        let p = b.1.outward(*p) - normal * radius;
        let separation = p.dot(normal) - offset;
        if separation <= margin {
            all.push(ManifoldPoint { position: p - normal * (0.5 * separation), separation });
        }
    }
    buffers.first = points;
    Some(Manifold::reduce(normal, &all)).filter(|m| !m.points().is_empty())
}

/// Where a shape touches a solid that is known by its signed distance alone: at the shape's center, corners, and points
/// between them. Normals may differ; the manifold has that of the deepest point.
pub fn collide_distance(
    distance: &dyn Fn(DVec3) -> (f64, DVec3),
    b: Placed<'_>,
    margin: f64,
    buffers: &mut ClipBuffers,
) -> Option<Manifold> {
    let radius = b.0.radius();
    let mut points = std::mem::take(&mut buffers.first);
    sample(b.0, &mut points);
    let mut found: Vec<(f64, DVec3, DVec3)> = Vec::new();
    for p in &points {
        let p = b.1.outward(*p);
        let (gap, normal) = distance(p);
        if gap - radius <= margin {
            found.push((gap - radius, normal, p));
        }
    }
    buffers.first = points;
    let mut deepest = found.first().copied()?;
    found.iter().for_each(|f| {
        if f.0 < deepest.0 {
            deepest = *f;
        }
    });
    let normal = deepest.1;
    let all: Vec<ManifoldPoint> = found
        .iter()
        .filter(|f| f.1.dot(normal) > 0.9)
        .map(|&(separation, _, p)| ManifoldPoint { position: p - normal * (radius + 0.5 * separation), separation })
        .collect();
    Some(Manifold::reduce(normal, &all))
}

/// Points that stand for a shape's core against a distance function.
fn sample(shape: &Convex, out: &mut Vec<DVec3>) {
    out.clear();
    match shape {
        Convex::Sphere { .. } => out.push(DVec3::ZERO),
        Convex::Capsule { half_length, .. } => {
            out.extend((-2..=2).map(|k| DVec3::Y * (0.5 * f64::from(k) * half_length)));
        }
        Convex::Box { polytope, .. } | Convex::Hull(polytope) => {
            out.extend_from_slice(&polytope.corners);
            out.extend(
                polytope
                    .edges
                    .iter()
                    .map(|e| 0.5 * (polytope.corners[e.from as usize] + polytope.corners[e.to as usize])),
            );
            out.extend(polytope.faces.iter().map(|f| {
                f.corners.iter().map(|&k| polytope.corners[k as usize]).sum::<DVec3>() / f.corners.len() as f64
            }));
        }
        Convex::Cylinder { half_length, .. } | Convex::Cone { half_length, .. } => {
            let mut ring = Vec::new();
            for d in [DVec3::Y, DVec3::NEG_Y, DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z] {
                shape.supporting_face(d, &mut ring);
                out.extend_from_slice(&ring);
            }
            out.extend([DVec3::Y * *half_length, DVec3::Y * -half_length]);
        }
    }
}

/// Time share in 0..1 at which two shapes that move straight by these ways [m] first come within `gap` [m]; `None` if they
/// do not. Conservative advancement along the separating direction.
pub fn time_of_impact(a: Placed<'_>, way_a: DVec3, b: Placed<'_>, way_b: DVec3, gap: f64) -> Option<f64> {
    let way = way_b - way_a;
    let radii = a.0.radius() + b.0.radius();
    let mut share = 0.0;
    for _ in 0..32 {
        let moved = Frame { position: b.1.position + way * share, ..*b.1 };
        let found = gjk::nearest(a, (b.0, &moved), f64::INFINITY)?;
        let distance = found.distance - radii;
        let closing = -way.dot(found.normal);
        if distance <= gap {
            // Touching and parting: no impact.
            return (closing > 0.0 || share > 0.0).then_some(share);
        }
        if closing <= 0.0 {
            return None;
        }
        share += (distance - 0.5 * gap) / closing;
        if share > 1.0 {
            return None;
        }
    }
    Some(share)
}
