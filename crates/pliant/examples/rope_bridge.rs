//! A rope bridge: planks attached to two elastic ropes, with and without a load. Prints its sag and what its pins carry.
//!
//! Run: `cargo run -p pliant --example rope_bridge`

#![allow(clippy::print_stdout, reason = "an example")]
use pliant::builder::NoMeshes;
use pliant::constraints::ConstraintKind;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 2, iterations = 20 }
    world = { damping = 8, air_density = 0 }
    [[rope]]
    name = "ropes"
    path = [[-0.9, 1, 0], [0.9, 1, 0]]
    array = { count = [1, 1, 2], spacing = [0, 0, 0.4] }
    segments = 18
    density = 2
    stretch = { compliance = 1e-4 }
    pin = [{ at = "start" }, { at = "end" }]
    [[soft]]
    name = "plank"
    block = { cells = [1, 1, 4], size = [0.1, 0.03, 0.4] }
    array = { count = [5, 1, 1], spacing = [0.3, 0, 0] }
    transform = { translate = [-0.7, 1, 0] }
    density = 500
    [[attach]]
    from = { object = "plank" }
    to = { object = "ropes" }
    within = 0.02
"#;
const ROPES: usize = 2 * 19; // particles

/// How far the bridge sags at rest with a load on all planks [m], what its pins carry [N], and what hangs on them [N].
fn rest(load: f32) -> Result<[f32; 3], Box<dyn std::error::Error>> {
    let mut sim = World::from_scene(&Scene::parse(SCENE, Format::Toml)?, &NoMeshes, Options::default())?;
    let share = load / (sim.particles() - ROPES) as f32;
    sim.state_mut().rows[ROPES..].iter_mut().for_each(|row| row[3] = 1.0 / (1.0 / row[3] + share));
    sim.advance(300)?;
    let (h, rows) = (0.005, &sim.state().rows);
    // A segment pulls with −λ/h² along itself.
    let carried = sim.constraints(ConstraintKind::Stretch).map(|c| {
        let [a, b] = [c.rows[0] as usize, c.rows[1] as usize];
        let rise = (sim.position(a) - sim.position(b)).normalize().y.abs();
        if rows[a][3] * rows[b][3] == 0.0 { -c.multipliers[0] / (h * h) * rise } else { 0.0 }
    });
    let weight = rows[..sim.particles()].iter().filter(|row| row[3] > 0.0).map(|row| 9.81 / row[3]).sum();
    Ok([1.0 - (0..ROPES).map(|i| sim.position(i).y).fold(1.0, f32::min), carried.sum(), weight])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [empty, loaded] = [rest(0.0)?, rest(20.0)?];
    for [sag, carried, weight] in [empty, loaded] {
        println!("sags by {sag:.3} m, pins carry {carried:.1} N of {weight:.1} N");
        assert!((carried / weight - 1.0).abs() < 0.01, "at rest the pins carry all that hangs on them");
    }
    assert!(loaded[0] > 1.2 * empty[0], "the load makes it sag");
    Ok(())
}
