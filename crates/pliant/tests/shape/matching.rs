//! Whole bodies: rigid motions, momentum, stiffness, weights, order.

use crate::support::{Random, Row, bent, block, distance, farthest, momentum, moved, shaken, substep};
use pliant::Isa;
use pliant::math::matrix::{matrix_of, quat_multiply};
use pliant::shape_matching::{
    BodyDef, CHUNK, Extraction, MatchSettings, PEAK_WEIGHT, Plastic, ShapeError, ShapeMatch, Stiffness,
    adaptive_weight, match_shapes,
};

fn soft(rows: std::ops::Range<u32>, stiffness: Stiffness) -> BodyDef {
    BodyDef { stiffness, ..BodyDef::rigid(rows) }
}

fn with_masses(mut rows: Vec<Row>, random: &mut Random) -> Vec<Row> {
    rows.iter_mut().for_each(|r| r[3] = random.within(0.2, 5.0));
    rows
}

#[test]
fn s19_a_transformed_rest_shape_is_unchanged_and_a_perturbed_one_recovers() {
    let mut random = Random(4);
    let rest = with_masses(block([6, 5, 4]), &mut random);
    for extraction in [Extraction::GramSchmidt, Extraction::Polar, Extraction::Iterative] {
        for _ in 0..50 {
            let (q, shift) = (random.quat(), random.vector());
            let goal = moved(&rest, &matrix_of(q), shift);
            let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..120)], &rest).unwrap();
            let pass = MatchSettings { extraction, ..MatchSettings::default() };
            let mut rows = goal.clone();
            match_shapes(&mut shapes, &mut rows, &pass);
            assert!(farthest(&rows, &goal) < 1e-6, "{extraction:?}: {}", farthest(&rows, &goal));
            let pose = shapes.poses()[0];
            let turned = quat_multiply(pose.rotation, [-q[0], -q[1], -q[2], q[3]]);
            assert!(turned[3].abs() > 1.0 - 1e-6, "the pose is the rotation");
            // Deformed beyond recognition, it has the distances of its rest again after one pass.
            let mut rows = shaken(&goal, &mut random, 0.05);
            match_shapes(&mut shapes, &mut rows, &pass);
            assert!(bent(&rest, &rows) < 2e-6, "{extraction:?}: {}", bent(&rest, &rows));
        }
    }
}

#[test]
fn s19_a_body_far_from_the_origin_keeps_its_shape_as_well_as_places_there_resolve() {
    let mut random = Random(6);
    let rest = block([5, 5, 5]);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..125)], &rest).unwrap();
    let q = random.quat();
    let mut rows = shaken(&moved(&rest, &matrix_of(q), [3000.0, -2000.0, 1000.0]), &mut random, 0.01);
    match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    // Single precision at 3000 m resolves 2.4e-4 m; two ends round independently in three coordinates.
    assert!(bent(&rest, &rows) < 5e-4, "{}", bent(&rest, &rows));
    let turned = quat_multiply(shapes.poses()[0].rotation, [-q[0], -q[1], -q[2], q[3]]);
    // 125 particles shaken by 0.01 of 0.5 m.
    assert!(turned[3].abs() > 1.0 - 1e-4);
}

#[test]
fn s19_matching_keeps_linear_and_angular_momentum_and_gram_schmidt_does_not() {
    let mut random = Random(8);
    let rest = with_masses(block([5, 4, 3]), &mut random);
    let mut ghosts = 0;
    for stiffness in [Stiffness::Fraction(1.0), Stiffness::Fraction(0.3)] {
        for _ in 0..20 {
            let before = shaken(&moved(&rest, &matrix_of(random.quat()), random.vector()), &mut random, 0.1);
            for extraction in [Extraction::GramSchmidt, Extraction::Polar, Extraction::Iterative] {
                let mut shapes = ShapeMatch::new(&[soft(0..60, stiffness)], &rest).unwrap();
                let mut after = before.clone();
                match_shapes(&mut shapes, &mut after, &MatchSettings { extraction, ..MatchSettings::default() });
                let (linear, angular) = momentum(&before, &after);
                // Sums of 60 numbers of size 1 that were rounded to 1e-7 of a meter, against moves of a centimeter.
                assert!(linear < 2e-6, "{extraction:?}: {linear}");
                if extraction == Extraction::GramSchmidt {
                    ghosts += u32::from(angular > 1e-3);
                } else {
                    assert!(angular < 5e-6, "{extraction:?}: {angular}");
                }
            }
        }
    }
    assert!(ghosts > 35, "{ghosts} of 40");
}

