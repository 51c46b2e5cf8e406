//! Checks of generated solids.

use crate::mesh::TetMesh;
use crate::mesh::topology::boundary;
use std::collections::BTreeMap;

/// Asserts that volumes are positive and none is less than a hundredth of the mean, that every face has one or
/// two tetrahedra, that the surface is closed and that the mesh is connected.
pub fn assert_solid(mesh: &TetMesh) {
    let n = mesh.positions.len();
    let volume = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| mesh.positions[i as usize].as_dvec3());
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    let least = mesh.tets.iter().map(volume).sum::<f64>() / mesh.tets.len() as f64 * 1e-2;
    let mut faces = BTreeMap::new();
    let mut root: Vec<usize> = (0..n).collect();
    for t in &mesh.tets {
        assert!(volume(t) > least, "tetrahedron {t:?} has volume {}, at least {least} is expected", volume(t));
        for skip in 0..4 {
            let mut face: Vec<u32> = (0..4).filter(|&k| k != skip).map(|k| t[k]).collect();
            face.sort_unstable();
            *faces.entry(face).or_insert(0) += 1;
        }
        for k in 1..4 {
            let (from, to) = (find(&mut root, t[0] as usize), find(&mut root, t[k] as usize));
            root[from] = to;
        }
    }
    assert!(faces.values().all(|&count| count <= 2), "a face has more than two tetrahedra");
    let surface = boundary(n, &mesh.tets);
    assert_eq!(surface.len(), faces.values().filter(|&&count| count == 1).count());
    let mut sides = BTreeMap::new();
    for &[a, b, c] in &surface {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            // Adjacent triangles traverse their edge in opposite directions; an edge where two cells touch has four.
            *sides.entry((from.min(to), from.max(to))).or_insert(0) += if from < to { 1 } else { -1 };
        }
    }
    assert!(sides.values().all(|&sum| sum == 0), "the surface is open");
    let first = find(&mut root, 0);
    assert!((0..n).all(|i| find(&mut root, i) == first), "the solid falls apart, or has a particle of no tetrahedron");
}

fn find(root: &mut [usize], mut i: usize) -> usize {
    while root[i] != i {
        root[i] = root[root[i]];
        i = root[i];
    }
    i
}
