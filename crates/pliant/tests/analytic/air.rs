//! S25: lift and drag.

use crate::support::{G, relative, simulate, step};
use pliant::aero::aerodynamics::{Air, triangle_force};
use pliant::math::V3;

#[test]
fn s25_drag_and_lift_of_a_triangle_follow_the_plate_formula() {
    // Area ½·2·3 = 3 m² in the xz plane, flow along x. Tilted by φ about z the flow meets A·sin φ:
    // drag ½ρ·C_d·A·u²·sin φ along x, lift ½ρ·C_l·A·u²·sin φ·cos φ across it.
    let (half_density, drag, lift, speed) = (0.6_f32, 1.2_f32, 0.7_f32, 5.0_f32);
    let air = Air { half_density, drag, lift };
    for degrees in [0, 5, 15, 30, 45, 60, 75, 90] {
        let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
        let tilted = |x: f64, z: f64| V3::new((x * cos) as f32, (x * sin) as f32, z as f32);
        let corners = [tilted(0.0, 0.0), tilted(2.0, 0.0), tilted(0.0, 3.0)];
        let unit = f64::from(half_density) * 3.0 * 25.0;
        let (d, l) = (unit * f64::from(drag) * sin, unit * f64::from(lift) * sin * cos);
        for corners in [corners, [corners[0], corners[2], corners[1]]] {
            let f = triangle_force(&air, corners, V3::new(speed, 0.0, 0.0));
            // Single precision of forces up to 54 N.
            let close = |a: f32, b: f64| (f64::from(a) - b).abs() < 2e-5;
            // A plate that rises downwind is pushed down by the flow that it turns upward.
            assert!(close(f.x, d) && close(f.y, -l) && close(f.z, 0.0), "{degrees}°: {f:?} against {d}, {l}");
        }
    }
}

#[test]
fn s25_still_cloth_in_the_wind_gains_velocity_by_force_over_mass() {
    // One substep from rest: Δv = h·½ρ·C_d·u²/σ for a sheet square to the wind, at every particle.
    let mut sim = simulate(
        "[solver]\ndt = 0.01\nsubsteps = 1\n[world]\ngravity = [0, 0, 0]\nair_density = 1.2\nwind = { velocity = [0, 0, 4] }\n\
         [[cloth]]\ngrid = { cells = [3, 2], size = [1, 1] }\ndensity = 0.2\ndrag = 1.5\nlift = 0.5\n",
    );
    step(&mut sim, 1);
    let exact = 0.01 * 0.5 * 1.2 * 1.5 * 16.0 / 0.2;
    for i in 0..sim.particles() {
        let v = sim.velocity(i);
        assert!(relative(f64::from(v.z), exact) < 1e-4 && v.x.abs() + v.y.abs() < 1e-5, "{i}: {v} against {exact}");
    }
}

#[test]
fn s25_flat_falling_sheet_reaches_the_speed_where_drag_is_weight() {
    // ½ρ·C_d·A·v² = σ·A·g: v = √(2·0.2·9.81/(1.2·1)) = 1.8083 m/s; approached as tanh(g·t/v), 1 − 1e-9 at 2 s.
    let mut sim = simulate(
        "[world]\nair_density = 1.2\n[[cloth]]\ngrid = { cells = [4, 4], size = [1, 1], plane = \"xz\" }\n\
         density = 0.2\ndrag = 1\nlift = 0.5\n",
    );
    step(&mut sim, 200);
    let exact = (2.0 * 0.2 * G / 1.2).sqrt();
    let probe = sim.probe();
    let v = -probe.linear[1] / probe.mass;
    eprintln!("terminal velocity: {v:.5} m/s against {exact:.5} m/s");
    assert!(relative(v, exact) < 1e-3, "{v} against {exact}");
}
