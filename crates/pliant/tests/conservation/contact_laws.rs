//! Restitution and friction of grains.

use crate::rng::Rng;
use crate::support::simulate;

/// One grain at the origin, above a floor.
fn grain(solver: &str, gravity: [f64; 3], radius: f64, height: f64, floor: &str) -> String {
    let (low, high) = (height, height + 2.0 * radius);
    format!(
        "solver = {{ {solver} }}\nworld = {{ gravity = {gravity:?}, air_density = 0 }}
         [[grains]]\nradius = {radius}\njitter = 0\nfill = {{ min = [{}, {low}, {}], max = [{radius}, {high}, {radius}] }}
         [[collider]]\nplane = {{}}\n{floor}\n",
        -radius, -radius
    )
}

#[test]
fn v08_a_grain_rebounds_to_e_squared_of_its_height_at_any_settings() {
    let mut rng = Rng::of(8);
    for solver in ["", "dt = 0.01", "iterations = 2", "substeps = 3", "substeps = 16, iterations = 1", "dt = 0.002"] {
        for _ in 0..6 {
            let (radius, drop, e) = (rng.range(0.01, 0.05), rng.range(0.4, 1.2), rng.range(0.4, 0.95));
            let mut sim = simulate(&grain(solver, [0.0, -9.81, 0.0], radius, drop, &format!("restitution = {e}")));
            let fall = (2.0 * drop / 9.81).sqrt();
            let mut top = 0.0_f64;
            while sim.time() < fall * (1.0 + 1.9 * e) {
                sim.advance(1).unwrap();
                if sim.time() > fall + 0.02 {
                    top = top.max(f64::from(sim.position(0).y) - radius);
                }
            }
            let found = top / (e * e * drop);
            println!("{solver:?}, e {e:.2} from {drop:.2} m: {found:.4} of the height");
            assert!((found - 1.0).abs() < 0.02, "{solver:?}, e {e}, drop {drop}: {found} of the height");
        }
    }
}

#[test]
fn v08_a_grain_at_rest_stays_at_rest_with_restitution() {
    for dt in [1e-2, 1e-3, 1e-4, 1e-5] {
        let solver = format!("dt = {dt}");
        let mut sim = simulate(&grain(&solver, [0.0, -9.81, 0.0], 0.02, 0.0, "restitution = 0.9"));
        sim.advance(400).unwrap();
        let (v, y) = (sim.velocity(0).length(), f64::from(sim.position(0).y) - 0.02);
        println!("dt {dt}: {v:.1e} m/s, {y:.1e} m");
        assert!(v < 1e-3 && y.abs() < 1e-6, "dt {dt}: {v} m/s at {y} m");
    }
}

#[test]
fn v06_a_grain_sticks_below_the_angle_of_friction_and_slips_above() {
    let mut rng = Rng::of(6);
    for solver in ["", "dt = 0.01", "substeps = 3, iterations = 1"] {
        for off in [-0.5_f64, 0.5] {
            let (mu, radius) = (rng.range(0.1, 0.8), rng.range(0.01, 0.05));
            let angle = mu.atan() + off.to_radians();
            let gravity = [9.81 * angle.sin(), -9.81 * angle.cos(), 0.0];
            let floor = format!("friction = {{ static = {mu}, kinetic = {mu} }}");
            let mut sim = simulate(&grain(solver, gravity, radius, 0.0, &floor));
            sim.advance(100).unwrap();
            let (way, t) = (f64::from(sim.position(0).x), sim.time());
            let truth = 0.5 * 9.81 * (angle.sin() - mu * angle.cos()).max(0.0) * t * t;
            println!("{solver:?}, friction {mu:.2}, {off:+} degrees: {way:.5} m, and not {truth:.5} m");
            // A step is taken as a whole: the way is longer by ½·a·h·t.
            assert!(
                (way - truth).abs() < 0.02 * truth + 1e-5,
                "{solver:?}, friction {mu}, {off}: {way} m, not {truth} m"
            );
        }
    }
}
