//! R03: GPU results are bitwise reproducible.

use crate::simulations::{on_gpu, ready, scene, software};
use crate::skip::skipped;
use pliant::runtime::gpu::GpuOptions;

/// A cloth of several pieces in gusts falls over a turning ball, a balloon beside it: contacts, seams, sums, pins.
pub const MIXED: &str = r#"
    solver = { iterations = 3, patch_particles = 80 }
    world = { wind = { velocity = [2, 0, 1], gust = 0.5, period = 0.7 } }
    [[cloth]]
    grid = { cells = [15, 15], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 0.25, -0.5] }
    bend = { compliance = 1 }
    pin = [{ at = "top left", motion = { oscillate = { amplitude = [0.1, 0, 0], period = 1.5 } } }]
    [[inflatable]]
    sphere = { radius = 0.2, subdivisions = 2 }
    transform = { translate = [1, 0.21, 0] }
    stretch = { compliance = 1e-5 }
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.2 }
    motion = { spin = { axis = [0, 1, 0], rate = 90 } }
    [[collider]]
    plane = {}
"#;

/// Fewer on a software driver.
fn steps() -> u32 {
    if software() { 30 } else { 100 }
}

#[test]
fn r03_s14_ten_runs_of_a_hundred_steps_with_contacts_and_seams_have_the_same_bits() {
    if !ready() {
        return;
    }
    let scene = scene(MIXED, &[]);
    let hashes: Vec<u64> = (0..10)
        .map(|run| {
            let steps = steps();
            let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
            match run {
                // All at once, one by one, and with readbacks in between: the results must not differ.
                0..4 => sim.advance(steps).unwrap(),
                4..7 => (0..steps).for_each(|_| sim.step().unwrap()),
                _ => {
                    for k in 0..steps {
                        sim.step().unwrap();
                        if k % 7 == run % 7 {
                            let _ = (sim.hash(), sim.probe(), sim.residuals());
                        }
                    }
                }
            }
            sim.sync().unwrap();
            assert!(sim.probe().contacts > 0, "nothing touches anything");
            sim.hash()
        })
        .collect();
    assert!(hashes.iter().all(|&h| h == hashes[0]), "{hashes:x?}");
}

#[test]
fn r03_timed_passes_are_those_of_a_step_and_leave_the_same_bits() {
    if !ready() {
        return;
    }
    let scene = scene(MIXED, &[]);
    let mut plain = on_gpu(&scene, GpuOptions::default()).unwrap();
    let mut timed = on_gpu(&scene, GpuOptions::default()).unwrap();
    if !timed.set_pass_profiling(true) {
        skipped("an adapter without timestamps");
        return;
    }
    const STEPS: u32 = 4;
    plain.advance(STEPS).unwrap();
    timed.advance(STEPS).unwrap();
    let times = timed.take_times();
    let passes: u64 = times.passes.values().map(|p| p.count).sum();
    let per_substep = timed.gpu().unwrap().stats(timed.model()).passes as u64;
    assert_eq!(passes, per_substep * u64::from(STEPS * timed.model().settings.substeps));
    assert!(times.passes.values().all(|p| p.seconds >= 0.0 && p.seconds.is_finite()));
    assert!(times.passes.values().map(|p| p.seconds).sum::<f64>() > 0.0, "{:?}", times.passes);
    assert_eq!(timed.hash(), plain.hash());
    // Off again: nothing is timed.
    timed.set_pass_profiling(false);
    timed.advance(1).unwrap();
    assert!(timed.take_times().passes.is_empty());
}
