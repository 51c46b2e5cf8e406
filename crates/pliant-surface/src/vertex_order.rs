//! One order of vertices and triangles, whatever the order in which parts of the surface were finished.

use splashsurf_lib::mesh::TriMesh3d;
use splashsurf_lib::nalgebra::Vector3;
use std::cmp::Ordering;

/// Sorts vertices by place, and triangles by their vertices with the least one first.
pub(crate) fn sort(mesh: &mut TriMesh3d<f64>) {
    let places = &mesh.vertices;
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by(|&a, &b| compare(&places[a], &places[b]));
    break_ties(mesh, &mut order);
    let mut number = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        number[old] = new;
    }
    mesh.vertices = order.iter().map(|&old| mesh.vertices[old]).collect();
    for t in &mut mesh.triangles {
        let [a, b, c] = t.map(|v| number[v]);
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

/// Vertices in one place, as where a corner of the grid lies exactly on the surface, go by their neighbors' places.
fn break_ties(mesh: &TriMesh3d<f64>, order: &mut [usize]) {
    let places = &mesh.vertices;
    let same = |a: &usize, b: &usize| compare(&places[*a], &places[*b]).is_eq();
    if !order.windows(2).any(|w| same(&w[0], &w[1])) {
        return;
    }
    let mut around: Vec<Vec<Vector3<f64>>> = vec![Vec::new(); places.len()];
    for t in &mesh.triangles {
        for k in 0..3 {
            around[t[k]].extend([places[t[(k + 1) % 3]], places[t[(k + 2) % 3]]]);
        }
    }
    around.iter_mut().for_each(|list| list.sort_unstable_by(compare));
    let by_neighbors = |a: &usize, b: &usize| {
        let (a, b) = (&around[*a], &around[*b]);
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
    fn the_order_of_vertices_and_triangles_does_not_matter() {
        // A tetrahedron with vertices 0 and 4 in one place, joined by a triangle without area.
        let place = |x, y, z| Vector3::new(x, y, z);
        let vertices = vec![
            place(0.0, 0.0, 0.0),
            place(1.0, 0.0, 0.0),
            place(0.0, 1.0, 0.0),
            place(0.0, 0.0, 1.0),
            place(0.0, 0.0, 0.0),
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
