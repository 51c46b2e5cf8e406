//! `pliant view` in a real window on an X server without a screen, used with real pointer and key events.
//!
//! What the window does to the world is seen in the snapshots that its key S saves, what it shows in pixels of the display.
//! Without Xvfb the tests print that they were skipped; with `PLIANT_REQUIRE_WINDOW` set they fail.

mod display;
#[path = "../../../pliant/tests/support/skip.rs"]
mod skip;

use display::{Display, Pixels, SIZE, ViewWindow};
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tempfile::TempDir;

/// A cloth that fills the middle of the picture, pinned above.
const CLOTH: &str = r#"
[[cloth]]
name = "sheet"
grid = { cells = [16, 16], size = [2, 2] }
transform = { translate = [-1, 0, 0] }
density = 0.3
stretch = { compliance = 1e-4 }
pin = [{ at = "top left" }, { at = "top right" }]
[[collider]]
plane = { offset = -1 }
[camera]
eye = [0, 1, 5]
target = [0, 1, 0]
"#;

/// Fill of error messages.
const ERROR: [u8; 3] = [112, 32, 30];

const SPACE: u32 = 0x20;
const PERIOD: u32 = 0x2e;
const TAB: u32 = 0xff09;
const ESCAPE: u32 = 0xff1b;
const F1: u32 = 0xffbe;

/// One window at a time: all of them share the cores with the software driver that draws.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|e| e.into_inner())
}

fn display() -> Option<Display> {
    let display = Display::start();
    if display.is_none() {
        assert!(std::env::var_os("PLIANT_REQUIRE_WINDOW").is_none(), "no X server program (Xvfb)");
        skip::skipped("no X server program (Xvfb)");
    }
    display
}

fn folder_with(scene: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), scene).unwrap();
    folder
}

