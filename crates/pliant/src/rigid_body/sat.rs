//! Separating axes of two polytopes (Gregorius, "The separating axis test between convex polyhedra", GDC 2013).

use crate::rigid_body::polytope::Polytope;
use crate::rigid_body::shape::{Frame, nearest_on_segment};
use glam::{DMat3, DVec3};

/// The axis of least overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// Normal of a face: clip the supporting faces.
    Face,
    /// Cross product of two edges, which cross at this point midway [m], in world coordinates.
    Edges(DVec3),
}

/// A separating or least penetrating axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Unit normal from the first to the second polytope, in world coordinates.
    pub normal: DVec3,
    /// Distance along it [m]; negative where they overlap.
    pub distance: f64,
    /// What it comes from.
    pub axis: Axis,
}

/// How much less an axis of edges must overlap than one of faces to be used, relative to the distance between centers:
/// faces give four points, and must win where both are equal but for rounding.
const EDGE_BIAS: f64 = 1e-3;

/// The axis along which two polytopes overlap least; `None` if they are farther apart than `margin` [m] along one.
pub fn separate(a: &Polytope, at_a: &Frame, b: &Polytope, at_b: &Frame, margin: f64) -> Option<Separation> {
    // In the frame of the first.
    let inverse = at_a.rotation.conjugate();
    let rotation = DMat3::from_quat(inverse * at_b.rotation);
    let shift = inverse * (at_b.position - at_a.position);
    let outward = |p: DVec3| rotation * p + shift;
    let mut faces = (f64::NEG_INFINITY, DVec3::Y);
    for face in &a.faces {
        let toward = rotation.transpose() * face.normal;
        let distance = b.support(-toward).dot(toward) + shift.dot(face.normal) - face.offset;
        if distance > margin {
            return None;
        }
        if distance > faces.0 {
            faces = (distance, face.normal);
        }
    }
    // The other side must win clearly, or the reference face would alternate.
    for face in &b.faces {
        let normal = rotation * face.normal;
        let distance = (a.support(-normal) - shift).dot(normal) - face.offset;
        if distance > margin {
            return None;
        }
        if distance > faces.0 + 1e-6 * shift.length() {
            faces = (distance, -normal);
        }
    }
    let center = outward(b.center) - a.center;
    let mut best_edges = (f64::NEG_INFINITY, DVec3::Y, DVec3::ZERO);
    for ea in &a.edges {
        let [n1, n2] = ea.faces.map(|f| a.faces[f as usize].normal);
        let (p, d) = (a.corners[ea.from as usize], a.corners[ea.to as usize] - a.corners[ea.from as usize]);
        for eb in &b.edges {
            // Both arcs of normals must cross on the Gauss map for the edges to span a face of the difference.
            let [m1, m2] = eb.faces.map(|f| rotation * -b.faces[f as usize].normal);
            let e = rotation * (b.corners[eb.to as usize] - b.corners[eb.from as usize]);
            let (ba, dc) = (n2.cross(n1), m2.cross(m1));
            let (cba, dba) = (m1.dot(ba), m2.dot(ba));
            let (adc, bdc) = (n1.dot(dc), n2.dot(dc));
            if cba * dba >= 0.0 || adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                continue;
            }
            let Some(axis) = edge_axis(d, e, p - a.center, center) else { continue };
            let q = outward(b.corners[eb.from as usize]);
            let distance = (q - p).dot(axis);
            if distance > margin {
                return None;
            }
            if distance > best_edges.0 {
                best_edges = (distance, axis, between(p, p + d, q, q + e));
            }
        }
    }
    let world = |n: DVec3| at_a.rotation * n;
    if best_edges.0 > faces.0 + EDGE_BIAS * center.length() {
        let (distance, normal, middle) = best_edges;
        return Some(Separation { normal: world(normal), distance, axis: Axis::Edges(at_a.outward(middle)) });
    }
    Some(Separation { normal: world(faces.1), distance: faces.0, axis: Axis::Face })
}

