//! A thousand crates: they rain onto the ground in waves, and those that have lain long enough are taken away.
//!
//! Run: `cargo run --release -p pliant --example spawn_crates`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::scene::{Body, Collider};
use pliant::{EditError, Options, World};
use std::collections::VecDeque;

/// Crates per wave, and waves.
const WAVE: usize = 25;
const WAVES: usize = 40;
/// Waves that lie on the ground before the oldest is taken away.
const KEPT: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Options::default())?;
    world.add(Collider::plane().friction(0.6, 0.5))?;
    let mut alive = VecDeque::new();
    let (mut added, mut removed) = (0, 0);
    for wave in 0..WAVES {
        for k in 0..WAVE {
            let (x, z) = ((k % 5) as f32 * 0.5, (k / 5) as f32 * 0.5);
            let shift = 0.1 * (wave % 3) as f32;
            let crate_ = Body::cuboid([0.3, 0.2, 0.25]).grid(3).density(400.0).at([x + shift, 1.5, z - shift]);
            match world.add(crate_) {
                Ok(handle) => alive.push_back(handle),
                // Something is in the way: this one is left out.
                Err(EditError::Overlap { .. }) => continue,
                Err(other) => return Err(other.into()),
            }
            added += 1;
        }
        while alive.len() > KEPT * WAVE {
            let oldest = alive.pop_front().ok_or("there are crates")?;
            world.remove(oldest)?;
            assert!(world.remove(oldest).is_err(), "a handle of the past is an error");
            removed += 1;
        }
        world.advance(30)?;
    }
    println!("{added} crates came, {removed} went, {} are there; {} particles", alive.len(), world.particles());
    assert!(added > 900 && added - removed == alive.len());
    let highest = world.objects().into_iter().filter_map(|o| world.bounds(o).ok()).map(|b| b.1.y).fold(0.0, f32::max);
    println!("the highest reaches {highest:.2} m");
    Ok(())
}
