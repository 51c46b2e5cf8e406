//! Coloring: sets that share no row, all of the constraints, few sets, the same every time (S11, E09, E10).

#![allow(missing_docs)]

use pliant::build::NoMeshes;
use pliant::build::partition::color::smallest_last;
use pliant::build::partition::islands::{GLOBAL, Islands};
use pliant::build::partition::split;
use pliant::kernels::Kind;
use pliant::kernels::Layout;
use pliant::model::BLOCK;
use pliant::scene::{Format, Partition, Scene};
use pliant::{Options, Simulation};
use proptest::prelude::*;

/// A hypergraph: constraints of `arity` different rows each.
#[derive(Clone, Debug)]
struct Graph {
    arity: usize,
    row_count: usize,
    rows: Vec<u32>,
}

impl Graph {
    /// All rows are moved.
    fn layout(&self) -> Layout {
        Layout { rows: self.arity, moves: self.arity, params: 0, multipliers: 0, softness: None }
    }

    fn pairs(row_count: usize, pairs: &[[u32; 2]]) -> Self {
        Self { arity: 2, row_count, rows: pairs.concat() }
    }

    fn sets(&self) -> Vec<Vec<u32>> {
        smallest_last(self.arity, &self.rows, self.row_count)
    }

    fn members(&self, c: u32) -> &[u32] {
        &self.rows[c as usize * self.arity..(c as usize + 1) * self.arity]
    }

    /// Checks what a coloring must be, and returns the number of colors.
    fn check(&self) -> usize {
        let sets = self.sets();
        for set in &sets {
            assert!(!set.is_empty(), "an empty set");
            assert!(set.windows(2).all(|w| w[0] < w[1]), "not in the order of the input: {set:?}");
            let mut seen = vec![false; self.row_count];
            for &r in set.iter().flat_map(|&c| self.members(c)) {
                assert!(!std::mem::replace(&mut seen[r as usize], true), "row {r} twice in {set:?}");
            }
        }
        let mut all: Vec<u32> = sets.concat();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..(self.rows.len() / self.arity) as u32), "some are missing: {all:?}");
        sets.len()
    }

    /// 1 + the greatest of the least degrees met while always removing a constraint of least degree: no
    /// smallest-last coloring needs more (Matula & Beck 1983). Conflicts listed one by one.
    fn bound(&self) -> usize {
        let mut left: Vec<u32> = (0..(self.rows.len() / self.arity) as u32).collect();
        let conflict = |a: u32, b: u32| a != b && self.members(a).iter().any(|r| self.members(b).contains(r));
        let mut most = 0;
        while !left.is_empty() {
            let degrees = left.iter().map(|&a| left.iter().filter(|&&b| conflict(a, b)).count());
            let (at, least) = degrees.enumerate().min_by_key(|&(_, d)| d).unwrap();
            most = most.max(least + 1);
            left.swap_remove(at);
        }
        most
    }
}

fn graphs() -> impl Strategy<Value = Graph> {
    (2_usize..=4, 4_usize..24).prop_flat_map(|(arity, row_count)| {
        let one = proptest::sample::subsequence((0..row_count as u32).collect::<Vec<_>>(), arity).prop_shuffle();
        proptest::collection::vec(one, 0..60).prop_map(move |all| Graph { arity, row_count, rows: all.concat() })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s11_coloring_is_valid_complete_deterministic_and_within_the_smallest_last_bound(graph in graphs()) {
        let colors = graph.check();
        prop_assert_eq!(graph.sets(), graph.sets());
        prop_assert!(colors <= graph.bound(), "{} colors, at most {}", colors, graph.bound());
        // No fewer than the constraints on the busiest row.
        let busiest = (0..graph.row_count as u32).map(|r| graph.rows.iter().filter(|&&x| x == r).count()).max();
        prop_assert!(colors >= busiest.unwrap_or(0));
    }

    #[test]
    fn s11_every_split_holds_every_constraint_once(graph in graphs()) {
        for partition in Partition::ALL {
            let sets = split(partition, graph.layout(), &graph.rows, &Islands::none(graph.row_count));
            let mut all: Vec<u32> = sets.iter().flat_map(|s| s.members.iter().copied()).collect();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..(graph.rows.len() / graph.arity) as u32), "{:?}", partition);
        }
    }
}

#[test]
fn e09_a_ring_of_five_needs_three_colors() {
    let ring: Vec<[u32; 2]> = (0..5).map(|i| [i, (i + 1) % 5]).collect();
    assert_eq!(Graph::pairs(5, &ring).check(), 3);
    // And even rings two.
    let ring: Vec<[u32; 2]> = (0..6).map(|i| [i, (i + 1) % 6]).collect();
    assert_eq!(Graph::pairs(6, &ring).check(), 2);
}

#[test]
fn e09_five_constraints_on_one_row_need_five_colors() {
    let star: Vec<[u32; 2]> = (1..=5).map(|i| [0, i]).collect();
    assert_eq!(Graph::pairs(6, &star).check(), 5);
}

