//! Mesh topology: unique edges, hinges, boundary faces.
//!
//! All lists are built by bucketing on the smallest vertex (counting sort), linear in the number of
//! elements and independent of hash order, so that the same mesh always gives the same lists.

/// Edges of a tetrahedron by corner.
const TET_EDGES: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
/// Faces of a positively oriented tetrahedron, counter-clockwise from outside, and the corner opposite.
const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Lists of values per vertex, concatenated (compressed sparse rows).
pub struct Buckets<T> {
    /// Start of each vertex's values, plus the total at the end.
    pub offsets: Vec<u32>,
    /// Values of all vertices.
    pub values: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    /// Groups `(vertex, value)` pairs by vertex, stable within each.
    pub fn fill<I: Iterator<Item = (u32, T)>>(vertices: usize, pairs: impl Fn() -> I) -> Self {
        let mut offsets = vec![0_u32; vertices + 1];
        for (v, _) in pairs() {
            offsets[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut values = vec![T::default(); offsets[vertices] as usize];
        for (v, value) in pairs() {
            let at = &mut next[v as usize];
            values[*at as usize] = value;
            *at += 1;
        }
        Self { offsets, values }
    }

    /// Values of one vertex.
    pub fn of(&self, vertex: usize) -> &[T] {
        &self.values[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }

    /// Values of one vertex, mutable.
    pub fn of_mut(&mut self, vertex: usize) -> &mut [T] {
        &mut self.values[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }
}

/// Unique edges of tetrahedra, smaller vertex first, in ascending order.
pub fn tet_edges(vertices: usize, tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    unique_edges(vertices, || tets.iter().flat_map(|t| TET_EDGES.map(|(i, j)| [t[i], t[j]])))
}

/// Unique edges of triangles, smaller vertex first, in ascending order.
pub fn triangle_edges(vertices: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    unique_edges(vertices, || triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]))
}

fn unique_edges<I: Iterator<Item = [u32; 2]>>(vertices: usize, edges: impl Fn() -> I) -> Vec<[u32; 2]> {
    let mut buckets = Buckets::fill(vertices, || edges().map(|[a, b]| (a.min(b), a.max(b))));
    let mut all = Vec::new();
    for v in 0..vertices {
        let others = buckets.of_mut(v);
        others.sort_unstable();
        let mut last = None;
        for &o in others.iter() {
            if last.replace(o) != Some(o) {
                all.push([v as u32, o]);
            }
        }
    }
    all
}

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// Corner opposite to the edge in the triangle whose winding follows it, and in the other.
    pub wings: [u32; 2],
    /// The shared edge.
    pub edge: [u32; 2],
    /// The two triangles, in the order of the wings.
    pub triangles: [u32; 2],
}

/// All edges with exactly two triangles. Boundary and non-manifold edges have no hinge.
pub fn hinges(vertices: usize, triangles: &[[u32; 3]]) -> Vec<Hinge> {
    let sides = || {
        triangles.iter().enumerate().flat_map(|(t, &[a, b, c])| {
            [(a, b, c), (b, c, a), (c, a, b)].map(|(from, to, wing)| {
                let along = from < to;
                (from.min(to), (from.max(to), wing, t as u32, !along))
            })
        })
    };
    let mut buckets = Buckets::fill(vertices, sides);
    let mut all = Vec::new();
    for v in 0..vertices {
        let sides = buckets.of_mut(v);
        // Along before against, so that the first wing belongs to the triangle whose winding follows the edge.
        sides.sort_unstable_by_key(|&(other, wing, t, against)| (other, against, t, wing));
        for run in sides.chunk_by(|a, b| a.0 == b.0) {
            if let &[(other, w0, t0, _), (_, w1, t1, _)] = run {
                all.push(Hinge { wings: [w0, w1], edge: [v as u32, other], triangles: [t0, t1] });
            }
        }
    }
    all
}

/// Faces that belong to one tetrahedron only, counter-clockwise from outside.
pub fn boundary(vertices: usize, tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces = || {
        tets.iter().flat_map(|t| {
            TET_FACES.map(|f| {
                let face = f.map(|i| t[i]);
                let mut sorted = face;
                sorted.sort_unstable();
                (sorted[0], ([sorted[1], sorted[2]], face))
            })
        })
    };
    let mut buckets = Buckets::fill(vertices, faces);
    let mut all = Vec::new();
    for v in 0..vertices {
        let faces = buckets.of_mut(v);
        faces.sort_unstable();
        all.extend(faces.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() == 1).map(|run| run[0].1));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [[u32; 4]; 1] = [[0, 1, 2, 3]];

    #[test]
    fn a_tet_has_six_edges_and_four_outward_faces() {
        assert_eq!(tet_edges(4, &TET).len(), 6);
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]].map(glam::Vec3::from);
        let faces = boundary(4, &TET);
        assert_eq!(faces.len(), 4);
        for f in faces {
            let [a, b, c] = f.map(|i| corners[i as usize]);
            let out = (b - a).cross(c - a);
            let center = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
            assert!(out.dot(a - center) > 0.0, "face {f:?} points inward");
        }
    }

    #[test]
    fn two_tets_hide_their_common_face() {
        assert_eq!(boundary(5, &[[0, 1, 2, 3], [1, 2, 3, 4]]).len(), 6);
    }

    #[test]
    fn only_edges_with_two_triangles_are_hinges() {
        let square = [[0, 1, 2], [0, 2, 3]];
        let found = hinges(4, &square);
        assert_eq!(found, [Hinge { wings: [3, 1], edge: [0, 2], triangles: [1, 0] }]);
        let fin = [[0, 1, 2], [0, 2, 3], [0, 2, 4]];
        assert!(hinges(5, &fin).is_empty());
    }
}
