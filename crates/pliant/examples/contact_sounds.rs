//! Events as sounds would use them: every contact that begins is a knock whose loudness is its impulse.
//!
//! Run: `cargo run -p pliant --example contact_sounds`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::scene::{Body, Collider};
use pliant::{Event, Options, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Options::default())?;
    world.set_time_step(0.01, 4)?;
    world.add(Collider::plane().named("floor"))?;
    for (k, height) in [0.4, 0.9, 1.5].into_iter().enumerate() {
        let crate_ = Body::cuboid([0.3, 0.2, 0.25]).grid(3).density(400.0).at([0.05 * k as f32, height, 0.0]);
        world.add(crate_.named(format!("crate {k}")))?;
    }
    world.record_events(256);
    let mut knocks = 0;
    for _ in 0..150 {
        world.step()?;
        let events = world.events();
        assert_eq!(events.dropped, 0, "the buffer is large enough");
        for (time, event) in events.all {
            match event {
                Event::ContactBegan { first, second, impulse } => {
                    let (a, b) = (world.name(first)?, world.name(second)?);
                    let loudness = "#".repeat((4.0 * impulse.max(0.0).sqrt()) as usize + 1);
                    println!("{time:5.2} s  {a} on {b}: {impulse:6.2} N·s {loudness}");
                    knocks += 1;
                }
                Event::ContactEnded { first, second, .. } => {
                    println!("{time:5.2} s  {} leaves {}", world.name(first)?, world.name(second)?);
                }
                _ => {}
            }
        }
    }
    assert!(knocks >= 3, "three crates fall, and knock at least once each");
    Ok(())
}
