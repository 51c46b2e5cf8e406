//! Pressure of liquids by projection of velocities: WGSL kernels, and whole simulations against the CPU.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, on_cpu, on_gpu, pair, ready, scene};
use crate::support::{COUNT, Program, gpu};
use glam::Vec3;
use pliant::World;
use pliant::fluid::boundary::{Boundary, solid_share};
use pliant::fluid::gpu::shaders::{FLUID_KERNELS, PROJECTION_KERNELS, projection_constants};
use pliant::fluid::projection::{add_outer, allowed_rate, correction, stop_at_wall, times, wall};
use pliant::fluid::sph_kernels::Smoothing;
use pliant::runtime::gpu::GpuOptions;

#[test]
fn s14_s23_kernels_of_projection_are_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        var m = Symmetric(f3(0u), vec3<f32>(0.0));
        m = projection_add_outer(m, f3(3u), 1.0);
        m = projection_add_outer(m, f3(6u), f(9u));
        let v = projection_times(projection_correction(m), f3(10u));
        output[o] = v.x; output[o + 1u] = v.y; output[o + 2u] = v.z;
        let share = boundary_share(true, 1.0, f(13u) + 0.1, 0.0);
        let wall = projection_wall(share, f(13u), 0.1, 0.25, f3(14u), f3(17u));
        output[o + 3u] = wall.moment; output[o + 4u] = wall.slope; output[o + 5u] = wall.gap;
        let stopped = projection_stop_at_wall(wall, f3(10u), 0.01);
        output[o + 6u] = stopped.x; output[o + 7u] = stopped.y; output[o + 8u] = stopped.z;
        output[o + 9u] = projection_allowed_rate(f(20u), 0.01);";
    let fluid = fluid();
    let mut rng = Rng(43);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for k in 0..COUNT {
        // From a matrix that is nearly singular to one far from it.
        let base = Vec3::from_array([(); 3].map(|()| rng.range(0.0, 1.0) as f32)) * (0.1 * (k % 11) as f32);
        let (a, b, v) = (rng.cube(0.8).as_vec3(), rng.cube(0.8).as_vec3(), rng.cube(2.0).as_vec3());
        let scale = rng.range(0.0, 1.0) as f32;
        let (distance, speed) = (rng.range(-0.2, 1.1) as f32, rng.cube(1.0).as_vec3());
        let normal = rng.cube(1.0).as_vec3().normalize_or(Vec3::X);
        let compression = rng.range(-1.0, 0.5) as f32;
        for vector in [base, a, b] {
            input.extend(vector.to_array());
        }
        input.push(scale);
        input.extend(v.to_array());
        input.push(distance);
        input.extend(normal.to_array().into_iter().chain(speed.to_array()));
        input.push(compression);
        let mut m = [base.x, 0.0, 0.0, base.y, 0.0, base.z];
        add_outer(&mut m, a, 1.0);
        add_outer(&mut m, b, scale);
        let l = correction(m);
        let size = l.iter().map(|x| x.abs()).sum::<f32>();
        let place = normal * -(distance + fluid.setback);
        let boundary = Boundary { place, normal, curvature: 0.0, velocity: speed };
        let wall = wall(&fluid, &boundary, Vec3::ZERO);
        let (share, rate) = solid_share(Smoothing::Cubic, 1.0, distance + fluid.setback, 0.0);
        let moment = share.abs() + rate.abs() + 1.0;
        let stopped = stop_at_wall(&wall, v, 0.01);
        // A matrix is as large as its inverse when entries are about 1, and errors grow by both.
        let mut wanted: Vec<(f32, f32)> = times(l, v).to_array().map(|x| (x, 10.0 * size * size)).to_vec();
        wanted.extend([(wall.moment, moment), (wall.slope, 8.0 * moment), (wall.gap, 1.0)]);
        wanted.extend(stopped.to_array().map(|x| (x, 100.0)));
        wanted.push((allowed_rate(compression, 0.01), 100.0));
        expected.push(wanted);
    }
    let constants = projection_constants();
    let parts = [&FLUID_KERNELS[..], &[&constants, PROJECTION_KERNELS]].concat();
    let output = gpu.run(&Program { parts: &parts, takes: 21, gives: 10, body }, &input);
    let mut worst = [0.0_f32; 10];
    for (found, wanted) in output.chunks(10).zip(&expected) {
        for (k, (&a, (b, size))) in found.iter().zip(wanted).enumerate() {
            let off = (a - b).abs() / size;
            worst[k] = worst[k].max(if off.is_finite() { off } else { f32::INFINITY });
        }
    }
    println!("off by {worst:?} of their sizes");
    assert!(worst.iter().all(|&w| w < 1e-5), "{worst:?}");
}

