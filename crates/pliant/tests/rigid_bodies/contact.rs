//! Contact: rolling, sliding, tipping, stacks, impacts, fast bodies.

use crate::{body, run, slope, world};
use glam::DVec3;

#[test]
fn v07_a_rigid_ball_and_a_cylinder_roll_down_without_slip() {
    for (shape, share, axis) in [
        ("ball = 0.1", 5.0 / 7.0, ""),
        ("cylinder = { radius = 0.1, length = 0.3 }", 2.0 / 3.0, ", rotate = { axis = [1, 0, 0], degrees = 90 }"),
    ] {
        let floor = "[[collider]]\nplane = {}\nfriction = { static = 0.8, kinetic = 0.8 }\n";
        let text =
            format!("{}[[body]]\n{shape}\ntransform = {{ translate = [0, 0.1, 0]{axis} }}\n{floor}", slope(17.0));
        let mut world = world(&text);
        run(&mut world, 1.5);
        let wanted = 0.5 * share * 9.81 * 17.0_f64.to_radians().sin() * 1.5 * 1.5;
        let found = body(&world, 0);
        assert!((found.position.x / wanted - 1.0).abs() < 0.005, "{shape}: {} m instead of {wanted}", found.position.x);
        let slip = found.velocity.x + found.spin.z * 0.1;
        assert!(slip.abs() < 0.01 * found.velocity.x, "{shape}: slips at {slip} m/s");
    }
}

#[test]
fn v06_a_rigid_box_sticks_below_the_angle_of_friction_and_slides_above() {
    let mu = 0.5_f64;
    let limit = mu.atan().to_degrees();
    let text = |degrees: f64| {
        format!(
            "{}[[body]]\nbox = [0.2, 0.1, 0.2]\ntransform = {{ translate = [0, 0.05, 0] }}\n\
            [[collider]]\nplane = {{}}\nfriction = {{ static = {mu}, kinetic = {mu} }}\n",
            slope(degrees)
        )
    };
    let mut below = world(&text(limit - 0.5));
    run(&mut below, 10.0);
    assert!(body(&below, 0).position.x.abs() < 1e-4, "creeps by {} m", body(&below, 0).position.x);
    let mut above = world(&text(limit + 5.0));
    run(&mut above, 1.0);
    let a = (limit + 5.0).to_radians();
    let wanted = 0.5 * 9.81 * (a.sin() - mu * a.cos());
    let found = body(&above, 0).position.x;
    assert!((found / wanted - 1.0).abs() < 0.02, "{found} m instead of {wanted}");
}

#[test]
fn v24_a_box_tips_half_a_degree_beyond_its_edge_and_not_before() {
    let limit = (0.1_f64 / 0.4).atan().to_degrees();
    for (off, falls) in [(-0.5, false), (0.5, true)] {
        let mut world = world(&format!(
            "{}[[body]]\nbox = [0.1, 0.4, 0.1]\ntransform = {{ translate = [0, 0.2, 0] }}\n\
            [[collider]]\nplane = {{}}\nfriction = {{ static = 1.5, kinetic = 1.5 }}\n",
            slope(limit + off)
        ));
        run(&mut world, 5.0);
        let up = (body(&world, 0).rotation * DVec3::Y).y;
        assert_eq!(up < 0.9, falls, "{off}° from the limit: the axis is at {up}");
    }
}

#[test]
fn v08_a_rigid_ball_rebounds_to_e_squared_of_its_height_and_comes_to_rest() {
    for e in [0.4, 0.7, 0.95] {
        let mut world = world(&format!(
            "[world]\nair_density = 0\n[[body]]\nball = 0.1\ntransform = {{ translate = [0, 0.9, 0] }}\n\
            [[collider]]\nplane = {{}}\nrestitution = {e}\n"
        ));
        let (mut hit, mut top) = (false, 0.0_f64);
        for _ in 0..150 {
            run(&mut world, 0.01);
            let ball = body(&world, 0);
            hit |= ball.velocity.y > 0.0;
            if hit {
                top = top.max(ball.position.y - 0.1);
                if ball.velocity.y < 0.0 {
                    break;
                }
            }
        }
        // Frames of 10 ms miss the top by up to g·(5 ms)²/2 = 0.12 mm.
        assert!((top - e * e * 0.8).abs() < 5e-3 * e * e * 0.8 + 1.3e-4, "e {e}: {top} m");
        run(&mut world, 30.0);
        assert!(body(&world, 0).velocity.length() < 1e-6, "e {e}: does not rest");
    }
}

