//! Rewinding: a tower falls, time goes back to before the blow, and it falls again in exactly the same way. Snapshots go
//! through bytes once, as they would through a file.
//!
//! Run: `cargo run -p pliant --example rewind`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 4, iterations = 8 }

    [[body]]
    name = "brick"
    box = [0.2, 0.1, 0.1]
    grid = 4
    array = { count = [1, 5, 1], spacing = [0, 0.102, 0] }
    transform = { translate = [0, 0.06, 0] }

    [[body]]
    name = "ball"
    ball = 0.08
    grid = 5
    density = 3000
    transform = { translate = [-1.5, 0.35, 0] }
    velocity = [4, 1, 0]

    [[collider]]
    plane = {}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut world = World::from_scene(&scene, &NoMeshes, Options::default())?;
    let top = |world: &World| (0..world.particles()).map(|i| world.position(i).y).fold(0.0, f32::max);

    world.advance(20)?;
    let before = world.snapshot()?;
    println!("t = {:.2} s: {:.3} m high, {} KB kept", world.time(), top(&world), before.bytes() / 1024);

    world.advance(100)?;
    let (height, hash) = (top(&world), world.hash());
    println!("t = {:.2} s: {height:.3} m high after the blow", world.time());

    let file = before.to_bytes();
    let read = world.snapshot_from_bytes(&file)?;
    world.restore(&read)?;
    println!("t = {:.2} s: {:.3} m high again", world.time(), top(&world));
    assert_eq!(world.time(), before.time());

    world.advance(100)?;
    assert_eq!(world.hash(), hash, "the same bits, contacts and all");

    // A file of which a byte was lost is refused, and the world stays as it was.
    assert!(world.snapshot_from_bytes(&file[1..]).is_err());
    assert_eq!(world.hash(), hash);
    Ok(())
}