/// Parameters for [`wall`]: a kernel radius of 1 m.
fn fluid() -> pliant::fluid::parameters::Fluid {
    let text = "fluid = { radius = 0.25 }\n[[liquid]]\nfill = { min = [0, 0, 0], max = [1, 1, 1] }\n";
    let world = World::from_scene(&scene(text, &[]), &pliant::builder::NoMeshes, pliant::Options::default()).unwrap();
    pliant::fluid::parameters::Fluid { setback: 0.1, ..world.model().fluid.clone().unwrap() }
}

/// Water in a tank, `rise` higher on the left than on average, and lower by as much on the right.
fn tank(rise: f32) -> String {
    let (left, right) = (0.2 + rise, 0.2 - rise);
    format!(
        "fluid = {{ radius = 0.02 }}
        [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.24, {left}, 0.12] }}
        [[liquid]]\nfill = {{ min = [0.24, 0, 0], max = [0.48, {right}, 0.12] }}
        [[collider]]\nplane = {{}}
        [[collider]]\nplane = {{ normal = [1, 0, 0] }}
        [[collider]]\nplane = {{ normal = [-1, 0, 0], offset = -0.48 }}
        [[collider]]\nplane = {{ normal = [0, 0, 1] }}
        [[collider]]\nplane = {{ normal = [0, 0, -1], offset = -0.12 }}\n"
    )
}

/// Center of mass [m], and kinetic and potential energy per mass [m²/s²].
fn mean(sim: &World) -> (glam::DVec3, f64) {
    let n = sim.particles() as f64;
    let center = (0..sim.particles()).map(|i| sim.position(i).as_dvec3()).sum::<glam::DVec3>() / n;
    let speeds = (0..sim.particles()).map(|i| sim.velocity(i).as_dvec3().length_squared()).sum::<f64>();
    (center, 0.5 * speeds / n + 9.81 * center.y)
}

#[test]
fn s14_s23_a_wave_on_the_gpu_is_that_of_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(&tank(0.04), &[]), GpuOptions::default());
    assert!(gpu.model().fluid.as_ref().unwrap().projects && cpu.model().fluid.as_ref().unwrap().projects);
    let start = mean(&cpu).0.x;
    let (mut places, mut worst) = (Vec::new(), (0.0_f64, 0.0_f64));
    for step in 1..=100 {
        for sim in [&mut cpu, &mut gpu] {
            sim.advance(1).unwrap();
        }
        if ![1, 2, 5, 10].contains(&step) && step % 20 != 0 {
            places.push(mean(&cpu).0.x - start);
            continue;
        }
        gpu.sync().unwrap();
        let off = apart(&cpu, &gpu) / bounds(&cpu).0;
        let ((ours, our_energy), (theirs, their_energy)) = (mean(&gpu), mean(&cpu));
        println!("step {step}: off by {off:.1e}, center by {:.1e} m", (ours - theirs).length());
        println!("  energy {our_energy:.4} and {their_energy:.4} m²/s²");
        assert!(step > 10 || off < 1e-5, "{off} after {step} steps");
        worst.0 = worst.0.max((ours - theirs).length());
        worst.1 = worst.1.max((our_energy - their_energy).abs());
        places.push(theirs.x - start);
    }
    let amplitude = places.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    println!("the center moves by {amplitude:.4} m; it is off by at most {:.1e} m, energy by {:.1e}", worst.0, worst.1);
    assert!(worst.0 < 1e-3 * amplitude, "center off by {} of {amplitude} m", worst.0);
    assert!(worst.1 < 1e-4 * 9.81 * amplitude, "energy off by {}", worst.1);
}

#[test]
fn s23_water_at_rest_on_the_gpu_is_as_quiet_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(&tank(0.0), &[]), GpuOptions::default());
    let rms = |sim: &World| {
        let sum: f64 = (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length_squared())).sum();
        (sum / sim.particles() as f64).sqrt()
    };
    let level = mean(&cpu).0.y;
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(100).unwrap();
        sim.sync().unwrap();
    }
    let (ours, theirs) = (rms(&gpu), rms(&cpu));
    println!("rms speed {ours:.4} and {theirs:.4} m/s, level {:.4} and {:.4} m", mean(&gpu).0.y, mean(&cpu).0.y);
    assert!(ours < 1.5 * theirs + 0.002, "rms speed {ours} m/s, on the CPU {theirs}");
    assert!((mean(&gpu).0.y / level - 1.0).abs() < 0.02);
}

