//! A column of water collapses and runs along a channel: liquids. Prints the front's position and the density.
//!
//! Run: `cargo run -p pliant --example dam_break`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 2, iterations = 3 }
    fluid = { radius = 0.025 }

    [[liquid]]
    name = "water"
    fill = { min = [0, 0, 0], max = [0.4, 0.8, 0.2] }

    [[collider]]
    plane = {}
    [[collider]]
    plane = { normal = [1, 0, 0], offset = 0 }
    [[collider]]
    plane = { normal = [0, 0, 1], offset = 0 }
    [[collider]]
    plane = { normal = [0, 0, -1], offset = -0.2 }
"#;

/// Farthest water [m], and the mean density over that at rest.
fn front_and_density(sim: &World) -> (f32, f32) {
    let front = (0..sim.particles()).map(|i| sim.position(i).x).fold(0.0, f32::max);
    let densities = sim.densities();
    (front, densities.iter().sum::<f32>() / densities.len() as f32)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default())?;
    println!("{} particles", sim.particles());
    let mut densest = 0.0_f32;
    for step in 1..=60 {
        sim.step()?;
        densest = sim.densities().into_iter().fold(densest, f32::max);
        if step % 10 == 0 {
            let (front, density) = front_and_density(&sim);
            println!("t = {:.1} s: front at {front:.2} m, mean density {density:.3} of that at rest", sim.time());
        }
    }

    // Shallow water without friction: the front of a column of height H runs at no more than 2·√(g·H) = 5.6 m/s, and
    // measured fronts (Martin and Moyce 1952) at about two thirds of it once the column has begun to fall.
    let (front, _) = front_and_density(&sim);
    let most = 0.4 + 0.6 * 2.0 * (9.81_f32 * 0.8).sqrt();
    assert!(front > 0.4 + 0.35 * (most - 0.4) && front < most, "the front is at {front} m, at most {most} m");
    assert!(densest < 1.15, "water is compressed to {densest} of its density at rest");
    Ok(())
}
