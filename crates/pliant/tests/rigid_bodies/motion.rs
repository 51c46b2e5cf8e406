//! Free motion: flight, torque-free rotation, the heavy top, mass properties.

use crate::{body, energy_and_spin, run, world};
use glam::{DQuat, DVec3};

#[test]
fn v22_a_box_about_its_middle_axis_turns_over_and_keeps_energy_and_momentum() {
    let mut world = world("[world]\ngravity = [0, 0, 0]\n[[body]]\nbox = [0.1, 0.2, 0.4]\n");
    world.state_mut().rigid_bodies.bodies[0].spin = DVec3::new(0.01, 5.0, 0.01);
    let (energy, momentum) = energy_and_spin(&world);
    let mut lowest = 1.0_f64;
    for _ in 0..200 {
        run(&mut world, 0.1);
        lowest = lowest.min((body(&world, 0).rotation * DVec3::Y).y);
    }
    let (after, turned) = energy_and_spin(&world);
    assert!((after / energy - 1.0).abs() < 1e-6, "energy × {}", after / energy);
    assert!((turned - momentum).length() < 1e-9 * momentum.length(), "{turned} instead of {momentum}");
    // Dzhanibekov: rotation about the middle axis is unstable.
    assert!(lowest < -0.9, "the axis has only gone to {lowest}");
}

#[test]
fn v22_a_free_symmetric_top_precesses_at_the_rate_of_euler() {
    // A cylinder about an axis that leans: in its own frame the spin turns at (I₃ − I₁)/I₁·ω₃.
    let mut world = world("[world]\ngravity = [0, 0, 0]\n[[body]]\ncylinder = { radius = 0.2, length = 0.1 }\n");
    world.state_mut().rigid_bodies.bodies[0].spin = DVec3::new(1.0, 4.0, 0.0);
    let shape = &world.model().rigid_bodies.bodies[0].shape;
    let (along, across) = (shape.mass.inertia.y_axis.y, shape.mass.inertia.x_axis.x);
    let seconds = 3.0;
    let turn = (along - across) / across * 4.0 * seconds;
    run(&mut world, seconds);
    let local = body(&world, 0).rotation.conjugate() * body(&world, 0).spin;
    let wanted = DQuat::from_rotation_y(-turn) * DVec3::X + DVec3::Y * 4.0;
    let other = DQuat::from_rotation_y(turn) * DVec3::X + DVec3::Y * 4.0;
    let error = (local - wanted).length().min((local - other).length());
    // A tenth of a percent of the angle.
    assert!(error < 1e-3 * turn.abs(), "{local} instead of {wanted}, off by {error}");
}

#[test]
fn v32_bodies_in_flight_keep_momentum_for_a_minute() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nbox = [0.3, 0.2, 0.1]\nvelocity = [1, 2, 3]\n\
        [[body]]\ncone = { radius = 0.2, length = 0.5 }\nvelocity = [-1, 0, 0]\ntransform = { translate = [9, 0, 0] }\n",
    );
    for body in &mut world.state_mut().rigid_bodies.bodies {
        body.spin = DVec3::new(3.0, -2.0, 1.0);
    }
    let before = world.probe();
    run(&mut world, 60.0);
    let after = world.probe();
    let change = |a: [f64; 3], b: [f64; 3]| DVec3::from_array(a).distance(DVec3::from_array(b));
    assert!(change(before.linear, after.linear) < 1e-9 * DVec3::from_array(before.linear).length());
    assert!(change(before.angular, after.angular) < 1e-6 * DVec3::from_array(before.angular).length());
}

#[test]
fn a_ball_in_flight_is_where_the_parabola_says() {
    let mut world = world("[[body]]\nball = 0.1\nvelocity = [1, 3, 0]\n");
    run(&mut world, 1.0);
    let wanted = DVec3::new(1.0, 3.0 - 0.5 * 9.81, 0.0);
    assert!(body(&world, 0).position.distance(wanted) < 1e-5, "{}", body(&world, 0).position);
}

#[test]
fn a_compound_has_the_mass_properties_of_its_parts() {
    // Two cubes side by side are a bar; a cube of 1 m³ about its center has m/6.
    let world = world(
        "[[body]]\nparts = [{ box = [1, 1, 1] }, { box = [1, 1, 1], translate = [1, 0, 0] }]\ntransform = { translate = [5, 0, 0] }\n",
    );
    let mass = world.model().rigid_bodies.bodies[0].shape.mass;
    assert!((mass.mass - 2000.0).abs() < 1e-6);
    assert!(body(&world, 0).position.distance(DVec3::new(5.5, 0.0, 0.0)) < 1e-6);
    let bar = DVec3::new(1.0 + 1.0, 4.0 + 1.0, 4.0 + 1.0) * (2000.0 / 12.0);
    let found = DVec3::new(mass.inertia.x_axis.x, mass.inertia.y_axis.y, mass.inertia.z_axis.z);
    assert!(found.distance(bar) < 1e-6, "{found} instead of {bar}");
}
