//! Distance and penetration of convex cores by their support points: GJK, and EPA where they overlap.
//!
//! References: Gilbert, Johnson, Keerthi, 1988 (distance); van den Bergen, "Proximity queries and penetration depth
//! computation on 3D game objects", GDC 2001 (expanding polytope).

use crate::rigid_body::shape::{Convex, Frame};
use glam::DVec3;

/// Nearest points of two cores, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Unit normal from the first to the second.
    pub normal: DVec3,
    /// Distance along it [m]; negative where the cores overlap.
    pub distance: f64,
    /// Point of the first core [m].
    pub on_first: DVec3,
    /// Point of the second core [m].
    pub on_second: DVec3,
}

/// A corner of the difference of two shapes, with the points it comes from.
#[derive(Clone, Copy)]
struct Vertex {
    w: DVec3,
    a: DVec3,
    b: DVec3,
}

struct Pair<'a> {
    a: (&'a Convex, &'a Frame),
    b: (&'a Convex, &'a Frame),
    /// Subtracted from all points, so that numbers stay small far from the origin.
    origin: DVec3,
}

impl Pair<'_> {
    fn support(&self, d: DVec3) -> Vertex {
        let one = |(shape, frame): (&Convex, &Frame), d: DVec3| {
            frame.rotation * shape.core_support(frame.rotation.conjugate() * d) + (frame.position - self.origin)
        };
        let (a, b) = (one(self.a, d), one(self.b, -d));
        Vertex { w: a - b, a, b }
    }
}

/// Nearest points of two cores; `None` if they are farther apart than `margin` [m].
pub fn nearest(a: (&Convex, &Frame), b: (&Convex, &Frame), margin: f64) -> Option<Nearest> {
    let origin = a.1.position;
    let pair = Pair { a, b, origin };
    let start = a.1.outward(a.0.center()) - b.1.outward(b.0.center());
    let scale = a.0.reach() + b.0.reach();
    let mut simplex: Vec<Vertex> = vec![pair.support(-start.normalize_or(DVec3::Y))];
    let mut closest = simplex[0].w;
    for _ in 0..64 {
        let square = closest.length_squared();
        if square < 1e-24 * scale * scale {
            return Some(expand(&pair, simplex, scale));
        }
        let next = pair.support(-closest);
        let distance = square.sqrt();
        if next.w.dot(closest) / distance > margin {
            return None;
        }
        // No support point is closer to the origin by more than rounding.
        if square - next.w.dot(closest) <= 1e-12 * square || simplex.iter().any(|v| v.w == next.w) {
            break;
        }
        simplex.push(next);
        match reduce(&mut simplex) {
            Some(point) => {
                // Rounding: the simplex cannot come closer.
                if point.length_squared() >= square {
                    break;
                }
                closest = point;
            }
            None => return Some(expand(&pair, simplex, scale)),
        }
    }
    let distance = closest.length();
    if distance < 1e-12 * scale {
        return Some(expand(&pair, simplex, scale));
    }
    let (on_first, on_second) = witness(&simplex, closest);
    let normal = -closest / distance;
    Some(Nearest { normal, distance, on_first: on_first + origin, on_second: on_second + origin })
}

/// Reduces a simplex to the smallest one that contains its point nearest to the origin, and returns that point; `None` if
/// the origin is inside a tetrahedron.
fn reduce(simplex: &mut Vec<Vertex>) -> Option<DVec3> {
    match simplex.len() {
        1 => Some(simplex[0].w),
        2 => {
            let (kept, point) = on_segment(simplex[0].w, simplex[1].w);
            keep(simplex, &kept);
            Some(point)
        }
        3 => {
            let (kept, point) = on_triangle([simplex[0].w, simplex[1].w, simplex[2].w]);
            keep(simplex, &kept);
            Some(point)
        }
        _ => {
            let w = [simplex[0].w, simplex[1].w, simplex[2].w, simplex[3].w];
            let mut best: Option<(f64, Vec<usize>, DVec3)> = None;
            for face in [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]] {
                let [a, b, c, d] = face.map(|k| w[k]);
                let normal = (b - a).cross(c - a);
                let (own, inner) = (-normal.dot(a), normal.dot(d - a));
                // The origin is on the other side of this face than the fourth corner, or the tetrahedron is so flat that
                // rounding decides.
                let flat = 1e-10 * normal.length() * (d - a).length();
                if own * inner < 0.0 || inner.abs() <= flat {
                    let (kept, point) = on_triangle([a, b, c]);
                    let square = point.length_squared();
                    if best.as_ref().is_none_or(|(least, ..)| square < *least) {
                        best = Some((square, kept.iter().map(|&k| face[k]).collect(), point));
                    }
                }
            }
            let (_, kept, point) = best?;
            keep(simplex, &kept);
            Some(point)
        }
    }
}

fn keep(simplex: &mut Vec<Vertex>, kept: &[usize]) {
    *simplex = kept.iter().map(|&k| simplex[k]).collect();
}

fn on_segment(a: DVec3, b: DVec3) -> (Vec<usize>, DVec3) {
    let way = b - a;
    let t = -a.dot(way) / way.length_squared().max(1e-300);
    if t <= 0.0 {
        (vec![0], a)
    } else if t >= 1.0 {
        (vec![1], b)
    } else {
        (vec![0, 1], a + way * t)
    }
}

