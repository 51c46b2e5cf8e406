//! Pairs of simulations: one scene and one plan, run by the CPU and by the GPU.

use crate::shared_device::device;
use crate::skip::skipped;
use pliant::builder::{BuildError, NoMeshes};
use pliant::partition::Target;
use pliant::runtime::gpu::{GpuError, GpuOptions, adapters};
use pliant::scene::{Format, Override, Scene};
use pliant::{Options, World};
use std::sync::OnceLock;

/// Whether an adapter is available; reports a skip if not.
pub fn ready() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    let ready = *READY.get_or_init(|| adapters().iter().any(|a| a.trouble.is_none()));
    if !ready {
        assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "PLIANT_REQUIRE_GPU is set, but there is no adapter");
        skipped("no GPU adapter");
    }
    ready
}

/// Whether the only adapters are software drivers, on which a dispatch takes a millisecond and a shader a second to compile.
/// They run every case once; how it goes on is left to hardware.
pub fn software() -> bool {
    static SOFTWARE: OnceLock<bool> = OnceLock::new();
    *SOFTWARE.get_or_init(|| adapters().iter().all(|a| a.class == "software"))
}

/// A scene from text with overrides; its text is part of the test, so an error in it is a panic.
pub fn scene(text: &str, set: &[&str]) -> Scene {
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    Scene::parse_with(text, Format::Toml, &set).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A built-in scene's text.
pub fn built_in(name: &str) -> String {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The scene on the GPU.
pub fn on_gpu(scene: &Scene, options: GpuOptions) -> Result<World, BuildError> {
    World::on_device(scene, &NoMeshes, Options { threads: 1, ..Options::default() }, &device(options)?)
}

/// The scene on the CPU, with the plan that was made for a GPU.
pub fn on_cpu(scene: &Scene, target: Target) -> World {
    let options = Options { target: Some(target), threads: 1, ..Options::default() };
    World::from_scene(scene, &NoMeshes, options).unwrap()
}

/// The same scene and plan on the CPU and on the GPU.
pub fn pair(scene: &Scene, options: GpuOptions) -> (World, World) {
    let gpu = on_gpu(scene, options).unwrap_or_else(|e| panic!("{e}"));
    (on_cpu(scene, gpu.gpu().unwrap().target()), gpu)
}

/// The device's complaint, where building ended with one.
pub fn refusal(result: Result<World, BuildError>) -> GpuError {
    match result.map(|_| ()).unwrap_err() {
        BuildError::Gpu(e) => e,
        other => panic!("{other}"),
    }
}

/// Greatest distance between two particles of the same number [m]; infinite if one is nowhere.
pub fn apart(a: &World, b: &World) -> f64 {
    let (a, b) = (a.state(), b.state());
    assert_eq!(a.particles, b.particles);
    let distance = |i: usize| {
        let sum: f64 = (0..3).map(|k| (f64::from(a.rows[i][k]) - f64::from(b.rows[i][k])).powi(2)).sum();
        if sum.is_finite() { sum.sqrt() } else { f64::INFINITY }
    };
    (0..a.particles).map(distance).fold(0.0, f64::max)
}

/// Diagonal of the box around all particles [m], and its middle.
pub fn bounds(sim: &World) -> (f64, [f64; 6]) {
    let mut corners =
        [f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for row in &sim.state().rows[..sim.particles()] {
        for k in 0..3 {
            corners[k] = corners[k].min(f64::from(row[k]));
            corners[3 + k] = corners[3 + k].max(f64::from(row[k]));
        }
    }
    let diagonal = (0..3).map(|k| (corners[3 + k] - corners[k]).powi(2)).sum::<f64>().sqrt();
    (diagonal, corners)
}

/// Positions and velocities off by the last bit, up or down in no order.
pub fn perturb(sim: &mut World, seed: usize) {
    let particles = sim.particles();
    let state = sim.state_mut();
    for (i, row) in state.rows[..particles].iter_mut().chain(&mut state.velocities[..particles]).enumerate() {
        for (k, x) in row[..3].iter_mut().enumerate() {
            let mixed = (3 * i + k + 1_000_003 * seed).wrapping_mul(0x9E37_79B9) >> 16;
            *x = if mixed & 1 == 0 { x.next_up() } else { x.next_down() };
        }
    }
}
