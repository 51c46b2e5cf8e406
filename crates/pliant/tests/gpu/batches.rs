//! Batches on the GPU: as on the CPU, copy by copy.

use crate::shared_device::device;
use crate::simulations::{apart, ready, scene};
use glam::{Quat, Vec3};
use pliant::runtime::gpu::GpuOptions;
use pliant::{Batch, BatchOptions, OnDivergence, Options, Pose};

/// Scenes with a steered collider called "paddle" and an object called "it".
const SCENES: [&str; 3] = [
    r#"
    solver = { iterations = 6, substeps = 2 }
    [[cloth]]
    name = "it"
    grid = { cells = [8, 8], size = [0.5, 0.5], plane = "xz" }
    transform = { translate = [0, 0.3, 0] }
    [[collider]]
    plane = {}
    [[collider]]
    name = "paddle"
    box = { center = [0.25, 0.1, 0.25], size = [0.2, 0.1, 0.2] }
    "#,
    r#"
    solver = { iterations = 6, substeps = 2 }
    contact = { between = true }
    [[cloth]]
    name = "sheet"
    grid = { cells = [8, 8], size = [0.5, 0.5], plane = "xz" }
    transform = { translate = [0, 0.4, 0] }
    pin = [{ at = "corners" }]
    [[body]]
    name = "it"
    box = [0.2, 0.1, 0.2]
    grid = 4
    transform = { translate = [0.25, 0.55, 0.25] }
    [[rope]]
    path = [[0.5, 0.05, 0.5], [0.9, 0.05, 0.5]]
    segments = 10
    [[collider]]
    name = "paddle"
    sphere = { center = [0.25, 0.1, 0.25], radius = 0.1 }
    restitution = 0.2
    [[collider]]
    plane = {}
    "#,
    r#"
    solver = { iterations = 3, substeps = 2 }
    fluid = { radius = 0.02 }
    [[liquid]]
    name = "it"
    fill = { min = [0, 0.02, 0], max = [0.2, 0.2, 0.2] }
    [[collider]]
    plane = {}
    [[collider]]
    name = "paddle"
    box = { center = [-0.1, 0.1, 0.1], size = [0.1, 0.3, 0.3] }
    "#,
];

const COPIES: usize = 3;

/// The same batch on the CPU, with the plan that was made for the GPU, and on the GPU.
fn pair(text: &str) -> (Batch, Batch) {
    let scene = scene(text, &[]);
    let options = BatchOptions {
        world: Options { threads: 1, ..Options::default() },
        steered: &["paddle"],
        ..BatchOptions::default()
    };
    let device = device(GpuOptions::default()).unwrap();
    let gpu = Batch::on_device(&scene, COPIES, &options, &device).unwrap_or_else(|e| panic!("{e}"));
    let target = Some(gpu.world().gpu().unwrap().target());
    let cpu = BatchOptions { world: Options { target, ..options.world }, ..options };
    (Batch::new(&scene, COPIES, &cpu).unwrap(), gpu)
}

/// Pushes, moved colliders, and a reset, the same on every batch.
fn play(batch: &mut Batch) {
    let (it, paddle) = (batch.object("it").unwrap(), batch.object("paddle").unwrap());
    batch.step_many(4).unwrap();
    batch.set_velocities(it, &[Vec3::ZERO, Vec3::new(0.3, 0.0, 0.0), Vec3::ZERO]).unwrap();
    batch.apply_impulses(it, &[Vec3::ZERO, Vec3::ZERO, Vec3::new(0.0, 0.02, 0.01)]).unwrap();
    let start = batch.poses(paddle).unwrap();
    for step in 1..=6 {
        let pose = |k: usize| Pose {
            position: start[k].position + Vec3::Y * (0.005 * (k * step) as f32),
            rotation: Quat::IDENTITY,
        };
        batch.set_poses(paddle, &[pose(0), pose(1), pose(2)]).unwrap();
        batch.step().unwrap();
    }
    batch.reset(1).unwrap();
    batch.step_many(3).unwrap();
}