#[test]
fn s19_iterations_share_the_stiffness_and_come_to_the_same() {
    let mut random = Random(10);
    let rest = with_masses(block([4, 4, 4]), &mut random);
    let start = shaken(&rest, &mut random, 0.03);
    for stiffness in [Stiffness::Fraction(0.4), Stiffness::Time(0.03), Stiffness::LinearTime(0.05)] {
        let run = |iterations| {
            let mut shapes = ShapeMatch::new(&[soft(0..64, stiffness)], &rest).unwrap();
            let mut rows = start.clone();
            substep(&mut shapes, &mut rows, 0.02, iterations);
            rows
        };
        let once = run(1);
        // What is left of the way: (1 − α) of each particle's, as no goal moves.
        let alpha = match stiffness {
            Stiffness::Fraction(alpha) => alpha,
            Stiffness::Time(tau) => 1.0 - (-0.02 / tau).exp(),
            Stiffness::LinearTime(tau) => 0.02 / tau,
        };
        let mut goal = start.clone();
        let mut rigid = ShapeMatch::new(&[BodyDef::rigid(0..64)], &rest).unwrap();
        match_shapes(&mut rigid, &mut goal, &MatchSettings::default());
        for ((a, b), c) in start.iter().zip(&once).zip(&goal) {
            let (way, left) = (distance(a, c), distance(b, c));
            assert!((left - (1.0 - alpha) * way).abs() < 1e-6, "{stiffness:?}: {left} of {way} left");
        }
        for iterations in [2, 5, 20] {
            // Rounding of places of half a meter, once per iteration.
            let error = farthest(&run(iterations), &once);
            assert!(error < 2e-6, "{stiffness:?}, {iterations} iterations: off by {error} m");
        }
    }
}

#[test]
fn s19_a_time_constant_does_not_depend_on_the_substep_and_d4s_does() {
    let part_left = |stiffness: Stiffness, substeps: u32| {
        (0..substeps).fold(1.0, |left, _| left * (1.0 - stiffness.per_iteration(0.1 / substeps as f32, 1)))
    };
    for substeps in [1, 2, 10, 100] {
        let left = part_left(Stiffness::Time(0.05), substeps);
        assert!((left - (-2.0_f32).exp()).abs() < 1e-5, "{substeps}: {left}");
    }
    // h/τ of 1/2 and more: (1 − 1/2)⁴ and nothing, where e⁻² would be right; the limit is the same.
    assert_eq!(part_left(Stiffness::LinearTime(0.05), 4), 0.0625);
    assert_eq!(part_left(Stiffness::LinearTime(0.05), 1), 0.0);
    assert!((part_left(Stiffness::LinearTime(0.05), 1000) - (-2.0_f32).exp()).abs() < 1e-3);
    for rigid in [Stiffness::Fraction(1.0), Stiffness::Time(0.0), Stiffness::LinearTime(0.0)] {
        assert_eq!(rigid.per_iteration(0.01, 7), 1.0);
    }
    assert_eq!(Stiffness::Fraction(0.0).per_iteration(0.01, 7), 0.0);
}

#[test]
fn s19_adaptive_weights_keep_a_pushed_corner_in_place() {
    // D4 Fig 4.1 and 4.2: a tilted square, whose lowest corner has been pushed up to the ground.
    let rest: Vec<Row> = vec![[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
    let (s, c) = 0.6_f32.sin_cos();
    let depth = 0.2;
    let fallen = moved(&rest, &[[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]], [0.0, -depth, 0.0]);
    let penetration = |weights: Option<&[f32]>| {
        let mut rows = fallen.clone();
        rows[0][1] = 0.0;
        let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..4)], &rest).unwrap();
        match_shapes(&mut shapes, &mut rows, &MatchSettings { weights, ..MatchSettings::default() });
        assert!(bent(&rest, &rows) < 1e-6, "rigid with any weights");
        -rows[0][1]
    };
    let weights: Vec<f32> = (0..4).map(|i| adaptive_weight(if i == 0 { depth } else { 0.0 }, depth)).collect();
    assert_eq!(weights, [PEAK_WEIGHT, 1.0, 1.0, 1.0]);
    let (plain, adaptive) = (penetration(None), penetration(Some(&weights)));
    // Alone it keeps a quarter of the push as translation and about a quarter as turn; with 32 of 35 parts of the
    // weight all but 3/35 = 0.086.
    assert!(plain > 0.4 * depth, "{plain}");
    assert!(adaptive < 0.086 * depth, "{adaptive}");
    assert_eq!(adaptive_weight(0.5, 1.0), 0.5 * (1.0 + PEAK_WEIGHT));
    assert_eq!(adaptive_weight(9.0, 1.0), PEAK_WEIGHT);
    assert_eq!(adaptive_weight(0.0, 0.0), 1.0);
    // Weights that are all the same change nothing but rounding.
    assert!((penetration(Some(&[3.0; 4])) - plain).abs() < 1e-6);
}

