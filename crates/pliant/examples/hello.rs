//! Hello, world: a crate falls to the ground.
//!
//! Run: `cargo run -p pliant --example hello`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::scene::{Body, Collider};
use pliant::{Options, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Options::default())?;
    world.add(Collider::plane())?;
    let crate_ = world.add(Body::cuboid([0.4; 3]).grid(4).density(500.0).at([0.0, 2.0, 0.0]))?;
    world.advance(200)?;
    println!("after {:.1} s it rests at a height of {:.3} m", world.time(), world.pose(crate_)?.position.y);
    Ok(())
}