#[test]
fn v23_newtons_cradle_hands_the_impact_to_the_last_ball() {
    let mut text = "[world]\ngravity = [0, 0, 0]\n[contact]\nrestitution = 1\n".to_owned();
    for k in 0..5 {
        let x = if k == 0 { -0.5 } else { 0.2 * f64::from(k) };
        let v = if k == 0 { 1.0 } else { 0.0 };
        text += &format!("[[body]]\nball = 0.1\nvelocity = [{v}, 0, 0]\ntransform = {{ translate = [{x}, 0, 0] }}\n");
    }
    let mut world = world(&text);
    run(&mut world, 1.0);
    let speeds: Vec<f64> = (0..5).map(|k| body(&world, k).velocity.x).collect();
    assert!(speeds[4] > 0.99, "{speeds:?}");
    assert!((speeds.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{speeds:?}");
}

#[test]
fn v23_two_balls_part_as_momentum_and_restitution_say() {
    for e in [0.0, 0.5, 1.0] {
        let mut world = world(&format!(
            "[world]\ngravity = [0, 0, 0]\n[contact]\nrestitution = {e}\n\
            [[body]]\nball = 0.1\ndensity = 3000\nvelocity = [2, 0, 0]\n\
            [[body]]\nball = 0.1\ndensity = 1000\ntransform = {{ translate = [0.5, 0, 0] }}\n"
        ));
        run(&mut world, 1.0);
        // m 3 : 1, 2 m/s: the center moves at 1.5 m/s, and they part at 2e.
        let (a, b) = (body(&world, 0).velocity.x, body(&world, 1).velocity.x);
        let wanted = (1.5 - 0.5 * e, 1.5 + 1.5 * e);
        assert!((a - wanted.0).abs() < 0.01 && (b - wanted.1).abs() < 0.01, "e {e}: {a}, {b} instead of {wanted:?}");
    }
}

#[test]
fn v15_a_rigid_tower_with_a_top_a_hundred_times_as_heavy_stands_for_a_minute() {
    let mut text = "[[collider]]\nplane = {}\n".to_owned();
    for k in 0..10 {
        let density = if k == 9 { 100_000 } else { 1000 };
        let y = 0.2 + 0.4 * f64::from(k);
        text += &format!(
            "[[body]]\nbox = [0.4, 0.4, 0.4]\ndensity = {density}\ntransform = {{ translate = [0, {y}, 0] }}\n"
        );
    }
    let mut world = world(&text);
    run(&mut world, 60.0);
    let off = body(&world, 9).position.distance(DVec3::new(0.0, 3.8, 0.0));
    // Measured 1.8 mm, asleep after 16 s.
    assert!(off < 2e-3, "the top is {off} m off");
    assert_eq!(world.probe().kinetic, 0.0);
}

#[test]
fn v15_a_pyramid_of_twenty_rows_stays_where_it_is_and_falls_asleep() {
    let rows = 20;
    let mut text = "[[collider]]\nplane = {}\n".to_owned();
    for row in 0..rows {
        for i in 0..rows - row {
            let (x, y) = (1.05 * (f64::from(i) - 0.5 * f64::from(rows - row - 1)), 0.5 + f64::from(row));
            text += &format!("[[body]]\nbox = [1, 1, 1]\ntransform = {{ translate = [{x}, {y}, 0] }}\n");
        }
    }
    let mut world = world(&text);
    let start = world.state().rigid_bodies.bodies.clone();
    run(&mut world, 2.5);
    assert_eq!(world.probe().kinetic, 0.0, "it is asleep");
    run(&mut world, 7.5);
    let moved = |k: usize| body(&world, k).position.distance(start[k].position);
    let top = start.len() - 1;
    assert!(moved(top) < 1e-3, "the top has moved by {} m", moved(top));
    let most = (0..start.len()).map(moved).fold(0.0, f64::max);
    assert!(most < 1e-3, "a cube has moved by {most} m");
}

#[test]
fn a_jenga_tower_of_18_layers_sinks_less_than_half_a_millimeter_and_is_quiet() {
    let mut text = "[[collider]]\nplane = {}\n".to_owned();
    for layer in 0..18 {
        for i in 0..3 {
            let (o, y) = (0.025 * f64::from(i - 1), 0.015 * (0.5 + f64::from(layer)));
            let (size, x, z) =
                if layer % 2 == 0 { ("[0.075, 0.015, 0.025]", 0.0, o) } else { ("[0.025, 0.015, 0.075]", o, 0.0) };
            text += &format!("[[body]]\nbox = {size}\ndensity = 600\ntransform = {{ translate = [{x}, {y}, {z}] }}\n");
        }
    }
    let mut world = world(&text);
    run(&mut world, 10.0);
    let off = body(&world, 53).position.distance(DVec3::new(0.025, 0.015 * 17.5, 0.0));
    assert!(off < 5e-4, "the top is {off} m off");
    assert!(world.probe().kinetic < 1e-7, "{} J", world.probe().kinetic);
}

#[test]
fn fast_and_thin_things_do_not_pass_through_each_other() {
    // A 5 mm ball at 200 m/s against a plate of 1 mm, and a 10 mm box at 50 m/s.
    for (shape, speed) in [("ball = 0.0025", 200), ("box = [0.01, 0.01, 0.01]", 50)] {
        for x in [0.0, 0.13, -0.31] {
            let mut world = world(&format!(
                "[world]\ngravity = [0, 0, 0]\n[[body]]\n{shape}\nvelocity = [{}, -{speed}, 0]\n\
                transform = {{ translate = [{x}, 1, 0] }}\n\
                [[collider]]\nbox = {{ center = [0, 0, 0], size = [4, 0.001, 4] }}\n",
                x * 10.0
            ));
            for _ in 0..20 {
                run(&mut world, 0.01);
                assert!(body(&world, 0).position.y > 0.0, "{shape}: at {}", body(&world, 0).position);
            }
        }
    }
    // The same plate as a body that is much heavier.
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nball = 0.0025\nvelocity = [0, -200, 0]\ntransform = { translate = [0, 1, 0] }\n\
        [[body]]\nbox = [1, 0.001, 1]\ndensity = 8000\n",
    );
    run(&mut world, 0.1);
    assert!(body(&world, 0).position.y > body(&world, 1).position.y);
}

#[test]
fn a_body_that_flies_past_another_is_not_deflected() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nball = 0.05\nvelocity = [100, 0, 0]\ntransform = { translate = [-3, 0.6, 0] }\n\
        [[body]]\nbox = [1, 1, 1]\n",
    );
    run(&mut world, 0.06);
    let ball = body(&world, 0);
    assert_eq!(ball.velocity, DVec3::new(100.0, 0.0, 0.0), "at {}", ball.position);
}

