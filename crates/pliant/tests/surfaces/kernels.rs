//! Nearest points against sampling, and conservative advancement against exact predicates.

use crate::crossings::crossings;
use glam::Vec3;
use pliant::surface_contact::pair::{Kind, nearest};
use pliant::surface_contact::{approach, time_of_contact};

/// Numbers from −1 to 1 (a 64-bit linear congruential generator).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
    fn point(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
    fn four(&mut self) -> [Vec3; 4] {
        std::array::from_fn(|_| self.point())
    }
}

/// The least distance over a fine net of points of both features.
fn sampled(kind: Kind, x: &[Vec3; 4]) -> f32 {
    const N: usize = 60;
    let share = |k: usize| k as f32 / N as f32;
    let mut least = f32::INFINITY;
    for i in 0..=N {
        for j in 0..=N {
            let (a, b) = match kind {
                Kind::EdgeEdge => (x[0].lerp(x[1], share(i)), x[2].lerp(x[3], share(j))),
                Kind::VertexTriangle if i + j <= N => {
                    (x[0], x[1] + (x[2] - x[1]) * share(i) + (x[3] - x[1]) * share(j))
                }
                Kind::VertexTriangle => continue,
            };
            least = least.min(a.distance(b));
        }
    }
    least
}

#[test]
fn v34_nearest_points_are_no_farther_than_any_sampled_ones() {
    let mut random = Random(1);
    for round in 0..300 {
        let mut x = random.four();
        // Slivers, parallel edges and points in the plane, too.
        match round % 6 {
            1 => x[3] = x[1] + (x[2] - x[1]) * 0.5 + random.point() * 1e-4,
            2 => x[3] = x[2] + (x[1] - x[0]) + random.point() * 1e-5,
            3 => x[0] = (x[1] + x[2] + x[3]) / 3.0,
            4 => x[2] = x[3],
            _ => {}
        }
        for kind in [Kind::VertexTriangle, Kind::EdgeEdge] {
            let found = nearest(kind, &x);
            let net = sampled(kind, &x);
            // The net is at most 0.06 coarse; nothing of it is nearer but by rounding: some 64 roundings of coordinates up to 1.
            assert!(
                found.distance <= net + 32.0 * f32::EPSILON,
                "{kind:?} {x:?}: {} but {net} was found",
                found.distance
            );
            assert!(found.distance >= net - 0.06, "{kind:?} {x:?}: {} where {net} was found", found.distance);
            let sum: Vec3 = (0..4).map(|k| x[k] * found.weights[k]).sum();
            assert!(sum.distance(found.apart) < 1e-5 && found.weights.iter().sum::<f32>().abs() < 1e-6);
        }
    }
}

#[test]
fn v34_motion_up_to_the_time_of_contact_crosses_nothing() {
    let mut random = Random(7);
    let (mut stopped, mut crossed) = (0, 0);
    for _ in 0..4000 {
        let (x, u) = (random.four(), random.four());
        for kind in [Kind::VertexTriangle, Kind::EdgeEdge] {
            let distance = nearest(kind, &x).distance;
            if distance < 1e-3 {
                continue;
            }
            let time = time_of_contact(kind, &x, &u, distance, 0.1 * distance);
            assert!(time.is_none() || approach(kind, &u) > 0.89 * distance, "stopped, though it does not reach");
            // The distance stays positive all the way, and so does the exact test find nothing at its end.
            let end = time.unwrap_or(1.0);
            for k in 0..=50 {
                let at: [Vec3; 4] = std::array::from_fn(|v| x[v] + u[v] * (end * k as f32 / 50.0));
                assert!(nearest(kind, &at).distance > 0.09 * distance, "{kind:?}: too close before {end}");
            }
            stopped += u32::from(time.is_some());
            if kind == Kind::VertexTriangle {
                // A needle at the vertex: through the triangle at the end of the whole motion, if that goes on.
                let end: [Vec3; 4] = std::array::from_fn(|v| x[v] + u[v]);
                let way = [x[0] - (x[1] + x[2] + x[3]) / 3.0, end[0] - (end[1] + end[2] + end[3]) / 3.0];
                crossed += u32::from(way[0].dot(way[1]) < 0.0);
            }
        }
    }
    assert!(
        stopped > 300 && crossed > 300,
        "{stopped} motions were stopped, {crossed} change sides: too few to prove it"
    );
}

#[test]
fn v34_the_exact_test_finds_what_crosses() {
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let needle =
        |x: f32, from: f32, to: f32| [Vec3::new(x, from, 0.2), Vec3::new(x, to, 0.2), Vec3::new(x + 1e-3, to, 0.2)];
    let count = |other: [Vec3; 3]| crossings(&[flat, other].concat(), &[[0, 1, 2], [3, 4, 5]]);
    assert_eq!(count(needle(0.2, -0.1, 0.1)), 2);
    assert_eq!(count(needle(0.2, 1e-6, 0.1)), 0);
    assert_eq!(count(needle(0.2, -1e-6, 0.1)), 2);
    assert_eq!(count(needle(0.9, -0.1, 0.1)), 0);
}
