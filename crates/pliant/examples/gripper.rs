//! A gripper lifts a cloth by two corners, carries it and lays it over a ball.
//!
//! Run: `cargo run -p pliant --example gripper`

#![allow(clippy::print_stdout, reason = "an example")]

use glam::Vec3;
use pliant::scene::{Cloth, Collider, Elasticity};
use pliant::{GripHandle, GripOptions, Handle, Options, World};

/// Closes a finger on the cloth below a point.
fn close(world: &mut World, above: Vec3) -> Result<GripHandle, Box<dyn std::error::Error>> {
    let hit = world.ray_cast(above, Vec3::NEG_Y, 5.0)?.ok_or("nothing is below the finger")?;
    Ok(world.grab(&hit, &GripOptions { radius: Some(0.08), ..GripOptions::default() })?)
}

fn height(world: &mut World, cloth: Handle) -> Result<f64, Box<dyn std::error::Error>> {
    Ok(world.momentum(cloth)?.center.y)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Options::default())?;
    world.set_time_step(0.01, 2)?;
    world.add(Collider::plane().friction(0.9, 0.8))?;
    world.add(Collider::sphere([2.0, 0.35, 0.5], 0.35).friction(0.9, 0.8))?;
    let cloth = Cloth::flat([20, 20], [1.0, 1.0]).density(0.3).bend(Elasticity::Compliance(1.0)).at([0.0, 0.02, 0.0]);
    let cloth = world.add(cloth)?;
    world.advance(20)?;

    let corners = [Vec3::new(0.03, 1.0, 0.03), Vec3::new(0.03, 1.0, 0.97)];
    let fingers = [close(&mut world, corners[0])?, close(&mut world, corners[1])?];
    let starts = [world.grip_point(fingers[0])?, world.grip_point(fingers[1])?];
    // Up, then over the ball, then down behind it.
    let path = [Vec3::new(0.0, 1.3, 0.0), Vec3::new(2.4, 1.3, 0.0), Vec3::new(2.5, 0.35, 0.0)];
    let mut from = Vec3::ZERO;
    for to in path {
        for k in 1..=120 {
            for (&finger, &start) in fingers.iter().zip(&starts) {
                world.move_grip(finger, start + from.lerp(to, k as f32 / 120.0))?;
            }
            world.step()?;
        }
        println!("t = {:.1} s: the cloth's center is {:.2} m high", world.time(), height(&mut world, cloth)?);
        from = to;
    }
    for finger in fingers {
        world.release(finger)?;
    }
    world.advance(150)?;

    let (_, high) = world.bounds(cloth)?;
    println!("it lies over the ball, {:.2} m high", high.y);
    assert!(high.y > 0.5 && high.y < 0.9, "it does not lie on the ball: {high}");
    Ok(())
}
