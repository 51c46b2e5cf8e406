//! What a tetrahedral mesh is like, measured without the code that made it.

use glam::{DVec3, Vec3};
use pliant::geometry::Surface;
use pliant::mesh::topology::boundary;
use pliant::mesh::{TetMesh, TriMesh};
use std::collections::BTreeMap;

/// Smallest and largest dihedral angle [degrees], and the volume [m³]. Asserts that every volume is positive.
pub fn angles_and_volume(mesh: &TetMesh) -> ([f64; 2], f64) {
    let (mut angles, mut volume) = ([180.0_f64, 0.0], 0.0);
    for (n, t) in mesh.tets.iter().enumerate() {
        let p = t.map(|v| mesh.positions[v as usize].as_dvec3());
        let six = (p[1] - p[0]).cross(p[2] - p[0]).dot(p[3] - p[0]);
        assert!(six > 0.0, "tetrahedron {n} has a volume of {} m³", six / 6.0);
        volume += six / 6.0;
        // The angle at an edge is that between the parts of the other two corners across it.
        for [i, j, k, l] in [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]] {
            let edge = (p[j] - p[i]).normalize();
            let across = |q: DVec3| (q - p[i]) - edge * edge.dot(q - p[i]);
            let angle = across(p[k]).angle_between(across(p[l])).to_degrees();
            angles = [angles[0].min(angle), angles[1].max(angle)];
        }
    }
    (angles, volume)
}

/// The boundary. Asserts that every edge of it has two triangles, in opposite directions.
pub fn closed_boundary(mesh: &TetMesh) -> TriMesh {
    let triangles = boundary(mesh.positions.len(), &mesh.tets);
    let mut edges: BTreeMap<(u32, u32), (u32, i32)> = BTreeMap::new();
    for t in &triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let edge = edges.entry((a.min(b), a.max(b))).or_default();
            *edge = (edge.0 + 1, edge.1 + if a < b { 1 } else { -1 });
        }
    }
    for (edge, found) in &edges {
        assert_eq!(*found, (2, 0), "edge {edge:?}: triangles, and those one way less those the other");
    }
    TriMesh { positions: mesh.positions.clone(), triangles }
}

/// Number of parts that no vertex connects.
pub fn parts(vertices: usize, elements: impl Iterator<Item = Vec<u32>>) -> usize {
    let mut parent: Vec<usize> = (0..vertices).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    let mut used = vec![false; vertices];
    for element in elements {
        for pair in element.windows(2) {
            let (a, b) = (root(&mut parent, pair[0] as usize), root(&mut parent, pair[1] as usize));
            parent[a.max(b)] = a.min(b);
        }
        element.iter().for_each(|&v| used[v as usize] = true);
    }
    (0..vertices).filter(|&v| used[v] && root(&mut parent, v) == v).count()
}

/// Distances from points of one surface, at most `spacing` apart, to another: the largest [m], and the share beyond `limit`.
pub fn distance(from: &TriMesh, to: &TriMesh, spacing: f32, limit: f32) -> (f32, f64) {
    let target = Surface::new(to.positions.clone(), &to.triangles);
    let (mut largest, mut beyond, mut all) = (0.0_f32, 0_usize, 0_usize);
    for t in &from.triangles {
        let [a, b, c] = t.map(|v| from.positions[v as usize]);
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let n = (longest / spacing).ceil().clamp(1.0, 200.0) as u32;
        for (i, j) in (0..=n).flat_map(|i| (0..=n - i).map(move |j| (i, j))) {
            let p: Vec3 = a + (b - a) * (i as f32 / n as f32) + (c - a) * (j as f32 / n as f32);
            let found = target.nearest(p, f32::MAX.sqrt() / 2.0).map_or(f32::INFINITY, |near| near.distance);
            largest = largest.max(found);
            beyond += usize::from(found > limit);
            all += 1;
        }
    }
    (largest, beyond as f64 / all as f64)
}
