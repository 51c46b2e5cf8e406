//! Cliques of constraints: the largest, and all maximal ones, against known graphs and brute force (S12, E09).

use pliant::builder::generate::{block, grid};
use pliant::mesh::topology::triangle_edges;
use pliant::partition::clique::{EXACT, Omega, maximal_cliques, omega};
use pliant::partition::graph;
use pliant::scene::{BlockSpec, GridPlane, GridSpec, Tessellation};
use proptest::prelude::*;

/// Constraints of `arity` rows each.
#[derive(Clone, Debug)]
struct Graph {
    arity: usize,
    row_count: usize,
    rows: Vec<u32>,
}

impl Graph {
    fn new<const N: usize>(row_count: usize, all: &[[u32; N]]) -> Self {
        Self { arity: N, row_count, rows: all.concat() }
    }

    /// All ways to choose `arity` of the rows.
    fn complete(arity: usize, row_count: usize) -> Self {
        let sets = (0_u32..1 << row_count).filter(|s| s.count_ones() as usize == arity);
        let rows = sets.flat_map(|s| (0..row_count as u32).filter(move |r| s >> r & 1 == 1)).collect();
        Self { arity, row_count, rows }
    }

    fn graph(&self) -> graph::Graph {
        graph::Graph::uniform(self.arity, self.arity, &self.rows, self.row_count)
    }

    fn omega(&self) -> Omega {
        omega(&self.graph())
    }

    /// The largest clique, found twice.
    fn exact(&self) -> usize {
        let omega = self.omega();
        assert!(omega.exact, "not proved: {omega:?}");
        assert_eq!(omega.size, self.cliques().iter().map(Vec::len).max().unwrap_or(0), "against the list");
        omega.size
    }

    fn cliques(&self) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        maximal_cliques(&self.graph(), &mut |clique| all.push(clique.to_vec()));
        all
    }

    /// Most constraints on one row.
    fn busiest_row(&self) -> usize {
        let on = |r: u32| self.rows.chunks_exact(self.arity).filter(|c| c.contains(&r)).count();
        (0..self.row_count as u32).map(on).max().unwrap_or(0)
    }

    /// Maximal cliques by trying every set of constraints.
    fn brute_force(&self) -> Vec<Vec<u32>> {
        let all: Vec<&[u32]> = self.rows.chunks_exact(self.arity).collect();
        let meet = |a: usize, b: usize| all[a].iter().any(|r| all[b].contains(r));
        let near = |a: usize| (0..all.len()).filter(|&b| meet(a, b)).fold(0_u32, |set, b| set | 1 << b);
        let near: Vec<u32> = (0..all.len()).map(near).collect();
        // What conflicts with every member: for a clique all members, for a maximal one nothing else.
        let common = |set: u32| (0..all.len()).filter(|a| set >> a & 1 == 1).fold(u32::MAX, |s, a| s & near[a]);
        let maximal = (1_u32..1 << all.len()).filter(|&set| common(set) == set);
        maximal.map(|set| (0..all.len() as u32).filter(|a| set >> a & 1 == 1).collect()).collect()
    }
}

fn ring(n: u32) -> Graph {
    let edges: Vec<[u32; 2]> = (0..n).map(|i| [i, (i + 1) % n]).collect();
    Graph::new(n as usize, &edges)
}

/// The projective plane over the integers modulo a prime: p² + p + 1 points and as many lines, p + 1 points on
/// each line, and every two lines meet.
fn projective_plane(p: u32) -> Graph {
    let all = (0..p * p * p).map(|k| [k / (p * p), k / p % p, k % p]);
    // One vector for each direction: the one whose first component other than 0 is 1.
    let points: Vec<[u32; 3]> = all.filter(|v| v.iter().find(|&&x| x != 0) == Some(&1)).collect();
    let on = |a: &[u32; 3], b: &[u32; 3]| (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).is_multiple_of(p);
    let line = |l| points.iter().enumerate().filter(move |(_, q)| on(l, q)).map(|(i, _)| i as u32);
    Graph { arity: p as usize + 1, row_count: points.len(), rows: points.iter().flat_map(line).collect() }
}

/// Any rows, so that some constraints name one twice and some are the same.
fn graphs() -> impl Strategy<Value = Graph> {
    (2_usize..=4, 3_usize..16, 0_usize..=14).prop_flat_map(|(arity, row_count, count)| {
        let rows = proptest::collection::vec(0..row_count as u32, arity * count);
        rows.prop_map(move |rows| Graph { arity, row_count, rows })
    })
}