#[test]
fn s11_more_than_sixty_four_and_more_than_two_words_of_colors_work() {
    for spokes in [63, 64, 65, 128, 129, 300] {
        let star: Vec<[u32; 2]> = (1..=spokes).map(|i| [0, i]).collect();
        assert_eq!(Graph::pairs(spokes as usize + 1, &star).check(), spokes as usize);
    }
}

#[test]
fn s11_all_pairs_of_five_rows_take_five_colors_at_least() {
    // The edges of K5: ten constraints, at most two at a time.
    let pairs: Vec<[u32; 2]> = (0..5).flat_map(|i| (i + 1..5).map(move |j| [i, j])).collect();
    let graph = Graph::pairs(5, &pairs);
    let colors = graph.check();
    assert!((5..=graph.bound()).contains(&colors), "{colors} colors");
}

#[test]
fn s11_nothing_to_color_gives_no_sets() {
    assert!(Graph::pairs(3, &[]).sets().is_empty());
    assert!(Graph::pairs(0, &[]).sets().is_empty());
}

#[test]
fn t01_the_stretch_constraints_of_a_flag_take_at_most_eight_colors() {
    // 20 × 60 particles: each has at most six edges, so six colors are the least.
    let text = "[[cloth]]\ngrid = { cells = [59, 19], size = [3, 1] }\nbend = { compliance = 1 }";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let sim = Simulation::new(&scene, &NoMeshes, Options::default()).unwrap();
    assert_eq!((sim.model().count(Kind::Stretch), sim.model().count(Kind::Bend)), (3441, 3285));
    let colors = |kind: Kind| sim.model().groups.iter().find(|g| g.kind == kind).unwrap().batches.len();
    assert!((6..=8).contains(&colors(Kind::Stretch)), "{} colors", colors(Kind::Stretch));
}

#[test]
fn e10_coloring_stays_linear_in_incidences() {
    // Four times the constraints in well under sixteen times the time: a quadratic coloring of 320,000
    // edges would take minutes, not seconds.
    let chain = |n: u32| Graph::pairs(n as usize + 1, &(0..n).map(|i| [i, i + 1]).collect::<Vec<_>>());
    let start = std::time::Instant::now();
    assert_eq!(chain(320_000).check(), 2);
    assert!(start.elapsed().as_secs() < 20, "took {:?}", start.elapsed());
}

#[test]
fn s11_islands_share_no_row_and_contacts_have_every_particle_once() {
    // Small bodies that stand alone, two that are joined, a balloon (global) and a cloth too large for an
    // island (global).
    let text = r#"
        [[rope]]
        name = "a"
        path = [[0, 0, 0], [1, 0, 0]]
        array = { count = [30, 1, 1], spacing = [2, 0, 0] }
        [[soft]]
        name = "b"
        block = { cells = [8, 8, 8], size = [1, 1, 1] }
        transform = { translate = [0, 2, 0] }
        array = { count = [3, 1, 1], spacing = [2, 0, 0] }
        [[rope]]
        name = "rod"
        path = [[0, 0, 5], [1, 0, 5]]
        twist = { compliance = 1 }
        [[inflatable]]
        name = "balloon"
        sphere = { radius = 0.5, subdivisions = 2 }
        transform = { translate = [0, 0, 6] }
        [[cloth]]
        name = "sheet"
        grid = { cells = [120, 120], size = [5, 5] }
        [[attach]]
        from = { object = "rod", at = "end" }
        to = { object = "balloon" }
        within = 3
        [[collider]]
        plane = {}
    "#;
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let sim = Simulation::new(&scene, &NoMeshes, Options::default()).unwrap();
    let (model, particles) = (sim.model(), sim.particles());
    let islands = model.schedule.islands.len();
    assert!(islands >= 3, "only {islands} islands");
    let mut owner = vec![None; particles];
    for (i, run) in model.runs.iter().enumerate() {
        for p in run.clone() {
            assert_eq!(owner[p].replace(i), None, "particle {p} is in two runs");
        }
    }
    assert!(owner.iter().all(Option::is_some), "some particle is in no run");
    let mut island_of_row = vec![None; sim.state().rows.len()];
    for group in &model.groups {
        for batch in &group.batches {
            let mut seen = vec![false; island_of_row.len()];
            for i in 0..batch.count {
                for r in
                    group.rows_of(batch.first + i / BLOCK, i % BLOCK).take(group.layout().moves).map(|r| r as usize)
                {
                    assert!(!std::mem::replace(&mut seen[r], true), "row {r} twice in a batch of {:?}", group.kind);
                    let before = *island_of_row[r].get_or_insert(batch.island);
                    assert_eq!(before, batch.island, "row {r} is in two islands");
                    if batch.island != GLOBAL && r < particles {
                        assert_eq!(owner[r], Some(batch.island as usize), "contacts of particle {r} are elsewhere");
                    }
                }
            }
        }
    }
}
