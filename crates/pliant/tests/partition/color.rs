//! Coloring: sets that share no row, complete, few, and deterministic (S11, E09, E10).

use crate::graphs::{Graph, graphs};
use pliant::builder::NoMeshes;
use pliant::constraints::ConstraintKind;
use pliant::partition::islands::GLOBAL;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use proptest::prelude::*;

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
    let sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    assert_eq!((sim.model().count(ConstraintKind::Stretch), sim.model().count(ConstraintKind::Bend)), (3441, 3285));
    let colors = |kind: ConstraintKind| sim.model().groups.iter().find(|g| g.kind == kind).unwrap().batches.len();
    assert!((6..=8).contains(&colors(ConstraintKind::Stretch)), "{} colors", colors(ConstraintKind::Stretch));
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
        solver = { method = "xpbd" }
        contact = { between = false } # what may touch is no island
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
    let sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    let (model, particles) = (sim.model(), sim.particles());
    let islands = model.schedule.islands;
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
            for (block, lane) in batch.slots() {
                for r in group.rows_of(block, lane).take(group.layout().moves).map(|r| r as usize) {
                    assert!(!std::mem::replace(&mut seen[r], true), "row {r} twice in a batch of {:?}", group.kind);
                    let island = if (batch.patch as usize) < islands { batch.patch } else { GLOBAL };
                    let before = *island_of_row[r].get_or_insert(island);
                    assert_eq!(before, island, "row {r} is in two islands");
                    if island != GLOBAL && r < particles {
                        assert_eq!(owner[r], Some(island as usize), "contacts of particle {r} are elsewhere");
                    }
                }
            }
        }
    }
}
