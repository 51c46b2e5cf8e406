//! A rope bridge: planks attached to two ropes, one of them with a load. Prints how far it sags.
//!
//! Run: `cargo run -p pliant --example rope_bridge`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, Simulation};

const ROPES: &str = r#"
    solver = { dt = 0.01, substeps = 4, iterations = 20 }
    world = { damping = 2 }
    [[rope]]
    name = "ropes"
    path = [[-1.5, 1, 0], [1.5, 1, 0]]
    array = { count = [1, 1, 2], spacing = [0, 0, 0.6] }
    segments = 30
    slack = 1.05
    density = 2
    pin = [{ at = "start" }, { at = "end" }]
"#;

const PLANKS: &str = r#"
    [[soft]]
    name = "plank"
    block = { cells = [1, 1, 6], size = [0.1, 0.03, 0.6] }
    array = { count = [9, 1, 1], spacing = [0.3, 0, 0] }
    transform = { translate = [-1.25, 1, 0] }
    density = 200
    [[attach]]
    from = { object = "plank" }
    to = { object = "ropes" }
    within = 0.055
"#;

/// Lowest point of the bridge at rest [m], with a load on the plank in the middle [kg].
fn rest(text: &str, load: f32) -> Result<f32, Box<dyn std::error::Error>> {
    let mut sim = Simulation::new(&Scene::parse(text, Format::Toml)?, &NoMeshes, Options::default())?;
    let ropes = 2 * 31;
    let each = (sim.particles() - ropes) / 9;
    if load > 0.0 {
        let plank = &mut sim.state_mut().rows[ropes + 4 * each..][..each];
        plank.iter_mut().for_each(|row| row[3] = 1.0 / (1.0 / row[3] + load / each as f32));
    }
    sim.advance(250)?;
    Ok((0..sim.particles()).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bare = rest(ROPES, 0.0)?;
    let bridge = format!("{ROPES}{PLANKS}");
    let (empty, loaded) = (rest(&bridge, 0.0)?, rest(&bridge, 5.0)?);
    println!("sag of the ropes {:.3} m, with planks {:.3} m, loaded {:.3} m", 1.0 - bare, 1.0 - empty, 1.0 - loaded);

    // A shallow parabola of length L(1 + 8/3·(s/L)²): 5 % of slack on 3 m sag by 3·√(3/8·0.05) = 0.41 m.
    assert!((1.0 - bare - 0.41).abs() < 0.03, "the ropes sag by {} m", 1.0 - bare);
    // A load in the middle pulls the ropes towards a triangle of the same length: √(1.575² − 1.5²) = 0.48 m.
    assert!(loaded < empty - 0.01 && 1.0 - loaded < 0.56, "the loaded bridge sags by {} m", 1.0 - loaded);
    Ok(())
}
