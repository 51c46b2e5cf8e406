//! A steady step allocates nothing.
#![allow(missing_docs, reason = "a test")]

use pliant::build::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, Simulation};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, with a count of what is asked of it.
struct Counting;

static ASKED: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Cloth in the wind on a moving ball, a rope, a rod, a soft block, an inflatable: every stage has work.
const SCENE: &str = r#"
    [world]
    wind = { velocity = [2, 0, 0], gust = 0.5 }
    [[cloth]]
    grid = { cells = [12, 12], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 0.7, -0.5] }
    bend = { modulus = 1e-4 }
    [[rope]]
    path = [[2, 1, 0], [3, 1, 0]]
    bend = { modulus = 1e5 }
    pin = [{ at = "start", motion = { oscillate = { amplitude = [0, 0.2, 0], period = 1 } } }]
    [[rope]]
    path = [[2, 1, 1], [3, 1, 1]]
    bend = { modulus = 1e6 }
    twist = { modulus = 1e6 }
    pin = [{ at = "start" }]
    [[soft]]
    block = { cells = [4, 4, 4], size = [0.4, 0.4, 0.4] }
    transform = { translate = [-2, 0.01, 0] }
    [[inflatable]]
    sphere = { radius = 0.3, subdivisions = 2 }
    transform = { translate = [-4, 0.3, 0] }
    [[collider]]
    sphere = { center = [0, 0.3, 0], radius = 0.35 }
    motion = { oscillate = { amplitude = [0.1, 0, 0], period = 1 } }
    [[collider]]
    plane = {}
"#;

#[test]
fn a_steady_step_allocates_nothing() {
    for solver in ["color", "phantom", "hybrid", "patch", "mosaic", "serial", "jacobi", "jacobi-gather"] {
        for integrator in ["bdf1", "bdf2"] {
            let head = format!("[solver]\npartition = \"{solver}\"\nintegrator = \"{integrator}\"\niterations = 4\n");
            let scene = Scene::parse(&format!("{head}{SCENE}"), Format::Toml).unwrap();
            // One thread: what other threads' queues allocate is not the engine's.
            let options = Options { threads: 1, ..Options::default() };
            let mut sim = Simulation::new(&scene, &NoMeshes, options).unwrap();
            // Contact lists grow to their size while things fall.
            for _ in 0..200 {
                sim.step().unwrap();
            }
            let before = ASKED.load(Ordering::Relaxed);
            for _ in 0..20 {
                sim.step().unwrap();
            }
            let asked = ASKED.load(Ordering::Relaxed) - before;
            assert_eq!(asked, 0, "{solver}, {integrator}: {asked} allocations in 20 steps");
        }
    }
}