/// Ericson, "Real-Time Collision Detection", 5.1.5, for the origin.
fn on_triangle([a, b, c]: [DVec3; 3]) -> (Vec<usize>, DVec3) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (vec![0], a);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return (vec![1], b);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (vec![0, 1], a + ab * (d1 / (d1 - d3)));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return (vec![2], c);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (vec![0, 2], a + ac * (d2 / (d2 - d6)));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (vec![1, 2], b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    let sum = 1.0 / (va + vb + vc);
    (vec![0, 1, 2], a + ab * (vb * sum) + ac * (vc * sum))
}

/// Points of both shapes for a point of the simplex.
fn witness(simplex: &[Vertex], point: DVec3) -> (DVec3, DVec3) {
    match simplex {
        [v] => (v.a, v.b),
        [u, v] => {
            let way = v.w - u.w;
            let t = ((point - u.w).dot(way) / way.length_squared().max(1e-300)).clamp(0.0, 1.0);
            (u.a.lerp(v.a, t), u.b.lerp(v.b, t))
        }
        [u, v, w, ..] => {
            let [x, y, z] = barycentric([u.w, v.w, w.w], point);
            (u.a * x + v.a * y + w.a * z, u.b * x + v.b * y + w.b * z)
        }
        [] => (DVec3::ZERO, DVec3::ZERO),
    }
}

fn barycentric([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared().max(1e-300);
    let y = (p - a).cross(c - a).dot(normal) / square;
    let z = (b - a).cross(p - a).dot(normal) / square;
    [1.0 - y - z, y, z]
}

struct Facet {
    corners: [usize; 3],
    normal: DVec3,
    distance: f64,
    alive: bool,
}

/// Penetration of cores that overlap: the polytope of the difference grows until its nearest face is on the surface.
fn expand(pair: &Pair<'_>, simplex: Vec<Vertex>, scale: f64) -> Nearest {
    let mut vertices = simplex;
    let directions = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let skew = [DVec3::new(0.577, 0.577, 0.577), DVec3::new(-0.577, 0.577, -0.577)];
    // Touching shapes leave less than a tetrahedron: grow one.
    for d in directions.into_iter().chain(skew) {
        if vertices.len() >= 4 {
            break;
        }
        let v = pair.support(d);
        let far = match &vertices[..] {
            [] => true,
            [a] => v.w.distance(a.w) > 1e-9 * scale,
            [a, b] => (b.w - a.w).cross(v.w - a.w).length() > 1e-12 * scale * scale,
            [a, b, c, ..] => (b.w - a.w).cross(c.w - a.w).dot(v.w - a.w).abs() > 1e-12 * scale * scale * scale,
        };
        if far {
            vertices.push(v);
        }
    }
    if vertices.len() < 4 {
        // A flat difference: the shapes touch in its plane.
        let normal = match &vertices[..] {
            [a, b, c] => (b.w - a.w).cross(c.w - a.w).normalize_or(DVec3::Y),
            _ => DVec3::Y,
        };
        let v = vertices[0];
        let toward = pair.b.1.position - pair.a.1.position;
        let normal = if normal.dot(toward) < 0.0 { -normal } else { normal };
        return Nearest { normal, distance: 0.0, on_first: v.a + pair.origin, on_second: v.b + pair.origin };
    }
    vertices.truncate(4);
    let middle = vertices.iter().map(|v| v.w).sum::<DVec3>() / 4.0;
    let mut facets: Vec<Facet> = Vec::new();
    let make = |vertices: &[Vertex], corners: [usize; 3]| {
        let [a, b, c] = corners.map(|k| vertices[k].w);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let (corners, normal) = if normal.dot(a - middle) < 0.0 {
            ([corners[0], corners[2], corners[1]], -normal)
        } else {
            (corners, normal)
        };
        Facet { corners, normal, distance: normal.dot(a), alive: normal != DVec3::ZERO }
    };
    for corners in [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]] {
        facets.push(make(&vertices, corners));
    }
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for _ in 0..96 {
        let Some(best) = least(&facets) else { break };
        let v = pair.support(facets[best].normal);
        if v.w.dot(facets[best].normal) - facets[best].distance < 1e-10 * scale {
            break;
        }
        edges.clear();
        for facet in facets.iter_mut().filter(|f| f.alive) {
            if facet.normal.dot(v.w) - facet.distance > 1e-13 * scale {
                facet.alive = false;
                for k in 0..3 {
                    let edge = (facet.corners[k], facet.corners[(k + 1) % 3]);
                    match edges.iter().position(|&(a, b)| (b, a) == edge) {
                        Some(at) => drop(edges.swap_remove(at)),
                        None => edges.push(edge),
                    }
                }
            }
        }
        let number = vertices.len();
        vertices.push(v);
        for &(a, b) in &edges {
            facets.push(make(&vertices, [a, b, number]));
        }
    }
    let Some(best) = least(&facets) else {
        let v = vertices[0];
        return Nearest { normal: DVec3::Y, distance: 0.0, on_first: v.a + pair.origin, on_second: v.b + pair.origin };
    };
    let facet = &facets[best];
    let corners = facet.corners.map(|k| vertices[k]);
    let (on_first, on_second) = witness(&corners, facet.normal * facet.distance);
    // The difference is first minus second: its outward normal is the way that the second must not go.
    let normal = facet.normal;
    Nearest {
        normal,
        distance: -facet.distance.max(0.0),
        on_first: on_first + pair.origin,
        on_second: on_second + pair.origin,
    }
}

/// The facet nearest to the origin.
fn least(facets: &[Facet]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (k, facet) in facets.iter().enumerate().filter(|(_, f)| f.alive) {
        if best.is_none_or(|b| facet.distance < facets[b].distance) {
            best = Some(k);
        }
    }
    best
}
