//! A particle on a rigid link: periods, and the dissipation of each integrator.

use crate::support::{G, left_to_hardware, relative, simulate, step};
use pliant::World;

/// One kilogram on one meter, released at `degrees` from the vertical; the pivot is the origin.
fn pendulum(degrees: f64, integrator: &str, dt: f64) -> World {
    let (sin, cos) = degrees.to_radians().sin_cos();
    // The link is one rigid constraint: a second iteration finds it satisfied.
    simulate(&format!(
        "[solver]\nintegrator = \"{integrator}\"\ndt = {dt}\niterations = 2\n[[rope]]\n\
         path = [[0, 0, 0], [{sin}, {y}, 0]]\nsegments = 1\nparticle_mass = 1\npin = [{{ at = \"start\" }}]\n",
        y = -cos
    ))
}

/// Time between two passes through the lowest point in the same direction [s], interpolated.
fn period(mut sim: World) -> f64 {
    let mut passes = Vec::new();
    while passes.len() < 3 {
        let (before, t) = (f64::from(sim.position(1).x), sim.time());
        step(&mut sim, 1);
        let after = f64::from(sim.position(1).x);
        if before * after <= 0.0 && before != 0.0 {
            passes.push(t + (sim.time() - t) * before / (before - after));
        }
        assert!(sim.time() < 20.0, "the pendulum does not swing");
    }
    passes[2] - passes[0]
}

#[test]
fn v02_pendulum_periods_at_30_60_and_90_degrees() {
    if left_to_hardware() {
        return;
    }
    // T/T₀ = 2/π·K(sin θ/2). BDF2 at 1 ms: smaller steps would only add rounding, since a velocity is a
    // difference of positions over h.
    let small = std::f64::consts::TAU * (1.0 / G).sqrt();
    for (degrees, ratio) in [(30.0, 1.01741), (60.0, 1.07318), (90.0, 1.18034)] {
        let found = period(pendulum(degrees, "bdf2", 1e-3)) / small;
        let first = period(pendulum(degrees, "bdf1", 1e-3)) / small;
        eprintln!("pendulum {degrees}°: T/T0 {found:.5} (bdf1 {first:.5}) against {ratio}");
        assert!(relative(found, ratio) < 0.005, "{degrees}°: {found} against {ratio}");
    }
}

#[test]
fn s06_e12_t09_bdf2_loses_measurably_less_energy_than_bdf1() {
    // Energy above the lowest point, five seconds at 10 ms from 60°: m·g·(1 − cos 60°) = 4.905 J at first.
    let left = |integrator: &str| {
        let mut sim = pendulum(60.0, integrator, 0.01);
        let energy = |sim: &World| {
            let probe = sim.probe();
            probe.kinetic + probe.gravitational + G
        };
        let start = energy(&sim);
        assert!((start - 0.5 * G).abs() < 1e-3);
        step(&mut sim, 500);
        energy(&sim) / start
    };
    let (first, second) = (left("bdf1"), left("bdf2"));
    eprintln!("pendulum energy left after 5 s at 10 ms: bdf1 {first:.4}, bdf2 {second:.4}");
    assert!(first < 0.9, "BDF1 must lose energy, or there is nothing to compare: {first}");
    assert!(second <= 1.001, "BDF2 must not gain: {second}");
    assert!(1.0 - second < 0.2 * (1.0 - first), "bdf1 keeps {first}, bdf2 keeps {second}");
}
