//! Functions shared by kernels: the arctangent, the small solver, wind, and the volume of a closed surface.

use crate::support::{Double, Rng};
use glam::Vec3;
use pliant::aero::aerodynamics::wind_at;
use pliant::constraints::inflate::{corner_gradient, triangle_volume};
use pliant::constraints::xpbd::solve_symmetric;
use pliant::math::lane::{Lane, V3, atan2};
use pliant::settings::Wind;

#[test]
fn s15_atan2_is_within_five_ten_millionths_of_a_radian_in_all_quadrants() {
    // 0.6e-7 of the polynomial (in exact arithmetic), 0.9e-7 of π as an f32, 1.2e-7 of the last rounding near
    // π, and the rest for the roundings of eight multiplications and additions below 1.
    let mut worst = 0.0_f64;
    for k in 0..200_000 {
        let angle = (f64::from(k) / 200_000.0 - 0.5) * std::f64::consts::TAU;
        for radius in [1e-12, 1e-3, 1.0, 1e6] {
            let (y, x) = ((radius * angle.sin()) as f32, (radius * angle.cos()) as f32);
            let exact = f64::from(y).atan2(f64::from(x));
            let mut error = (f64::from(atan2(y, x)) - exact).abs();
            // Just below the negative axis −π and π are one direction.
            error = error.min((error - std::f64::consts::TAU).abs());
            worst = worst.max(error);
        }
    }
    assert!(worst <= 5e-7, "off by {worst} rad");
    assert_eq!(atan2(0.0_f32, 0.0), 0.0);
    assert_eq!(atan2(0.0_f32, 2.0), 0.0);
    assert_eq!(atan2(0.0_f32, -2.0), std::f32::consts::PI);
    assert_eq!(atan2(3.0_f32, 0.0), std::f32::consts::FRAC_PI_2);
    assert_eq!(atan2(-3.0_f32, 0.0), -std::f32::consts::FRAC_PI_2);
}

#[test]
fn s14_lane_minimum_maximum_and_reciprocal_are_correct() {
    assert_eq!((Lane::min(1.0_f32, 2.0), Lane::min(2.0_f32, 1.0)), (1.0, 1.0));
    assert_eq!((Lane::max(1.0_f32, 2.0), Lane::max(2.0_f32, 1.0)), (2.0, 2.0));
    assert_eq!((f32::NAN.min_with(3.0), Lane::min(3.0, f32::NAN).is_nan()), (3.0, true));
    assert_eq!(4.0_f32.safe_recip(), 0.25);
    assert_eq!((0.0_f32.safe_recip(), (-1.0_f32).safe_recip(), f32::NAN.safe_recip()), (0.0, 0.0, 0.0));
    assert_eq!((1e-31_f32.safe_recip(), f32::INFINITY.safe_recip()), (0.0, 0.0));
    assert!(2e-30_f32.safe_recip().is_finite());
}

/// `Lane::min` by a name that the inherent method does not hide.
trait MinWith {
    fn min_with(self, other: Self) -> Self;
}
impl MinWith for f32 {
    fn min_with(self, other: Self) -> Self {
        Lane::min(self, other)
    }
}

/// Gaussian elimination with pivoting; columns of `right` solved together.
fn eliminate<const M: usize>(mut a: [[f64; M]; M], mut right: [[f64; M]; M]) -> [[f64; M]; M] {
    for j in 0..M {
        let pivot = (j..M).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs())).unwrap();
        a.swap(j, pivot);
        right.swap(j, pivot);
        for i in (0..M).filter(|&i| i != j) {
            let f = a[i][j] / a[j][j];
            for k in 0..M {
                a[i][k] -= f * a[j][k];
                right[i][k] -= f * right[j][k];
            }
        }
    }
    std::array::from_fn(|i| std::array::from_fn(|k| right[i][k] / a[i][i]))
}

fn norm<const M: usize>(a: &[[f64; M]; M]) -> f64 {
    a.iter().map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max)
}

fn against_elimination<const M: usize>(seed: u64) {
    let mut rng = Rng(seed);
    for _ in 0..200 {
        let b: [[f64; M]; M] = std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0)));
        let a: [[f64; M]; M] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let v: f64 = (0..M).map(|k| b[i][k] * b[j][k]).sum::<f64>() + if i == j { 0.1 } else { 0.0 };
                f64::from(v as f32)
            })
        });
        let right: [f64; M] = std::array::from_fn(|_| f64::from(rng.range(-1.0, 1.0) as f32));
        let identity = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        let inverse = eliminate(a, identity);
        let exact: [f64; M] = std::array::from_fn(|i| (0..M).map(|k| inverse[i][k] * right[k]).sum());
        let x = solve_symmetric(&a.map(|r| r.map(|v| v as f32)), &right.map(|v| v as f32));
        // LDLᵀ is backward stable: the relative error is at most a few M·ε times the condition number.
        let size = exact.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let most = 4.0 * M as f64 * f64::from(f32::EPSILON) * norm(&a) * norm(&inverse) * size;
        for i in 0..M {
            let error = (f64::from(x[i]) - exact[i]).abs();
            assert!(error <= most, "unknown {i} of {M}: off by {error}, at most {most}");
        }
        let double = solve_symmetric(&a.map(|r| r.map(Double)), &right.map(Double));
        (0..M).for_each(|i| assert!((double[i].0 - exact[i]).abs() <= 1e-8 * most / f64::from(f32::EPSILON)));
    }
}

