//! The three methods of rotation extraction, against a singular value decomposition.

use crate::support::{Random, apart, determinant, dot, improper, objective, svd};
use pliant::math::matrix::{
    IDENTITY, Mat3, Quat, UPRIGHT, apply, cross, matrix_of, multiply, quat_multiply, quat_normalize, quat_of, transpose,
};
use pliant::shape_matching::rotation::{extract, gram_schmidt, polar};

fn largest(a: &Mat3) -> f64 {
    a.iter().flatten().fold(0.0, |most, v| most.max(f64::from(v.abs())))
}

/// Rotation by an angle about an axis.
fn about(axis: [f32; 3], angle: f32) -> Quat {
    let (s, c) = (angle / 2.0).sin_cos();
    quat_normalize([axis[0] * s, axis[1] * s, axis[2] * s, c])
}

/// Angle between two rotations [rad].
fn angle(a: Quat, b: Quat) -> f32 {
    let back = quat_multiply(a, [-b[0], -b[1], -b[2], b[3]]);
    2.0 * (back[0].powi(2) + back[1].powi(2) + back[2].powi(2)).sqrt().atan2(back[3].abs())
}

#[test]
fn e23_s19_every_matrix_gives_a_proper_rotation_by_all_three_ways() {
    let mut random = Random(3);
    let mut inverted = 0;
    for (name, a) in random.matrices(1000) {
        inverted += u32::from(determinant(&a) < 0.0);
        let last = random.quat();
        for (way, r) in [("gram", gram_schmidt(&a)), ("polar", polar(&a)), ("iterative", matrix_of(extract(&a, last)))]
        {
            // A few roundings of single precision.
            assert!(improper(&r) < 2e-6, "{name}, {way}: off by {} for {a:?}", improper(&r));
        }
    }
    assert!(inverted > 2000, "{inverted}");
}

#[test]
fn s19_e23_polar_and_iterative_extraction_find_the_rotation_of_the_decomposition() {
    let mut random = Random(11);
    let mut determined = 0;
    for (name, a) in random.matrices(1000) {
        let size = largest(&a);
        if size == 0.0 {
            let last = random.quat();
            assert_eq!(polar(&a), IDENTITY);
            assert!(angle(extract(&a, last), last) < 1e-6, "nothing says to turn");
            continue;
        }
        let (sigma, best) = svd(&a);
        let most = sigma.iter().sum::<f64>();
        // What holds the weakest axis, relative to the matrix: rounding turns by 1e-7 over it.
        let grip = (sigma[1] + sigma[2]) / sigma[0];
        let started = extract(&a, random.quat());
        for (way, r) in [("polar", polar(&a)), ("iterative", matrix_of(started))] {
            let lost = (most - objective(&r, &a)) / size;
            assert!(lost < 3e-6, "{name}, {way}: {lost} below the best, {a:?}");
            if grip > 0.01 {
                let error = apart(&r, &best);
                assert!(error < 1e-6 + 3e-7 / grip, "{name}, {way}: {error} with a grip of {grip}, {a:?}");
                determined += 1;
            }
        }
    }
    assert!(determined > 10_000, "{determined}");
}

