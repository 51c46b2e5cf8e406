//! Liquids in containers of zero wall thickness.

use crate::support::simulate;
use glam::Vec3;

/// A bowl of triangles that is shaken with more than twice its weight, up to 2.3 m/s, under a lid. A flat pane of it is up to
/// 0.9 mm inside of the sphere that its corners lie on.
const SHAKEN: &str = "
    solver = { dt = 0.01, substeps = 2, iterations = 2 }
    fluid = { radius = 0.0145 }
    [[liquid]]
    fill = { min = [-0.2, 0.2, -0.2], max = [0.2, 0.56, 0.2] }
    [[collider]]
    plane = { normal = [0, -1, 0], offset = -0.6 }
    [[collider]]
    surface = { bowl = { radius = 0.4, height = 0.6, segments = 48 } }
    motion = { oscillate = { amplitude = [0.15, 0, 0.1], period = 0.5 } }
";

#[test]
fn v12_s17_a_thin_bowl_that_is_shaken_loses_no_water() {
    let mut sim = simulate(SHAKEN);
    assert_eq!(sim.particles(), 2028);
    let mut farthest: f32 = 0.0;
    for _ in 0..150 {
        sim.step().unwrap();
        let swing = (std::f64::consts::TAU * sim.time() / 0.5).sin() as f32;
        let center = Vec3::new(0.15 * swing, 0.4, 0.1 * swing);
        let out = (0..sim.particles()).map(|i| sim.position(i).distance(center)).fold(0.0, f32::max);
        farthest = farthest.max(out);
        // Centers stay a radius within, but for what is left to other colliders and rounding.
        assert!(out < 0.4 - 0.9 * 0.0145, "a particle is {out} m from the middle at {:.2} s", sim.time());
    }
    println!("none of {} went farther than {farthest:.4} m from the middle", sim.particles());
}
