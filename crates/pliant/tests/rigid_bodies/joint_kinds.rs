//! Joints against independent answers: closed forms, and differential equations integrated here.

use crate::{body, run, world};
use glam::{DMat3, DQuat, DVec3, Vec3};
use pliant::World;
use pliant::scene::JointAxis;
use std::f64::consts::PI;

const G: f64 = 9.81;

/// The classic Runge–Kutta method.
fn integrate<const N: usize>(
    mut y: [f64; N],
    time: f64,
    steps: usize,
    slope: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = time / steps as f64;
    let along = |y: &[f64; N], k: &[f64; N], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = slope(&y);
        let k2 = slope(&along(&y, &k1, 0.5 * h));
        let k3 = slope(&along(&y, &k2, 0.5 * h));
        let k4 = slope(&along(&y, &k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    y
}

/// Handle of a joint, by its number.
fn joint(world: &World, number: usize) -> pliant::Handle {
    let all = world.objects();
    all.into_iter().filter(|&h| world.kind(h).unwrap() == pliant::scene::ObjectKind::Joint).nth(number).unwrap()
}

#[test]
fn v22_a_heavy_top_moves_as_its_equations_say() {
    let mut world = world(
        "[[body]]\nname = \"top\"\ncylinder = { radius = 0.1, length = 0.04 }\n\
        transform = { rotate = { axis = [0, 0, 1], degrees = 25 }, translate = [-0.0845237, 0.1812616, 0] }\n\
        [[joint]]\nkind = \"ball\"\nbody = \"top\"\n",
    );
    let top = world.find("top").unwrap();
    let arm = body(&world, 0).position;
    let axis = body(&world, 0).rotation * DVec3::Y;
    assert!((arm.length() - 0.2).abs() < 1e-6 && arm.normalize().dot(axis) > 1.0 - 1e-6);
    let spin = axis * 60.0;
    world.set_velocity(top, Vec3::ZERO, spin.as_vec3()).unwrap();
    let start = body(&world, 0);
    let mass = world.probe().mass;
    let inertia = DMat3::from_diagonal(DVec3::new(
        mass * (0.01 / 4.0 + 0.0016 / 12.0 + 0.04),
        mass * 0.01 / 2.0,
        mass * (0.01 / 4.0 + 0.0016 / 12.0 + 0.04),
    ));
    let inverse = inertia.inverse();
    let q = start.rotation;
    let momentum = q * (inertia * (q.conjugate() * start.spin));
    // Orientation and angular momentum about the point that is held.
    let slope = |y: &[f64; 7]| {
        let q = DQuat::from_xyzw(y[0], y[1], y[2], y[3]);
        let turn = q.normalize();
        let spin = turn * (inverse * (turn.conjugate() * DVec3::new(y[4], y[5], y[6])));
        let d = DQuat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * q * 0.5;
        let torque = (turn * DVec3::Y * 0.2).cross(DVec3::NEG_Y * mass * G);
        [d.x, d.y, d.z, d.w, torque.x, torque.y, torque.z]
    };
    let y0 = [q.x, q.y, q.z, q.w, momentum.x, momentum.y, momentum.z];
    for time in [0.5, 1.0, 2.0] {
        run(&mut world, if time == 2.0 { 1.0 } else { 0.5 });
        let y = integrate(y0, time, 20_000, slope);
        let wanted = DQuat::from_xyzw(y[0], y[1], y[2], y[3]).normalize() * DVec3::Y;
        let found = body(&world, 0).rotation * DVec3::Y;
        // It has gone round by 1.6 rad per second, with nutation.
        assert!(found.distance(wanted) < 5e-3, "after {time} s {found} instead of {wanted}");
    }
}

#[test]
fn v25_a_double_pendulum_follows_its_equations() {
    let mut world = world(
        "[[body]]\nname = \"a\"\nbox = [1, 0.05, 0.05]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[body]]\nname = \"b\"\nbox = [1, 0.05, 0.05]\ntransform = { translate = [1.5, 0, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"a\"\naxis = [0, 0, 1]\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"b\"\nto = \"a\"\nanchor = [1, 0, 0]\naxis = [0, 0, 1]\n",
    );
    // Rods of mass m, length l and own inertia J; angles from the vertical, y = [a, b, a', b'].
    let (l, own) = (1.0, (1.0 + 0.0025) / 12.0);
    let slope = |y: &[f64; 4]| {
        let [a, b, u, v] = *y;
        let (c, s) = ((a - b).cos(), (a - b).sin());
        let (m11, m22, m12) = (0.25 * l * l + l * l + own, 0.25 * l * l + own, 0.5 * l * l * c);
        let r1 = -0.5 * l * l * s * v * v - 1.5 * G * l * a.sin();
        let r2 = 0.5 * l * l * s * u * u - 0.5 * G * l * b.sin();
        let det = m11 * m22 - m12 * m12;
        [u, v, (r1 * m22 - r2 * m12) / det, (r2 * m11 - r1 * m12) / det]
    };
    for k in 1..=4 {
        run(&mut world, 0.5);
        let y = integrate([PI / 2.0, PI / 2.0, 0.0, 0.0], 0.5 * f64::from(k), 20_000, slope);
        for (number, angle) in [y[0], y[1]].into_iter().enumerate() {
            let wanted = DVec3::new(angle.sin(), -angle.cos(), 0.0);
            let found = body(&world, number).rotation * DVec3::X;
            assert!(found.distance(wanted) < 0.01, "rod {number} after {} s: {found}, {wanted}", 0.5 * f64::from(k));
        }
    }
}

#[test]
fn v25_a_spherical_pendulum_follows_its_equations() {
    let mut world = world(
        "[[body]]\nname = \"bob\"\nball = 0.02\nvelocity = [0, 0, 1.5]\ntransform = { translate = [0.6, -0.8, 0] }\n\
        [[joint]]\nkind = \"distance\"\nbody = \"bob\"\nanchor = [0.6, -0.8, 0]\nanchor_to = [0, 0, 0]\n",
    );
    let slope = |y: &[f64; 6]| {
        let (x, v) = (DVec3::new(y[0], y[1], y[2]), DVec3::new(y[3], y[4], y[5]));
        let pull = (v.length_squared() + x.dot(DVec3::NEG_Y * G)) / x.length_squared();
        let a = DVec3::NEG_Y * G - x * pull;
        [v.x, v.y, v.z, a.x, a.y, a.z]
    };
    let start = body(&world, 0).position;
    for k in 1..=5 {
        run(&mut world, 1.0);
        let y = integrate([start.x, start.y, start.z, 0.0, 0.0, 1.5], f64::from(k), 20_000, slope);
        let found = body(&world, 0).position;
        let wanted = DVec3::new(y[0], y[1], y[2]);
        assert!(found.distance(wanted) < 0.01, "after {k} s {found} instead of {wanted}");
    }
}

#[test]
fn v25_a_four_bar_linkage_follows_its_closed_form() {
    // Crank 0.3, coupler 1.0, rocker 0.8, ground 1.1: a crank that goes all the way round.
    let (crank, coupler, rocker, ground) = (0.3_f64, 1.0_f64, 0.8_f64, 1.1_f64);
    // Place of the far end of the coupler for an angle of the crank: two circles.
    let loop_at = |angle: f64| {
        let a = DVec3::new(crank * angle.cos(), crank * angle.sin(), 0.0);
        let d = DVec3::X * ground - a;
        let along = (d.length_squared() + coupler * coupler - rocker * rocker) / (2.0 * d.length());
        let up = (coupler * coupler - along * along).sqrt();
        let u = d.normalize();
        (a, a + u * along + DVec3::new(-u.y, u.x, 0.0) * up)
    };
    let (a, b) = loop_at(0.5);
    let rod = |name: &str, from: DVec3, to: DVec3| {
        let (middle, way) = ((from + to) * 0.5, to - from);
        format!(
            "[[body]]\nname = \"{name}\"\nbox = [{}, 0.04, 0.04]\ntransform = {{ translate = [{}, {}, 0], \
            rotate = {{ axis = [0, 0, 1], degrees = {} }} }}\n",
            way.length(),
            middle.x,
            middle.y,
            way.y.atan2(way.x).to_degrees()
        )
    };
    let o = DVec3::X * ground;
    let text = rod("crank", DVec3::ZERO, a)
        + &rod("coupler", a, b)
        + &rod("rocker", o, b)
        + &format!(
            "[[joint]]\nkind = \"hinge\"\nbody = \"crank\"\naxis = [0, 0, 1]\nmotor = {{ speed = 3, most = 1e4 }}\n\
            [[joint]]\nkind = \"hinge\"\nbody = \"rocker\"\nanchor = [{ground}, 0, 0]\naxis = [0, 0, 1]\n\
            [[joint]]\nkind = \"hinge\"\nbody = \"coupler\"\nto = \"crank\"\nanchor = [{}, {}, 0]\naxis = [0, 0, 1]\n\
            [[joint]]\nkind = \"hinge\"\nbody = \"coupler\"\nto = \"rocker\"\nanchor = [{}, {}, 0]\naxis = [0, 0, 1]\n",
            a.x, a.y, b.x, b.y
        );
    let mut world = world(&text);
    for k in 0..100_u32 {
        run(&mut world, 0.05);
        let along = body(&world, 0).rotation * DVec3::X;
        let angle = along.y.atan2(along.x);
        let (_, b) = loop_at(angle);
        let found = body(&world, 2).position + body(&world, 2).rotation * DVec3::X * (0.5 * rocker);
        assert!(found.distance(b) < 1e-3, "step {k}, crank at {angle}: {found} instead of {b}");
        let (_, speed) = world.joint_motion(joint(&world, 0), None).unwrap();
        assert!(k == 0 || (f64::from(speed) - 3.0).abs() < 0.01, "{speed} rad/s");
    }
}

#[test]
fn s21_a_universal_joint_has_its_ratio_of_speeds() {
    // Pin of the driving shaft along z, that of the driven one across both: tan γ₂ = cos β·tan γ₁.
    let bend = 30.0_f64.to_radians();
    let (cos, sin) = (bend.cos(), bend.sin());
    let mut world = world(&format!(
        "[[body]]\nname = \"in\"\ncylinder = {{ radius = 0.05, length = 0.5 }}\n\
        transform = {{ translate = [-0.3, 0, 0], rotate = {{ axis = [0, 0, 1], degrees = -90 }} }}\n\
        [[body]]\nname = \"out\"\ncylinder = {{ radius = 0.05, length = 0.5 }}\n\
        transform = {{ translate = [{}, {}, 0], rotate = {{ axis = [0, 0, 1], degrees = -60 }} }}\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"in\"\nanchor = [-0.3, 0, 0]\naxis = [1, 0, 0]\nmotor = {{ speed = 4, most = 1000 }}\n\
        [[joint]]\nkind = \"six\"\nbody = \"out\"\nanchor = [{}, {}, 0]\naxis = [{cos}, {sin}, 0]\n\
        axes = {{ x = {{}}, y = {{}}, z = {{}}, rx = {{}} }}\n\
        [[joint]]\nkind = \"universal\"\nbody = \"out\"\nto = \"in\"\naxis = [0, 0, 1]\naxis2 = [{}, {cos}, 0]\n",
        0.3 * cos,
        0.3 * sin,
        0.3 * cos,
        0.3 * sin,
        -sin
    ));
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for k in 0..200 {
        run(&mut world, 0.01);
        let (fast, slow) = (body(&world, 0).spin.x, body(&world, 1).spin.dot(DVec3::new(cos, sin, 0.0)));
        let (angle, _) = world.joint_motion(joint(&world, 0), None).unwrap();
        let wanted = cos / (1.0 - (sin * f64::from(angle).sin()).powi(2));
        let found = slow / fast;
        assert!((found / wanted - 1.0).abs() < 2e-3, "at {angle} rad: {found} instead of {wanted}");
        if k > 10 {
            (low, high) = (low.min(found), high.max(found));
        }
    }
    assert!((low - cos).abs() < 2e-3 && (high - 1.0 / cos).abs() < 2e-3, "from {low} to {high}");
}

#[test]
fn s21_reactions_of_a_beam_are_those_of_statics() {
    // A beam of 2 m on a hinge at its left end and a distance 0.5 m from its right end, with a block on it by a weld.
    let mut world = world(
        "[[body]]\nname = \"beam\"\nbox = [2, 0.1, 0.1]\ntransform = { translate = [1, 0, 0] }\n\
        [[body]]\nname = \"block\"\nbox = [0.2, 0.2, 0.2]\ndensity = 2000\ntransform = { translate = [0.5, 0.15, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"beam\"\naxis = [0, 0, 1]\n\
        [[joint]]\nkind = \"distance\"\nbody = \"beam\"\nanchor = [1.5, 0, 0]\nanchor_to = [1.5, 3, 0]\n\
        [[joint]]\nkind = \"fixed\"\nbody = \"block\"\nto = \"beam\"\nanchor = [0.3, 0.05, 0]\n",
    );
    run(&mut world, 2.0);
    let (beam, block) = (20.0 * G, 16.0 * G);
    let up = (beam * 1.0 + block * 0.5) / 1.5;
    for (number, force, torque) in [
        (0, DVec3::Y * (beam + block - up), DVec3::ZERO),
        (1, DVec3::Y * up, DVec3::ZERO),
        // The weld carries the block, 0.2 m beside its anchor.
        (2, DVec3::Y * block, DVec3::Z * (0.2 * block)),
    ] {
        let found = world.joint_force(joint(&world, number)).unwrap();
        assert!(
            (found.force.as_dvec3() - force).length() < 1e-3 * (beam + block),
            "joint {number}: {found:?}, {force}"
        );
        assert!((found.torque.as_dvec3() - torque).length() < 0.05, "joint {number}: {found:?}, {torque}");
    }
    // A cantilever carries its weight and m·g·l/2 about its root: up, so that it turns the beam counterclockwise.
    let mut arm = crate::world(
        "[[body]]\nname = \"arm\"\nbox = [2, 0.1, 0.1]\ntransform = { translate = [1, 0, 0] }\n\
        [[joint]]\nkind = \"fixed\"\nbody = \"arm\"\n",
    );
    run(&mut arm, 1.0);
    let found = arm.joint_force(joint(&arm, 0)).unwrap();
    assert!(
        (f64::from(found.force.y) - beam).abs() < 1e-3 * beam && (f64::from(found.torque.z) - beam).abs() < 1e-3 * beam
    );
}

#[test]
fn s21_motors_balance_what_hangs_on_them() {
    let arm = |joint: &str| {
        world(&format!(
            "[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\ntransform = {{ translate = [0.5, 0, 0] }}\n\
            [[body]]\nname = \"end\"\nball = 0.1\ndensity = 20000\ntransform = {{ translate = [1, 0, 0] }}\n\
            [[joint]]\nkind = \"fixed\"\nbody = \"end\"\nto = \"arm\"\nanchor = [1, 0, 0]\n\
            [[joint]]\nkind = \"hinge\"\nbody = \"arm\"\naxis = [0, 0, 1]\n{joint}\n"
        ))
    };
    let ball = 20000.0 * 4.0 / 3.0 * PI * 0.001;
    let load = (10.0 * 0.5 + ball) * G;
    let inertia = 10.0 * (1.01 / 12.0 + 0.25) + ball * (1.0 + 0.4 * 0.01);
    // Held still: the torque of the motor is that of the weight, whatever the ratio of masses.
    let mut held = arm("motor = { speed = 0, most = 1e5 }");
    run(&mut held, 1.0);
    let found = f64::from(held.joint_force(joint(&held, 1)).unwrap().torque.z);
    assert!((found / load - 1.0).abs() < 1e-4, "{found} N·m instead of {load}");
    assert!((body(&held, 0).position - DVec3::X * 0.5).length() < 1e-4, "{}", body(&held, 0).position);
    // Turned at a steady speed, up and down.
    let mut turned = arm("motor = { speed = 2, most = 1e5 }");
    for _ in 0..100 {
        run(&mut turned, 0.05);
        let (_, speed) = turned.joint_motion(joint(&turned, 1), None).unwrap();
        assert!((speed - 2.0).abs() < 1e-3, "{speed} rad/s");
    }
    // Too weak: it falls with what is left, first.
    let mut weak = arm(&format!("motor = {{ speed = 0, most = {} }}", 0.5 * load));
    run(&mut weak, 0.1);
    let wanted = -0.5 * load / inertia * 0.1;
    let (_, speed) = weak.joint_motion(joint(&weak, 1), None).unwrap();
    assert!((f64::from(speed) / wanted - 1.0).abs() < 0.01, "{speed} rad/s instead of {wanted}");
    // A motor of position is a spring: it rests where k·(θ₀ − θ) = m·g·l·cos θ.
    let stiffness = 5000.0;
    let mut servo = arm(&format!("motor = {{ target = 30, stiffness = {stiffness}, damping = 800, most = 1e5 }}"));
    run(&mut servo, 5.0);
    let (angle, _) = servo.joint_motion(joint(&servo, 1), None).unwrap();
    let angle = f64::from(angle);
    let off = stiffness * (30.0_f64.to_radians() - angle) - load * angle.cos();
    assert!(off.abs() < 1e-3 * load, "at {angle} rad, {off} N·m are left");
    // Its period is that of k/I.
    let mut free = crate::world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"arm\"\naxis = [0, 0, 1]\nmotor = { target = 10, stiffness = 100, most = 1e5 }\n",
    );
    let period = 2.0 * PI * (10.0 * (1.01 / 12.0 + 0.25) / 100.0_f64).sqrt();
    let mut highest = (0.0_f32, 0.0);
    for k in 1..=100 {
        run(&mut free, 0.01);
        let (angle, _) = free.joint_motion(joint(&free, 0), None).unwrap();
        if angle > highest.0 {
            highest = (angle, 0.01 * f64::from(k));
        }
    }
    assert!((highest.1 - 0.5 * period).abs() < 0.02, "highest at {} s, period {period}", highest.1);
    assert!((f64::from(highest.0).to_degrees() - 20.0).abs() < 0.2, "{}", highest.0.to_degrees());
}

#[test]
fn s21_friction_of_joints_is_dry() {
    // A wheel slows down by τ/I, and stands.
    let mut wheel = world(
        "[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[body]]\nname = \"wheel\"\ncylinder = { radius = 0.5, length = 0.1 }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"wheel\"\nfriction = 5\n",
    );
    let handle = wheel.find("wheel").unwrap();
    wheel.set_velocity(handle, Vec3::ZERO, Vec3::Y).unwrap();
    let inertia = 1000.0 * PI * 0.25 * 0.1 * 0.25 / 2.0;
    run(&mut wheel, 1.0);
    let wanted = 1.0 - 5.0 / inertia;
    assert!((body(&wheel, 0).spin.y / wanted - 1.0).abs() < 1e-4, "{} instead of {wanted}", body(&wheel, 0).spin.y);
    run(&mut wheel, inertia / 5.0);
    assert!(body(&wheel, 0).spin.length() < 1e-9, "{}", body(&wheel, 0).spin);
    // A ball joint the same, about any axis.
    let mut ball = world(
        "[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[body]]\nname = \"ball\"\nball = 0.5\n\
        [[joint]]\nkind = \"ball\"\nbody = \"ball\"\nfriction = 5\n",
    );
    let handle = ball.find("ball").unwrap();
    let axis = Vec3::new(1.0, -2.0, 0.5).normalize();
    ball.set_velocity(handle, Vec3::ZERO, axis).unwrap();
    run(&mut ball, 1.0);
    let inertia = 0.4 * 1000.0 * 4.0 / 3.0 * PI * 0.125 * 0.25;
    let found = body(&ball, 0).spin;
    assert!((found - axis.as_dvec3() * (1.0 - 5.0 / inertia)).length() < 1e-5, "{found}");
    // A slider on a slope: sticks below the force, slides with what is left above it.
    for (share, wanted) in [(1.02, 0.0), (0.5, 0.5)] {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut slider = world(&format!(
            "[[body]]\nname = \"s\"\nbox = [0.1, 0.1, 0.1]\n[[joint]]\nkind = \"slider\"\nbody = \"s\"\naxis = [1, -1, 0]\n\
            friction = {}\n",
            share * G * half
        ));
        run(&mut slider, 1.0);
        let way = wanted * 0.5 * G * half;
        let found = body(&slider, 0).position.length();
        assert!((found - way).abs() < 0.01 * way + 1e-9, "{found} m instead of {way}");
    }
}

#[test]
fn s21_distances_have_limits_motors_and_compliance() {
    let hung = |more: &str| {
        world(&format!(
            "[[body]]\nname = \"m\"\nbox = [0.1, 0.1, 0.1]\ntransform = {{ translate = [0, -1, 0] }}\n\
            [[joint]]\nkind = \"distance\"\nbody = \"m\"\nanchor = [0, -1, 0]\nanchor_to = [0, 0, 0]\n{more}\n"
        ))
    };
    let length = |world: &World| -body(world, 0).position.y;
    // Free up to its limit, as a rope is: the fall of 0.5 m takes 0.32 s.
    let mut rope = hung("limits = [0, 1.5]");
    run(&mut rope, 0.3);
    assert!((length(&rope) - 1.0 - 0.5 * G * 0.09).abs() < 1e-3, "{} m", length(&rope));
    run(&mut rope, 2.0);
    assert!((length(&rope) - 1.5).abs() < 1e-3, "{} m", length(&rope));
    // A winch pulls it up, with its weight.
    let mut winch = hung("motor = { speed = -0.25, most = 100 }");
    run(&mut winch, 2.0);
    assert!((length(&winch) - 0.5).abs() < 1e-3, "{} m", length(&winch));
    let force = winch.joint_force(joint(&winch, 0)).unwrap().force;
    assert!((f64::from(force.y) - G).abs() < 1e-2, "{force}");
    // Compliance is the inverse of stiffness.
    let mut soft = hung("compliance = 0.005\ndamping = 10");
    run(&mut soft, 10.0);
    assert!(((length(&soft) - 1.0) / (G * 0.005) - 1.0).abs() < 1e-3, "{} m", length(&soft));
    // Also of a weld, in both of its kinds.
    let mut arm = world(
        "[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[joint]]\nkind = \"fixed\"\nbody = \"arm\"\ncompliance = 1e-4\ndamping = 1000\nangular_compliance = 1e-4\nangular_damping = 500\n",
    );
    run(&mut arm, 10.0);
    let along = body(&arm, 0).rotation * DVec3::X;
    let root = body(&arm, 0).position - along * 0.5;
    let load = 10.0 * G;
    let angle = along.y.atan2(along.x);
    assert!((root.y / (-load * 1e-4) - 1.0).abs() < 2e-3, "sinks by {} m", -root.y);
    assert!((angle / (-0.5 * load * 1e-4) - 1.0).abs() < 2e-3, "leans by {angle} rad");
}

#[test]
fn s21_axes_of_a_joint_with_six_are_what_they_say() {
    // Only free about z: a hinge, bit for bit in its pose within rounding.
    let bar = |joint: &str| {
        world(&format!(
            "[[body]]\nname = \"bar\"\nbox = [1, 0.1, 0.2]\ntransform = {{ translate = [0.5, 0, 0] }}\n\
            [[joint]]\nbody = \"bar\"\n{joint}\n"
        ))
    };
    let mut six = bar("kind = \"six\"\naxis = [0, 0, 1]\naxes = { rx = {} }");
    let mut hinge = bar("kind = \"hinge\"\naxis = [0, 0, 1]");
    run(&mut six, 3.0);
    run(&mut hinge, 3.0);
    assert!(body(&six, 0).position.distance(body(&hinge, 0).position) < 1e-6);
    // Free along x, limited along y, locked along z; free about y.
    let mut six = world(
        "[world]\ngravity = [1, -9.81, 2]\nair_density = 0\n[[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\nvelocity = [0.5, 0, 0]\n\
        [[joint]]\nkind = \"six\"\nbody = \"b\"\naxis = [1, 0, 0]\naxis2 = [0, 1, 0]\n\
        axes = { x = {}, y = { limits = [-0.3, 0.1] }, ry = { motor = { speed = 2, most = 100 } } }\n",
    );
    run(&mut six, 1.0);
    let b = body(&six, 0);
    assert!((b.position - DVec3::new(0.5 + 0.5, -0.3, 0.0)).length() < 2e-3, "{}", b.position);
    assert!((b.spin - DVec3::Y * 2.0).length() < 1e-6, "{}", b.spin);
    // A ball with limits about three axes: what lies on the first is at its limit, and the others are not turned.
    let mut ball = world(
        "[[body]]\nname = \"b\"\nbox = [1, 0.1, 0.1]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[joint]]\nkind = \"ball\"\nbody = \"b\"\naxis = [1, 0, 0]\naxis2 = [0, 1, 0]\n\
        axes = { rx = { limits = [-20, 20] }, ry = { limits = [-40, 40] }, rz = { limits = [-30, 30], friction = 1 } }\n",
    );
    run(&mut ball, 5.0);
    let handle = joint(&ball, 0);
    for (axis, wanted) in [(JointAxis::Rx, 0.0), (JointAxis::Ry, 0.0), (JointAxis::Rz, -30.0_f64)] {
        let (angle, speed) = ball.joint_motion(handle, Some(axis)).unwrap();
        assert!((f64::from(angle).to_degrees() - wanted).abs() < 0.1, "{axis:?}: {}", angle.to_degrees());
        assert!(speed.abs() < 1e-3);
    }
    // Cardan angles with all three turned: the motion along each axis is the derivative of its place.
    let mut free = world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"b\"\nbox = [0.3, 0.2, 0.1]\n\
        [[joint]]\nkind = \"ball\"\nbody = \"b\"\naxis = [1, 0, 0]\naxis2 = [0, 1, 0]\n",
    );
    let handle = free.find("b").unwrap();
    free.set_velocity(handle, Vec3::ZERO, Vec3::new(1.0, 0.7, -0.5)).unwrap();
    let own = joint(&free, 0);
    run(&mut free, 0.5);
    for axis in [JointAxis::Rx, JointAxis::Ry, JointAxis::Rz] {
        let (before, s0) = free.joint_motion(own, Some(axis)).unwrap();
        let saved = free.snapshot().unwrap();
        run(&mut free, 0.01);
        let (after, s1) = free.joint_motion(own, Some(axis)).unwrap();
        free.restore(&saved).unwrap();
        let slope = (after - before) / 0.01;
        assert!((slope - 0.5 * (s0 + s1)).abs() < 1e-3, "{axis:?}: {slope} and {s0}, {s1}");
    }
}
