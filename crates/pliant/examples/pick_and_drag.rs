//! Picking and dragging: a ray finds a soft block, a grip lifts it over a wall and lets go.
//!
//! Run: `cargo run -p pliant --example pick_and_drag`

#![allow(clippy::print_stdout, reason = "an example")]

use glam::Vec3;
use pliant::scene::{Collider, Elasticity, Soft};
use pliant::{GripOptions, Options, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Options::default())?;
    world.set_time_step(0.01, 4)?;
    world.add(Collider::plane())?;
    world.add(Collider::cuboid([1.0, 0.4, 0.0], [0.1, 0.8, 2.0]).named("wall"))?;
    let block = Soft::block([3, 3, 3], [0.4; 3]).density(300.0).stretch(Elasticity::Modulus(2e5)).radius(0.02);
    let block = world.add(block.at([-0.2, 0.03, -0.2]))?;
    world.advance(50)?;

    // The ray of a mouse pointer, say.
    let hit = world.ray_cast(Vec3::new(0.02, 3.0, 0.01), Vec3::NEG_Y, 10.0)?.ok_or("the pointer is over the block")?;
    println!("picked {:?} at {:.3}", world.name(hit.object)?, hit.point);
    assert_eq!(hit.object, block);
    let grip = world.grab(&hit, &GripOptions::default())?;

    // Up, over the wall, down again: a target every step, one second for each leg.
    let stops = [Vec3::new(0.0, 1.5, 0.0), Vec3::new(2.0, 1.5, 0.0), Vec3::new(2.0, 0.6, 0.0)];
    let mut from = world.grip_point(grip)?;
    for to in stops {
        for k in 1..=100 {
            world.move_grip(grip, from.lerp(to, k as f32 / 100.0))?;
            world.step()?;
        }
        // It swings out.
        world.advance(150)?;
        println!("at {:.2}, pulled with {:.1} N", world.grip_point(grip)?, world.grip_force(grip)?.length());
        from = to;
    }
    world.release(grip)?;
    world.advance(200)?;

    let (low, high) = world.bounds(block)?;
    println!("it lies between {low:.2} and {high:.2}");
    assert!(low.x > 1.05, "it is behind the wall");
    assert!(low.y < 0.05 && high.y < 0.6, "it lies on the ground");
    Ok(())
}
