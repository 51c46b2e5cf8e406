//! Joints: pendulums, chains, linkages, limits, motors, springs.

use crate::{body, run, world};
use glam::DVec3;
use pliant::World;
use pliant::builder::NoMeshes;
use pliant::rigid_body::joint::frame_of;
use pliant::scene::{Format, Scene};
use std::f64::consts::{PI, TAU};

/// How far the anchors of all joints are apart, at most [m].
fn gap(world: &World) -> f64 {
    let state = &world.state().rigid_bodies;
    let joints = world.model().rigid_bodies.joints.iter().zip(&state.joints);
    let gaps = joints.map(|(joint, own)| {
        let [a, b] = [0, 1].map(|k| frame_of(&state.bodies, joint.bodies[k]).outward(own.frames[k].position));
        a.distance(b)
    });
    gaps.fold(0.0, f64::max)
}

fn energy(world: &World) -> f64 {
    let probe = world.probe();
    probe.kinetic + probe.gravitational
}

#[test]
fn v25_s21_a_compound_pendulum_has_its_period_and_keeps_its_energy() {
    for kind in ["ball", "hinge"] {
        let degrees = 10.0_f64;
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (x, y) = (0.5 * sin, -0.5 * cos);
        let mut world = world(&format!(
            "[[body]]\nname = \"bar\"\nbox = [0.1, 1, 0.06]\n\
            transform = {{ translate = [{x}, {y}, 0], rotate = {{ axis = [0, 0, 1], degrees = {degrees} }} }}\n\
            [[joint]]\nkind = \"{kind}\"\nbody = \"bar\"\naxis = [0, 0, 1]\n"
        ));
        let inertia = (1.0 + 0.01) / 12.0 + 0.25;
        let wanted = TAU * (inertia / (9.81_f64 * 0.5)).sqrt() * (1.0 + degrees.to_radians().powi(2) / 16.0);
        let start = energy(&world);
        let (mut last, mut crossings) = (x, Vec::new());
        for k in 0..6000_u32 {
            run(&mut world, 0.01);
            let x = body(&world, 0).position.x;
            if last < 0.0 && x >= 0.0 {
                crossings.push((f64::from(k) + 1.0 - x / (x - last)) * 0.01);
            }
            last = x;
        }
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
        assert!((period / wanted - 1.0).abs() < 1e-3, "{kind}: {period} s instead of {wanted}");
        let swing = world.probe().mass * 9.81 * 0.5 * (1.0 - cos);
        assert!(
            (energy(&world) - start).abs() < 0.01 * swing,
            "{kind}: energy has changed by {}",
            energy(&world) - start
        );
    }
}

#[test]
fn v25_a_double_pendulum_keeps_its_energy_for_a_minute() {
    let mut world = world(
        "[[body]]\nname = \"a\"\nbox = [1, 0.05, 0.05]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[body]]\nname = \"b\"\nbox = [1, 0.05, 0.05]\ntransform = { translate = [1.5, 0, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"a\"\naxis = [0, 0, 1]\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"b\"\nto = \"a\"\nanchor = [1, 0, 0]\naxis = [0, 0, 1]\n",
    );
    let start = energy(&world);
    run(&mut world, 60.0);
    let range = world.probe().mass * 9.81;
    assert!((energy(&world) - start).abs() < 0.01 * range, "{} of {range} J", energy(&world) - start);
    assert!(gap(&world) < 1e-4, "{} m", gap(&world));
    // Hinges hold the plane.
    assert!(body(&world, 1).position.z.abs() < 1e-6);
}

#[test]
fn v25_a_spherical_pendulum_circles_at_its_rate() {
    // ω² = g/(l·cos θ) for a point; a small ball on a long arm is nearly one: its own inertia does not turn with the arm.
    let (length, angle) = (1.0_f64, 0.5_f64);
    let rate = (9.81 / (length * angle.cos())).sqrt();
    let (x, y) = (length * angle.sin(), -length * angle.cos());
    let speed = rate * x;
    let mut world = world(&format!(
        "[[body]]\nname = \"bob\"\nball = 0.02\nvelocity = [0, 0, {speed}]\ntransform = {{ translate = [{x}, {y}, 0] }}\n\
        [[joint]]\nkind = \"distance\"\nbody = \"bob\"\nanchor = [{x}, {y}, 0]\nanchor_to = [0, 0, 0]\n"
    ));
    let mut turned = 0.0;
    let mut last = body(&world, 0).position;
    for _ in 0..1000 {
        run(&mut world, 0.01);
        let now = body(&world, 0).position;
        turned += (last.x * now.z - last.z * now.x).atan2(last.x * now.x + last.z * now.z);
        last = now;
    }
    assert!((turned.abs() / (rate * 10.0) - 1.0).abs() < 0.005, "{turned} instead of {}", rate * 10.0);
    assert!((last.length() - length).abs() < 1e-4);
}

