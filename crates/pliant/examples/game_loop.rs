//! A game loop: the world steps by a fixed time while frames come when they come, and what is drawn lies between the last
//! two steps. Frame times are made up here; a game asks its clock.
//!
//! Run: `cargo run -p pliant --example game_loop`

#![allow(clippy::print_stdout, reason = "an example")]

use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.02, substeps = 4, iterations = 4 }
    world = { damping = 0 }

    [[rope]]
    path = [[0, 2, 0], [1, 2, 0]]
    segments = 20
    pin = [{ at = "start" }]
"#;

/// Steps per frame at most: a slow frame must not ask for so many steps that the next one is slower still.
const MOST_STEPS: u32 = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut world = World::from_scene(&scene, &NoMeshes, Options::default())?;
    let dt = f64::from(scene.solver.dt);
    let places = |world: &World| -> Vec<Vec3> { (0..world.particles()).map(|i| world.position(i)).collect() };

    let (mut before, mut after) = (places(&world), places(&world));
    let (mut owed, mut shown, mut largest_jump) = (0.0, after.clone(), 0.0_f32);
    for frame in 0..120 {
        // Between 4 and 30 ms, as on a busy machine.
        let elapsed = 0.004 + 0.026 * f64::from((frame * 7) % 11) / 10.0;
        owed = f64::min(owed + elapsed, dt * f64::from(MOST_STEPS));
        while owed >= dt {
            world.step()?;
            (before, after) = (after, places(&world));
            owed -= dt;
        }
        let share = (owed / dt) as f32;
        let drawn: Vec<Vec3> = before.iter().zip(&after).map(|(a, b)| a.lerp(*b, share)).collect();
        let jump = drawn.iter().zip(&shown).map(|(a, b)| a.distance(*b) / elapsed as f32).fold(0.0, f32::max);
        largest_jump = largest_jump.max(jump);
        shown = drawn;
        if frame % 30 == 0 {
            println!("frame {frame}: {:.2} s simulated, tip drawn at {:.3}", world.time(), shown[20]);
        }
    }
    // The tip of a rope of 1 m that falls from level moves at 7 to 8 m/s at most; a frame without interpolation would jump
    // by a whole step in 4 ms.
    assert!(largest_jump < 20.0, "what is drawn jumps at {largest_jump} m/s");
    Ok(())
}
