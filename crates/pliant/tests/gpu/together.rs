//! Pieces of a mosaic that run all iterations in one pass and wait for each other within it.

use crate::sims::{apart, pair, ready, scene};
use pliant::gpu::GpuOptions;
use pliant::{Backend, Options, Simulation, build::NoMeshes};

/// A sheet that falls on a ball and a floor, in a few pieces.
const SHEET: &str = r#"
    [solver]
    partition = "mosaic"
    patch_particles = 260
    iterations = 6
    [[cloth]]
    grid = { cells = [21, 19], size = [1, 0.9], plane = "xz" }
    transform = { translate = [-0.5, 0.42, -0.45] }
    bend = { compliance = 1e-3 }
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.4 }
    friction = { static = 0.5, kinetic = 0.4 }
    [[collider]]
    plane = { offset = -0.2 }
"#;

#[test]
fn s12_s14_pieces_that_exchange_their_seams_within_a_pass_take_the_steps_of_the_cpu() {
    if !ready() {
        return;
    }
    let scene = scene(SHEET, &[]);
    let (mut cpu, mut gpu) = pair(&scene, GpuOptions { together: Some(true), ..GpuOptions::default() });
    let (mut apart_passes, mut other) = pair(&scene, GpuOptions { together: Some(false), ..GpuOptions::default() });
    let passes = |sim: &Simulation| sim.gpu().unwrap().shape(sim.model()).passes;
    assert!(!cpu.model().phantoms.owners.is_empty(), "the sheet has no seam");
    if passes(&gpu) >= passes(&other) {
        println!("skipped: this adapter does not run workgroups side by side");
        return;
    }
    for sim in [&mut cpu, &mut gpu, &mut apart_passes, &mut other] {
        sim.advance(12).unwrap();
        sim.sync().unwrap();
    }
    let contacts = (cpu.probe().contacts, gpu.probe().contacts);
    println!(
        "{} and {} passes, {contacts:?} contacts, apart {:.1e} m",
        passes(&gpu),
        passes(&other),
        apart(&cpu, &gpu)
    );
    assert!(contacts.0 > 0);
    assert!(apart(&cpu, &gpu) < 1e-4 && apart(&gpu, &other) < 1e-4);
}

#[test]
fn s14_auto_leaves_a_small_scene_to_the_cpu() {
    let scene = scene("[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\nsegments = 8\n", &[]);
    let options = Options { backend: Backend::Auto, ..Options::default() };
    assert_eq!(Simulation::new(&scene, &NoMeshes, options).unwrap().backend(), "cpu");
}
