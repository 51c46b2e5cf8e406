//! Pinned particles: never moved, of practically infinite mass.

use crate::support::{Random, Row, bent, block, distance, farthest, moved, shaken};
use pliant::math::matrix::matrix_of;
use pliant::shape_matching::{BodyDef, MatchSettings, ShapeMatch, match_shapes};

fn pinned(mut rows: Vec<Row>, pins: &[usize]) -> Vec<Row> {
    pins.iter().for_each(|&i| rows[i][3] = 0.0);
    rows
}

fn matched(rest: &[Row], start: &[Row]) -> Vec<Row> {
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..rest.len() as u32)], rest).unwrap();
    let mut rows = start.to_vec();
    match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    rows
}

#[test]
fn s19_one_pin_is_a_ball_joint_and_the_limit_of_a_heavy_particle() {
    let mut random = Random(40);
    let rest = pinned(block([4, 3, 5]), &[7]);
    for _ in 0..20 {
        let start = shaken(&moved(&rest, &matrix_of(random.quat()), random.vector()), &mut random, 0.05);
        let rows = matched(&rest, &start);
        assert_eq!(rows[7], start[7], "pins do not move");
        assert!(bent(&rest, &rows) < 2e-6, "rigid about the pin: {}", bent(&rest, &rows));
        // A particle that weighs as much as all others ten thousand times over.
        let heavy = |rows: &[Row]| {
            let mut rows = rows.to_vec();
            rows[7][3] = 1.0 / (60.0 * 1e4);
            rows
        };
        let mut limit = matched(&heavy(&rest), &heavy(&start));
        limit[7][3] = 0.0;
        // One part in ten thousand of 0.05 m, and sums that the heavy one rounds to as much.
        assert!(farthest(&rows, &limit) < 1e-4, "{}", farthest(&rows, &limit));
    }
}

#[test]
fn s19_two_pins_are_a_hinge_and_three_hold_the_body() {
    let mut random = Random(41);
    for (pins, slack) in [(&[0, 3][..], false), (&[0, 3, 9][..], true)] {
        let rest = pinned(block([4, 3, 3]), pins);
        // Pins turned with the body, everything else somewhere near.
        let whole = moved(&rest, &matrix_of(random.quat()), random.vector());
        let start = shaken(&whole, &mut random, 0.05);
        let rows = matched(&rest, &start);
        pins.iter().for_each(|&i| assert_eq!(rows[i], start[i]));
        // The others disagree by some 0.05 m/√33; the pins outweigh them 256 times.
        assert!(bent(&rest, &rows) < 2e-4, "{pins:?}: {}", bent(&rest, &rows));
        if slack {
            assert!(farthest(&rows, &whole) < 5e-4, "held where the pins are: {}", farthest(&rows, &whole));
        }
    }
    // A hinge lets the body turn about it: everything a quarter turn on comes out a quarter turn on.
    let rest = pinned(block([4, 3, 3]), &[0, 3]);
    let turned = moved(&rest, &[[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]], [0.0; 3]);
    assert!(farthest(&matched(&rest, &turned), &turned) < 1e-5, "{}", farthest(&matched(&rest, &turned), &turned));
}

#[test]
fn s19_moved_pins_carry_the_body_and_a_body_of_pins_stays() {
    let mut random = Random(42);
    let rest = pinned(block([3, 3, 3]), &[0, 2, 6, 18]);
    let goal = moved(&rest, &matrix_of([0.0, 0.0, 0.0998, 0.995]), [0.1, 0.0, 0.0]);
    let mut rows = rest.clone();
    [0, 2, 6, 18].into_iter().for_each(|i| rows[i] = goal[i]);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..27)], &rest).unwrap();
    for _ in 0..4 {
        match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    }
    assert!(farthest(&rows, &goal) < 1e-5, "{}", farthest(&rows, &goal));
    let rest = pinned(block([2, 2, 2]), &[0, 1, 2, 3, 4, 5, 6, 7]);
    let start = moved(&rest, &matrix_of(random.quat()), [1.0, 2.0, 3.0]);
    assert_eq!(matched(&rest, &start), start);
}

#[test]
fn s19_a_released_pin_is_an_ordinary_member() {
    let mut random = Random(43);
    let free = block([4, 3, 3]);
    let held = pinned(free.clone(), &[5]);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..36)], &held).unwrap();
    shapes.set_masses(&free);
    let start = shaken(&free, &mut random, 0.05);
    let mut rows = start.clone();
    match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    assert!(distance(&rows[5], &start[5]) > 1e-3, "it moves");
    assert!(farthest(&rows, &matched(&free, &start)) < 1e-6, "as if it had never been held");
}
