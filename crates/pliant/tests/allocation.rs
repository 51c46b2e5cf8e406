//! Steady-state steps and neighbor searches do not allocate.
#![allow(missing_docs, reason = "a test")]

use pliant::builder::NoMeshes;
use pliant::neighbors::{Cloud, Finder, Pairs, Search};
use pliant::scene::{Format, Scene};
use pliant::{Options, Threads, World};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with an allocation counter.
struct Counting;

thread_local! {
    // Of this thread only: tests run side by side.
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
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
    for solver in ["color", "phantom", "hybrid", "patch", "shared-patch", "serial", "jacobi", "jacobi-gather"] {
        for integrator in ["bdf1", "bdf2"] {
            let head = format!("[solver]\npartition = \"{solver}\"\nintegrator = \"{integrator}\"\niterations = 4\n");
            let scene = Scene::parse(&format!("{head}{SCENE}"), Format::Toml).unwrap();
            // One thread: what other threads' queues allocate is not the engine's.
            let options = Options { threads: 1, ..Options::default() };
            let mut sim = World::from_scene(&scene, &NoMeshes, options).unwrap();
            // Contact lists and the grid of the search grow to their final capacity while objects fall and swing.
            for _ in 0..300 {
                sim.step().unwrap();
            }
            let before = ASKED.get();
            for _ in 0..20 {
                sim.step().unwrap();
            }
            let asked = ASKED.get() - before;
            assert_eq!(asked, 0, "{solver}, {integrator}: {asked} allocations in 20 steps");
        }
    }
}

#[test]
fn a_steady_neighbor_search_allocates_nothing() {
    for search in [Search::Grid, Search::Tree, Search::Auto] {
        let mut finder = Finder::new(search);
        let threads = Threads::new(1).unwrap();
        let radii: Vec<f32> = (0..5000).map(|i| 0.02 + 0.01 * (i % 3) as f32).collect();
        let phases: Vec<u32> = (0..5000).map(|i| i % 2).collect();
        let mut rows = vec![[0.0; 4]; 5000];
        let mut asked = Vec::new();
        for frame in 0..20 {
            // Turning slowly and back again, so that cells and lists change, but no list is longer than before.
            let angle = (frame % 5) as f32 * 0.01;
            for (i, row) in rows.iter_mut().enumerate() {
                let (x, y, z) = ((i % 17) as f32 * 0.05, (i / 17 % 17) as f32 * 0.05, (i / 289) as f32 * 0.05);
                *row = [x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos(), z, 1.0];
            }
            let before = ASKED.get();
            let lists =
                finder.find(&threads, Cloud { rows: &rows, radii: &radii, phases: &phases }, 0.002, Pairs::Both);
            assert!(lists.indices().len() > 5000);
            asked.push(ASKED.get() - before);
            if frame >= 10 {
                assert_eq!(asked[frame], 0, "{search:?}, frame {frame}: allocations by frame {asked:?}");
            }
        }
    }
}