#[test]
fn s21_a_chain_holds_a_thousand_times_its_mass() {
    let mut text = String::new();
    for k in 0..17 {
        let density = if k == 16 { 1e6 } else { 1e3 };
        let x = 0.5 * f64::from(k) + 0.5;
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nball = 0.2\ndensity = {density}\ntransform = {{ translate = [{x}, 0, 0] }}\n"
        );
        let to = if k == 0 { String::new() } else { format!("to = \"b{}\"\n", k - 1) };
        text += &format!("[[joint]]\nkind = \"ball\"\nbody = \"b{k}\"\n{to}anchor = [{}, 0, 0]\n", x - 0.25);
    }
    let mut world = world(&text);
    let mut worst = 0.0_f64;
    for _ in 0..100 {
        run(&mut world, 0.1);
        worst = worst.max(gap(&world));
    }
    assert!(worst < 1e-3, "opens by {worst} m");
}

#[test]
fn v25_a_four_bar_linkage_stays_closed_and_follows_its_loop() {
    // A parallelogram: coupler and ground stay parallel, and the two cranks at the same angle.
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n\
        [[body]]\nname = \"left\"\nbox = [0.05, 1, 0.05]\ntransform = { translate = [0, 0.5, 0] }\n\
        [[body]]\nname = \"right\"\nbox = [0.05, 1, 0.05]\ntransform = { translate = [2, 0.5, 0] }\n\
        [[body]]\nname = \"top\"\nbox = [2, 0.05, 0.05]\ntransform = { translate = [1, 1, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"left\"\naxis = [0, 0, 1]\nmotor = { speed = 1, most = 1000 }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"right\"\nanchor = [2, 0, 0]\naxis = [0, 0, 1]\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"top\"\nto = \"left\"\nanchor = [0, 1, 0]\naxis = [0, 0, 1]\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"top\"\nto = \"right\"\nanchor = [2, 1, 0]\naxis = [0, 0, 1]\n",
    );
    run(&mut world, 1.0);
    let angle = |k: usize| {
        let up = body(&world, k).rotation * DVec3::Y;
        (-up.x).atan2(up.y)
    };
    assert!((angle(0) - 1.0).abs() < 0.01, "the motor has turned by {} rad", angle(0));
    assert!((angle(0) - angle(1)).abs() < 1e-4 && angle(2).abs() < 1e-4, "{} {} {}", angle(0), angle(1), angle(2));
    let wanted = DVec3::new(1.0 - angle(0).sin(), angle(0).cos(), 0.0);
    assert!(body(&world, 2).position.distance(wanted) < 1e-4);
    assert!(gap(&world) < 1e-5, "{}", gap(&world));
}

#[test]
fn s21_limits_motors_springs_and_sliders_do_what_they_say() {
    // A door that falls to its limit of 30°.
    let mut door = world(
        "[[body]]\nname = \"door\"\nbox = [1, 0.05, 0.5]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"door\"\naxis = [0, 0, 1]\nlimits = [-30, 0]\n",
    );
    run(&mut door, 5.0);
    let along = body(&door, 0).rotation * DVec3::X;
    let angle = along.y.atan2(along.x);
    assert!((angle + PI / 6.0).abs() < 2e-3, "{} degrees", angle.to_degrees());
    assert!(body(&door, 0).spin.length() < 1e-3);
    // A slider down an incline of 45° with a motor too weak to hold: a = g·sin − F/m.
    let mut slider = world(
        "[[body]]\nname = \"s\"\nbox = [0.1, 0.1, 0.1]\n\
        [[joint]]\nkind = \"slider\"\nbody = \"s\"\naxis = [1, -1, 0]\nmotor = { speed = 0, most = 2 }\n",
    );
    run(&mut slider, 1.0);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let way = 0.5 * (9.81 * half - 2.0);
    let found = body(&slider, 0).position;
    assert!(found.distance(DVec3::new(half, -half, 0.0) * way) < 0.01 * way, "{found} instead of {way} m");
    // A spring that carries 1 kg: stretched by mg/k.
    let mut spring = world(
        "[[body]]\nname = \"m\"\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [0, -1, 0] }\n\
        [[joint]]\nkind = \"distance\"\nbody = \"m\"\nanchor = [0, -1, 0]\nanchor_to = [0, 0, 0]\nstiffness = 200\ndamping = 10\n",
    );
    run(&mut spring, 10.0);
    let stretch = -body(&spring, 0).position.y - 1.0;
    assert!((stretch / (9.81 / 200.0) - 1.0).abs() < 1e-3, "{stretch} m");
    let force = spring.state().rigid_bodies.joints[0].force[0];
    assert!((force - DVec3::Y * 9.81).length() < 0.01, "{force}");
    // A fixed joint between two boxes is one body.
    let mut pair = world(
        "[[body]]\nname = \"a\"\nbox = [0.2, 0.2, 0.2]\n[[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [0.2, 0, 0] }\n\
        [[joint]]\nkind = \"fixed\"\nbody = \"b\"\nto = \"a\"\nanchor = [0.1, 0, 0]\n[[collider]]\nplane = { offset = -0.5 }\n",
    );
    run(&mut pair, 3.0);
    assert!(body(&pair, 0).position.distance(body(&pair, 1).position) - 0.2 < 1e-4);
    assert!(gap(&pair) < 1e-4);
}

