//! Contact between triangles: nothing crosses in any frame, momentum, friction, and what is caught.
#![allow(missing_docs, reason = "tests")]

#[path = "../support/crossings.rs"]
mod crossings;
#[path = "../support/momentum.rs"]
mod momentum;

mod kernels;
mod objects;
mod scenes;

use crossings::crossings;
use pliant::builder::NoMeshes;
use pliant::frame::Frame;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// A world of a scene whose triangles collide, on some threads.
fn world(text: &str, threads: usize) -> World {
    let text = format!("[contact]\ntriangles = true\n{text}");
    let scene = Scene::parse(&text, Format::Toml).unwrap();
    World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap()
}

/// Edges through triangles, those of rigid bodies included.
fn crossings_of(sim: &World) -> usize {
    let mut frame = Frame::default();
    sim.write_frame(&mut frame);
    crossings(&frame.positions, &sim.topology().triangles)
}

/// Advances step by step; nothing may cross after any.
fn advance_without_crossings(sim: &mut World, steps: u32) {
    for step in 0..steps {
        sim.advance(1).unwrap();
        let found = crossings_of(sim);
        assert_eq!(found, 0, "{found} edges pass through triangles after step {step}");
    }
}
