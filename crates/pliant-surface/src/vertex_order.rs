//! Canonical order of vertices and triangles, independent of the order in which subdomains finish.

use splashsurf_lib::mesh::TriMesh3d;
use splashsurf_lib::nalgebra::Vector3;
use std::cmp::Ordering;

/// Sorts vertices by position, and triangles by their vertices, the smallest index first.
pub(crate) fn sort(mesh: &mut TriMesh3d<f64>) {
    let positions = &mesh.vertices;
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_unstable_by(|&a, &b| compare(&positions[a], &positions[b]));
    break_ties(mesh, &mut order);
    let mut new_index = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        new_index[old] = new;
    }
    mesh.vertices = order.iter().map(|&old| mesh.vertices[old]).collect();
    for t in &mut mesh.triangles {
        let [a, b, c] = t.map(|v| new_index[v]);
        *t = if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        };
    }
    mesh.triangles.sort_unstable();
}

/// Sorts vertices with equal positions, such as where a grid point lies exactly on the surface, by the positions of their
/// neighbors.
fn break_ties(mesh: &TriMesh3d<f64>, order: &mut [usize]) {
    let positions = &mesh.vertices;
    let same = |a: &usize, b: &usize| compare(&positions[*a], &positions[*b]).is_eq();
    if !order.windows(2).any(|w| same(&w[0], &w[1])) {
        return;
    }
    let mut adjacent: Vec<Vec<Vector3<f64>>> = vec![Vec::new(); positions.len()];
    for t in &mesh.triangles {
        for k in 0..3 {
            adjacent[t[k]].extend([positions[t[(k + 1) % 3]], positions[t[(k + 2) % 3]]]);
        }
    }
    adjacent.iter_mut().for_each(|list| list.sort_unstable_by(compare));
    let by_neighbors = |a: &usize, b: &usize| {
        let (a, b) = (&adjacent[*a], &adjacent[*b]);
        let first = a.iter().zip(b).map(|(p, q)| compare(p, q)).find(|o| o.is_ne());
        first.unwrap_or_else(|| a.len().cmp(&b.len()))
    };
    for tied in order.chunk_by_mut(|a, b| same(a, b)) {
        tied.sort_by(by_neighbors);
    }
}

fn compare(a: &Vector3<f64>, b: &Vector3<f64>) -> Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_does_not_depend_on_the_input_order() {
        // A tetrahedron whose vertices 0 and 4 coincide, joined by a triangle without area.
        let vertex = |x, y, z| Vector3::new(x, y, z);
        let vertices = vec![
            vertex(0.0, 0.0, 0.0),
            vertex(1.0, 0.0, 0.0),
            vertex(0.0, 1.0, 0.0),
            vertex(0.0, 0.0, 1.0),
            vertex(0.0, 0.0, 0.0),
        ];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [4, 3, 2], [1, 2, 3], [0, 3, 4], [0, 4, 2]];
        let mut one = TriMesh3d { vertices: vertices.clone(), triangles: triangles.clone() };
        let turn = |v: usize| (v + 2) % 5;
        let mut turned = vertices.clone();
        (0..5).for_each(|v| turned[turn(v)] = vertices[v]);
        let triangles = triangles.iter().rev().map(|&[a, b, c]| [turn(b), turn(c), turn(a)]).collect();
        let mut other = TriMesh3d { vertices: turned, triangles };
        sort(&mut one);
        sort(&mut other);
        assert_eq!(one.vertices, other.vertices);
        assert_eq!(one.triangles, other.triangles);
    }
}
