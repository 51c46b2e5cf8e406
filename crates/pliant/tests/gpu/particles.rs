//! Particle contacts: the WGSL kernel, whole simulations, and neighbor lists that exceed their allocation.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, on_gpu, pair, ready, scene};
use crate::support::{COUNT, Program, gpu};
use glam::Vec3;
use pliant::World;
use pliant::contact::collider_contact::{Friction, Push};
use pliant::contact::gpu::shaders::PARTICLE_CONTACT;
use pliant::contact::particle_contact::{ContactParams, Field, Side, project};
use pliant::runtime::gpu::{Cap, GpuOptions};

#[test]
fn s10_s14_contacts_of_two_particles_are_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let a = Side(vec3(f(0u), f(1u), f(2u)), vec3(f(3u), f(4u), f(5u)), f(6u), f(7u), 3u, f4(23u));
        let b = Side(vec3(f(8u), f(9u), f(10u)), vec3(f(11u), f(12u), f(13u)), f(14u), f(15u), 5u, f4(27u));
        let met = particle_project(a, b, f(16u), f(17u), f(18u), f(31u) > 0.5, 0.01, f4(19u));
        output[o] = met.impulse.x; output[o + 1u] = met.impulse.y; output[o + 2u] = met.impulse.z;
        output[o + 3u] = met.push.x; output[o + 4u] = met.push.y; output[o + 5u] = met.push.z;
        output[o + 6u] = met.push.w;";
    let mut rng = Rng(17);
    let mut input = Vec::new();
    let mut expected = Vec::new();
    for k in 0..COUNT {
        let vector = |rng: &mut Rng, half: f64| rng.cube(half).as_vec3();
        let size = 10_f64.powf(rng.range(-3.0, 1.0));
        let one = |rng: &mut Rng, at: Vec3, number: u32| Side {
            x: at + vector(rng, size),
            start: at + vector(rng, size),
            radius: rng.range(0.0, 2.0 * size) as f32,
            inv_mass: if rng.range(0.0, 8.0) < 1.0 { 0.0 } else { rng.range(0.1, 9.0) as f32 },
            number,
            field: match rng.range(0.0, 3.0) as u32 {
                0 => Field::default(),
                _ => {
                    Field { outward: vector(rng, 1.0).normalize_or(Vec3::X), depth: rng.range(0.1, 6.0 * size) as f32 }
                }
            },
        };
        let at = vector(&mut rng, 10.0 * size);
        let (a, mut b) = (one(&mut rng, at, 3), one(&mut rng, at, 5));
        if k % 97 == 0 {
            b.x = a.x;
        }
        let friction =
            Friction { static_friction: rng.range(0.0, 1.0) as f32, kinetic_friction: rng.range(0.0, 1.0) as f32 };
        let omega = rng.range(0.5, 1.9) as f32;
        let push = match k % 3 {
            0 => Push::default(),
            _ => Push { normal: rng.range(0.0, size) as f32, tangent: vector(&mut rng, 0.3 * size) },
        };
        for side in [&a, &b] {
            input.extend(side.x.to_array().into_iter().chain(side.start.to_array()));
            input.extend([side.radius, side.inv_mass]);
        }
        input.extend([friction.static_friction, friction.kinetic_friction, omega]);
        input.extend(push.tangent.to_array());
        input.push(push.normal);
        for side in [&a, &b] {
            input.extend(side.field.outward.to_array());
            input.push(side.field.depth);
        }
        let parts = k % 5 == 0;
        input.push(f32::from(u8::from(parts)));
        let (impulse, done) = project(&a, &b, ContactParams { friction, omega, parts, recovery: 0.01 }, push);
        // Terms that may cancel: positions of ten sizes, over the weights.
        let natural =
            10.0 * size as f32 * omega / (a.inv_mass + b.inv_mass).max(0.1) + push.normal + push.tangent.length();
        expected.push((impulse, done, natural));
    }
    let output = gpu.run(&Program { parts: &[PARTICLE_CONTACT], takes: 32, gives: 7, body }, &input);
    let mut worst = 0.0_f32;
    for (found, (impulse, push, natural)) in output.chunks(7).zip(&expected) {
        let cpu = [impulse.x, impulse.y, impulse.z, push.tangent.x, push.tangent.y, push.tangent.z, push.normal];
        for (a, b) in found.iter().zip(cpu) {
            worst = worst.max((a - b).abs() / natural);
        }
    }
    println!("contacts of pairs are off by {worst:.1e} of their terms");
    assert!(worst < 1e-5, "{worst}");
}

const HEAP: &str = "
    solver = { dt = 0.005, iterations = 6 }
    contact = { friction = { static = 0.6, kinetic = 0.5 } }
    [[grains]]
    fill = { min = [-0.12, 0, -0.12], max = [0.12, 0.4, 0.12] }
    radius = 0.02
    [[body]]
    box = [0.12, 0.1, 0.14]
    grid = 5
    transform = { translate = [0, 0.5, 0] }
    [[cloth]]
    grid = { cells = [12, 12], size = [0.36, 0.36] }
    radius = 0.014
    transform = { translate = [-0.18, 0.62, -0.18], rotate = { axis = [1, 0, 0], degrees = 90 } }
    [[collider]]
    plane = {}
    friction = { static = 0.6, kinetic = 0.5 }
";

