//! Rigid bodies with exact shapes: motion, contact, joints, worlds.
#![allow(missing_docs, reason = "a test")]

mod attachments;
mod concave;
mod contact;
mod coupling;
mod joint_kinds;
mod joint_worlds;
mod joints;
mod manifolds;
mod motion;
mod sensors;
mod sleeping;
mod worlds;

use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::rigid_body::bodies::BodyState;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// A world from the text of a scene, on one thread.
fn world(text: &str) -> World {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

/// Runs for a time [s] with steps of 10 ms.
fn run(world: &mut World, seconds: f64) {
    world.advance((seconds / 0.01).round() as u32).unwrap();
}

/// A rigid body by its number.
fn body(world: &World, number: usize) -> BodyState {
    world.state().rigid_bodies.bodies[number]
}

/// Gravity of a slope of some degrees: along x and −y.
fn slope(degrees: f64) -> String {
    let a = degrees.to_radians();
    format!("[world]\ngravity = [{}, {}, 0]\nair_density = 0\n", 9.81 * a.sin(), -9.81 * a.cos())
}

/// Kinetic energy of all bodies [J], and their angular momentum about the origin [kg·m²/s].
fn energy_and_spin(world: &World) -> (f64, DVec3) {
    let probe = world.probe();
    (probe.kinetic, DVec3::from_array(probe.angular))
}
