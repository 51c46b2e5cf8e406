//! Dihedral angles of tetrahedra.

use glam::DVec3;

/// Faces of a tetrahedron, opposite to each corner, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Cosines of the smallest and of the largest dihedral angle; `None` if the volume is not positive.
pub(crate) fn extreme_cosines(t: &[DVec3; 4]) -> Option<(f64, f64)> {
    // Also false for NaN.
    let has_volume = volume6(t) > 0.0;
    if !has_volume {
        return None;
    }
    let normals = FACES.map(|[i, j, k]| (t[j] - t[i]).cross(t[k] - t[i]).normalize_or_zero());
    let (mut smallest, mut largest) = (-1.0_f64, 1.0_f64);
    for i in 0..4 {
        for j in 0..i {
            let cosine = -normals[i].dot(normals[j]);
            smallest = smallest.max(cosine);
            largest = largest.min(cosine);
        }
    }
    Some((smallest, largest))
}

/// Six times the signed volume [m³].
pub(crate) fn volume6(&[a, b, c, d]: &[DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}
