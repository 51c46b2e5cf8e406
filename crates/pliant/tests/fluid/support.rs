//! Scenes from text, and measurements.

use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Isa, Options, World};

/// On one thread: tests run side by side, and the bits are the same on any number of threads, which tests of their own prove.
pub fn simulate(text: &str) -> World {
    with(text, 1, Isa::detect())
}

pub fn with(text: &str, threads: usize, isa: Isa) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    World::from_scene(&scene, &NoMeshes, Options { threads, isa, ..Options::default() }).unwrap()
}

/// Linear momentum, and the sum of its sizes [kg·m/s].
pub fn momentum(sim: &World) -> (DVec3, f64) {
    let mut sum = (DVec3::ZERO, 0.0);
    for i in (0..sim.particles()).filter(|&i| sim.state().rows[i][3] > 0.0) {
        let p = sim.velocity(i).as_dvec3() / f64::from(sim.state().rows[i][3]);
        sum = (sum.0 + p, sum.1 + p.length());
    }
    sum
}

/// Mean and greatest compression.
pub fn compression(sim: &World) -> (f64, f64) {
    let residual = sim.residuals()["density"];
    (residual.mean, residual.max)
}

/// A box of walls around the region from `min` to `max` [m], open above.
pub fn tank(min: [f32; 3], max: [f32; 3]) -> String {
    let plane =
        |normal: &str, offset: f32| format!("[[collider]]\nplane = {{ normal = {normal}, offset = {offset} }}\n");
    plane("[0, 1, 0]", min[1])
        + &plane("[1, 0, 0]", min[0])
        + &plane("[-1, 0, 0]", -max[0])
        + &plane("[0, 0, 1]", min[2])
        + &plane("[0, 0, -1]", -max[2])
}

/// Walls without friction.
pub fn frictionless(tank: &str) -> String {
    tank.replace(" }\n", " }\nfriction = { static = 0, kinetic = 0 }\n")
}

/// Asserts that a scene has the same bits after some frames on any number of threads and lanes.
pub fn same_bits_everywhere(text: &str, frames: u32) {
    let run = |threads: usize, isa: Isa| {
        let mut sim = with(text, threads, isa);
        sim.advance(frames).unwrap();
        sim.state().hash()
    };
    let first = run(1, Isa::SCALAR);
    for isa in Isa::available() {
        for threads in [1, 2, 3] {
            assert_eq!(run(threads, isa), first, "{isa:?}, {threads} threads");
        }
    }
}
