//! Worlds that change: objects added and removed between steps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

#[path = "../support/small_scenes.rs"]
mod small_scenes;

mod batch_divergence;
mod batches;
mod bits;
mod contact_points;
mod events;
mod forces;
mod grips;
mod groups;
mod input;
mod large;
mod materials;
mod measures;
mod motions;
mod physics;
mod pours;
mod rigid_in_place;
mod sleeping;
mod snapshots;
mod soak;
mod spatial;
mod steer;
mod surfaces;

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

fn parse(text: &str) -> Scene {
    Scene::parse(text, Format::Toml).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn options() -> Options {
    Options { threads: 1, ..Options::default() }
}

fn world(scene: &Scene) -> World {
    World::from_scene(scene, &NoMeshes, options()).unwrap_or_else(|e| panic!("{e}"))
}

/// The settings of a scene, without its objects.
fn settings_of(scene: &Scene) -> Scene {
    Scene {
        solver: scene.solver.clone(),
        world: scene.world.clone(),
        fluid: scene.fluid.clone(),
        contact: scene.contact.clone(),
        ..Scene::default()
    }
}
