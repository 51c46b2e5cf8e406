//! Particle copies: any number of colors is enough, with few copies (S12, S13, E06–E09).

use crate::graphs::{Graph, graphs};
use pliant::partition::color::{balance, color, count};
use pliant::partition::graph;
use pliant::partition::phantom::{Split, hybrid, split};
use proptest::prelude::*;

fn of(graph: &Graph) -> graph::Graph {
    graph::Graph::uniform(graph.arity, graph.arity, &graph.rows, graph.row_count)
}

/// Checks what a split must be: no copy twice in a color, as many copies as are named, at least ⌈d/q⌉.
fn check(graph: &graph::Graph, split: &Split, q: usize) {
    let classes = count(&split.colors);
    let copied = |c: usize, r: u32| split.colors[c] >= split.first && split.copies[r as usize] > 0;
    let mut used = std::collections::BTreeSet::new();
    let mut named = vec![std::collections::BTreeSet::new(); graph.row_count()];
    for c in 0..graph.len() {
        for (k, &r) in graph.members(c as u32).iter().enumerate() {
            let copy = if copied(c, r) { 1 + split.copy[graph.start(c as u32) + k] } else { 0 };
            assert!(used.insert((split.colors[c], r, copy)), "row {r}, copy {copy} twice in color {}", split.colors[c]);
            if copy > 0 {
                named[r as usize].insert(copy - 1);
            }
        }
    }
    for (r, &d) in graph.degrees().iter().enumerate() {
        assert!(named[r].iter().copied().eq(0..split.copies[r]), "row {r}: {:?} of {}", named[r], split.copies[r]);
        if split.first == 0 {
            assert!(classes <= q, "{classes} colors instead of {q}");
            assert!(split.copies[r].max(1) >= d.div_ceil(q as u32), "row {r}: {} copies for {d}", split.copies[r]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s12_e07_e09_any_two_or_more_colors_are_enough_with_copies(graph in graphs(), q in 2_usize..9) {
        let graph = of(&graph);
        let found = split(&graph, q);
        check(&graph, &found, q);
        prop_assert_eq!(&found, &split(&graph, q));
        let plain = color(&graph);
        if count(&plain) <= q {
            // Nothing to gain: nothing is split, and the colors are the plain ones.
            prop_assert_eq!(found.total(), 0);
            prop_assert_eq!(found.colors, plain);
        } else {
            // Copies, unless a better coloring was met on the way.
            prop_assert!(count(&found.colors) <= q);
        }
    }

    #[test]
    fn s13_hybrid_keeps_the_first_colors_and_averages_the_rest(graph in graphs(), q in 2_usize..9) {
        let graph = of(&graph);
        let plain = color(&graph);
        let found = hybrid(&graph, q, plain.clone());
        check(&graph, &found, q);
        for (now, before) in found.colors.iter().zip(&plain) {
            prop_assert_eq!(*now, (*before).min(q as u32));
        }
    }

    #[test]
    fn s11_balanced_colors_stay_valid_and_no_class_grows_beyond_the_largest(graph in graphs()) {
        let hyper = of(&graph);
        let plain = color(&hyper);
        let mut even = plain.clone();
        balance(&hyper, &mut even);
        check(&hyper, &Split::plain(&hyper, even.clone()), usize::MAX);
        prop_assert!(count(&even) <= count(&plain));
        let largest = |colors: &[u32]| (0..count(colors)).map(|k| colors.iter().filter(|&&c| c as usize == k).count()).max();
        prop_assert!(largest(&even) <= largest(&plain));
    }
}

#[test]
fn s12_e09_star_of_five_takes_two_colors_with_three_copies() {
    // D2 Fig 4: ω = 5. Two colors need ⌈5/2⌉ copies of the center, not five (E07).
    let star = of(&Graph::pairs(6, &(1..=5).map(|i| [0, i]).collect::<Vec<_>>()));
    let found = split(&star, 2);
    check(&star, &found, 2);
    assert_eq!(found.copies, [3, 0, 0, 0, 0, 0]);
}

#[test]
fn s12_e09_ring_of_five_takes_two_colors_with_one_particle_split() {
    // ω = 2 and still not two-colorable (E09): one particle has to be split.
    let ring = of(&Graph::pairs(5, &(0..5).map(|i| [i, (i + 1) % 5]).collect::<Vec<_>>()));
    let found = split(&ring, 2);
    check(&ring, &found, 2);
    assert_eq!(found.total(), 2, "{found:?}");
}

#[test]
fn s12_a_lattice_needs_hardly_more_copies_than_the_least() {
    // A block of six-tet cells: 24 tets on every inner particle.
    let spec = pliant::scene::BlockSpec { cells: [12; 3], size: [1.0; 3], tets: pliant::scene::Tessellation::Six };
    let mesh = pliant::builder::generate::block(&spec);
    let graph = graph::Graph::uniform(4, 4, &mesh.tets.concat(), mesh.positions.len());
    for q in [2, 4, 6, 8, 12] {
        let found = split(&graph, q);
        check(&graph, &found, q);
        // Bodies that carry a particle: its copies, or itself.
        let (mut bodies, mut least) = (0, 0);
        for (&d, &n) in graph.degrees().iter().zip(&found.copies) {
            bodies += n.max(1);
            least += d.div_ceil(q as u32);
        }
        let over = f64::from(bodies) / f64::from(least);
        println!("q = {q}: {} copies, {bodies} bodies, {least} at least, {over:.3} times", found.total());
        assert!(over < 1.4, "q = {q}: {bodies} bodies, {least} at least");
        let sizes: Vec<usize> = (0..q).map(|k| found.colors.iter().filter(|&&c| c as usize == k).count()).collect();
        let (most, fewest) = (sizes.iter().max().unwrap(), sizes.iter().min().unwrap());
        assert!(*most as f64 <= 1.02 * *fewest as f64, "uneven: {sizes:?}");
    }
}
