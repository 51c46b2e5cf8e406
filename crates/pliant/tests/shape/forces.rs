//! Forces on rigid bodies, the basis of contacts (S19, S21).

use crate::support::{Random, Row, bent, block, momentum};
use pliant::shape_matching::{BodyDef, MatchSettings, ShapeMatch, match_shapes};

const FORCED: fn() -> MatchSettings<'static> = || MatchSettings { forced: true, ..MatchSettings::default() };

/// A box of 4 × 3 × 2 particles of different masses, and one row to push.
fn uneven(random: &mut Random) -> (Vec<Row>, ShapeMatch) {
    let mut rows = block([4, 3, 2]);
    rows.iter_mut().for_each(|r| r[3] = random.within(0.5, 2.0));
    let shapes = ShapeMatch::new(&[BodyDef::rigid(0..24)], &rows).unwrap();
    (rows, shapes)
}

/// How far row `i` goes along `n` when a push of one along it has been shared out to the body [1/kg].
fn answer(i: usize, n: [f32; 3], rest: &[Row], shapes: &ShapeMatch) -> f64 {
    // So little that all of it is of first order; not so little that it drowns.
    let push = 1e-3_f32;
    let (mut rows, mut shapes) = (rest.to_vec(), shapes.clone());
    (0..3).for_each(|k| rows[i][k] += n[k] * push * rest[i][3]);
    match_shapes(&mut shapes, &mut rows, &FORCED());
    (0..3).map(|k| f64::from(n[k]) * f64::from(rows[i][k] - rest[i][k])).sum::<f64>() / f64::from(push)
}

#[test]
fn s19_shares_are_the_maximum_response_of_a_rigid_body_to_one_particle() {
    let mut random = Random(31);
    let (rest, shapes) = uneven(&mut random);
    for i in 0..rest.len() {
        let bound = f64::from(shapes.shares()[i]) * f64::from(rest[i][3]);
        let mut most = 0.0_f64;
        for _ in 0..400 {
            let v = random.vector();
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            most = most.max(answer(i, v.map(|x| x / length), &rest, &shapes));
        }
        // Of 400 directions one is within a tenth of a radian of the worst; places are rounded to 6e-8 of 1e-3.
        assert!(most < bound * 1.001, "particle {i} goes {most} of at most {bound}");
        assert!(most > bound * 0.97, "particle {i} goes {most} of {bound}");
        assert!(shapes.shares()[i] < 1.0, "a body is heavier than its particle");
    }
}

#[test]
fn s19_a_rigid_body_is_not_turned_over_by_a_push_through_its_middle() {
    let mut random = Random(32);
    let (rest, shapes) = uneven(&mut random);
    let middle = shapes.poses()[0].center;
    // The first corner goes out of the opposite side, ten times as far.
    let mut pushed = rest.clone();
    (0..3).for_each(|k| pushed[0][k] -= 20.0 * (rest[0][k] - middle[k]));
    let turned = |pass: &MatchSettings<'_>| {
        let (mut rows, mut shapes) = (pushed.clone(), shapes.clone());
        match_shapes(&mut shapes, &mut rows, pass);
        assert!(bent(&rest, &rows) < 5e-6);
        let (linear, _) = momentum(&pushed, &rows);
        assert!(linear < 1e-4, "momentum {linear}");
        2.0 * shapes.poses()[0].rotation[3].abs().min(1.0).acos()
    };
    // Without a lever there is no torque; the nearest rotation is another matter.
    assert!(turned(&FORCED()) < 1e-3, "turned by {}", turned(&FORCED()));
    assert!(turned(&MatchSettings::default()) > 1.0, "turned by {}", turned(&MatchSettings::default()));
}

#[test]
fn s19_externally_rotated_bodies_are_matched_again() {
    let mut random = Random(33);
    let (rest, mut shapes) = uneven(&mut random);
    // Half a turn about z, which no torque could tell from none.
    let turned: Vec<Row> = rest.iter().map(|&[x, y, z, w]| [-x, -y, z, w]).collect();
    let known = shapes.row_hashes(&rest, &rest);
    shapes.refit(&known, &turned, &rest);
    let mut rows = turned.clone();
    match_shapes(&mut shapes, &mut rows, &FORCED());
    let off = turned.iter().zip(&rows).flat_map(|(a, b)| (0..3).map(|k| (a[k] - b[k]).abs())).fold(0.0, f32::max);
    assert!(off < 1e-5, "off by {off} m");
}
