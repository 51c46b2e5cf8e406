//! Overlapping regions.

use crate::support::{Random, Row, block, distance, momentum, shaken, substep};
use pliant::shape_matching::{BodyDef, MatchSettings, ShapeMatch, Stiffness, match_shapes, regions};

fn places(rows: &[Row]) -> Vec<[f32; 3]> {
    rows.iter().map(|r| [r[0], r[1], r[2]]).collect()
}

fn of_regions(rest: &[Row], size: f32, overlap: f32) -> Vec<BodyDef> {
    let stiffness = Stiffness::Fraction(1.0);
    let all = regions(&places(rest), size, overlap);
    all.into_iter().map(|members| BodyDef { members, stiffness, plastic: None }).collect()
}

#[test]
fn s19_regions_hold_every_particle_and_those_within_the_overlap() {
    let mut random = Random(50);
    let positions: Vec<[f32; 3]> = (0..500).map(|_| random.vector()).collect();
    for (size, overlap) in [(0.5, 0.0), (0.5, 0.2), (0.3, 0.3), (5.0, 0.1), (0.0, 0.0)] {
        let all = regions(&positions, size, overlap);
        assert!(all.iter().all(|r| !r.is_empty() && r.windows(2).all(|w| w[0] < w[1])));
        let mut counts = [0; 500];
        all.iter().flatten().for_each(|&i| counts[i as usize] += 1);
        assert!(counts.iter().all(|&n| n > 0));
        let shared = counts.iter().filter(|&&n| n > 1).count();
        assert_eq!(shared > 0, overlap > 0.0 && all.len() > 1, "{size} {overlap}: {shared} shared");
        for region in &all {
            for k in 0..3 {
                let along = region.iter().map(|&i| positions[i as usize][k]);
                let (low, high) = along.fold((9.0_f32, -9.0_f32), |(l, h), v| (l.min(v), h.max(v)));
                assert!(size == 0.0 || high - low <= size + 2.0 * overlap + 1e-5);
            }
        }
    }
    // Two rows of cells along x: ten particles each, and two more from the neighbor.
    let line: Vec<[f32; 3]> = (0..20).map(|i| [0.1 * i as f32 + 0.05, 0.0, 0.0]).collect();
    let all = regions(&line, 1.0, 0.2);
    assert_eq!(all, [(0..12).collect::<Vec<_>>(), (8..20).collect()]);
}

#[test]
fn s19_regions_keep_linear_and_angular_momentum() {
    let mut random = Random(51);
    let mut rest = block([12, 4, 4]);
    rest.iter_mut().for_each(|r| r[3] = random.within(0.2, 5.0));
    let shapes = of_regions(&rest, 0.3, 0.15);
    assert!(shapes.len() > 4);
    for _ in 0..20 {
        let before = shaken(&rest, &mut random, 0.05);
        let mut after = before.clone();
        match_shapes(&mut ShapeMatch::new(&shapes, &rest).unwrap(), &mut after, &MatchSettings::default());
        let (linear, angular) = momentum(&before, &after);
        // As for single bodies: rounding of places of a meter against moves of centimeters.
        assert!(linear < 2e-6 && angular < 5e-6, "{linear} {angular}");
    }
}

#[test]
fn s19_regions_follow_bending_that_a_single_body_resists() {
    let rest = block([30, 3, 3]);
    // Bent to an arc of radius 3 m: lengths along the middle stay.
    let arc: Vec<Row> = rest
        .iter()
        .map(|r| {
            let (s, c) = (r[0] / 3.0).sin_cos();
            [(3.0 - r[1]) * s, 3.0 - (3.0 - r[1]) * c, r[2], r[3]]
        })
        .collect();
    let lost = |shapes: &[BodyDef]| {
        let mut rows = arc.clone();
        match_shapes(&mut ShapeMatch::new(shapes, &rest).unwrap(), &mut rows, &MatchSettings::default());
        rows.iter().zip(&arc).map(|(a, b)| distance(a, b)).fold(0.0, f32::max)
    };
    let (one, many) = (lost(&[BodyDef::rigid(0..270)]), lost(&of_regions(&rest, 0.5, 0.25)));
    // The arc rises by 2.9²/(8·3) = 0.35 m over its chord; a rigid body loses about half of that at its ends.
    assert!(one > 0.1, "{one}");
    assert!(many < 0.1 * one, "{many} of {one}");
}

#[test]
fn s19_a_beam_of_regions_sags_where_one_body_does_not() {
    let h = 1.0 / 60.0;
    let tip = |shapes: &dyn Fn(&[Row]) -> Vec<BodyDef>| {
        let mut rest = block([20, 3, 3]);
        rest.iter_mut().filter(|r| r[0] < 0.15).for_each(|r| r[3] = 0.0);
        let mut shapes = ShapeMatch::new(&shapes(&rest), &rest).unwrap();
        let (mut rows, mut velocities) = (rest.clone(), vec![[0.0; 3]; rest.len()]);
        for _ in 0..60 {
            let before = rows.clone();
            for (row, v) in rows.iter_mut().zip(&mut velocities).filter(|(r, _)| r[3] > 0.0) {
                v[1] -= 9.81 * h;
                (0..3).for_each(|k| row[k] += h * v[k]);
            }
            substep(&mut shapes, &mut rows, h, 2);
            for ((row, old), v) in rows.iter().zip(&before).zip(&mut velocities) {
                *v = [0, 1, 2].map(|k| (row[k] - old[k]) / h);
            }
        }
        assert!(rows.iter().flatten().all(|v| v.is_finite()));
        rest[19][1] - rows[19][1]
    };
    let one = tip(&|rest| vec![BodyDef::rigid(0..rest.len() as u32)]);
    let many = tip(&|rest| of_regions(rest, 0.5, 0.2));
    // Pins outweigh the fall of one substep 256 times: 9.81/60²/256 = 1e-5 m a substep at most.
    assert!(one.abs() < 1e-3, "{one}");
    assert!(many > 0.05, "{many}");
}
