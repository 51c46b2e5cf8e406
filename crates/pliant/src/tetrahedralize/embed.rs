//! Embeds points in tetrahedra: barycentric weights in the one that contains a point, or the nearest.

use crate::geometry::bvh::{Bvh, Node};
use crate::mesh::TetMesh;
use crate::tetrahedralize::distance::nearest_on_triangle;
use crate::tetrahedralize::quality::volume6;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Corners of the faces of a tetrahedron.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A point as a weighted sum of the corners of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedded {
    /// The tetrahedron.
    pub tet: u32,
    /// Barycentric weights of its corners, which sum to 1; some are negative outside of it.
    pub weights: [f32; 4],
    /// Distance from the tetrahedron [m]; 0 inside.
    pub distance: f32,
}

/// Embeds points. The mesh has at least one tetrahedron, and all have volume.
pub fn embed(points: &[Vec3], mesh: &TetMesh) -> Vec<Embedded> {
    let corners = |t: &[u32; 4]| t.map(|v| mesh.positions[v as usize]);
    let boxes: Vec<(Vec3, Vec3)> =
        mesh.tets.iter().map(corners).map(|[a, b, c, d]| (a.min(b).min(c).min(d), a.max(b).max(c).max(d))).collect();
    let (tree, order) = Bvh::new(&boxes);
    let nodes: Vec<Node> = tree.nodes().collect();
    let find = |p: &Vec3| {
        let p = p.as_dvec3();
        let apart = |n: u32| {
            let node = &nodes[n as usize];
            p.distance_squared(p.clamp(node.min.as_dvec3(), node.max.as_dvec3()))
        };
        let mut best = (f64::INFINITY, 0);
        let mut stack = vec![(0_u32, 0.0)];
        while let Some((number, from)) = stack.pop() {
            if from > best.0 || best.0 == 0.0 {
                continue;
            }
            let node = nodes[number as usize];
            if node.count > 0 {
                for &t in &order[node.start as usize..(node.start + node.count) as usize] {
                    let square = square_distance(&corners(&mesh.tets[t as usize]).map(Vec3::as_dvec3), p);
                    // Ties by number.
                    if square < best.0 || (square == best.0 && t < best.1) {
                        best = (square, t);
                    }
                }
                continue;
            }
            let (first, second) = ((number + 1, apart(number + 1)), (node.start, apart(node.start)));
            stack.extend(if second.1 < first.1 { [first, second] } else { [second, first] });
        }
        let weights = barycentric(&corners(&mesh.tets[best.1 as usize]).map(Vec3::as_dvec3), p);
        Embedded { tet: best.1, weights: weights.map(|w| w as f32), distance: best.0.sqrt() as f32 }
    };
    points.par_iter().with_min_len(64).map(find).collect()
}

fn barycentric(&[a, b, c, d]: &[DVec3; 4], p: DVec3) -> [f64; 4] {
    let whole = volume6(&[a, b, c, d]);
    let parts = [[p, b, c, d], [a, p, c, d], [a, b, p, d]].map(|t| volume6(&t) / whole);
    [parts[0], parts[1], parts[2], 1.0 - parts[0] - parts[1] - parts[2]]
}

fn square_distance(t: &[DVec3; 4], p: DVec3) -> f64 {
    if barycentric(t, p).iter().all(|&w| w >= 0.0) {
        return 0.0;
    }
    let faces = FACES.map(|f| f.map(|i| t[i]));
    faces.iter().map(|f| nearest_on_triangle(f, p).distance_squared(p)).fold(f64::INFINITY, f64::min)
}
