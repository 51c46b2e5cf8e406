//! Convex polytopes: corners, faces as polygons, edges. Boxes, hulls and single triangles are all polytopes here, so that
//! one separating-axis test serves them.

use crate::geometry::quickhull;
use glam::DVec3;

/// A face: a convex polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: DVec3,
    /// Distance of its plane from the origin along the normal [m].
    pub offset: f64,
    /// Corners, counter-clockwise from outside.
    pub corners: Vec<u32>,
}

/// An edge with the normals of the two faces it joins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Corner at its start.
    pub from: u32,
    /// Corner at its end.
    pub to: u32,
    /// Adjacent faces.
    pub faces: [u32; 2],
}

/// A convex polytope around any point of its inside, or a triangle with two faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope {
    /// Corners [m].
    pub corners: Vec<DVec3>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Mean of the corners [m].
    pub center: DVec3,
}

impl Polytope {
    /// A box around the origin.
    pub fn cuboid(half: DVec3) -> Self {
        let corner = |k: u32| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * DVec3::new(sign(0), sign(1), sign(2))
        };
        let loops: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Self::from_loops((0..8).map(corner).collect(), loops.iter().map(|l| l.to_vec()).collect())
    }

    /// A triangle with an upper and a lower face.
    pub fn triangle(corners: [DVec3; 3]) -> Self {
        Self::from_loops(corners.to_vec(), vec![vec![0, 1, 2], vec![0, 2, 1]])
    }

    /// The convex hull of points; `None` if all lie in one plane.
    pub fn hull(points: &[DVec3]) -> Option<Self> {
        let hull = quickhull::hull(points)?;
        let corners: Vec<DVec3> = hull.corners.iter().map(|&k| points[k as usize]).collect();
        let count = hull.faces.iter().max().map_or(0, |&f| f as usize + 1);
        let mut by_face: Vec<Vec<[u32; 3]>> = vec![Vec::new(); count];
        hull.triangles.iter().zip(&hull.faces).for_each(|(t, &f)| by_face[f as usize].push(*t));
        let loops = by_face.iter().filter(|t| !t.is_empty()).filter_map(|t| outline(t)).collect();
        Some(Self::from_loops(corners, loops))
    }

    fn from_loops(corners: Vec<DVec3>, loops: Vec<Vec<u32>>) -> Self {
        let center = corners.iter().copied().sum::<DVec3>() / corners.len() as f64;
        let faces: Vec<Face> = loops
            .into_iter()
            .map(|corners_of| {
                let normal = newell(&corners, &corners_of);
                let offset = corners_of.iter().map(|&k| normal.dot(corners[k as usize])).sum::<f64>();
                Face { normal, offset: offset / corners_of.len() as f64, corners: corners_of }
            })
            .collect();
        let mut edges: Vec<Edge> = Vec::new();
        let mut half: std::collections::HashMap<(u32, u32), u32> = std::collections::HashMap::new();
        for (f, face) in faces.iter().enumerate() {
            for (k, &from) in face.corners.iter().enumerate() {
                half.insert((from, face.corners[(k + 1) % face.corners.len()]), f as u32);
            }
        }
        for (f, face) in faces.iter().enumerate() {
            for (k, &from) in face.corners.iter().enumerate() {
                let to = face.corners[(k + 1) % face.corners.len()];
                if let Some(&other) = half.get(&(to, from)).filter(|_| from < to) {
                    edges.push(Edge { from, to, faces: [f as u32, other] });
                }
            }
        }
        Self { corners, faces, edges, center }
    }

    /// The corner farthest along a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &p in &self.corners {
            let along = p.dot(direction);
            if along > best.0 {
                best = (along, p);
            }
        }
        best.1
    }

    /// The face whose normal is closest to a direction.
    pub fn face_toward(&self, direction: DVec3) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (k, face) in self.faces.iter().enumerate() {
            let along = face.normal.dot(direction);
            if along > best.0 {
                best = (along, k);
            }
        }
        best.1
    }
}

/// Outline of triangles that form one convex polygon, with collinear corners kept.
fn outline(triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
    let mut next: Vec<(u32, u32)> = Vec::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            match next.iter().position(|&e| e == (b, a)) {
                Some(at) => drop(next.swap_remove(at)),
                None => next.push((a, b)),
            }
        }
    }
    let start = next.iter().map(|e| e.0).min()?;
    let (mut all, mut at) = (vec![start], start);
    for _ in 0..next.len() {
        at = next.iter().find(|e| e.0 == at)?.1;
        if at == start {
            return Some(all);
        }
        all.push(at);
    }
    None
}

/// Unit normal of a polygon by Newell's sum.
fn newell(corners: &[DVec3], polygon: &[u32]) -> DVec3 {
    let first = corners[polygon[0] as usize];
    let at = |k: usize| corners[polygon[k % polygon.len()] as usize] - first;
    (0..polygon.len()).map(|k| at(k).cross(at(k + 1))).sum::<DVec3>().normalize_or(DVec3::Y)
}
