//! The memory that a simulation reports equals the memory it allocated.
#![allow(missing_docs, clippy::print_stdout, reason = "a test")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator with a counter of live bytes for each thread: a world with one thread allocates and frees all of its
/// memory on that of its caller, and tests run side by side.
struct Counting;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    // Nothing is counted while a thread ends.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: everything is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn r11_memory_of_grains_is_what_was_reported_and_expected() {
    compare(
        "[[grains]]\nfill = { min = [-0.4, 0, -0.4], max = [0.4, 0.8, 0.4] }\nradius = 0.025\n[[collider]]\nplane = {}\n",
    );
}

#[test]
fn r11_memory_of_boxes_is_what_was_reported_and_expected() {
    compare(
        "[[body]]\nbox = [0.3, 0.3, 0.3]\ngrid = 8\narray = { count = [3, 3, 3], spacing = [0.35, 0.35, 0.35] }\ntransform = { translate = [0, 0.2, 0] }\n[[collider]]\nplane = {}\n",
    );
}

#[test]
fn r11_memory_of_a_ball_of_regions_on_grains_is_what_was_reported_and_expected() {
    compare(
        "[[body]]\nball = 0.5\ngrid = 40\nmerge = 1\nregions = { size = 0.2 }\nshow = \"mesh\"\ntransform = { translate = [0, 0.8, 0] }\n[[grains]]\nfill = { min = [-0.4, 0, -0.4], max = [0.4, 0.2, 0.4] }\n[[collider]]\nplane = {}\n",
    );
}

#[test]
fn r11_memory_of_water_is_what_was_reported_and_expected() {
    compare(
        "[[liquid]]\nfill = { min = [0, 0, 0], max = [0.5, 0.8, 0.5] }\n[[collider]]\nplane = {}\n[[collider]]\nplane = { normal = [1, 0, 0] }\n[[collider]]\nplane = { normal = [0, 0, 1] }\n[[collider]]\nplane = { normal = [-1, 0, 0], offset = -1 }\n[[collider]]\nplane = { normal = [0, 0, -1], offset = -0.5 }\n",
    );
}

#[test]
fn r11_memory_of_a_stream_of_grains_is_what_was_reported_and_expected() {
    compare(
        "[[grains]]\npour = { from = [0, 1, 0], radius = 0.2, per_second = 4000, velocity = [0, -3, 0], until = 1.5 }\n[[collider]]\nplane = {}\n",
    );
}

/// Reported, expected and allocated memory agree within a tenth.
fn compare(text: &str) {
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let before = LIVE.get();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
    let mut expected = 0.0;
    // The stream takes 1.5 s; what was there from the start has come to rest after half of that.
    let last = if text.contains("pour") { 155 } else { 30 };
    for (round, steps) in [1, 35, last].into_iter().enumerate() {
        sim.advance(steps).unwrap();
        let (said, given) = (sim.bytes() as f64, (LIVE.get() - before) as f64);
        println!(
            "{} particles, {steps} more steps: {said:.0} bytes said, {given:.0} given, {:.0} per particle",
            sim.particles(),
            given / sim.particles() as f64
        );
        assert!((said / given - 1.0).abs() < 0.1, "{said} bytes said, {given} given");
        if round == 0 {
            expected = sim.bytes_expected() as f64;
        }
        println!("  {:.3} of what was expected", given / expected);
        assert!(round < 2 || (expected / given - 1.0).abs() < 0.1, "{expected} bytes expected, {given} given");
    }
}
