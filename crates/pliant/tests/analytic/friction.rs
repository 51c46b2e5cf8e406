//! S18, E19, V06: Coulomb friction on a slope.

use crate::support::{G, free_particle, left_to_hardware, relative, simulate, step};
use pliant::World;

const MU: f64 = 0.5;

fn solver(iterations: u32) -> String {
    format!("[solver]\ndt = 0.01\niterations = {iterations}\n")
}

/// A particle that rests on a plane of friction μ; gravity is tilted by `degrees` towards x.
fn slope(degrees: f64, iterations: u32) -> World {
    let (sin, cos) = degrees.to_radians().sin_cos();
    simulate(&format!(
        "{}[world]\ngravity = [{}, {}, 0]\n{}[[collider]]\nplane = {{}}\nfriction = {{ static = {MU}, kinetic = {MU} }}\n",
        solver(iterations),
        G * sin,
        -G * cos,
        free_particle([0.0, 0.1, 0.0], "radius = 0.1")
    ))
}

#[test]
fn s18_e19_v06_sticks_half_a_degree_below_the_friction_angle_and_creeps_less_than_a_tenth_of_a_millimeter() {
    if left_to_hardware() {
        return;
    }
    for iterations in [1, 4, 16] {
        let mut sim = slope(MU.atan().to_degrees() - 0.5, iterations);
        step(&mut sim, 1000);
        let creep = f64::from(sim.position(0).x);
        eprintln!("incline, {iterations} iterations: creep {creep:.1e} m in 10 s");
        assert!(creep.abs() <= 1e-4, "{iterations} iterations: crept {creep} m in 10 s");
    }
}

#[test]
fn s18_e19_v06_slips_half_a_degree_above_the_friction_angle() {
    // a = g·(sin θ − μ·cos θ) = 0.0957 m/s² there: 4.8 cm in the first second.
    for iterations in [1, 4, 16] {
        let angle = MU.atan() + 0.5_f64.to_radians();
        let mut sim = slope(angle.to_degrees(), iterations);
        step(&mut sim, 100);
        let exact = 0.5 * G * (angle.sin() - MU * angle.cos()) * 1.01;
        let slid = f64::from(sim.position(0).x);
        assert!(relative(slid, exact) < 0.02, "{iterations} iterations: slid {slid} m against {exact} m");
    }
}

#[test]
fn s18_e19_v06_slides_with_g_times_sine_minus_mu_cosine() {
    for iterations in [1, 4, 16] {
        for degrees in [30.0_f64, 40.0, 60.0] {
            let mut sim = slope(degrees, iterations);
            step(&mut sim, 100);
            let found = f64::from(sim.velocity(0).x);
            let (sin, cos) = degrees.to_radians().sin_cos();
            let exact = G * (sin - MU * cos);
            eprintln!("incline {degrees}°, {iterations} iterations: a {found:.4} against {exact:.4} m/s²");
            assert!(relative(found, exact) < 0.02, "{degrees}°, {iterations} iterations: {found} against {exact}");
        }
    }
}

#[test]
fn s18_v06_tilted_plane_is_the_same_as_tilted_gravity() {
    // The plane itself tilted by 40°, gravity straight down; the slope runs towards +x.
    let (sin, cos) = 40.0_f64.to_radians().sin_cos();
    let mut sim = simulate(&format!(
        "{}{}[[collider]]\nplane = {{ normal = [{sin}, {cos}, 0] }}\nfriction = {{ static = {MU}, kinetic = {MU} }}\n",
        solver(4),
        free_particle([0.1 * sin, 0.1 * cos, 0.0], "radius = 0.1")
    ));
    step(&mut sim, 100);
    let v = sim.velocity(0);
    let found = f64::from(v.x) * cos - f64::from(v.y) * sin;
    assert!(relative(found, G * (sin - MU * cos)) < 0.02, "{found}");
    let into = f64::from(v.x) * sin + f64::from(v.y) * cos;
    assert!(into.abs() < 1e-3, "leaves the plane at {into} m/s");
}

#[test]
fn s18_static_friction_holds_where_kinetic_alone_would_slip() {
    // tan θ = 0.5 lies between μ_k = 0.3 and μ_s = 0.6: at rest it stays, once moving it goes on.
    let angle = 0.5_f64.atan();
    let text = |speed: f64| {
        format!(
            "{}[world]\ngravity = [{}, {}, 0]\n{}[[collider]]\nplane = {{}}\nfriction = {{ static = 0.6, kinetic = 0.3 }}\n",
            solver(4),
            G * angle.sin(),
            -G * angle.cos(),
            free_particle([0.0, 0.1, 0.0], &format!("radius = 0.1\nvelocity = [{speed}, 0, 0]"))
        )
    };
    let mut still = simulate(&text(0.0));
    step(&mut still, 100);
    assert!(still.position(0).x.abs() < 1e-5);
    let mut moving = simulate(&text(1.0));
    step(&mut moving, 100);
    let exact = 1.0 + G * (angle.sin() - 0.3 * angle.cos());
    assert!(relative(f64::from(moving.velocity(0).x), exact) < 0.02, "{} {exact}", moving.velocity(0).x);
}

#[test]
fn s18_v06_a_box_on_an_incline_sticks_and_slides_like_a_particle() {
    if left_to_hardware() {
        return;
    }
    // Rigid edges and volume: eight corners share the weight. Flat and low, so that it does not tip.
    let run = |degrees: f64, seconds: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut sim = simulate(&format!(
            "[solver]\ndt = 0.01\nsubsteps = 4\niterations = 8\n[world]\ngravity = [{}, {}, 0]\n[[soft]]\n\
             block = {{ cells = [1, 1, 1], size = [0.4, 0.1, 0.4] }}\nradius = 0.01\n\
             transform = {{ translate = [0, 0.01, 0] }}\n[[collider]]\nplane = {{}}\n\
             friction = {{ static = {MU}, kinetic = {MU} }}\n",
            G * sin,
            -G * cos,
        ));
        let start = sim.probe().center[0];
        step(&mut sim, (seconds * 100.0) as usize);
        let probe = sim.probe();
        (probe.center[0] - start, probe.linear[0] / probe.mass)
    };
    let limit = MU.atan().to_degrees();
    let (creep, _) = run(limit - 0.5, 10.0);
    let (slid, _) = run(limit + 0.5, 1.0);
    let (_, speed) = run(40.0, 1.0);
    let exact = G * (40.0_f64.to_radians().sin() - MU * 40.0_f64.to_radians().cos());
    eprintln!("box on an incline: creep {creep:.1e} m, slip {slid:.4} m, a {speed:.4} against {exact:.4} m/s²");
    assert!(creep.abs() <= 1e-4, "crept {creep} m");
    assert!(slid > 0.02, "slid only {slid} m");
    assert!(relative(speed, exact) < 0.02, "{speed} against {exact}");
}