#[test]
fn a_batch_on_the_gpu_is_that_of_the_cpu() {
    if !ready() {
        return;
    }
    for text in SCENES {
        let (mut cpu, mut gpu) = pair(text);
        play(&mut cpu);
        play(&mut gpu);
        let it = gpu.object("it").unwrap();
        // Only what was asked for is read back, and it is the state.
        let read = gpu.positions(it).unwrap().to_vec();
        let speeds = gpu.velocities(it).unwrap().to_vec();
        assert!(apart(cpu.world(), gpu.world()) < 2e-3, "{text}: {} m", apart(cpu.world(), gpu.world()));
        assert_eq!(gpu.positions(it).unwrap(), read);
        assert_eq!(gpu.velocities(it).unwrap(), speeds);
        let (a, b) = (cpu.object("paddle").unwrap(), gpu.object("paddle").unwrap());
        let (a, b) = (cpu.collider_forces(a).unwrap(), gpu.collider_forces(b).unwrap());
        for (a, b) in a.into_iter().zip(b) {
            assert!((a - b).length() < 0.05 * (1.0 + a.length()), "{text}: {a} and {b} N");
        }
    }
}

#[test]
fn copies_on_the_gpu_keep_their_bits_whatever_others_do_and_begin_anew_after_a_reset() {
    if !ready() {
        return;
    }
    // Liquids sum in the order of cells, which depends on the bounds of all copies.
    for text in &SCENES[..2] {
        let (_, mut calm) = pair(text);
        let (_, mut pushed) = pair(text);
        let (a, b) = (calm.object("it").unwrap(), pushed.object("it").unwrap());
        let each = calm.particles(a).unwrap();
        calm.set_velocities(a, &[Vec3::ZERO; COPIES]).unwrap();
        pushed.set_velocities(b, &[Vec3::ZERO, Vec3::new(-1.0, 2.0, 0.0), Vec3::ZERO]).unwrap();
        calm.step_many(8).unwrap();
        pushed.step_many(8).unwrap();
        let first = calm.positions(a).unwrap().to_vec();
        let other = pushed.positions(b).unwrap().to_vec();
        assert_eq!(first[..each], other[..each], "{text}");
        assert_eq!(first[2 * each..], other[2 * each..], "{text}");
        assert_ne!(first[each..2 * each], other[each..2 * each]);
        pushed.reset(1).unwrap();
        pushed.step_many(8).unwrap();
        let again = pushed.positions(b).unwrap().to_vec();
        assert_eq!(again[each..2 * each], first[each..2 * each], "{text}: a reset copy is as a fresh one");
    }
}

#[test]
fn r09_copies_that_diverge_on_the_gpu_are_reset_and_all_others_go_on() {
    if !ready() {
        return;
    }
    let scene = scene(SCENES[1], &[]);
    let options = BatchOptions { on_divergence: OnDivergence::Reset, ..BatchOptions::default() };
    let device = device(GpuOptions::default()).unwrap();
    let make = || Batch::on_device(&scene, COPIES, &options, &device).unwrap_or_else(|e| panic!("{e}"));
    let (mut disturbed, mut calm) = (make(), make());
    for (batch, speed) in [(&mut disturbed, 1e7), (&mut calm, 0.0)] {
        batch.step_many(2).unwrap();
        let it = batch.object("it").unwrap();
        batch.set_velocities(it, &[Vec3::ZERO, Vec3::X * speed, Vec3::ZERO]).unwrap();
    }
    calm.reset(1).unwrap();
    for steps in [2, 1, 3] {
        disturbed.step_many(steps).unwrap();
        calm.step_many(steps).unwrap();
        assert_eq!(disturbed.diverged(), if steps == 2 { &[1][..] } else { &[] });
    }
    assert_eq!(disturbed.world().hash(), calm.world().hash());
}
