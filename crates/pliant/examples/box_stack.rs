//! A stack of rigid boxes falls a little and comes to rest: shape matching, contacts, friction. Prints the height of
//! each box.
//!
//! Run: `cargo run -p pliant --example box_stack`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const BOXES: usize = 4;
const EDGE: f32 = 0.2;

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 4, iterations = 8 }

    [[body]]
    name = "box"
    box = [0.2, 0.2, 0.2]
    grid = 4
    density = 500
    array = { count = [1, 4, 1], spacing = [0, 0.205, 0] }
    transform = { translate = [0, 0.105, 0] }

    [[collider]]
    plane = {}
"#;

/// Mean height of each box's particles [m].
fn heights(sim: &World) -> [f32; BOXES] {
    let each = sim.particles() / BOXES;
    std::array::from_fn(|b| (b * each..(b + 1) * each).map(|i| sim.position(i).y).sum::<f32>() / each as f32)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default())?;
    for step in 1..=200 {
        sim.step()?;
        if step % 50 == 0 {
            println!("t = {:.1} s: heights {:.4?} m", sim.time(), heights(&sim));
        }
    }

    // At rest box k stands on k others: its middle is (k + ½) edges above the floor, but for what contacts give way.
    for (k, height) in heights(&sim).into_iter().enumerate() {
        let expected = (k as f32 + 0.5) * EDGE;
        assert!((height - expected).abs() < 0.03 * EDGE, "box {k} is at {height} m, not at {expected} m");
    }
    let fastest = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    assert!(fastest < 0.05, "the stack still moves at {fastest} m/s");
    Ok(())
}
