//! Shared-vertex patches that run all iterations in one pass and synchronize within it.

use crate::simulations::{self, apart, on_gpu, pair, ready, scene, software};
use crate::skip::skipped;
use pliant::builder::NoMeshes;
use pliant::runtime::gpu::GpuOptions;
use pliant::schedule::passes::Halves;
use pliant::{Backend, Options, World};

/// A sheet that falls on a ball and a floor, in a few pieces.
const SHEET: &str = r#"
    [solver]
    partition = "shared-patch"
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

/// A soft block that falls on a slope, in a few pieces, with volumes for which seams are joined once more.
const BLOCK: &str = r#"
    [solver]
    partition = "shared-patch"
    patch_particles = 120
    iterations = 6
    [[soft]]
    block = { cells = [9, 5, 6], size = [0.9, 0.5, 0.6] }
    transform = { translate = [0, 0.01, 0] }
    [[collider]]
    plane = { normal = [0.1, 1, 0] }
    friction = { static = 0.4, kinetic = 0.3 }
"#;

const BALLOON: &str = r#"
    [[inflatable]]
    sphere = { radius = 0.2, subdivisions = 2 }
    transform = { translate = [2, 0.1, 0] }
"#;

#[test]
fn s12_s14_pieces_that_exchange_their_seams_within_a_pass_take_the_steps_of_the_cpu() {
    if !ready() {
        return;
    }
    exchange(SHEET, &[]);
    for iterations in [1, 4, 5] {
        for more in ["solver.method=pbd", "soft.0.stretch.compliance=1e-6", "solver.substeps=2"] {
            exchange(BLOCK, &[&format!("solver.iterations={iterations}"), more]);
        }
        // With a balloon beside it, copies go out and back in passes of their own.
        exchange(&format!("{BLOCK}{BALLOON}"), &[&format!("solver.iterations={iterations}")]);
    }
}

#[test]
fn s12_s14_more_pieces_than_run_at_once_join_seams_within_every_iteration_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let many_pieces =
        ["solver.patch_particles=40", "soft.0.block.cells=[22, 10, 13]", "soft.0.block.size=[2.2, 1, 1.3]"];
    for iterations in ["solver.iterations=1", "solver.iterations=4"].into_iter().skip(usize::from(software())) {
        for (text, more) in [
            (BLOCK.to_owned(), "solver.method=pbd"),
            (BLOCK.to_owned(), "soft.0.stretch.compliance=1e-6"),
            (format!("{BLOCK}{BALLOON}"), "solver.substeps=2"),
        ] {
            let sim = exchange(&text, &[&many_pieces[..], &[iterations, more]].concat());
            assert_eq!(sim.model().schedule.halves(), Halves::All);
        }
    }
}

/// The CPU, and pieces that exchange or have passes for each iteration. These come back.
fn exchange(text: &str, set: &[&str]) -> World {
    let scene = scene(text, set);
    let options = |together: bool| GpuOptions { coresident: Some(together), ..GpuOptions::default() };
    let (mut cpu, mut passes) = pair(&scene, options(false));
    let mut together = on_gpu(&scene, options(true)).unwrap();
    let count = |sim: &World| sim.gpu().unwrap().stats(sim.model()).passes;
    let counts = (count(&together), count(&passes));
    assert!(cpu.model().phantoms.seams > 0 && passes.model().phantoms.seams > 0, "nothing has a seam");
    let same = counts.0 == counts.1;
    for sim in [&mut cpu, &mut passes].into_iter().chain((!same).then_some(&mut together)) {
        sim.advance(if software() { 6 } else { 12 }).unwrap();
        sim.sync().unwrap();
    }
    let contacts = (cpu.probe().contacts, passes.probe().contacts);
    println!("{set:?}: {counts:?} passes, {contacts:?} contacts, apart {:.1e} m", apart(&cpu, &passes));
    assert!(contacts.0 > 0);
    assert!(apart(&cpu, &passes) < 1e-4);
    if same {
        skipped("pieces do not run side by side");
    } else {
        assert!(apart(&cpu, &together) < 1e-4 && apart(&passes, &together) < 1e-4);
    }
    passes
}

/// A rope and a block that fall on a slope: an island each, so that one pass does all of a substep.
const ISLANDS: &str = r#"
    solver = { substeps = 3, iterations = 5 }
    [[rope]]
    path = [[0, 0.3, 0], [1, 0.5, 0]]
    segments = 30
    [[soft]]
    block = { cells = [3, 3, 3], size = [0.3, 0.3, 0.3] }
    transform = { translate = [0.2, 0.2, 0.5] }
    [[collider]]
    plane = { normal = [0.1, 1, 0] }
    friction = { static = 0.4, kinetic = 0.3 }
"#;

#[test]
fn r01_s14_substeps_that_share_a_pass_are_those_one_by_one() {
    if !ready() {
        return;
    }
    let cases = [
        (ISLANDS, "solver.integrator=bdf1"),
        (ISLANDS, "solver.integrator=bdf2"),
        (ISLANDS, "solver.method=pbd"),
        (SHEET, "solver.substeps=2"),
    ];
    for (text, set) in cases {
        let scene = scene(text, &[set]);
        let [mut many, mut single, mut mixed] = [0, 1, 2].map(|_| on_gpu(&scene, GpuOptions::default()).unwrap());
        many.advance(30).unwrap();
        (0..30).for_each(|_| single.step().unwrap());
        [1, 7, 2, 13, 7].into_iter().for_each(|n| mixed.advance(n).unwrap());
        for sim in [&mut many, &mut single, &mut mixed] {
            sim.sync().unwrap();
            assert!(sim.probe().contacts > 0, "{set}: nothing touches anything");
        }
        assert_eq!([many.hash(), mixed.hash()], [single.hash(); 2], "{set}");
        // After some substeps, the same particle diverges at the same time and position.
        let upward = simulations::scene(text, &[set, "world.gravity=[0, 9e3, 0]", "solver.dt=0.1"]);
        let [at_once, single] = [20, 1].map(|n| {
            let mut sim = on_gpu(&upward, GpuOptions::default()).unwrap();
            let mut error = None;
            for _ in 0..20 / n {
                error = error.or_else(|| sim.advance(n).err()).or_else(|| sim.sync().err());
            }
            error.unwrap_or_else(|| panic!("{set}: no divergence")).to_string()
        });
        println!("{set}: {at_once}");
        assert_eq!(at_once, single, "{set}");
    }
}

#[test]
fn s14_auto_runs_a_small_scene_on_the_cpu() {
    let scene = scene("[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\nsegments = 8\n", &[]);
    let options = Options { backend: Backend::Auto, ..Options::default() };
    assert_eq!(World::from_scene(&scene, &NoMeshes, options).unwrap().backend(), "cpu");
}