/// Distance of a CPU and a GPU after so many steps, in parts of the scene's extent.
fn deviation(text: &str, set: &[&str], options: GpuOptions, steps: u32) -> f64 {
    let (mut cpu, mut gpu) = pair(&scene(text, set), options);
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(steps).unwrap();
        sim.sync().unwrap();
    }
    let met = |sim: &World| sim.probe().contacts;
    let off = apart(&cpu, &gpu) / bounds(&cpu).0;
    println!("{set:?}: off by {off:.1e} after {steps} steps; {} and {} contacts", met(&cpu), met(&gpu));
    assert!(met(&cpu) > 0, "{set:?}: no contacts");
    off
}

#[test]
fn s10_s14_grains_bodies_and_cloth_touch_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let cases: [&[&str]; 7] = [
        &[],
        &["contact.stacking=3"],
        &["solver.stabilization=0"],
        &["solver.integrator=bdf2"],
        &["solver.partition=jacobi"],
        &["solver.partition=color", "solver.substeps=2"],
        &["contact.itself=true", "contact.omega=1"],
    ];
    for set in cases {
        let first = deviation(HEAP, set, GpuOptions::default(), 1);
        assert!(first < 1e-5, "{set:?}: {first}");
        // Contacts amplify differences exponentially.
        let later = deviation(HEAP, set, GpuOptions::default(), 12);
        assert!(later < 1e-3, "{set:?}: {later}");
    }
    // Grains only: contact passes are consecutive.
    let grains = format!("{}[[collider]]\nplane = {{}}\n", HEAP.split("[[body]]").next().unwrap());
    for set in [&[][..], &["solver.iterations=5", "solver.stabilization=1"], &["solver.stabilization=0"]] {
        assert!(deviation(&grains, set, GpuOptions::default(), 1) < 1e-5, "{set:?}");
        // To the bit where nothing is fused; an H200 fuses, and is off by 3e-5.
        assert!(deviation(&grains, set, GpuOptions::default(), 12) < 1e-3, "{set:?}");
    }
    let checked = GpuOptions { checks: true, cap: Some(Cap::BROWSER), ..GpuOptions::default() };
    assert!(deviation(HEAP, &[], checked, 4) < 1e-5);
}

/// All grains into a quarter of the space, up in the air.
fn crush(sim: &mut World) {
    for row in &mut sim.state_mut().rows {
        row[..3].iter_mut().for_each(|x| *x *= 0.25);
        row[1] += 0.1;
    }
}

#[test]
fn s10_e33_overflowing_lists_lose_no_step() {
    if !ready() {
        return;
    }
    // Overlapping grains: a hundred neighbors each, with capacity for a dozen.
    let loose = "
        solver = { dt = 0.002, iterations = 3 }
        [[grains]]
        fill = { min = [0, 0, 0], max = [0.4, 0.4, 0.4] }
        radius = 0.02
        [[collider]]
        plane = {}
    ";
    let scene = scene(loose, &[]);
    let (mut cpu, mut gpu) = pair(&scene, GpuOptions::default());
    crush(&mut cpu);
    crush(&mut gpu);
    let neighbors = gpu.particles() * 12;
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(1).unwrap();
        sim.sync().unwrap();
    }
    let pairs = cpu.contact_pairs().len();
    assert!(2 * pairs > 3 * neighbors, "{pairs} pairs have room: this proves nothing");
    assert_eq!(gpu.contact_pairs().len(), pairs);
    let first = apart(&cpu, &gpu) / bounds(&cpu).0;
    assert!(first < 1e-5, "off by {first} after one step");
    // Many steps in one submission, the first of which exceeds the capacity: all are executed, and the time is correct.
    let mut again = on_gpu(&scene, GpuOptions::default()).unwrap();
    crush(&mut again);
    again.advance(20).unwrap();
    gpu.advance(19).unwrap();
    assert_eq!(again.time(), gpu.time());
    assert_eq!(again.hash(), gpu.hash());
    assert_eq!(again.state().substeps, 20);
}

#[test]
fn s10_s17_forces_of_a_pile_come_back_from_the_gpu() {
    if !ready() {
        return;
    }
    let text = HEAP.replace("[[body]]", "[[collider]]\nsphere = { center = [5, 0, 0], radius = 0.1 }\n[[body]]");
    let (mut cpu, mut gpu) = pair(&scene(&text, &[]), GpuOptions::default());
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(2).unwrap();
    }
    let (ours, theirs) = (gpu.collider_forces(), cpu.collider_forces());
    println!("{ours:?} N on the GPU, {theirs:?} N on the CPU");
    assert!(theirs[1].y < -1.0 && theirs[0] == Vec3::ZERO, "{theirs:?}");
    assert!((ours[1] - theirs[1]).length() < 1e-3 * theirs[1].length(), "{ours:?}");
    let sum = |sim: &World| sim.contact_pairs().iter().map(|t| f64::from(t.force)).sum::<f64>();
    let (ours, theirs) = (sum(&gpu), sum(&cpu));
    assert!((ours / theirs - 1.0).abs() < 1e-3, "{ours} N, {theirs} N");
}

#[test]
fn r03_grains_and_bodies_are_repeatable_on_the_gpu() {
    if !ready() {
        return;
    }
    let scene = scene(HEAP, &[]);
    let hash = || {
        let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
        sim.advance(25).unwrap();
        sim.hash()
    };
    let first = hash();
    (1..10).for_each(|run| assert_eq!(hash(), first, "run {run}"));
}
