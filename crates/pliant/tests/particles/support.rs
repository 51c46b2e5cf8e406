//! Scenes from text, and measurements.

use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// On one thread: tests run side by side, and the bits are the same on any number of threads, which tests of their own prove.
pub fn simulate(text: &str) -> World {
    with_threads(text, 1)
}

pub fn with_threads(text: &str, threads: usize) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap()
}

/// Mass [kg] of a particle.
pub fn mass(sim: &World, i: usize) -> f64 {
    1.0 / f64::from(sim.state().rows[i][3])
}

/// Linear momentum, and the sum of its sizes [kg·m/s].
pub fn momentum(sim: &World) -> (DVec3, f64) {
    let mut sum = (DVec3::ZERO, 0.0);
    for i in 0..sim.particles() {
        let p = sim.velocity(i).as_dvec3() * mass(sim, i);
        sum = (sum.0 + p, sum.1 + p.length());
    }
    sum
}

/// Kinetic energy and that of the weight [J].
pub fn energy(sim: &World) -> f64 {
    let probe = sim.probe();
    probe.kinetic + probe.gravitational
}

/// Particles of the object with this name.
pub fn members(sim: &World, name: &str) -> Vec<usize> {
    let object = sim.topology().object_names.iter().position(|n| n == name).unwrap() as u32;
    (0..sim.particles()).filter(|&i| sim.topology().objects[i] == object).collect()
}

/// Center of mass [m] and its velocity [m/s].
pub fn center(sim: &World, members: &[usize]) -> (DVec3, DVec3) {
    let total: f64 = members.iter().map(|&i| mass(sim, i)).sum();
    let mean = |of: &dyn Fn(usize) -> DVec3| members.iter().map(|&i| of(i) * mass(sim, i)).sum::<DVec3>() / total;
    (mean(&|i| sim.position(i).as_dvec3()), mean(&|i| sim.velocity(i).as_dvec3()))
}

/// Deepest that two particles of different phases are inside each other, over the sum of their radii.
pub fn deepest(sim: &World) -> f64 {
    let state = sim.state();
    let mut worst = 0.0_f64;
    for i in 0..sim.particles() {
        for j in 0..i {
            if state.phases[i] == state.phases[j] && state.phases[i] != 0 {
                continue;
            }
            let reach = f64::from(state.radii[i] + state.radii[j]);
            worst = worst.max(1.0 - f64::from(sim.position(i).distance(sim.position(j))) / reach);
        }
    }
    worst
}
