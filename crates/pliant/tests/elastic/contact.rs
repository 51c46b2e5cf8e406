//! Colliders under elastic bodies: weight, friction, drapes.

use crate::support::{G, relative, simulate, step};

/// A cube on a plane, with gravity tilted by an angle instead of the plane.
fn cube_on_slope(degrees: f64, friction: f64, young: f64) -> pliant::World {
    let (sin, cos) = degrees.to_radians().sin_cos();
    simulate(&format!(
        "[world]\ngravity = [{}, {}, 0]\nair_density = 0\n[[soft]]\nblock = {{ cells = [4, 4, 4], size = [0.2, 0.2, 0.2] \
         }}\ntransform = {{ translate = [0, 0.005, 0] }}\nfem = {{ young = {young}, poisson = 0.3 }}\n[[collider]]\nplane \
         = {{ normal = [0, 1, 0] }}\nfriction = {{ static = {friction}, kinetic = {friction} }}\n",
        G * sin,
        -G * cos
    ))
}

fn center(sim: &pliant::World) -> f64 {
    (0..sim.particles()).map(|i| f64::from(sim.position(i).x)).sum::<f64>() / sim.particles() as f64
}

#[test]
fn a_cube_at_rest_presses_with_its_weight() {
    let mut sim = cube_on_slope(0.0, 0.5, 2e5);
    step(&mut sim, 300);
    let weight = 1000.0 * f64::powi(0.2, 3) * G;
    let force = -f64::from(sim.collider_forces()[0].y);
    eprintln!("weight: {force:.3} N against {weight:.3} N");
    assert!(relative(force, weight) < 0.01, "{force} N against {weight} N");
}

#[test]
fn soft_and_stiff_cubes_slide_by_coulombs_law() {
    for young in [1e5, 1e6, 1e7] {
        let friction = 0.4;
        let mut sim = cube_on_slope(30.0, friction, young);
        let start = center(&sim);
        step(&mut sim, 100);
        let exact = 0.5 * G * (0.5 - friction * f64::sqrt(0.75));
        let found = center(&sim) - start;
        eprintln!("slide at {young:e} Pa: {found:.4} m against {exact:.4} m");
        assert!(relative(found, exact) < 0.05, "{young} Pa: {found} m against {exact} m");
    }
}

#[test]
fn a_cube_on_a_gentle_slope_stays() {
    let mut sim = cube_on_slope(15.0, 0.4, 1e6);
    step(&mut sim, 100);
    let start = center(&sim);
    step(&mut sim, 300);
    let crept = (center(&sim) - start).abs();
    eprintln!("stick: crept {:.4} mm in 3 s", 1e3 * crept);
    assert!(crept < 1e-3, "crept {crept} m");
}