#[test]
fn r03_r05_projection_on_the_gpu_repeats_its_bits_and_goes_on_with_them_after_a_restore() {
    if !ready() {
        return;
    }
    let wave = scene(&tank(0.04), &[]);
    let mut world = on_gpu(&wave, GpuOptions::default()).unwrap();
    let start = world.snapshot().unwrap();
    world.advance(6).unwrap();
    let saved = world.snapshot().unwrap();
    world.advance(5).unwrap();
    let end = (world.hash(), world.state().pressures.clone());
    assert!(end.1.iter().any(|&p| p < 0.0), "nothing has pressure");
    for bytes in [false, true] {
        let back = if bytes { world.snapshot_from_bytes(&saved.to_bytes()).unwrap() } else { saved.clone() };
        world.restore(&back).unwrap();
        world.advance(5).unwrap();
        assert_eq!((world.hash(), world.state().pressures.clone()), end, "through bytes: {bytes}");
    }
    // From the start, step by step: also the first substep, which has pressures to find.
    world.restore(&start).unwrap();
    (0..11).for_each(|_| world.step().unwrap());
    assert_eq!(world.hash(), end.0);
    let mut again = on_gpu(&wave, GpuOptions::default()).unwrap();
    again.advance(11).unwrap();
    assert_eq!(again.hash(), end.0);
    // The CPU goes on from there.
    let mut cpu = on_cpu(&wave, world.gpu().unwrap().target());
    let back = cpu.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    cpu.restore(&back).unwrap();
    world.restore(&saved).unwrap();
    for sim in [&mut cpu, &mut world] {
        sim.advance(2).unwrap();
        sim.sync().unwrap();
    }
    let off = apart(&cpu, &world) / bounds(&cpu).0;
    println!("off by {off:.1e} two steps after a snapshot of the GPU");
    assert!(off < 1e-5, "{off}");
}

#[test]
fn s14_s23_r15_projection_beside_moving_colliders_and_with_full_lists_is_that_of_the_cpu() {
    if !ready() {
        return;
    }
    let text = "
        fluid = { radius = 0.02, vorticity = 1 }
        [[liquid]]\nfill = { min = [-0.24, 0, -0.12], max = [0, 0.2, 0.12] }\nviscosity = 1
        [[collider]]\nplane = {}
        [[collider]]\nbox = { center = [-0.32, 0.2, 0], size = [0.16, 0.4, 0.8] }
        [[collider]]\nplane = { normal = [0, 0, 1], offset = -0.12 }
        [[collider]]\nplane = { normal = [0, 0, -1], offset = -0.12 }
        [[collider]]\nsphere = { center = [0.1, 0.05, 0], radius = 0.1 }
        motion = { oscillate = { amplitude = [0.03, 0.02, 0], period = 0.5 } }\n";
    let (mut cpu, mut gpu) = pair(&scene(text, &[]), GpuOptions::default());
    for steps in [1, 2, 6] {
        for sim in [&mut cpu, &mut gpu] {
            sim.advance(steps).unwrap();
            sim.sync().unwrap();
        }
        let off = apart(&cpu, &gpu) / bounds(&cpu).0;
        println!("off by {off:.1e} at {:.2} s", cpu.time());
        assert!(off < if steps == 1 { 1e-5 } else { 1e-3 }, "{off} at {} s", cpu.time());
    }
    // Five times the density, far from colliders: lists have no room in the first substep, which is repeated with its
    // first pressures.
    let crush = |sim: &mut World| {
        for row in &mut sim.state_mut().rows {
            row[..3].iter_mut().for_each(|x| *x *= 0.58);
            row[1] += 0.5;
        }
    };
    let far = ["collider.2.plane.offset=-1", "collider.3.plane.offset=-1"];
    let set = ["solver.dt=0.001", "fluid.method=projection", far[0], far[1]];
    let (mut cpu, mut gpu) = pair(&scene(text, &set), GpuOptions::default());
    let mut again = on_gpu(&scene(text, &set), GpuOptions::default()).unwrap();
    [&mut cpu, &mut gpu, &mut again].into_iter().for_each(crush);
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(1).unwrap();
        sim.sync().unwrap();
    }
    let off = apart(&cpu, &gpu) / bounds(&cpu).0;
    println!("crushed: off by {off:.1e}");
    assert!(off < 1e-5, "{off} after a step with full lists");
    gpu.advance(7).unwrap();
    again.advance(8).unwrap();
    assert_eq!((again.time(), again.hash()), (gpu.time(), gpu.hash()));
}
