//! Liquids at rest and in flight: pressure, momentum, determinism.

use crate::support::{compression, momentum, simulate, tank, with};
use pliant::Isa;

/// A drop of water and one of oil, half as heavy, fly at each other and at a rigid ball.
const DROPS: &str = r#"
    solver = { dt = 0.005, iterations = 3 }
    world = { gravity = [0, 0, 0], damping = 0, air_density = 0 }
    fluid = { radius = 0.02 }
    [[liquid]]
    name = "water"
    fill = { min = [-0.3, 0, 0], max = [-0.06, 0.24, 0.24] }
    velocity = [1, 0, 0]
    viscosity = 1
    [[liquid]]
    name = "oil"
    fill = { min = [0.06, 0.05, 0], max = [0.3, 0.29, 0.24] }
    velocity = [-1, 0, 0]
    density = 500
    viscosity = 20
    [[body]]
    ball = 0.1
    grid = 5
    density = 3000
    transform = { translate = [0, 0.5, 0.12] }
    velocity = [0, -1.5, 0]
"#;

#[test]
fn s23_e20_e21_liquids_and_bodies_of_any_masses_keep_momentum() {
    let mut sim = simulate(DROPS);
    let (before, size) = momentum(&sim);
    for _ in 0..4 {
        sim.advance(25).unwrap();
        let (now, _) = momentum(&sim);
        let off = (now - before).length() / size;
        println!("{:.2} s: off by {off:.1e}", sim.time());
        assert!(off < 1e-5, "momentum is off by {off:e}");
    }
}

#[test]
fn r01_r02_liquids_give_the_same_bits_on_any_number_of_threads_and_lanes() {
    let run = |threads: usize, isa: Isa| {
        let mut sim = with(DROPS, threads, isa);
        sim.advance(30).unwrap();
        sim.state().hash()
    };
    let first = run(1, Isa::Scalar);
    for isa in Isa::available() {
        for threads in [1, 2, 3, 5] {
            assert_eq!(run(threads, isa), first, "{isa:?}, {threads} threads");
        }
    }
}

#[test]
fn densities_are_those_of_particles_of_liquids_over_that_at_rest() {
    let mut sim = simulate(DROPS);
    let first = sim.densities();
    assert_eq!(first.len(), sim.particles());
    let dry = first.len() - 432;
    for (i, density) in first.iter().enumerate() {
        // The ball comes first, then boxes of 6³ and 6³ particles. Two spacings inside a box a particle has all of its neighbors.
        assert_eq!(density.is_nan(), i < dry, "particle {i}: {density}");
        let deep = (sim.position(i) - glam::Vec3::new(-0.18, 0.12, 0.12)).abs().max_element() < 0.04;
        assert!(!deep || i < dry || (density - 1.0).abs() < 0.01, "particle {i}: {density}");
    }
    // A corner has an eighth of the space around it, and itself.
    let thinnest = first.iter().copied().fold(f32::INFINITY, f32::min);
    assert!((0.4..0.7).contains(&thinnest), "{thinnest}");
    sim.advance(30).unwrap();
    let most = sim.densities().into_iter().fold(0.0, f32::max);
    assert!((f64::from(most) - 1.0 - compression(&sim).1).abs() < 1e-6, "{most}");
}

/// A column of 24 layers stands in a tank: nothing but pressure holds it up.
#[test]
fn v10_water_at_rest_has_its_density() {
    let text = "solver = { dt = 0.01, substeps = 8, iterations = 2 }\nfluid = { radius = 0.02, xsph = 0.02 }
        [[liquid]]\nfill = { min = [-0.2, 0, -0.2], max = [0.2, 0.96, 0.2] }\n"
        .to_owned()
        + &tank([-0.2, 0.0, -0.2], [0.2, 0.0, 0.2]);
    let mut sim = simulate(&text);
    sim.advance(200).unwrap();
    let (mean, max) = compression(&sim);
    println!(
        "{} particles after {:.1} s: compressed by {mean:.4} on average, {max:.4} at most",
        sim.particles(),
        sim.time()
    );
    assert!(mean < 0.01 && max < 0.03, "{mean} {max}");
    let highest = (0..sim.particles()).map(|i| sim.position(i).y).fold(0.0, f32::max);
    assert!((0.9..1.0).contains(&highest), "{highest}");
}
