//! Worlds that diverge on a GPU and are edited then: neither the session of the window nor that of the page ends.
//!
//! Without an adapter the test says so and passes; with `PLIANT_REQUIRE_GPU` set it fails instead.

#[path = "../../pliant/tests/support/skip.rs"]
mod skip;

use glam::Vec3;
use pliant::builder::{BuildError, NoMeshes};
use pliant::runtime::gpu::{GpuError, GpuOptions};
use pliant::scene::{Format, Scene};
use pliant::{Backend, Options, World};
use pliant_view::session::{Command, Item, Ray, Session};
use pliant_view::{Loaded, SceneSource, SessionOptions};
use std::path::Path;
use std::time::Duration;

/// Almost as fast as the engine computes with, 10⁴ m/s, which gravity reaches within a second.
const FAST: &str = r#"
    [[rope]]
    path = [[0, 0, 0], [1, 0, 0]]
    segments = 2
    radius = 0.01
    velocity = [0, 9500, 0]
    [world]
    gravity = [0, 1000, 0]
"#;

fn fast() -> Option<Loaded> {
    let scene = Scene::parse(FAST, Format::Toml).unwrap();
    let options = Options { backend: Backend::Gpu(GpuOptions::default()), ..Options::default() };
    match World::from_scene(&scene, &NoMeshes, options) {
        Ok(world) => Some(Loaded { world, scene }),
        Err(BuildError::Gpu(GpuError::NoAdapter)) => {
            assert!(std::env::var_os("PLIANT_REQUIRE_GPU").is_none(), "no GPU adapter");
            skip::skipped("no GPU adapter");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

struct Nothing;

impl SceneSource for Nothing {
    fn name(&self) -> &str {
        "fast"
    }

    fn file(&self) -> Option<&Path> {
        None
    }

    fn load(&mut self) -> Result<Loaded, String> {
        Err("there is only one".to_owned())
    }
}

#[test]
fn the_window_takes_edits_of_a_world_that_has_diverged() {
    let Some(loaded) = fast() else { return };
    let options = SessionOptions { playing: false, ..SessionOptions::default() };
    let mut session = Session::new(loaded, Box::new(Nothing), options).unwrap();
    let steps = (1..100).find(|_| {
        session.obey(Command::Step);
        session.view().unwrap().status.trouble.is_some()
    });
    assert!(steps.is_some(), "it does not diverge");
    session.obey(Command::Throw(Ray { origin: Vec3::ZERO, direction: Vec3::X }, Item::Ball));
    assert!(session.view().unwrap().status.trouble.is_some());
    session.obey(Command::Step);
    session.view().unwrap();
    session.obey(Command::Restart);
    session.obey(Command::Step);
    let status = session.view().unwrap().status;
    assert!(status.trouble.is_none() && status.time > 0.0, "{:?}", status.trouble);
}

#[test]
fn the_page_takes_edits_of_a_world_that_has_diverged() {
    let Some(Loaded { world, scene }) = fast() else { return };
    let options = pliant_serve::SessionOptions { playing: false, ..Default::default() };
    let mut session = pliant_serve::Session::new(world, &scene, "fast", options).unwrap();
    let parse = |text: &str| pliant_serve::Command::parse(text).unwrap();
    let step = parse(r#"{ "do": "step" }"#);
    let steps = (1..100).find(|_| {
        session.obey(1, step).unwrap();
        session.trouble().is_some()
    });
    assert!(steps.is_some(), "it does not diverge");
    // What is thrown may be refused; what was added is built before the next frame is published.
    let _ = session.obey(1, parse(r#"{ "do": "throw", "ray": { "origin": [0, 0, 0], "direction": [1, 0, 0] } }"#));
    std::thread::sleep(Duration::from_millis(20));
    session.advance().unwrap();
    assert!(session.trouble().is_some());
    session.obey(1, step).unwrap_err();
    session.obey(1, parse(r#"{ "do": "restart" }"#)).unwrap();
    session.obey(1, step).unwrap();
    session.advance().unwrap();
    assert!(session.trouble().is_none() && session.world().time() > 0.0, "{:?}", session.trouble());
}
