//! A flag in the wind, held along its left edge: cloth, aerodynamics, pins. Prints where its tip is every half second.
//!
//! Run: `cargo run -p pliant --example flag`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, iterations = 12 }
    world = { wind = { velocity = [8, 0, 1], gust = 0.4, period = 1.5 } }

    [[cloth]]
    name = "flag"
    grid = { cells = [24, 16], size = [1.5, 1.0] }
    transform = { translate = [0, 2, 0] }
    density = 0.15
    stretch = { compliance = 1e-7 }
    bend = { modulus = 1e-4 }
    pin = [{ at = "left edge" }]
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default())?;
    // The lower right corner, the farthest from the pole.
    let tip = (0..sim.particles())
        .max_by(|&a, &b| {
            let reach = |i: usize| sim.position(i).x - sim.position(i).y;
            reach(a).total_cmp(&reach(b))
        })
        .ok_or("the flag has particles")?;

    let (mut highest, mut lowest) = (f32::NEG_INFINITY, f32::INFINITY);
    for step in 1..=300 {
        sim.step()?;
        if step % 50 == 0 {
            let p = sim.position(tip);
            println!("t = {:.1} s: tip at ({:6.3}, {:6.3}, {:6.3}) m", sim.time(), p.x, p.y, p.z);
        }
        if step > 150 {
            (highest, lowest) = (highest.max(sim.position(tip).z), lowest.min(sim.position(tip).z));
        }
    }

    // Wind of 8 m/s lifts cloth of 0.15 kg/m²: drag of about ρv²/2 = 38 Pa against a weight of 1.5 Pa.
    let p = sim.position(tip);
    assert!(p.x > 1.0, "the flag streams downwind, but its tip is at {p} m");
    assert!(highest - lowest > 0.01, "the flag flutters, but its tip moved {} m sideways", highest - lowest);
    // The lower edge hardly stretches.
    assert!(p.distance(glam::Vec3::new(0.0, 2.0, 0.0)) < 1.05 * 1.5);
    Ok(())
}
