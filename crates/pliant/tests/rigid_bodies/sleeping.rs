//! Islands of rigid bodies fall asleep at rest, and wake when something happens to them.

use crate::{body, run, world};
use glam::{DVec3, Quat, Vec3};
use pliant::{Pose, World};

const STACK: &str = "[[collider]]\nname = \"floor\"\nbox = { center = [0, -0.5, 0], size = [20, 1, 20] }\n\
    [[body]]\nname = \"low\"\nbox = [0.5, 0.5, 0.5]\ntransform = { translate = [0, 0.25, 0] }\n\
    [[body]]\nname = \"high\"\nbox = [0.4, 0.4, 0.4]\ntransform = { translate = [0.05, 0.7, 0] }\n\
    [[body]]\nname = \"far\"\nball = 0.2\ntransform = { translate = [5, 0.2, 0] }\n";

fn is_still(world: &World, number: usize) -> bool {
    let body = body(world, number);
    body.velocity == DVec3::ZERO && body.spin == DVec3::ZERO
}

fn asleep() -> World {
    let mut world = world(STACK);
    run(&mut world, 3.0);
    assert!((0..3).all(|k| is_still(&world, k)), "asleep after three seconds");
    world
}

#[test]
fn a_stack_at_rest_falls_asleep_and_keeps_its_bits() {
    let mut world = asleep();
    let before = world.hash();
    let bodies = world.state().rigid_bodies.bodies.clone();
    run(&mut world, 1.0);
    assert_eq!(world.state().rigid_bodies.bodies, bodies);
    assert_eq!(world.hash(), before);
}

#[test]
fn a_thrown_ball_wakes_what_it_hits_and_nothing_else() {
    let mut world = asleep();
    let (far, low) = (world.find("far").unwrap(), world.find("low").unwrap());
    world.set_velocity(far, Vec3::new(-8.0, 0.0, 0.0), Vec3::ZERO).unwrap();
    run(&mut world, 0.1);
    let speed = |world: &mut World, object| world.body_velocity(object).unwrap().0.length();
    assert!(speed(&mut world, low) < 1e-4, "nothing has touched it yet");
    run(&mut world, 0.9);
    assert!(body(&world, 0).position.x < -0.01, "the box was hit: {}", body(&world, 0).position);
}

#[test]
fn a_stack_wakes_when_its_support_goes() {
    let below: [fn(&mut World); 4] = [
        // A body below.
        |world| {
            let low = world.find("low").unwrap();
            let pose = Pose { position: Vec3::new(3.0, 0.25, 3.0), rotation: Quat::IDENTITY };
            world.teleport(low, pose).unwrap();
        },
        |world| {
            let low = world.find("low").unwrap();
            world.remove(low).unwrap();
        },
        // The floor, at once and slowly.
        |world| {
            let floor = world.find("floor").unwrap();
            let pose = Pose { position: Vec3::new(0.0, -2.5, 0.0), rotation: Quat::IDENTITY };
            world.teleport(floor, pose).unwrap();
        },
        |world| {
            let floor = world.find("floor").unwrap();
            world.set_collider_velocity(floor, Vec3::new(0.0, -1.0, 0.0), Vec3::ZERO).unwrap();
        },
    ];
    for (k, change) in below.into_iter().enumerate() {
        let mut world = asleep();
        change(&mut world);
        run(&mut world, 0.5);
        let high = world.find("high").unwrap();
        let y = world.pose(high).unwrap().position.y;
        assert!(y < 0.5, "case {k}: it hangs in the air at {y} m");
    }
}

#[test]
fn gravity_and_movers_wake_bodies() {
    let mut world = asleep();
    world.set_gravity([2.0, 9.81, 0.0]).unwrap();
    run(&mut world, 0.3);
    assert!((0..3).all(|k| body(&world, k).position.y > 0.3));
    let mut world = asleep();
    let floor = world.find("floor").unwrap();
    world.set_collider_velocity(floor, Vec3::new(0.0, 0.2, 0.0), Vec3::ZERO).unwrap();
    run(&mut world, 1.0);
    assert!((body(&world, 2).position.y - 0.4).abs() < 5e-3, "carried to {}", body(&world, 2).position.y);
}

#[test]
fn nothing_sleeps_in_the_air_or_at_a_turning_point() {
    let mut world = world(
        "[[collider]]\nplane = {}\n[[body]]\nball = 0.1\ntransform = { translate = [0, 1, 0] }\nvelocity = [0, 3, 0]\n\
        [[body]]\nname = \"bob\"\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [3.5, 2, 0] }\n\
        [[joint]]\nkind = \"ball\"\nbody = \"bob\"\nanchor = [3, 2, 0]\n",
    );
    let mut highest = 0.0_f64;
    for _ in 0..1000 {
        run(&mut world, 0.01);
        highest = highest.max(body(&world, 0).position.y);
    }
    assert!((highest - (1.0 + 9.0 / 19.62)).abs() < 0.01, "{highest}");
    assert!((body(&world, 0).position.y - 0.1).abs() < 1e-3, "it has come down");
    assert!((0..50).any(|_| {
        run(&mut world, 0.01);
        body(&world, 1).velocity.length() > 1.0
    }));
}
