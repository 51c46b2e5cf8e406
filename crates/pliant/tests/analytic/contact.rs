//! S10, S17, E18: contact with colliders.

use crate::support::{G, free_particle, left_to_hardware, relative, simulate, step};

#[test]
fn s17_dropped_particle_rests_on_every_analytic_shape() {
    // Each shape has its highest point at y = 0.5 below the particle, whose radius is 0.05 m.
    let shapes = [
        "plane = { offset = 0.5 }",
        "sphere = { center = [0, 0, 0], radius = 0.5 }",
        "capsule = { from = [-1, 0.2, 0], to = [1, 0.2, 0], radius = 0.3 }",
        "cylinder = { from = [-1, 0.2, 0], to = [1, 0.2, 0], radius = 0.3 }",
        "cylinder = { from = [0, -0.3, 0], to = [0, 0.5, 0], radius = 0.4 }",
        "box = { center = [0, 0, 0], size = [2, 1, 2] }",
        "box = { center = [0, 0.2071068, 0], size = [0.4142136, 0.4142136, 2], rotate = { axis = [0, 0, 1], degrees = 45 } }",
    ];
    for shape in shapes {
        let mut sim = simulate(&format!("{}[[collider]]\n{shape}\n", free_particle([0.0, 1.0, 0.0], "radius = 0.05")));
        let mut lowest = f32::INFINITY;
        // It lands after 0.3 s, and has as much again and more to come to rest.
        for _ in 0..100 {
            step(&mut sim, 1);
            lowest = lowest.min(sim.position(0).y);
        }
        let (x, v) = (sim.position(0), sim.velocity(0));
        // Contacts are projected last: rounding is all that is left (ulp of 0.55 is 6e-8 m).
        assert!((x.y - 0.55).abs() < 1e-5 && x.x.abs() < 1e-4, "{shape}: rests at {x}");
        assert!(lowest > 0.55 - 1e-5, "{shape}: went as low as {lowest}");
        assert!(v.length() < 1e-3, "{shape}: moves at {v}");
    }
}

#[test]
fn s17_s18_moving_box_and_plane_carry_a_particle_by_friction() {
    if left_to_hardware() {
        return;
    }
    // The floor sets off at u = 0.5 m/s and stops after 2 s. Friction μ = 0.8 speeds the particle up with
    // μ·g, so it lags by u²/(2μg) = 1.59 cm, and slides on by as much when the floor stops.
    for shape in ["plane = {}", "box = { center = [0, -0.5, 0], size = [8, 1, 8] }"] {
        let mut sim = simulate(&format!(
            "[solver]\ndt = 0.002\niterations = 4\n{}[[collider]]\n{shape}\nfriction = {{ static = 0.8, kinetic = 0.8 }}\n\
             motion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 2, translate = [1, 0, 0] }}] }} }}\n",
            free_particle([0.0, 0.1, 0.0], "radius = 0.1")
        ));
        step(&mut sim, 500);
        let (lag, exact) = (0.5 - f64::from(sim.position(0).x), 0.25 / (2.0 * 0.8 * G));
        eprintln!("carried by {shape}: lags by {lag:.5} m against {exact:.5} m");
        // One step more or less of slip: u·h = 1 mm at most, half of it in the mean.
        assert!((lag - exact).abs() < 1e-3, "{shape}: lags by {lag} against {exact}");
        assert!(relative(f64::from(sim.velocity(0).x), 0.5) < 1e-3, "{shape}: {}", sim.velocity(0));
        step(&mut sim, 1000);
        let x = f64::from(sim.position(0).x);
        assert!((x - 1.0).abs() < 2e-3 && sim.velocity(0).length() < 1e-3, "{shape}: ends at {x}");
    }
}

#[test]
fn s17_rising_plane_lifts_a_particle() {
    let mut sim = simulate(&format!(
        "{}[[collider]]\nplane = {{}}\nmotion = {{ keys = {{ frames = [{{ time = 0 }}, {{ time = 1, translate = [0, 0.5, 0] }}] }} }}\n",
        free_particle([0.0, 0.1, 0.0], "radius = 0.1")
    ));
    step(&mut sim, 50);
    assert!((sim.position(0).y - 0.35).abs() < 1e-5, "{}", sim.position(0));
    step(&mut sim, 100);
    // Thrown at 0.5 m/s when the plane stops, it has landed again after 2·0.5/9.81 = 0.1 s.
    assert!((sim.position(0).y - 0.6).abs() < 1e-5, "{}", sim.position(0));
}

#[test]
fn s10_pre_stabilization_removes_penetration_without_adding_velocity() {
    // Five centimeters inside at the start. As a contact alone the push would be a velocity of 5 m/s.
    let speed = |passes: u32| {
        let mut sim = simulate(&format!(
            "[solver]\ndt = 0.01\nstabilization = {passes}\n[world]\ngravity = [0, 0, 0]\n{}[[collider]]\nplane = {{}}\n",
            free_particle([0.0, 0.05, 0.0], "radius = 0.1")
        ));
        step(&mut sim, 1);
        assert!((sim.position(0).y - 0.1).abs() < 1e-6, "{}", sim.position(0));
        sim.velocity(0).length()
    };
    assert!(speed(2) < 1e-5, "pre-stabilized: {} m/s", speed(2));
    assert!((speed(0) - 5.0).abs() < 1e-3, "without: {} m/s", speed(0));
}

#[test]
fn s10_e18_sleeping_compares_displacement_with_speed_times_step() {
    // The threshold is a speed: what sleeps does not depend on dt, as it would if a displacement were
    // compared with a velocity.
    for dt in [0.01, 0.0025] {
        for (speed, moves) in [(0.09, false), (0.11, true)] {
            let mut sim = simulate(&format!(
                "[solver]\ndt = {dt}\nsleep_speed = 0.1\n[world]\ngravity = [0, 0, 0]\n{}",
                free_particle([0.0; 3], &format!("velocity = [{speed}, 0, 0]"))
            ));
            let steps = (1.0 / dt) as usize;
            step(&mut sim, steps);
            let x = f64::from(sim.position(0).x);
            let expected = if moves { speed } else { 0.0 };
            assert!((x - expected).abs() < 1e-4, "dt {dt}, {speed} m/s: at {x} after 1 s");
        }
    }
}