#[test]
fn s07_solve_symmetric_agrees_with_gaussian_elimination() {
    against_elimination::<3>(31);
    against_elimination::<6>(32);
}

#[test]
fn s07_singular_systems_get_finite_answers_that_solve_what_can_be_solved() {
    let mut rng = Rng(33);
    assert_eq!(solve_symmetric(&[[0.0_f32; 6]; 6], &[1.0; 6]), [0.0; 6]);
    for rank in 1..6 {
        for _ in 0..100 {
            let b: [[f64; 6]; 6] =
                std::array::from_fn(|_| std::array::from_fn(|k| if k < rank { rng.range(-1.0, 1.0) } else { 0.0 }));
            let a: [[f32; 6]; 6] =
                std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| b[i][k] * b[j][k]).sum::<f64>() as f32));
            let truth: [f64; 6] = std::array::from_fn(|_| rng.range(-1.0, 1.0));
            let right: [f32; 6] =
                std::array::from_fn(|i| (0..6).map(|j| f64::from(a[i][j]) * truth[j]).sum::<f64>() as f32);
            let x = solve_symmetric(&a, &right);
            assert!(x.iter().all(|v| v.is_finite()), "rank {rank}: {x:?}");
        }
    }
    // Two equal rows: the second unknown is left at 0, the first carries the load.
    assert_eq!(
        solve_symmetric(&[[2.0_f32, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 4.0]], &[4.0, 4.0, 4.0]),
        [2.0, 0.0, 1.0]
    );
}

#[test]
fn s16_inflate_gradient_matches_finite_differences_and_the_volume_of_a_cube() {
    let corner =
        |i: usize| [0.3 + f64::from(i as u8 & 1), -0.2 + f64::from(i as u8 >> 1 & 1), 0.7 + f64::from(i as u8 >> 2)];
    let mut points: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[usize; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let lane = |p: [f64; 3]| V3::new(Double(p[0]), Double(p[1]), Double(p[2]));
    let volume = |p: &[[f64; 3]]| -> f64 {
        triangles.iter().map(|t| t.map(|i| lane(p[i]))).map(|[a, b, c]| triangle_volume(a, b, c).0).sum()
    };
    // The sixth is single precision: 1e-8.
    assert!((volume(&points) - 1.0).abs() < 1e-7, "volume {}", volume(&points));
    let mut rng = Rng(34);
    points.iter_mut().flatten().for_each(|v| *v += rng.range(-0.2, 0.2));
    for i in 0..8 {
        let mut gradient = V3::new(Double(0.0), Double(0.0), Double(0.0));
        for t in &triangles {
            if let Some(k) = t.iter().position(|&c| c == i) {
                gradient = gradient + corner_gradient(lane(points[t[(k + 1) % 3]]), lane(points[t[(k + 2) % 3]]));
            }
        }
        for (c, got) in [gradient.x.0, gradient.y.0, gradient.z.0].into_iter().enumerate() {
            let (mut ahead, mut behind) = (points.clone(), points.clone());
            ahead[i][c] += 1e-4;
            behind[i][c] -= 1e-4;
            // V is linear in each coordinate: the difference is exact up to rounding, 1e-16/1e-4.
            let want = (volume(&ahead) - volume(&behind)) / 2e-4;
            assert!((got - want).abs() < 1e-10, "corner {i}: {got} against {want}");
        }
    }
}

#[test]
fn s25_wind_stays_within_its_gusts_and_keeps_its_mean() {
    let mut rng = Rng(35);
    let wind = Wind { velocity: Vec3::new(3.0, 0.0, 4.0), gust: 0.6, period: 2.0 };
    let (along, across) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.8, 0.0, -0.6));
    let (mut sum, mut low, mut high) = (0.0, f32::MAX, f32::MIN);
    let samples = 20_000;
    for _ in 0..samples {
        let p = rng.cube(50.0).as_vec3();
        let v = wind_at(&wind, V3::new(p.x, p.y, p.z), rng.range(0.0, 1000.0) as f32);
        let v = Vec3::new(v.x, v.y, v.z);
        let (swell, sway) = (v.dot(along) / 5.0, v.dot(across) / 5.0);
        assert!((0.4 - 1e-5..=1.6 + 1e-5).contains(&swell), "{swell} of the mean along it");
        assert!(sway.abs() <= 0.3 + 1e-5 && v.y == 0.0, "{sway} of the mean across it");
        sum += f64::from(swell);
        (low, high) = (low.min(swell), high.max(swell));
    }
    // Deviation of one sample below 0.4: the mean of 20,000 is within five times 0.4/√20000 = 0.014.
    assert!((sum / f64::from(samples) - 1.0).abs() < 0.014, "mean {}", sum / f64::from(samples));
    assert!(low < 0.6 && high > 1.4, "gusts only reach from {low} to {high}");
    let steady = wind_at(&Wind { gust: 0.0, ..wind }, V3::new(1.0, 2.0, 3.0), 7.0);
    assert_eq!([steady.x, steady.y, steady.z], [3.0, 0.0, 4.0]);
    let calm = wind_at(&Wind { velocity: Vec3::ZERO, ..wind }, V3::new(1.0, 2.0, 3.0), 7.0);
    assert_eq!([calm.x, calm.y, calm.z], [0.0; 3]);
}
