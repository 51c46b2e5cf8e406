//! R06 on the GPU: failures are reported as named errors.

use crate::simulations::{on_cpu, on_gpu, pair, ready, refusal, scene};
use pliant::builder::NoMeshes;
use pliant::runtime::gpu::{Cap, Device, GpuError, GpuOptions, adapters};
use pliant::{Options, StepError, World};

const ROPE: &str = "[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\nsegments = 8\npin = [{ at = \"start\" }]\n";

#[test]
fn r06_a_missing_adapter_is_named() {
    if !ready() {
        return;
    }
    let found = adapters().len();
    let options = GpuOptions { adapter: Some(found + 3), ..GpuOptions::default() };
    let e = refusal(on_gpu(&scene(ROPE, &[]), options));
    assert_eq!(e, GpuError::NoSuchAdapter { wanted: found + 3, found });
}

#[test]
fn r06_a_scene_too_large_for_a_binding_names_the_buffer_and_its_size() {
    if !ready() {
        return;
    }
    let cap = Cap { binding_bytes: 1 << 16, ..Cap::BROWSER };
    let text = "[[cloth]]\ngrid = { cells = [99, 99], size = [1, 1] }\n";
    let e = refusal(on_gpu(&scene(text, &[]), GpuOptions { cap: Some(cap), ..GpuOptions::default() }));
    let GpuError::TooLarge { buffer, needed, most, .. } = &e else { panic!("{e}") };
    assert_eq!((*buffer, *most), ("rows", 1 << 16));
    assert!(*needed >= 10_000 * 16, "{e}");
    let words = e.to_string();
    assert!(words.contains("\"rows\"") && words.contains("65536"), "{words}");
}

#[test]
fn r06_a_lost_gpu_is_an_error_and_no_panic() {
    if !ready() {
        return;
    }
    // Other tests go on with theirs.
    let own = Device::open(&GpuOptions::default()).unwrap();
    let mut sim = World::on_device(&scene(ROPE, &[]), &NoMeshes, Options::default(), &own).unwrap();
    sim.advance(3).unwrap();
    own.destroy();
    let lost = |e: StepError| assert!(matches!(e, StepError::Gpu(GpuError::Lost(_))), "{e}");
    // The driver may report the loss one call later.
    let first = (0..3).find_map(|_| sim.step().err());
    first.into_iter().for_each(lost);
    lost(sim.sync().unwrap_err());
    lost(sim.step().unwrap_err());
}

fn first_error(sim: &mut World) -> StepError {
    (0..50).find_map(|_| sim.step().err()).or_else(|| sim.sync().err()).expect("it diverges")
}

#[test]
fn r06_a_run_that_diverges_on_the_gpu_names_the_particle_that_the_cpu_names() {
    if !ready() {
        return;
    }
    let wild: fn(&mut World) = |sim| sim.state_mut().velocities[5] = [0.0, 3e7, 0.0, 0.0];
    let nowhere: fn(&mut World) = |sim| sim.state_mut().rows[5][1] = f32::NAN;
    for (what, spoil) in [("a wild velocity", wild), ("not a number", nowhere)] {
        let scene = scene(ROPE, &["solver.iterations=1"]);
        let (mut cpu, mut gpu) = pair(&scene, GpuOptions::default());
        for sim in [&mut cpu, &mut gpu] {
            sim.advance(4).unwrap();
            spoil(sim);
        }
        let (StepError::Diverged(theirs), StepError::Diverged(ours)) = (first_error(&mut cpu), first_error(&mut gpu))
        else {
            panic!("{what}: neither is said to diverge")
        };
        println!("{what}: {ours} for {theirs}");
        assert_eq!((ours.stage, &ours.object), (theirs.stage, &theirs.object), "{what}");
        // A diverged particle affects its neighbors before the GPU checks.
        assert!(ours.particle <= theirs.particle && theirs.particle - ours.particle <= 5, "{what}: {ours}");
        let step = f64::from(cpu.model().settings.dt);
        assert!((ours.time - theirs.time).abs() < 1.5 * step, "{what}: {} for {}", ours.time, theirs.time);
        // And it stays an error.
        assert!(gpu.sync().is_err(), "{what}");
        assert_eq!(first_error(&mut gpu).to_string(), ours.to_string(), "{what}");
        // A healthy state brings it back.
        let healthy = on_cpu(&scene, gpu.gpu().unwrap().target());
        *gpu.state_mut() = healthy.state().clone();
        gpu.advance(3).unwrap();
        gpu.sync().unwrap_or_else(|e| panic!("{what}: {e} though it was repaired"));
    }
}
