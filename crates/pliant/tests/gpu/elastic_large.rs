//! Elastic bodies with a second coarse level, beside one without: the GPU repeats itself and agrees with the CPU.

use crate::simulations::{apart, on_gpu, pair, ready, scene, software};
use pliant::runtime::gpu::GpuOptions;

/// A hanging sheet, a clamped strip that bends, a block on the floor, each of more than 48 aggregates, and a small cube.
const LARGE: &str = r#"
    world = { air_density = 0 }
    [[cloth]]
    grid = { cells = [60, 60], size = [1.2, 1.2] }
    density = 0.2
    stretch = { modulus = 300 }
    pin = [{ at = "top edge" }]
    [[cloth]]
    grid = { cells = [90, 36], size = [0.45, 0.18], plane = "xz" }
    transform = { translate = [2, 1, 0] }
    density = 0.2
    stretch = { modulus = 2000 }
    bend = { modulus = 1e-2 }
    pin = [{ inside = { min = [1.9, -9, -9], max = [2.0051, 9, 9] } }]
    [[soft]]
    block = { cells = [22, 12, 11], size = [0.44, 0.24, 0.22] }
    transform = { translate = [4, 0.01, 0] }
    density = 500
    fem = { young = 1e6, poisson = 0.3 }
    [[soft]]
    block = { cells = [4, 4, 4], size = [0.2, 0.2, 0.2] }
    transform = { translate = [6, 0.01, 0] }
    density = 500
    fem = { young = 1e6, poisson = 0.3 }
    [[collider]]
    plane = {}
"#;

#[test]
fn s14_large_elastic_bodies_move_alike_on_cpu_and_gpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(LARGE, &[]), GpuOptions::default());
    let large = cpu.model().bodies.iter().filter(|b| b.coarse.second.is_some()).count();
    assert_eq!((large, cpu.model().bodies.len()), (3, 4), "bodies with a second level, and all");
    let start: Vec<_> = (0..cpu.particles()).map(|i| cpu.position(i)).collect();
    cpu.advance(12).unwrap();
    gpu.advance(12).unwrap();
    gpu.sync().unwrap();
    let moved = (0..start.len()).map(|i| (cpu.position(i) - start[i]).length()).fold(0.0, f32::max);
    // Conjugate gradients magnify rounding: 4e-4 of the way on a software driver.
    let difference = apart(&cpu, &gpu);
    println!("{difference} m apart after {moved} m");
    assert!(moved > 5e-3, "nothing moves: {moved} m");
    assert!(difference < 2e-3 * f64::from(moved), "{difference} m apart after {moved} m");
}

#[test]
fn r03_large_elastic_bodies_have_the_same_bits_in_every_run_on_a_gpu() {
    if !ready() {
        return;
    }
    let scene = scene(LARGE, &[]);
    // Only hardware has races; a software driver shows that nothing is left uninitialized.
    let (runs, steps) = if software() { (2, 1) } else { (3, 4) };
    let run = |_| {
        let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
        sim.advance(steps).unwrap();
        sim.sync().unwrap();
        sim.hash()
    };
    let hashes: Vec<u64> = (0..runs).map(run).collect();
    assert!(hashes.iter().all(|&h| h == hashes[0]), "{hashes:x?}");
}