/// Edges between few rows, so that there are many on each and many neighborhoods wider than a word.
fn multigraphs() -> impl Strategy<Value = Graph> {
    (3_u32..10).prop_flat_map(|row_count| {
        let edge = (0..row_count, 1..row_count).prop_map(move |(a, step)| [a, (a + step) % row_count]);
        proptest::collection::vec(edge, 0..400).prop_map(move |edges| Graph::new(row_count as usize, &edges))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s12_the_listed_cliques_are_all_the_maximal_ones_each_once(graph in graphs()) {
        let mut cliques = graph.cliques();
        prop_assert_eq!(&cliques, &graph.cliques(), "another order");
        for clique in &cliques {
            prop_assert!(clique.windows(2).all(|w| w[0] < w[1]), "not rising: {:?}", clique);
        }
        let mut expected = graph.brute_force();
        expected.sort();
        cliques.sort();
        prop_assert_eq!(cliques, expected);
    }

    #[test]
    fn s12_omega_is_the_size_of_the_largest_clique(graph in graphs()) {
        let largest = graph.brute_force().iter().map(Vec::len).max().unwrap_or(0);
        prop_assert_eq!(graph.omega(), Omega { size: largest, exact: true });
        prop_assert!(largest >= graph.busiest_row());
    }

    #[test]
    fn s12_pairwise_adjacent_edges_share_a_row_or_form_a_triangle(graph in multigraphs()) {
        let mut largest = graph.busiest_row();
        for corners in 0_u32..1 << graph.row_count {
            if corners.count_ones() == 3 {
                let inside = |edge: &&[u32]| edge.iter().all(|r| corners >> r & 1 == 1);
                largest = largest.max(graph.rows.chunks_exact(2).filter(inside).count());
            }
        }
        prop_assert_eq!(graph.exact(), largest);
    }
}

#[test]
fn e09_a_ring_of_five_has_cliques_of_two_though_it_needs_three_colors() {
    let five = ring(5);
    assert_eq!((five.exact(), five.cliques().len()), (2, 5));
    assert_eq!(pliant::partition::color::smallest_last(2, &five.rows, 5).len(), 3);
}

#[test]
fn s12_three_edges_of_a_triangle_are_a_clique_though_every_row_has_two() {
    let three = ring(3);
    assert_eq!(three.busiest_row(), 2);
    assert_eq!((three.exact(), three.cliques()), (3, vec![vec![0, 1, 2]]));
}

#[test]
fn s12_five_constraints_on_one_row_are_one_clique() {
    // D2 Fig 4b.
    let star = Graph::new(6, &[[0, 1], [0, 2], [3, 0], [4, 0], [0, 5]]);
    assert_eq!((star.exact(), star.cliques()), (5, vec![vec![0, 1, 2, 3, 4]]));
}

#[test]
fn s12_the_edges_between_five_rows_have_stars_of_four_and_triangles() {
    let edges = Graph::complete(2, 5);
    let mut sizes: Vec<usize> = edges.cliques().iter().map(Vec::len).collect();
    sizes.sort_unstable();
    // 5 choose 3 triangles, and a star at each row.
    assert_eq!(sizes, [[3; 10].as_slice(), &[4; 5]].concat());
    assert_eq!(edges.exact(), 4);
}

#[test]
fn s12_the_lines_of_a_projective_plane_are_a_clique_far_above_the_busiest_row() {
    // 2 is the Fano plane; 11 takes more than two words.
    for (p, lines) in [(2, 7), (3, 13), (11, 133)] {
        let plane = projective_plane(p);
        assert_eq!((plane.busiest_row(), plane.exact()), (p as usize + 1, lines));
        assert_eq!(plane.cliques().len(), 1);
    }
}

#[test]
fn s12_pairwise_intersecting_sets_are_bounded_by_those_with_a_common_row() {
    // Erdős, Ko & Rado 1961: of all r out of n ≥ 2r, at most (n − 1 choose r − 1) meet pairwise. Coloring needs
    // more where r does not divide n (28 colors against 21), so that this is not proved by the first bound.
    for (r, n, largest) in [(2, 7, 6), (3, 8, 21), (4, 8, 35)] {
        assert_eq!(Graph::complete(r, n).omega(), Omega { size: largest, exact: true }, "{r} of {n}");
    }
}

#[test]
fn s12_omega_stops_after_a_fixed_number_of_steps_and_reports_it() {
    // By the same theorem 12 choose 4 = 495, but colors are 1287 / 2: far too wide a gap to be closed.
    let all = Graph::complete(5, 13);
    let found = all.omega();
    assert_eq!((found.size, found.exact), (495, false));
    assert_eq!(found, all.omega());
}

#[test]
fn s12_nothing_has_no_cliques() {
    for (arity, row_count) in [(2, 0), (3, 5), (1, 0)] {
        let none = Graph { arity, row_count, rows: Vec::new() };
        assert_eq!((none.omega(), none.cliques().len()), (Omega { size: 0, exact: true }, 0));
    }
}

#[test]
fn s12_isolated_constraints_are_cliques_of_one() {
    let apart = Graph::new(6, &[[0, 1], [2, 3], [5, 4]]);
    assert_eq!((apart.exact(), apart.cliques()), (1, vec![vec![0], vec![1], vec![2]]));
}

#[test]
fn s12_a_row_named_twice_counts_once() {
    let twice = Graph::new(4, &[[0, 0, 0], [0, 1, 1], [2, 3, 2]]);
    assert_eq!((twice.exact(), twice.cliques()), (2, vec![vec![2], vec![0, 1]]));
    assert_eq!(Graph::new(1, &[[0, 0]; 3]).exact(), 3);
}

#[test]
fn s12_omega_of_ten_thousand_tetrahedra_is_proved() {
    // A particle inside has four tetrahedra in each of eight cells where they are five to a cell and its corner
    // is not cut off; 24 where they are six.
    for (cells, tets, on_row) in [([10, 10, 20], Tessellation::Five, 32), ([7, 14, 17], Tessellation::Six, 24)] {
        let mesh = block(&BlockSpec { cells, size: [1.0; 3], tets });
        assert!((EXACT - 10..=EXACT).contains(&mesh.tets.len()));
        let graph = Graph::new(mesh.positions.len(), &mesh.tets);
        assert_eq!(graph.busiest_row(), on_row);
        assert_eq!(graph.omega(), Omega { size: on_row, exact: true });
    }
}

#[test]
fn s12_above_the_limit_omega_is_the_busiest_row() {
    let mesh = grid(&GridSpec { cells: [99, 99], size: [1.0; 2], plane: GridPlane::Xy });
    let edges = triangle_edges(mesh.positions.len(), &mesh.triangles);
    assert_eq!(edges.len(), 29_601);
    assert_eq!(Graph::new(mesh.positions.len(), &edges).omega(), Omega { size: 6, exact: false });
}