#[test]
fn s19_e23_plates_rods_and_single_particles_are_bodies_too() {
    let mut random = Random(14);
    for n in [[6, 5, 1], [1, 6, 5], [7, 1, 1], [1, 1, 7], [2, 1, 1], [1, 1, 1]] {
        let rest = with_masses(block(n), &mut random);
        let count = rest.len() as u32;
        for extraction in [Extraction::GramSchmidt, Extraction::Polar, Extraction::Iterative] {
            let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..count)], &rest).unwrap();
            let before = shaken(&moved(&rest, &matrix_of(random.quat()), random.vector()), &mut random, 0.02);
            let mut rows = before.clone();
            match_shapes(&mut shapes, &mut rows, &MatchSettings { extraction, ..MatchSettings::default() });
            assert!(bent(&rest, &rows) < 2e-6, "{n:?}, {extraction:?}: {}", bent(&rest, &rows));
            // Not flung about: no farther than it was shaken, and it was turned by at most as much.
            assert!(farthest(&before, &rows) < 0.1, "{n:?}, {extraction:?}: {}", farthest(&before, &rows));
        }
    }
}

#[test]
fn s19_non_finite_positions_give_a_valid_rotation() {
    let rest = block([3, 3, 3]);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..13), BodyDef::rigid(13..27)], &rest).unwrap();
    let mut rows = rest.clone();
    rows[3][1] = f32::NAN;
    match_shapes(&mut shapes, &mut rows, &MatchSettings::default());
    assert!(shapes.poses()[0].rotation.iter().all(|v| v.is_finite()), "the next start is a rotation");
    assert!(farthest(&rows[13..], &rest[13..]) < 1e-6, "and the neighbor is untouched");
}

/// Bodies of irregular sizes, some with pins: edge cases of a pass.
fn irregular_bodies(random: &mut Random) -> (Vec<BodyDef>, Vec<Row>) {
    let sizes = [1, 7, 8, 9, 63, CHUNK as u32, 65, 200, 1000, 5000, 3];
    let (mut shapes, mut rows) = (Vec::new(), Vec::new());
    for (number, size) in sizes.into_iter().enumerate() {
        // A row between them that belongs to no body.
        rows.push([9.0, 9.0, 9.0, 1.0]);
        let first = rows.len() as u32;
        for _ in 0..size {
            let p = random.vector();
            rows.push([p[0] + 3.0 * number as f32, p[1], p[2], random.within(0.2, 5.0)]);
        }
        shapes.push(soft(first..first + size, Stiffness::Fraction(0.7)));
        if number % 3 == 2 {
            rows[first as usize + 1][3] = 0.0;
            rows[first as usize + 5][3] = 0.0;
        }
        if number % 4 == 3 {
            shapes[number].plastic = Some(Plastic { threshold: 0.01, creep: 100.0, most: 0.5 });
        }
    }
    (shapes, rows)
}

#[test]
fn s19_s20_bits_do_not_depend_on_threads_instructions_or_whether_rows_are_a_run_or_a_list() {
    let mut random = Random(16);
    let (shapes, rest) = irregular_bodies(&mut random);
    let start = shaken(&rest, &mut random, 0.1);
    let weights: Vec<f32> = (0..rest.len()).map(|i| 1.0 + (i % 5) as f32).collect();
    for extraction in [Extraction::GramSchmidt, Extraction::Polar, Extraction::Iterative] {
        for weights in [None, Some(&weights[..])] {
            let run = |shapes: &[BodyDef], threads: usize, grain: usize, isa: Isa| {
                let mut shapes = ShapeMatch::new(shapes, &rest).unwrap();
                let mut rows = start.clone();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    for _ in 0..3 {
                        shapes.begin(0.01, 2);
                        for _ in 0..2 {
                            match_shapes(
                                &mut shapes,
                                &mut rows,
                                &MatchSettings { extraction, weights, grain, isa, forced: false, skip: &[] },
                            );
                        }
                        shapes.flow(0.01);
                    }
                });
                rows.iter().map(|r| r.map(f32::to_bits)).collect::<Vec<_>>()
            };
            let one = run(&shapes, 1, usize::MAX, Isa::SCALAR);
            assert!(one != start.iter().map(|r| r.map(f32::to_bits)).collect::<Vec<_>>());
            for (threads, grain) in [(2, 1), (3, 0), (4, 5), (2, 40)] {
                assert!(run(&shapes, threads, grain, Isa::detect()) == one, "{threads} threads, grain {grain}");
            }
            assert!(run(&shapes, 1, usize::MAX, Isa::detect()) == one);
            // Bodies in another order are lists; each is summed as before.
            let lists: Vec<BodyDef> = shapes.iter().rev().cloned().collect();
            for (threads, grain) in [(1, usize::MAX), (3, 1)] {
                assert!(run(&lists, threads, grain, Isa::detect()) == one, "lists, {threads} threads");
            }
        }
    }
}