#[test]
fn s21_bad_joints_are_refused_with_what_is_wrong() {
    let boxes = "[[body]]\nname = \"a\"\nbox = [1, 1, 1]\n";
    for (joint, place) in [
        ("kind = \"ball\"\nbody = \"nobody\"", "joint[0].body"),
        ("kind = \"ball\"\nbody = \"a\"\nto = \"a\"", "joint[0].to"),
        ("kind = \"hinge\"\nbody = \"a\"\naxis = [0, 0, 0]", "joint[0].axis"),
        ("kind = \"hinge\"\nbody = \"a\"\nlimits = [10, -10]", "joint[0].limits[0]"),
        ("kind = \"hinge\"\nbody = \"a\"\nmotor = { speed = 1, most = inf }", "joint[0].motor.most"),
        ("kind = \"ball\"\nbody = \"a\"\nlimits = [-1, 1]", "joint[0].limits"),
        ("kind = \"ball\"\nbody = \"a\"\nanchor = [nan, 0, 0]", "joint[0].anchor"),
        ("kind = \"universal\"\nbody = \"a\"", "joint[0].axis2"),
        ("kind = \"universal\"\nbody = \"a\"\naxis2 = [1, 1, 0]", "joint[0].axis2"),
        ("kind = \"universal\"\nbody = \"a\"\naxis2 = [1, 0, 0]\naxes = { rz = {} }", "joint[0].axes.rz"),
        ("kind = \"hinge\"\nbody = \"a\"\naxes = { rx = {} }", "joint[0].axes.rx"),
        ("kind = \"six\"\nbody = \"a\"\nlimits = [0, 1]", "joint[0].limits"),
        ("kind = \"six\"\nbody = \"a\"\naxes = { rx = { limits = [20, 10] } }", "joint[0].axes.rx.limits[0]"),
        ("kind = \"six\"\nbody = \"a\"\naxes = { y = { motor = { most = nan } } }", "joint[0].axes.y.motor.most"),
        ("kind = \"hinge\"\nbody = \"a\"\nmotor = { target = 10, most = 5 }", "joint[0].motor.target"),
        ("kind = \"hinge\"\nbody = \"a\"\nfriction = -1", "joint[0].friction"),
        ("kind = \"fixed\"\nbody = \"a\"\nfriction = 1", "joint[0].friction"),
        ("kind = \"distance\"\nbody = \"a\"\nlimits = [2, 1]", "joint[0].limits[1]"),
        ("kind = \"distance\"\nbody = \"a\"\nstiffness = 10\ncompliance = 0.1", "joint[0].compliance"),
        ("kind = \"ball\"\nbody = \"a\"\ndamping = 1", "joint[0].damping"),
        ("kind = \"ball\"\nbody = \"a\"\nbreak_force = 0", "joint[0].break_force"),
        ("kind = \"ball\"\nbody = \"a\"\nbreak_torque = 1", "joint[0].break_torque"),
    ] {
        let scene = Scene::parse(&format!("{boxes}[[joint]]\n{joint}\n"), Format::Toml);
        let error = match scene {
            Err(e) => e.to_string(),
            Ok(scene) => match World::from_scene(&scene, &NoMeshes, Default::default()) {
                Err(e) => e.to_string(),
                Ok(_) => panic!("{joint} was built"),
            },
        };
        assert!(error.contains(place), "{joint}: {error}");
    }
}