#[test]
fn all_shapes_come_to_rest_on_all_colliders() {
    let shapes = [
        "ball = 0.1",
        "box = [0.2, 0.15, 0.25]",
        "capsule = { radius = 0.07, length = 0.2 }",
        "cylinder = { radius = 0.1, length = 0.2 }",
        "cone = { radius = 0.12, length = 0.25 }",
        "convex = [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2], [0.15, 0.15, 0.15]]",
        "parts = [{ box = [0.3, 0.05, 0.05] }, { ball = 0.08, translate = [0.15, 0, 0] }]",
    ];
    let floors = [
        "plane = {}",
        "box = { center = [0, -0.5, 0], size = [4, 1, 4] }",
        "convex = { points = [[-2, 0, -2], [2, 0, -2], [2, 0, 2], [-2, 0, 2], [0, -1, 0]] }",
        "surface = { inline = { points = [[-2, 0, -2], [2, 0, -2], [2, 0, 2], [-2, 0, 2]], triangles = [[0, 2, 1], [0, 3, 2]] } }",
    ];
    for shape in shapes {
        for floor in floors {
            let mut world = world(&format!(
                "[[body]]\n{shape}\ntransform = {{ translate = [0.1, 0.35, 0.1], rotate = {{ axis = [1, 0.4, 0.3], degrees = 35 }} }}\n\
                [[collider]]\n{floor}\nrolling = 3\n"
            ));
            run(&mut world, 6.0);
            let found = body(&world, 0);
            assert!(found.position.y > 0.02 && found.position.y < 0.3, "{shape} on {floor}: at {}", found.position);
            let speed = found.velocity.length() + 0.1 * found.spin.length();
            assert!(speed < 0.05, "{shape} on {floor}: still at {speed} m/s");
        }
    }
}
