//! The angles of all patterns, at the extremes of cut points and warped vertices.

use crate::tetrahedralize::cut::{Cuts, Label, VIOLATES_LONG, VIOLATES_SHORT};
use crate::tetrahedralize::lattice::Lattice;
use crate::tetrahedralize::octree::Frame;
use crate::tetrahedralize::quality::extreme_cosines;
use crate::tetrahedralize::stencils::fill;
use crate::tetrahedralize::{LARGEST_ANGLE, LEAST_ANGLE};
use glam::{DVec3, IVec3};
use std::collections::BTreeMap;

/// A tetrahedron of the lattice; all are alike.
const TET: [IVec3; 4] = [IVec3::new(5, 5, 5), IVec3::new(5, 5, 7), IVec3::new(4, 4, 6), IVec3::new(6, 4, 6)];

/// The way to each neighbor of a vertex that it may be warped to, shortened to the farthest cut point that violates it.
fn warps() -> Vec<(IVec3, f64)> {
    let long = (0..6).map(|i| {
        let mut way = IVec3::ZERO;
        way[i / 2] = if i % 2 == 0 { 2 } else { -2 };
        (way, VIOLATES_LONG)
    });
    let sign = |bit: i32| 2 * (bit & 1) - 1;
    let short = (0..8).map(|i| (IVec3::new(sign(i), sign(i >> 1), sign(i >> 2)), VIOLATES_SHORT));
    long.chain(short).collect()
}

/// Whether vertices can have sides so that the ends of every edge have different ones.
fn is_possible(edges: &[[IVec3; 2]], mut inside: BTreeMap<[i32; 3], bool>) -> bool {
    let twice = |i: usize| edges[..i].iter().any(|e| *e == edges[i] || [e[1], e[0]] == edges[i]);
    if (0..edges.len()).any(twice) {
        // A cut point warps one of its ends only.
        return false;
    }
    loop {
        let mut changed = false;
        for [a, b] in edges {
            for (from, to) in [(a, b), (b, a)] {
                let Some(&side) = inside.get(&from.to_array()) else { continue };
                match inside.get(&to.to_array()) {
                    Some(&other) if other == side => return false,
                    Some(_) => {}
                    None => {
                        inside.insert(to.to_array(), !side);
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            match edges.iter().flatten().find(|p| !inside.contains_key(&p.to_array())) {
                Some(free) => inside.insert(free.to_array(), true),
                None => return true,
            };
        }
    }
}

/// Every combination of `base` choices at `places`.
fn choices(base: usize, places: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..base.pow(places as u32)).map(move |n| (0..places).map(|k| n / base.pow(k as u32) % base).collect())
}

#[test]
fn all_patterns_have_angles_between_10_7_and_164_8_degrees_wherever_the_surface_cuts() {
    let volume = |[a, b, c, d]: [IVec3; 4]| (b - a).cross(c - a).dot(d - a);
    assert!(volume(TET) > 0);
    let frame = Frame { origin: DVec3::ZERO, half: 1.0, root: 4 };
    let lattice = Lattice { frame, places: TET.to_vec(), inside: vec![true; 4], tets: vec![[0, 1, 2, 3]] };
    let all = [Label::Inside, Label::Surface, Label::Outside];
    let warps = warps();
    let (mut angles, mut tets) = ([180.0_f64, 0.0], 0);
    for labels in choices(3, 4) {
        let labels: Vec<Label> = labels.into_iter().map(|l| all[l]).collect();
        let warped: Vec<usize> = (0..4).filter(|&v| labels[v] == Label::Surface).collect();
        let sides: BTreeMap<_, _> = (0..4)
            .filter(|&v| labels[v] != Label::Surface)
            .map(|v| (TET[v].to_array(), labels[v] == Label::Inside))
            .collect();
        let pairs = (0..4_u32).flat_map(|a| (a + 1..4).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs
            .filter(|e| {
                let [a, b] = e.map(|v| labels[v as usize]);
                a != b && a != Label::Surface && b != Label::Surface
            })
            .collect();
        for ways in choices(warps.len(), warped.len()) {
            let warp_edges: Vec<[IVec3; 2]> =
                warped.iter().zip(&ways).map(|(&v, &w)| [TET[v], TET[v] + warps[w].0]).collect();
            if !is_possible(&warp_edges, sides.clone()) {
                continue;
            }
            // Each warped all the way or not at all, each cut point at either end of where it may be or in the middle.
            for (far, cut) in
                choices(2, warped.len()).flat_map(|f| choices(3, edges.len()).map(move |c| (f.clone(), c)))
            {
                let mut places: Vec<DVec3> = (0..4).map(|v| lattice.place(v)).collect();
                for (k, &v) in warped.iter().enumerate() {
                    let (way, share) = warps[ways[k]];
                    places[v] += way.as_dvec3() * share * far[k] as f64;
                }
                let point = |(&[a, b], &c): (&[u32; 2], &usize)| {
                    let limit = if lattice.is_long(a, b) { VIOLATES_LONG } else { VIOLATES_SHORT };
                    lattice.place(a).lerp(lattice.place(b), [limit, 0.5, 1.0 - limit][c])
                };
                let points = edges.iter().zip(&cut).map(point).collect();
                let filled = fill(&lattice, &Cuts { labels: labels.clone(), places, edges: edges.clone(), points });
                for t in &filled.tets {
                    let corners = t.map(|v| filled.points[v as usize]);
                    let found = extreme_cosines(&corners).expect("a positive volume");
                    angles = [angles[0].min(found.0.acos()), angles[1].max(found.1.acos())];
                    tets += 1;
                }
            }
        }
    }
    let [least, largest] = angles.map(f64::to_degrees);
    assert!(tets > 100_000, "{tets}");
    assert!(least > LEAST_ANGLE && largest < LARGEST_ANGLE, "{least} to {largest} degrees in {tets} tetrahedra");
    // The bounds are tight.
    assert!(least < 10.8 && largest > 164.6, "{least} to {largest} degrees");
}
