//! Objects in free flight keep their momentum, whatever happens inside them.

use crate::momentum_sums::momentum;
use crate::rng::Rng;
use crate::support::simulate;
use glam::{DVec3, Vec3};

/// Objects in free space, of random sizes.
fn objects(rng: &mut Rng) -> Vec<(&'static str, String)> {
    let (n, edge, squash) = (rng.count(4, 7), rng.range(0.2, 0.5), rng.range(0.5, 0.8));
    let block =
        format!("block = {{ cells = [{n}, {n}, {n}], size = [{edge}, {edge}, {edge}] }}\nsquash = [1, {squash}, 1]\n");
    vec![
        ("soft", format!("[[soft]]\n{block}")),
        ("fem", format!("[[soft]]\n{block}fem = {{ young = 2e5, poisson = 0.3 }}\n")),
        ("cloth", format!("[[cloth]]\ngrid = {{ cells = [{n}, 8], size = [{edge}, 0.4] }}\n")),
        ("rope", format!("[[rope]]\npath = [[0, 0, 0], [{edge}, 0.1, 0]]\nsegments = {}\n", 3 * n)),
        ("balloon", format!("[[inflatable]]\nsphere = {{ radius = {edge}, subdivisions = 2 }}\n")),
        ("body", format!("[[body]]\nbox = [{edge}, 0.2, 0.3]\nrecovery = 0.05\n")),
    ]
}

#[test]
fn v32_v16_objects_in_free_flight_keep_linear_and_angular_momentum() {
    let mut rng = Rng::of(32);
    for (name, text) in objects(&mut rng) {
        for solver in ["", "method = \"xpbd\"", "integrator = \"bdf2\"", "iterations = 3", "substeps = 4"] {
            let head = format!("solver = {{ {solver} }}\nworld = {{ gravity = [0, 0, 0], air_density = 0 }}\n");
            let mut sim = simulate(&(head + &text));
            // Turning and flying from the start.
            let spin = Vec3::from([0; 3].map(|_| rng.range(-3.0, 3.0) as f32));
            for i in 0..sim.particles() {
                let v = spin.cross(sim.position(i)) + Vec3::new(0.5, 0.2, -0.3);
                sim.state_mut().velocities[i] = v.extend(0.0).to_array();
            }
            let (p, l, ..) = momentum(&sim);
            let (mut linear, mut angular) = (0.0_f64, 0.0_f64);
            for _ in 0..10 {
                sim.advance(20).unwrap();
                let (p2, l2, ps, ls) = momentum(&sim);
                linear = linear.max((p2 - p).length() / ps);
                angular = angular.max((l2 - l).length() / ls);
            }
            println!("{name}, {solver:?}: linear momentum off by {linear:.1e}, angular by {angular:.1e}");
            assert!(linear < 1e-5, "{name}, {solver}: linear momentum is off by {linear}");
            assert!(angular < 1e-4, "{name}, {solver}: angular momentum is off by {angular}");
        }
    }
}

#[test]
fn v32_a_squashed_cube_that_is_let_go_does_not_begin_to_turn() {
    for seed in 0..4 {
        let mut rng = Rng::of(seed);
        let (n, edge, squash) = (rng.count(4, 7), rng.range(0.2, 0.5), rng.range(0.5, 0.8));
        let mut sim = simulate(&format!(
            "world = {{ gravity = [0, 0, 0] }}\n[[soft]]\nblock = {{ cells = [{n}, {n}, {n}], size = [{edge}, {edge}, {edge}] }}\nsquash = [1, {squash}, 1]\n"
        ));
        let mut worst = 0.0_f64;
        for _ in 0..20 {
            sim.advance(10).unwrap();
            let (_, l, _, ls) = momentum(&sim);
            worst = worst.max(l.length() / ls.max(1e-9));
            // Without masses, as an observer of positions alone would.
            let all = || (0..sim.particles()).map(|i| (sim.position(i).as_dvec3(), sim.velocity(i).as_dvec3()));
            let center = all().map(|(x, _)| x).sum::<DVec3>() / sim.particles() as f64;
            let turn: DVec3 = all().map(|(x, v)| (x - center).cross(v)).sum();
            let parts: f64 = all().map(|(x, v)| (x - center).length() * v.length()).sum();
            worst = worst.max(turn.length() / parts.max(1e-9));
        }
        assert!(worst < 1e-3, "seed {seed}: {worst} of the sum of its parts");
    }
}
