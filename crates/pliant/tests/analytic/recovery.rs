//! V35: neo-Hookean solids come back from flat, from a point and from inside out.

use crate::support::{relative, simulate, step};
use glam::{DMat3, DVec3};
use pliant::World;

/// A cube of 4×4×4 cells of 0.3 m with E = 1e5 Pa, without gravity.
fn cube() -> World {
    simulate(
        "[solver]\ndt = 0.01\nsubsteps = 16\niterations = 2\n[world]\ngravity = [0, 0, 0]\nair_density = 0\ndamping = 4\n\
         [[soft]]\nblock = { cells = [4, 4, 4], size = [0.3, 0.3, 0.3] }\n\
         fem = { young = 1e5, poisson = 0.35, material = \"neo-hookean\" }\n",
    )
}

/// Volume of the body relative to rest, number of inverted elements, and the fastest particle [m/s].
fn shape(sim: &World, rest: f64) -> (f64, usize, f32) {
    let at = |i: u32| sim.position(i as usize).as_dvec3();
    let volumes = sim.topology().tets.iter().map(|t| {
        let [a, b, c, d] = t.map(at);
        DMat3::from_cols(b - a, c - a, d - a).determinant() / 6.0
    });
    let volumes: Vec<f64> = volumes.collect();
    let fastest = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    (volumes.iter().sum::<f64>() / rest, volumes.iter().filter(|v| **v <= 0.0).count(), fastest)
}

#[test]
fn v35_neo_hookean_cubes_recover_from_flat_from_a_point_and_from_inside_out() {
    let rest = 0.3_f64.powi(3);
    for (name, factors) in [
        ("at rest", DVec3::ONE),
        ("a plane", DVec3::new(1.0, 0.0, 1.0)),
        ("a line", DVec3::new(1.0, 0.0, 0.0)),
        ("a point", DVec3::ZERO),
        ("a thousandth", DVec3::splat(1e-3)),
        ("inside out", DVec3::new(1.0, -1.0, 1.0)),
        ("through the center", DVec3::splat(-1.0)),
        ("stretched threefold", DVec3::splat(3.0)),
    ] {
        let mut sim = cube();
        let center = DVec3::splat(0.15);
        for row in &mut sim.state_mut().rows {
            let p = center + (DVec3::new(row[0].into(), row[1].into(), row[2].into()) - center) * factors;
            row[..3].copy_from_slice(&p.as_vec3().to_array());
        }
        step(&mut sim, 600);
        let (volume, inverted, fastest) = shape(&sim, rest);
        eprintln!("from {name}: volume {volume:.4}, {inverted} inverted, {fastest:.4} m/s after 6 s");
        assert!(relative(volume, 1.0) < 0.01 && inverted == 0, "{name}: volume {volume}, {inverted} inverted");
        assert!(fastest < 0.05, "{name}: still moves at {fastest} m/s");
    }
}