/// The world of a scene as the window builds it.
fn world(folder: &Path) -> World {
    let text = std::fs::read_to_string(folder.join("scene.toml")).unwrap();
    let scene = Scene::parse(&text, Format::Toml).unwrap();
    World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

/// The world at a moment that the window has saved.
fn at(folder: &Path, snapshot: &[u8]) -> World {
    let mut world = world(folder);
    let snapshot = world.snapshot_from_bytes(snapshot).unwrap();
    world.restore(&snapshot).unwrap();
    world
}

/// Drags from the middle of the window to the right.
fn drag(window: &ViewWindow<'_>) {
    let (x, y) = (SIZE.0 as i16 / 2, SIZE.1 as i16 / 2);
    window.point(x, y);
    window.press(1);
    for k in 1..=20 {
        window.point(x + 12 * k, y);
        std::thread::sleep(Duration::from_millis(40));
    }
}

#[test]
fn a_cloth_follows_the_pointer_and_comes_back_to_the_same_bits() {
    let _alone = alone();
    let Some(display) = display() else { return };
    let folder = folder_with(CLOTH);
    let mut window = display.view(folder.path(), &["scene.toml", "--paused"]);
    window.key(TAB);
    let start = window.snapshot();
    assert_eq!(at(folder.path(), &start).hash(), world(folder.path()).hash(), "the window shows another world");

    // Steps without a hand are those of the engine.
    (0..5).for_each(|_| window.key(PERIOD));
    let five = window.snapshot();
    let mut own = world(folder.path());
    own.step_many(5).unwrap();
    assert_eq!(at(folder.path(), &five).hash(), own.hash());

    window.key(SPACE);
    drag(&window);
    // On a busy machine time runs slowly; the pointer holds on.
    let mut tries = 0;
    let dragged = loop {
        window.key(SPACE);
        let dragged = at(folder.path(), &window.snapshot());
        if dragged.time() > own.time() + 0.3 {
            break dragged;
        }
        tries += 1;
        assert!(tries < 60, "time did not run: {} s", dragged.time());
        window.key(SPACE);
        std::thread::sleep(Duration::from_millis(500));
    };
    window.release(1);
    let steps = ((dragged.time() - own.time()) / 0.01).round() as u32;
    own.step_many(steps).unwrap();
    assert!((own.time() - dragged.time()).abs() < 1e-6);
    // Left alone, a cloth that hangs in a plane stays as it is from left to right. The pointer went 240 of 900 pixels to the
    // right, at 35 degrees and 5 m: 0.84 m. A tenth of that is far more than the cloth sways.
    let middle = 8 * 17 + 8;
    let moved = dragged.position(middle).x - own.position(middle).x;
    assert!(moved > 0.084, "the cloth moved by {moved} m");

    window.key(u32::from(b'r'));
    // Files are compared as they are: bytes of state, objects and parameters.
    assert!(window.snapshot() == start, "the restart has other bits");
    (0..5).for_each(|_| window.key(PERIOD));
    assert!(window.snapshot() == five, "the steps after the restart have other bits");
    window.assert_open();
}

#[test]
fn every_panel_opens_and_the_window_takes_any_size() {
    let _alone = alone();
    let Some(display) = display() else { return };
    let folder = folder_with(CLOTH);
    let mut window = display.view(folder.path(), &["scene.toml", "--paused"]);
    window.key(TAB);
    let panel = (SIZE.0 - 250, 60, 200, 600);
    let fill = [28, 30, 34];
    let is_open = |image: &Pixels| image.count(panel, fill) > 60_000;
    let mut seen = vec![window.seen("the picture without a panel", |image| !is_open(image))];
    for key in b'1'..=b'6' {
        window.key(u32::from(key));
        let all = &seen;
        // The tab and what is below differ from panel to panel.
        let image = window.seen("a panel", |image| is_open(image) && all.iter().all(|s| s.differences(image) > 300));
        seen.push(image);
    }
    window.key(TAB);
    window.key(F1);
    let center = (SIZE.0 / 2 - 150, SIZE.1 / 2 - 200, 300, 400);
    window.seen("the keys", |image| image.count(center, [32, 34, 39]) > 40_000);
    window.key(ESCAPE);

    for (width, height) in [(1, 1), (300, 5), (90, 700), (640, 480)] {
        window.resize(width, height);
        std::thread::sleep(Duration::from_millis(200));
        window.assert_open();
    }
    window.hide();
    std::thread::sleep(Duration::from_millis(300));
    window.assert_open();
    window.show();
    window.resize(u32::from(SIZE.0), u32::from(SIZE.1));
    window.seen("the window after it was hidden", |image| image.at(SIZE.0 / 2, SIZE.1 / 2) != [0; 3]);
    let snapshot = window.snapshot();
    assert_eq!(at(folder.path(), &snapshot).hash(), world(folder.path()).hash());
}

#[test]
fn an_empty_scene_errors_in_the_file_and_divergence_are_shown() {
    let _alone = alone();
    let Some(display) = display() else { return };
    let folder = folder_with("");
    let mut window = display.view(folder.path(), &["scene.toml"]);
    let empty = at(folder.path(), &window.snapshot());
    assert_eq!(empty.particles(), 0);

    // The scene is read again when it is saved: first with an error, which is shown and changes nothing.
    let write = |text: &str| std::fs::write(folder.path().join("scene.toml"), text).unwrap();
    let message = (10, 10, 600, 120);
    write("[[cloth]]\ngrid = { cells = [4, 4], size = [1, -1] }\n");
    window.seen("the error in the scene", |image| image.count(message, ERROR) > 5_000);
    write(CLOTH);
    window.seen("the scene without an error", |image| image.count(message, ERROR) == 0);
    let snapshot = window.snapshot();
    assert_eq!(at(folder.path(), &snapshot).particles(), 17 * 17);

    // A step so long that what falls leaves the range of single precision. Real time will not get to it: the key does.
    write(&format!(
        "solver = {{ dt = 1000 }}\nworld = {{ gravity = [0, -9000, 0] }}\n{}",
        CLOTH.replace("pin = ", "# ")
    ));
    window.seen("the divergence", |image| {
        window.key(PERIOD);
        image.count(message, ERROR) > 5_000
    });
    window.key(u32::from(b'r'));
    window.seen("the scene after a rewind", |image| image.count(message, ERROR) == 0);
    let rewound = at(folder.path(), &window.snapshot());
    assert_eq!(rewound.time(), 0.0);
    assert_eq!(rewound.hash(), world(folder.path()).hash());
    window.assert_open();
}