#[test]
fn s20_sums_use_the_documented_order() {
    // 315 particles about the origin at whole numbers: four chunks and a piece, and a rest center of exactly 0, so
    // that the center of a pose is where the first particle says it was, plus a sum of deviations over a mass, and
    // nothing else is rounded.
    let (size, half) = ([5, 7, 9], [2.0, 3.0, 4.0]);
    let rest: Vec<Row> = (0..315_u32)
        .map(|i| {
            let at = [i % size[0], i / size[0] % size[1], i / size[0] / size[1]];
            [at[0] as f32 - half[0], at[1] as f32 - half[1], at[2] as f32 - half[2], 1.0]
        })
        .collect();
    let mut random = Random(70);
    let start = shaken(&rest, &mut random, 0.3);
    let mut shapes = ShapeMatch::new(&[BodyDef::rigid(0..315)], &rest).unwrap();
    match_shapes(&mut shapes, &mut start.clone(), &MatchSettings::default());
    for axis in 0..3 {
        let origin = start[0][axis] - rest[0][axis];
        let off = |i: usize| start.get(i).map_or(0.0, |r| (r[axis] - origin) - rest[i][axis]);
        // Lane by lane down a chunk, chunks by pairs, lanes at distances 4, 2 and 1.
        let mut chunks: Vec<[f32; 8]> = (0..315_usize.div_ceil(CHUNK))
            .map(|c| std::array::from_fn(|l| (0..CHUNK / 8).fold(0.0, |sum, k| sum + off(c * CHUNK + 8 * k + l))))
            .collect();
        while chunks.len() > 1 {
            let pair = |p: &[[f32; 8]]| if p.len() == 2 { std::array::from_fn(|l| p[0][l] + p[1][l]) } else { p[0] };
            chunks = chunks.chunks(2).map(pair).collect();
        }
        let mut lanes = chunks[0].to_vec();
        while lanes.len() > 1 {
            let half = lanes.len() / 2;
            lanes = (0..half).map(|l| lanes[l] + lanes[l + half]).collect();
        }
        let center = origin + lanes[0] / 315.0;
        assert_eq!(shapes.poses()[0].center[axis].to_bits(), center.to_bits());
    }
}

#[test]
fn s19_invalid_shapes_are_refused_with_the_reason() {
    let rest = block([2, 2, 2]);
    let refused = |shape: BodyDef| ShapeMatch::new(&[BodyDef::rigid(0..8), shape], &rest).unwrap_err();
    let plain = BodyDef::rigid(0..8);
    assert_eq!(refused(BodyDef::rigid(0..0)), ShapeError::Empty(1));
    let far = refused(BodyDef { members: vec![3, 8], ..plain.clone() });
    assert_eq!(far.to_string(), "shape 1 names row 8, but there are 8");
    assert_eq!(refused(BodyDef { members: vec![3, 4, 3], ..plain.clone() }), ShapeError::Twice { shape: 1, row: 3 });
    for stiffness in [Stiffness::Fraction(1.5), Stiffness::Fraction(f32::NAN), Stiffness::Time(-1.0)] {
        assert_eq!(refused(BodyDef { stiffness, ..plain.clone() }), ShapeError::Parameter(1));
    }
    let plastic = Some(Plastic { threshold: -0.1, creep: 1.0, most: 1.0 });
    assert_eq!(refused(BodyDef { plastic, ..plain.clone() }), ShapeError::Parameter(1));
    let mut broken = rest.clone();
    broken[5][3] = -1.0;
    assert_eq!(ShapeMatch::new(&[plain], &broken).unwrap_err(), ShapeError::Row(5));
}
