//! One scene on the CPU and on a GPU: the same plan, and positions that agree to rounding. Without a GPU, or without the
//! feature `gpu`, the second world runs on the CPU too.
//!
//! Run: `cargo run -p pliant --features gpu --example two_backends`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, iterations = 8 }

    [[cloth]]
    grid = { cells = [16, 16], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 1, -0.5] }
    pin = [{ at = "top left" }, { at = "top right" }]

    [[collider]]
    sphere = { center = [0, 0.6, 0.2], radius = 0.2 }
"#;

#[cfg(feature = "gpu")]
fn other(scene: &Scene) -> Result<(World, Options), Box<dyn std::error::Error>> {
    use pliant::gpu::{Device, GpuOptions};
    let Ok(device) = Device::open(&GpuOptions::default()) else {
        return Ok((World::from_scene(scene, &NoMeshes, Options::default())?, Options::default()));
    };
    let world = World::on_device(scene, &NoMeshes, Options::default(), &device)?;
    // The order of constraints is made for a processor; the CPU can follow that of the GPU.
    Ok((world, Options { target: Some(pliant::gpu::target(&device)), ..Options::default() }))
}

#[cfg(not(feature = "gpu"))]
fn other(scene: &Scene) -> Result<(World, Options), Box<dyn std::error::Error>> {
    Ok((World::from_scene(scene, &NoMeshes, Options::default())?, Options::default()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let (mut second, options) = other(&scene)?;
    let mut cpu = World::from_scene(&scene, &NoMeshes, options)?;
    for steps in [10, 10, 10] {
        cpu.advance(steps)?;
        second.advance(steps)?;
        second.sync()?;
        let apart = (0..cpu.particles()).map(|i| cpu.position(i).distance(second.position(i))).fold(0.0, f32::max);
        println!("t = {:.2} s: cpu and {} are {apart:.1e} m apart", cpu.time(), second.backend());
        assert!(apart < 1e-3, "they are {apart} m apart");
    }
    Ok(())
}