#[test]
fn s19_gram_schmidt_keeps_the_first_column_and_turns_what_is_only_stretched() {
    let mut random = Random(5);
    for _ in 0..1000 {
        let r = matrix_of(random.quat());
        // Columns at right angles: all ways agree.
        let lengths = [0; 3].map(|_| random.within(0.1, 1.0));
        let a = [0, 1, 2].map(|k| r[k].map(|v| v * lengths[k]));
        assert!(apart(&gram_schmidt(&a), &r.map(|c| c.map(f64::from))) < 1e-6);
        let a = [0; 3].map(|_| random.vector());
        let first = a[0].map(f64::from);
        let along = dot(gram_schmidt(&a)[0].map(f64::from), first) / dot(first, first).sqrt();
        assert!((along - 1.0).abs() < 1e-6);
    }
    // A symmetric stretch has no rotation. Gram–Schmidt turns by atan(0.3): D4's ghost force.
    let stretch = [[1.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!(angle(quat_of(&polar(&stretch)), UPRIGHT) < 1e-6);
    assert!(angle(extract(&stretch, UPRIGHT), UPRIGHT) < 1e-6);
    let ghost = angle(quat_of(&gram_schmidt(&stretch)), UPRIGHT);
    assert!((ghost - 0.3_f32.atan()).abs() < 1e-6, "{ghost}");
}

/// D4 4.20 as it stands, in double precision but for the matrices.
fn published(a: &Mat3, mut q: Quat, steps: u32) -> Quat {
    for _ in 0..steps {
        let r = matrix_of(q);
        let torque = (0..3).fold([0.0; 3], |sum: [f32; 3], k| {
            let t = cross(r[k], a[k]);
            [sum[0] + t[0], sum[1] + t[1], sum[2] + t[2]]
        });
        let scale = objective(&r, a).abs() as f32 + 1e-9;
        let omega = torque.map(|t| t / scale);
        let length = omega.iter().map(|v| v * v).sum::<f32>().sqrt();
        if length < 1e-9 {
            break;
        }
        q = quat_normalize(quat_multiply(about(omega.map(|v| v / length), length), q));
    }
    q
}

#[test]
fn s19_the_iterative_extraction_turns_a_rod_about_its_axis_where_the_published_step_hardly_moves() {
    let rod = [[1.0, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, 0.0, 0.01]];
    let goal = about([1.0, 0.0, 0.0], 0.5);
    let a = multiply(&matrix_of(goal), &rod);
    // Each published step takes 2 % of the way, σ₁/(σ₁+σ₂+σ₃) being 1/1.02: 0.5·0.98¹⁰ = 0.41 are left after ten.
    let left = angle(published(&a, UPRIGHT, 10), goal);
    assert!((left - 0.41).abs() < 0.01, "{left}");
    // Single precision over a grip of 0.02.
    assert!(angle(extract(&a, UPRIGHT), goal) < 2e-5);
    // For a compact body both come to the same.
    let a = multiply(&matrix_of(goal), &IDENTITY);
    assert!(angle(published(&a, UPRIGHT, 40), extract(&a, UPRIGHT)) < 2e-6);
}

#[test]
fn s19_the_iterative_extraction_leaves_the_places_half_a_turn_away() {
    let shape = [[1.0, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 0.4]];
    let mut random = Random(9);
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        for _ in 0..100 {
            let goal = random.quat();
            let a = multiply(&matrix_of(goal), &shape);
            // Exactly and nearly opposite: no torque, or hardly any.
            for off in [0.0, 1e-6, 1e-4, 1e-2] {
                let start = quat_multiply(goal, about(axis, std::f32::consts::PI - off));
                assert!(angle(extract(&a, start), goal) < 3e-6, "about {axis:?}, {off} from half a turn");
            }
        }
    }
}

#[test]
fn s19_e23_a_warm_start_is_continuous_where_a_body_is_flattened_and_turned_inside_out() {
    let mut random = Random(21);
    for _ in 0..20 {
        let (axis, v) = (random.vector(), matrix_of(random.quat()));
        let length = dot(axis.map(f64::from), axis.map(f64::from)).sqrt() as f32;
        let axis = axis.map(|x| x / length);
        let (mut last, mut flips) = (UPRIGHT, 0);
        for step in 0..=1000 {
            let t = step as f32 * 1e-3;
            // Thickness goes from 1 through 0 to −0.5, below the 0.7 at which the nearest rotation is another.
            let sigma = [1.0, 0.7, 1.0 - 1.5 * t];
            let shape = multiply(&[0, 1, 2].map(|k| v[k].map(|x| x * sigma[k])), &transpose(&v));
            let goal = about(axis, 2.0 * t);
            let a = multiply(&matrix_of(goal), &shape);
            flips += u32::from(determinant(&a) < 0.0);
            let q = extract(&a, last);
            if step > 0 {
                // The body turns by 2e-3 rad in a step; grips of 0.2 and more leave rounding of 1e-6.
                assert!(angle(q, last) < 2.1e-3, "jumps by {} at {t}", angle(q, last));
            }
            assert!(angle(q, goal) < 1e-5, "off by {} at {t}", angle(q, goal));
            last = q;
        }
        assert!(flips > 300);
    }
}

#[test]
fn s19_e23_directions_undetermined_by_rank_one_are_kept() {
    let mut random = Random(33);
    for _ in 0..200 {
        // A rod along v that has been turned by q, and once more by a little about an axis at right angles to it.
        let (q, v) = (random.quat(), matrix_of(random.quat())[0]);
        let now = apply(&matrix_of(q), v);
        let side = cross(now, [0.3, -0.5, 0.8]);
        let side = side.map(|x| x / (side.iter().map(|s| s * s).sum::<f32>()).sqrt());
        let turn = about(side, 0.2);
        let to = apply(&matrix_of(turn), now);
        let a = [0, 1, 2].map(|k| to.map(|x| x * v[k]));
        let found = extract(&a, q);
        // The least turn that does it, and none about the rod itself.
        assert!(angle(found, quat_multiply(turn, q)) < 1e-4, "{}", angle(found, quat_multiply(turn, q)));
    }
}

#[test]
fn s19_quaternions_and_matrices_are_the_same_rotations() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let q = random.quat();
        assert!(angle(quat_of(&matrix_of(q)), q) < 2e-6);
    }
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        let half = about(axis, std::f32::consts::PI);
        assert!(angle(quat_of(&matrix_of(half)), half) < 2e-6);
    }
}
