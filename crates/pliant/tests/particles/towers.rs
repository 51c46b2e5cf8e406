//! Towers of rigid boxes (V15, S22).

use crate::support::{center, deepest, members, with_threads};
use glam::DVec3;
use pliant::World;

/// Edge of a box [m].
const EDGE: f64 = 0.2;

/// How a tower is solved, with steps of 5 ms.
#[derive(Clone, Copy, Debug)]
struct How {
    /// Particles along an edge.
    grid: u32,
    substeps: u32,
    iterations: u32,
    /// How much heavier lower particles are in contacts [1/m].
    stacking: f64,
    /// Slower particles stay where they are [m/s].
    sleep: f64,
}

/// Ten boxes on each other, with these densities from below [kg/m³].
fn tower(density: impl Fn(i32) -> f64, how: How) -> World {
    let How { grid, substeps, iterations, stacking, sleep } = how;
    let mut text = format!(
        "solver = {{ dt = 0.005, substeps = {substeps}, iterations = {iterations}, sleep_speed = {sleep} }}
         contact = {{ stacking = {stacking} }}\nworld = {{ air_density = 0 }}\n[[collider]]\nplane = {{}}\n"
    );
    for k in 0..10 {
        let (y, density) = (EDGE * (f64::from(k) + 0.5), density(k));
        text += &format!(
            "[[body]]\nname = \"{k}\"\nbox = [{EDGE}, {EDGE}, {EDGE}]\ngrid = {grid}\ndensity = {density}
             transform = {{ translate = [0, {y}, 0] }}\n"
        );
    }
    // So few particles are not worth a second thread.
    with_threads(&text, 1)
}

/// How deep boxes are inside each other or the floor, over their edge; how far the top is from where it was [m].
fn measure(sim: &World) -> (f64, f64) {
    let radius = f64::from(sim.state().radii[0]);
    let floor = (0..sim.particles()).map(|i| radius - f64::from(sim.position(i).y)).fold(0.0, f64::max);
    let inside = (deepest(sim).max(0.0) * 2.0 * radius).max(floor) / EDGE;
    let (top, _) = center(sim, &members(sim, "9"));
    (inside, (top - DVec3::new(0.0, 9.5 * EDGE, 0.0)).length())
}

/// The worst of both within so many seconds, looked at every quarter of a second.
fn worst_motion(sim: &mut World, seconds: u32) -> (f64, f64) {
    let mut worst = (0.0_f64, 0.0_f64);
    for _ in 0..4 * seconds {
        sim.advance(50).unwrap();
        let (inside, moved) = measure(sim);
        worst = (worst.0.max(inside), worst.1.max(moved));
    }
    worst
}

/// Each box heavier than the one below it, the top a hundred times as heavy as the bottom.
fn rising_mass(k: i32) -> f64 {
    100.0 * 100_f64.powf(f64::from(k) / 9.0)
}

#[test]
fn v15_s22_a_tower_that_gets_a_hundred_times_heavier_upward_stands_for_a_minute() {
    for (grid, seconds) in [(2, 60), (3, 5)] {
        let how = How { grid, substeps: 1, iterations: 20, stacking: 8.0, sleep: 0.0 };
        let (inside, moved) = worst_motion(&mut tower(rising_mass, how), seconds);
        println!(
            "boxes of {grid}³, {seconds} s: {:.2} % of an edge inside each other at most, the top {:.1} mm off",
            100.0 * inside,
            1e3 * moved
        );
        assert!(inside < 0.01 && moved < 0.01, "inside {inside}, moved {moved} m");
    }
    // True masses with as many iterations do not carry it.
    let plain = How { grid: 3, substeps: 1, iterations: 20, stacking: 0.0, sleep: 5e-4 };
    let (_, fallen) = worst_motion(&mut tower(rising_mass, plain), 2);
    assert!(fallen > 0.1, "{fallen} m");
}

#[test]
fn v15_a_tower_of_light_and_heavy_boxes_in_turn_stands_with_true_masses_and_small_substeps() {
    let how = How { grid: 3, substeps: 10, iterations: 10, stacking: 0.0, sleep: 1e-3 };
    let (inside, moved) = worst_motion(&mut tower(|k| if k % 2 == 0 { 100.0 } else { 10_000.0 }, how), 2);
    println!("{:.2} % of an edge inside each other at most, the top {:.1} mm off", 100.0 * inside, 1e3 * moved);
    assert!(inside < 0.01 && moved < 0.01, "inside {inside}, moved {moved} m");
}
