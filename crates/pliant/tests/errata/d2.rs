//! D2: the distance constraint (2), insertion of phantoms (Algorithm 2, 7), figures 3 and 4.

use crate::samples::{Double, Sample};
use crate::support::simulate;
use glam::DVec3;
use pliant::constraints::ConstraintKind;
use pliant::partition::clique::{maximal_cliques, omega};
use pliant::partition::color::{color, count};
use pliant::partition::graph::Graph;
use pliant::partition::phantom::{Split, split};
use std::collections::BTreeSet;

/// Constraints as the lists of particles they move, in the form in which Algorithm 2 changes them.
type Lists = Vec<Vec<u32>>;

fn graph(row_count: usize, constraints: &[Vec<u32>]) -> Graph {
    let mut graph = Graph::new(row_count);
    constraints.iter().for_each(|members| graph.push(members));
    graph
}

fn star() -> Lists {
    (1..=5).map(|i| vec![0, i]).collect()
}

/// Particles and constraints of Fig 4a: a center, five around it, five spokes and five edges of the ring.
fn wheel() -> Lists {
    let ring = (0..5).map(|i| vec![1 + i, 1 + (i + 1) % 5]);
    star().into_iter().chain(ring).collect()
}

/// What Algorithm 2 leaves: changed constraints, phantom constraints, and the number of particles and copies.
struct Inserted {
    constraints: Lists,
    phantoms: Lists,
    rows: u32,
}

/// Lines 4–23 of Algorithm 2, over the cliques found before anything was changed. `once` makes the set F once per
/// clique; as printed (line 13) it is made for every constraint.
fn printed_insertion(row_count: u32, constraints: &Lists, q: usize, once: bool) -> Inserted {
    let mut cliques = Vec::new();
    maximal_cliques(&graph(row_count as usize, constraints), &mut |c| cliques.push(c.to_vec()));
    cliques.sort_by_key(|c| std::cmp::Reverse(c.len()));
    let mut out = Inserted { constraints: constraints.clone(), phantoms: Vec::new(), rows: row_count };
    for clique in cliques.iter().filter(|c| c.len() > q) {
        let mut counts = std::collections::BTreeMap::new();
        for &c in clique {
            out.constraints[c as usize].iter().for_each(|&r| *counts.entry(r).or_insert(0) += 1);
        }
        let most = counts.values().copied().max().unwrap();
        let shared = *counts.iter().find(|(_, n)| **n == most).unwrap().0;
        let mut copies = Vec::new();
        for &c in clique {
            if !once {
                copies.clear();
            }
            if let Some(member) = out.constraints[c as usize].iter_mut().find(|r| **r == shared) {
                *member = out.rows;
                copies.push(out.rows);
                out.rows += 1;
            }
        }
        if !copies.is_empty() {
            copies.insert(0, shared);
            out.phantoms.push(copies);
        }
    }
    out
}