/// The same for boxes of these half extents: fifteen axes.
#[allow(clippy::needless_range_loop, reason = "several arrays have the same numbers")]
pub fn separate_boxes(a: DVec3, at_a: &Frame, b: DVec3, at_b: &Frame, margin: f64) -> Option<Separation> {
    let inverse = at_a.rotation.conjugate();
    let r = DMat3::from_quat(inverse * at_b.rotation);
    let t = inverse * (at_b.position - at_a.position);
    let columns = [r.x_axis, r.y_axis, r.z_axis];
    let absolute = columns.map(DVec3::abs);
    let (ha, hb) = (a.to_array(), b.to_array());
    let reach_b = absolute[0] * b.x + absolute[1] * b.y + absolute[2] * b.z;
    let gaps = t.abs() - a - reach_b;
    if gaps.max_element() > margin {
        return None;
    }
    let units = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut faces = (f64::NEG_INFINITY, DVec3::Y);
    for k in 0..3 {
        if gaps[k] > faces.0 {
            faces = (gaps[k], units[k] * if t[k] < 0.0 { -1.0 } else { 1.0 });
        }
    }
    let slack = 1e-6 * t.length();
    for k in 0..3 {
        let along = columns[k].dot(t);
        let distance = along.abs() - hb[k] - absolute[k].dot(a);
        if distance > margin {
            return None;
        }
        if distance > faces.0 + slack {
            faces = (distance, columns[k] * if along < 0.0 { -1.0 } else { 1.0 });
        }
    }
    let mut edges = (f64::NEG_INFINITY, DVec3::Y, 0, 0);
    for i in 0..3 {
        for k in 0..3 {
            let cross = units[i].cross(columns[k]);
            let length = cross.length();
            if length < 1e-3 {
                continue;
            }
            let axis = cross / length;
            let along = axis.dot(t);
            let reach = axis.abs().dot(a) + hb[0] * axis.dot(columns[0]).abs();
            let reach = reach + hb[1] * axis.dot(columns[1]).abs() + hb[2] * axis.dot(columns[2]).abs();
            let distance = along.abs() - reach;
            if distance > margin {
                return None;
            }
            if distance > edges.0 {
                edges = (distance, axis * if along < 0.0 { -1.0 } else { 1.0 }, i, k);
            }
        }
    }
    let world = |n: DVec3| at_a.rotation * n;
    if edges.0 > faces.0 + EDGE_BIAS * t.length() {
        let (distance, axis, i, k) = edges;
        let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
        // The edge of each box that lies farthest along the axis.
        let mut p: [f64; 3] = std::array::from_fn(|m| ha[m] * sign(axis[m]));
        p[i] = 0.0;
        let mut q = t;
        for m in 0..3 {
            if m != k {
                q -= columns[m] * (hb[m] * sign(columns[m].dot(axis)));
            }
        }
        let (p, da, db) = (DVec3::from_array(p), units[i] * ha[i], columns[k] * hb[k]);
        let middle = between(p - da, p + da, q - db, q + db);
        return Some(Separation { normal: world(axis), distance, axis: Axis::Edges(at_a.outward(middle)) });
    }
    Some(Separation { normal: world(faces.1), distance: faces.0, axis: Axis::Face })
}

/// Unit cross product of two edges that points away from the first polytope's center.
fn edge_axis(d: DVec3, e: DVec3, from_center: DVec3, toward: DVec3) -> Option<DVec3> {
    let cross = d.cross(e);
    let length = cross.length();
    // Nearly parallel edges: their faces have the same axis.
    if length * length < 1e-6 * d.length_squared() * e.length_squared() {
        return None;
    }
    let axis = cross / length;
    let side = from_center.dot(axis);
    let side = if side.abs() > 1e-9 { side } else { toward.dot(axis) };
    Some(if side < 0.0 { -axis } else { axis })
}

/// The point midway between the nearest points of two segments.
fn between(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> DVec3 {
    let (p, q) = nearest_of_segments(a0, a1, b0, b1);
    0.5 * (p + q)
}

/// Nearest points of two segments.
pub fn nearest_of_segments(a0: DVec3, a1: DVec3, b0: DVec3, b1: DVec3) -> (DVec3, DVec3) {
    let (d, e, r) = (a1 - a0, b1 - b0, a0 - b0);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    if dd <= 0.0 {
        return (a0, nearest_on_segment(b0, b1, a0));
    }
    if ee <= 0.0 {
        return (nearest_on_segment(a0, a1, b0), b0);
    }
    let determinant = dd * ee - de * de;
    let s = if determinant > 1e-12 * dd * ee {
        ((de * e.dot(r) - ee * d.dot(r)) / determinant).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let q = nearest_on_segment(b0, b1, a0 + d * s);
    let p = nearest_on_segment(a0, a1, q);
    (p, nearest_on_segment(b0, b1, p))
}