/// Projects the spokes of a star on their copies and then the phantom constraints, with the outer particles fixed on
/// the unit circle. Returns how far the copies are from the center particle at the end [m].
fn relax(inserted: &Inserted) -> f64 {
    let outer = |i: u32| {
        let angle = std::f64::consts::TAU * f64::from(i - 1) / 5.0;
        DVec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let start = DVec3::new(0.3, 0.2, 0.0);
    let mut places: Vec<DVec3> =
        (0..inserted.rows).map(|r| if (1..=5).contains(&r) { outer(r) } else { start }).collect();
    for _ in 0..50 {
        for spoke in &inserted.constraints {
            let (center, fixed) = (spoke[0] as usize, places[spoke[1] as usize]);
            let d = places[center] - fixed;
            places[center] = fixed + d.normalize() * 1.2;
        }
        for tied in &inserted.phantoms {
            let mean = tied.iter().map(|&r| places[r as usize]).sum::<DVec3>() / tied.len() as f64;
            tied.iter().for_each(|&r| places[r as usize] = mean);
        }
    }
    (6..inserted.rows as usize).map(|r| places[r].distance(places[0])).fold(0.0, f64::max)
}

#[test]
fn e04_printed_rest_term_is_an_area_and_the_kernel_vanishes_at_the_rest_length() {
    let printed = |length: f64, d: f64| length - d * d;
    let rest = 0.5;
    assert!((printed(rest, rest) - 0.25_f64).abs() < 1e-15, "an edge at rest would be stretched by half");
    let rows = vec![[rest, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]];
    let at = Sample { kind: ConstraintKind::Stretch, params: vec![rest, 0.0], rows };
    assert_eq!(at.evaluate::<Double>()[0], 0.0);
}

#[test]
fn e06_a_set_made_per_constraint_ties_one_copy_only_and_the_engine_ties_all() {
    let printed = printed_insertion(6, &star(), 2, false);
    assert_eq!(printed.rows - 6, 5, "copies");
    assert_eq!(printed.phantoms, [[0, 10]], "only the copy that was made last is tied to the particle");
    let tied = printed_insertion(6, &star(), 2, true);
    assert_eq!(tied.phantoms, [[0, 6, 7, 8, 9, 10]]);
    let (loose, held) = (relax(&printed), relax(&tied));
    assert!(loose > 0.3 && held < 1e-12, "copies end {loose} m and {held} m from their particle");

    let sim = simulate(
        "solver = { partition = \"phantom\", colors = 2 }\n[[soft]]\nblock = { cells = [3, 3, 3], size = [1, 1, 1] }\n",
    );
    let phantoms = &sim.model().phantoms;
    assert!(phantoms.owners.len() > 100, "{} copies", phantoms.owners.len());
    let mut times = vec![0; phantoms.owners.len()];
    for tie in &phantoms.ties {
        for row in tie.first..tie.first + tie.count {
            times[row as usize - phantoms.first] += 1;
            assert_eq!(phantoms.seen(row), phantoms.seen(tie.owner), "a copy is tied to another particle");
        }
    }
    assert!(times.iter().all(|&n| n == 1), "every copy is in one phantom constraint");
}

/// Whether no two constraints of a color name the same copy, and the number of colors.
fn colors_of(graph: &Graph, split: &Split) -> Option<usize> {
    let mut used = BTreeSet::new();
    for c in 0..graph.len() as u32 {
        for (k, &r) in graph.members(c).iter().enumerate() {
            let copied = split.copies[r as usize] > 0 && split.colors[c as usize] >= split.first;
            let copy = if copied { 1 + split.copy[graph.start(c) + k] } else { 0 };
            if !used.insert((split.colors[c as usize], r, copy)) {
                return None;
            }
        }
    }
    Some(count(&split.colors))
}

#[test]
fn e07_a_copy_per_member_is_more_than_needed_and_cliques_must_be_looked_at_again() {
    // Five constraints at one particle and two colors: ⌈5/2⌉ copies are enough.
    let star = star();
    assert_eq!(printed_insertion(6, &star, 2, true).rows - 6, 5);
    let hyper = graph(6, &star);
    let found = split(&hyper, 2);
    assert_eq!((found.total(), colors_of(&hyper, &found)), (3, Some(2)));
    // Three triangles on one edge: with the first corner of the edge replaced they still share the second, so the
    // clique has not shrunk to the two that are claimed.
    let fan: Lists = (2..5).map(|i| vec![0, 1, i]).collect();
    let printed = printed_insertion(5, &fan, 2, true);
    let after = graph(printed.rows as usize, &printed.constraints);
    assert_eq!((omega(&after).size, count(&color(&after))), (3, 3));
    let hyper = graph(5, &fan);
    let found = split(&hyper, 2);
    assert_eq!(colors_of(&hyper, &found), Some(2));
    // All copies of one particle are one group, for one pass over all phantom constraints of a kind.
    let sim = simulate(
        "solver = { partition = \"phantom\", colors = 2 }\n[[cloth]]\ngrid = { cells = [6, 6], size = [1, 1] }\n",
    );
    let owners: Vec<u32> = sim.model().phantoms.ties.iter().map(|t| t.owner).collect();
    assert!(!owners.is_empty());
    assert_eq!(owners.len(), owners.iter().collect::<BTreeSet<_>>().len(), "a particle has two groups of copies");
}

/// A particle of mass `mass` at `center` with springs to others, projected on copies of it, each with the inverse mass
/// `weight`; the particle then goes to their mean (7). Returns the change of momentum over the sum of magnitudes.
fn printed_copies(center: DVec3, mass: f64, weight: f64, others: &[(DVec3, f64)]) -> f64 {
    let (mut mean, mut sum, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for &(place, m) in others {
        let d = center - place;
        let pull = d.normalize() * (-(d.length() - 1.0) / (weight + 1.0 / m));
        mean += pull * weight / others.len() as f64;
        sum -= pull;
        size += pull.length();
    }
    (sum + mean * mass).length() / size
}

#[test]
fn e08_copies_of_full_mass_lose_momentum_and_the_engines_keep_it() {
    let others = [(DVec3::new(2.0, 0.0, 0.0), 1.0), (DVec3::new(0.0, 1.5, 0.0), 3.0), (DVec3::new(0.3, 0.2, 1.9), 0.4)];
    let mass = 2.0;
    let full = printed_copies(DVec3::ZERO, mass, 1.0 / mass, &others);
    let shared = printed_copies(DVec3::ZERO, mass, others.len() as f64 / mass, &others);
    assert!(full > 0.1 && shared < 1e-12, "{full} with full masses, {shared} with a third each");

    let mut sim = simulate(
        "solver = { partition = \"phantom\", colors = 2, iterations = 4 }\nworld = { gravity = [0, 0, 0], air_density = 0 }\n\
         [[cloth]]\ngrid = { cells = [6, 6], size = [1, 1] }\n",
    );
    let n = sim.particles();
    let state = sim.state_mut();
    for i in 0..n {
        state.rows[i][3] = 1.0 / (1.0 + (7 * i % 10) as f32);
        // A ring-shaped shear, so that every edge pulls.
        let [x, y, ..] = state.rows[i];
        state.velocities[i] = [3.0 * y, -2.0 * x * x, (i % 3) as f32, 0.0];
    }
    let before = sim.probe().linear;
    sim.advance(20).unwrap();
    assert!(sim.model().phantoms.owners.len() > 20);
    let after = sim.probe().linear;
    let size: f64 = (0..n).map(|i| f64::from(sim.velocity(i).length() / sim.state().rows[i][3])).sum();
    let off = DVec3::from(before).distance(DVec3::from(after)) / size;
    assert!(off < 1e-5, "momentum is off by {off}");
}

#[test]
fn e09_a_clique_number_of_q_does_not_give_q_colors_and_figures_3_and_4_miscount() {
    // Fig 3: a ring of five takes three colors, not five; and its largest clique has two members.
    let ring: Lists = (0..5).map(|i| vec![i, (i + 1) % 5]).collect();
    let hyper = graph(5, &ring);
    let (printed_colors, claimed_by_clique) = (5, 2);
    let colors = count(&color(&hyper));
    assert_eq!((omega(&hyper).size, colors), (claimed_by_clique, 3));
    assert!(colors < printed_colors && colors > claimed_by_clique);
    // Fig 4c: with the center replaced by five copies the ring is still there, an odd circle of conflicts.
    let replaced: Lists =
        wheel().into_iter().enumerate().map(|(c, m)| if c < 5 { vec![6 + c as u32, m[1]] } else { m }).collect();
    assert!(!is_bipartite(&replaced), "the figure claims two colors");
    assert!(count(&color(&graph(11, &replaced))) > 2);
    for lists in [ring, wheel()] {
        let hyper = graph(6, &lists);
        let found = split(&hyper, 2);
        assert_eq!(colors_of(&hyper, &found), Some(2), "{lists:?}");
    }
}

/// Whether conflicts between constraints can be colored with two colors, by trying.
fn is_bipartite(constraints: &Lists) -> bool {
    let conflict = |a: usize, b: usize| a != b && constraints[a].iter().any(|r| constraints[b].contains(r));
    let mut side = vec![None; constraints.len()];
    for first in 0..constraints.len() {
        if side[first].is_some() {
            continue;
        }
        side[first] = Some(false);
        let mut open = vec![first];
        while let Some(a) = open.pop() {
            for b in (0..constraints.len()).filter(|&b| conflict(a, b)) {
                match side[b] {
                    None => {
                        side[b] = side[a].map(|s| !s);
                        open.push(b);
                    }
                    s if s == side[a] => return false,
                    _ => {}
                }
            }
        }
    }
    true
}
