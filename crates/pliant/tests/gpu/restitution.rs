//! Restitution, rolling resistance and cohesion on the GPU: WGSL kernels, whole simulations against the CPU,
//! and physical laws.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, on_gpu, pair, ready, scene};
use crate::support::{COUNT, Program, gpu};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::contact::cohesion::{self, tensile_limit};
use pliant::contact::collider_contact::{Friction, Push};
use pliant::contact::gpu::shaders::{COHESION, PARTICLE_CONTACT, RESTITUTION};
use pliant::contact::particle_contact::{ContactParams, Field, Side};
use pliant::contact::restitution::{RestitutionLaw, velocity_change};
use pliant::runtime::gpu::{Cap, GpuOptions};

const G: f64 = 9.81;

fn vector(rng: &mut Rng, half: f64) -> Vec3 {
    rng.cube(half).as_vec3()
}

#[test]
fn s14_s18_cohesive_contacts_are_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let a = Side(f3(0u), f3(3u), f(6u), f(7u), 3u, vec4<f32>(0.0));
        let b = Side(f3(8u), f3(11u), f(14u), f(15u), 5u, vec4<f32>(0.0));
        let pull = tensile_limit(f(23u), a.radius, b.radius);
        let met = cohesive_project(a, b, f(16u), f(17u), f(18u), pull, f4(19u));
        output[o] = met.impulse.x; output[o + 1u] = met.impulse.y; output[o + 2u] = met.impulse.z;
        output[o + 3u] = met.push.x; output[o + 4u] = met.push.y; output[o + 5u] = met.push.z;
        output[o + 6u] = met.push.w; output[o + 7u] = pull;";
    let mut rng = Rng(181);
    let (mut input, mut expected, mut pulling) = (Vec::new(), Vec::new(), 0);
    for k in 0..COUNT {
        let size = 10_f64.powf(rng.range(-3.0, 1.0));
        let at = vector(&mut rng, 10.0 * size);
        let mut one = |number: u32| Side {
            x: at + vector(&mut rng, size),
            start: at + vector(&mut rng, size),
            radius: if rng.range(0.0, 20.0) < 1.0 { 0.0 } else { rng.range(0.0, 2.0 * size) as f32 },
            inv_mass: if rng.range(0.0, 8.0) < 1.0 { 0.0 } else { rng.range(0.1, 9.0) as f32 },
            number,
            field: Field::default(),
        };
        let (a, mut b) = (one(3), one(5));
        if k % 97 == 0 {
            b.x = a.x;
        }
        let friction =
            Friction { static_friction: rng.range(0.0, 1.0) as f32, kinetic_friction: rng.range(0.0, 1.0) as f32 };
        let (omega, strength) = (rng.range(0.5, 1.9) as f32, rng.range(0.0, 0.6) as f32);
        let limit = tensile_limit(strength, a.radius, b.radius);
        let push = match k % 3 {
            0 => Push::default(),
            _ => Push { normal: rng.range(-f64::from(limit), size) as f32, tangent: vector(&mut rng, 0.3 * size) },
        };
        for side in [&a, &b] {
            input.extend(side.x.to_array().into_iter().chain(side.start.to_array()));
            input.extend([side.radius, side.inv_mass]);
        }
        input.extend([friction.static_friction, friction.kinetic_friction, omega]);
        input.extend(push.tangent.to_array());
        input.extend([push.normal, strength]);
        let (impulse, done) =
            cohesion::project(&a, &b, ContactParams { friction, omega, parts: false, recovery: 1.0 }, limit, push);
        pulling += usize::from(done.normal < 0.0);
        let natural =
            10.0 * size as f32 * omega / (a.inv_mass + b.inv_mass).max(0.1) + push.normal.abs() + push.tangent.length();
        expected.push((impulse, done, limit, natural + limit));
    }
    assert!(pulling > COUNT / 10, "only {pulling} contacts are in tension");
    let parts = &[PARTICLE_CONTACT, COHESION];
    let output = gpu.run(&Program { parts, takes: 24, gives: 8, body }, &input);
    let mut worst = 0.0_f32;
    for (found, (impulse, push, limit, natural)) in output.chunks(8).zip(&expected) {
        let cpu = [impulse.to_array(), push.tangent.to_array(), [push.normal, *limit, 0.0]];
        for (a, b) in found.iter().zip(cpu.into_iter().flatten()) {
            let off = (a - b).abs() / natural;
            worst = if off <= worst { worst } else { off };
        }
    }
    println!("cohesive contacts are off by {worst:.1e} of their terms");
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn s14_s18_restitution_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let v = restitution_change(RestitutionLaw(f(0u), f(1u), f(2u), f(13u)), f3(3u), f3(6u), f3(9u), f(12u), f3(14u));
        output[o] = v.x; output[o + 1u] = v.y; output[o + 2u] = v.z;";
    let mut rng = Rng(182);
    let (mut input, mut asked) = (Vec::new(), Vec::new());
    for k in 0..COUNT {
        let speed = 10_f64.powf(rng.range(-3.0, 2.0));
        let law = RestitutionLaw {
            restitution: if k % 5 == 0 { 0.0 } else { rng.range(0.0, 1.0) as f32 },
            rest_speed: if k % 7 == 0 { 0.0 } else { rng.range(0.0, speed) as f32 },
            rolling_damping: if k % 3 == 0 { 0.0 } else { rng.range(0.0, 1.0) as f32 },
            h: 0.01,
        };
        let normal = if k % 97 == 0 { Vec3::ZERO } else { vector(&mut rng, 1.0).normalize_or(Vec3::Y) };
        let (before, now) = (vector(&mut rng, speed), vector(&mut rng, speed));
        input.extend([law.restitution, law.rest_speed, law.rolling_damping]);
        input.extend([normal, before, now].iter().flat_map(|v| v.to_array()));
        // As far and as strong as changes the speed by about its own size.
        let (gap, gravity) = (rng.range(0.0, 0.01 * speed) as f32, vector(&mut rng, 30.0 * speed));
        input.extend([gap, law.h]);
        input.extend(gravity.to_array());
        asked.push((law, normal, before, now, (gap, gravity), speed as f32));
    }
    let output = gpu.run(&Program { parts: &[RESTITUTION], takes: 17, gives: 3, body }, &input);
    let mut bounced = 0;
    for (found, &(law, normal, before, now, fall, speed)) in output.chunks(3).zip(&asked) {
        let cpu = velocity_change(&law, normal, before, now, fall);
        bounced += usize::from(normal.dot(cpu) > 0.1 * speed);
        // Contacts at exactly the rest speed may bounce or not.
        let same = [1.0, 1.0 - 1e-6, 1.0 + 1e-6].iter().any(|s| {
            let almost = RestitutionLaw { rest_speed: law.rest_speed * s, ..law };
            (Vec3::from_slice(found) - velocity_change(&almost, normal, before, now, fall)).length() <= 1e-5 * speed
        });
        assert!(same, "{law:?}: {found:?} and not {cpu}");
    }
    assert!(bounced > COUNT / 10, "only {bounced} bounce");
}

/// Grains, a box and a cloth that fall on each other and on the floor.
const HEAP: &str = "
    solver = { dt = 0.005, iterations = 6 }
    contact = { friction = { static = 0.6, kinetic = 0.5 } }
    [[grains]]
    fill = { min = [-0.12, 0, -0.12], max = [0.12, 0.3, 0.12] }
    radius = 0.02
    velocity = [0.2, -1.5, 0]
    [[body]]
    box = [0.12, 0.1, 0.14]
    grid = 5
    transform = { translate = [0, 0.4, 0] }
    velocity = [0, -2, 0]
    [[cloth]]
    grid = { cells = [12, 12], size = [0.36, 0.36] }
    radius = 0.014
    transform = { translate = [-0.18, 0.52, -0.18], rotate = { axis = [1, 0, 0], degrees = 90 } }
    velocity = [0, -2, 0]
    [[collider]]
    plane = {}
";

/// A cloth without contacts of its own that falls on a turning ball and the floor.
const SHEET: &str = "
    solver = { dt = 0.005, iterations = 4, patch_particles = 80 }
    contact = { between = false }
    [[cloth]]
    grid = { cells = [20, 20], size = [1, 1], plane = \"xz\" }
    transform = { translate = [-0.5, 0.23, -0.5] }
    velocity = [0.3, -3, 0]
    [[rope]]
    path = [[1, 0.02, 0], [2, 0.05, 0]]
    segments = 8
    velocity = [0, -1, 0.3]
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.2 }
    restitution = 0.5
    motion = { spin = { axis = [0, 1, 0], rate = 90 } }
    [[collider]]
    plane = {}
    rolling = 3
    restitution = 0.3
";

/// Distance of a CPU and a GPU after so many steps, in parts of the scene's extent, and of their velocities [m/s].
fn deviations(text: &str, set: &[&str], options: GpuOptions, steps: u32) -> (f64, f64) {
    let (mut cpu, mut gpu) = pair(&scene(text, set), options);
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(steps).unwrap();
        sim.sync().unwrap();
    }
    let far = apart(&cpu, &gpu) / bounds(&cpu).0;
    let speed = |i: usize| f64::from((cpu.velocity(i) - gpu.velocity(i)).length());
    let fast = (0..cpu.particles()).map(speed).fold(0.0, f64::max);
    println!("{set:?}: off by {far:.1e}, velocities by {fast:.1e} m/s after {steps} steps");
    assert!(cpu.probe().contacts > 0, "{set:?}: no contacts");
    (far, fast)
}

#[test]
fn s14_s18_restitution_rolling_and_cohesion_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let bouncy: &[&str] = &["contact.restitution=0.6", "contact.rolling=4", "collider.0.restitution=0.5"];
    let cases: [&[&str]; 6] = [
        bouncy,
        &["contact.cohesion=4"],
        &["contact.cohesion=2", "contact.restitution=0.4", "contact.rolling=2", "collider.0.rolling=5"],
        &["contact.cohesion=3", "solver.integrator=bdf2", "contact.restitution=0.5"],
        &["contact.rolling=8", "solver.partition=color", "solver.substeps=2"],
        &["collider.0.restitution=1", "solver.stabilization=0"],
    ];
    for set in cases {
        let (far, fast) = deviations(HEAP, set, GpuOptions::default(), 1);
        // A place off by 1e-6 of 0.6 m is a velocity off by 1e-4 m/s in a step of 5 ms.
        assert!(far < 1e-5 && fast < 1e-3, "{set:?}: {far}, {fast} m/s");
        assert!(deviations(HEAP, set, GpuOptions::default(), 12).0 < 1e-3, "{set:?}");
    }
    let seams: [&[&str]; 5] = [
        &[],
        &["solver.partition=color"],
        &["solver.integrator=bdf2"],
        &["solver.patch_particles=4000"],
        &["solver.partition=jacobi"],
    ];
    for set in seams {
        let (far, fast) = deviations(SHEET, set, GpuOptions::default(), 6);
        assert!(far < 1e-5 && fast < 1e-2, "{set:?}: {far}, {fast} m/s");
    }
    let coresident = GpuOptions { coresident: Some(true), ..GpuOptions::default() };
    // Pieces only: where they run concurrently, one pass is a whole substep.
    let pieces = format!(
        "{}[[collider]]{}",
        SHEET.split("[[rope]]").next().unwrap(),
        SHEET.split_once("[[collider]]").unwrap().1
    );
    assert!(deviations(&pieces, &["solver.partition=shared-patch"], coresident, 6).0 < 1e-5);
    let checked = GpuOptions { checks: true, cap: Some(Cap::BROWSER), ..GpuOptions::default() };
    assert!(deviations(HEAP, bouncy, checked, 4).0 < 1e-5);
}

#[test]
fn s18_a_ball_rebounds_to_e_squared_of_its_height_on_the_gpu() {
    if !ready() {
        return;
    }
    for e in [0.3, 0.6, 1.0] {
        // As on the CPU: steps of 1 ms cost 0.2 % of a fall from 1 m, and 1/e times as much of the rise.
        let text = format!(
            "solver = {{ dt = 0.004, substeps = 4, iterations = 2 }}\ncontact = {{ between = false }}\n[[grains]]\n\
             fill = {{ min = [-0.1, 1, -0.1], max = [0.101, 1.201, 0.101] }}\nradius = 0.1\njitter = 0\n\
             [[collider]]\nplane = {{}}\nrestitution = {e}\n"
        );
        let mut sim = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
        let (mut fell, mut rebound) = (false, 0.0_f64);
        // Heights are looked at every 12 ms: the top is missed by 0.2 mm at most.
        for _ in 0..((1.0 + e) * (2.0 / G).sqrt() / 0.012 * 1.1) as u32 {
            sim.advance(3).unwrap();
            fell |= sim.velocity(0).y > 0.0;
            if fell {
                rebound = rebound.max(f64::from(sim.position(0).y) - 0.1);
            }
        }
        println!("e = {e}: {rebound:.4} m of {:.4} m", e * e);
        assert!((rebound / (e * e) - 1.0).abs() < 0.02, "e = {e}: {rebound} m");
    }
}

#[test]
fn s18_rolling_resistance_slows_tangential_motion_on_the_gpu() {
    if !ready() {
        return;
    }
    let text = "solver = { dt = 0.005, iterations = 2 }\n[[rope]]\npath = [[-1, 0.1, 0], [-1, 0.1, 100]]\nsegments = 1\n\
        particle_mass = 1\nstretch = { compliance = 1e12 }\nradius = 0.1\nvelocity = [1, 0, 0]\n\
        [[collider]]\nplane = {}\nfriction = { static = 0, kinetic = 0 }\nrolling = 2\n";
    let mut sim = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
    sim.advance(200).unwrap();
    let (v, want) = (f64::from(sim.velocity(0).x), (-2.0_f64).exp());
    assert!((v / want - 1.0).abs() < 2e-3, "{v} m/s and not {want} m/s");
}

#[test]
fn s18_cohesion_holds_a_grain_up_to_two_pi_w_r_on_the_gpu() {
    if !ready() {
        return;
    }
    // As on the CPU: 2600 kg/m³ times 4/3·π·(2 cm)³ weigh 0.8546 N; two equal spheres have R = 1 cm.
    let weight = 2600.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.02_f64.powi(3) * G;
    let limit = weight / (std::f64::consts::TAU * 0.01);
    let hanging = |cohesion: f64| {
        let text = format!(
            "solver = {{ dt = 0.005, iterations = 8 }}\ncontact = {{ cohesion = {cohesion} }}\n[[rope]]\n\
             path = [[0.02, 1.06, 0.02], [9, 1.06, 0.02]]\nsegments = 1\nradius = 0.02\npin = [{{ at = \"all\" }}]\n\
             [[grains]]\nfill = {{ min = [0, 1, 0], max = [0.04, 1.04, 0.04] }}\njitter = 0\n"
        );
        let mut sim = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
        sim.advance(200).unwrap();
        let pulled = sim.contact_pairs().iter().map(|t| f64::from(t.force)).sum::<f64>();
        (f64::from(sim.position(2).y), pulled)
    };
    let ((held, force), (fallen, _)) = (hanging(limit * 1.05), hanging(limit * 0.95));
    println!("{limit:.2} J/m²: held at {held:.4} m by {force:.4} N, fallen to {fallen:.4} m");
    assert!((held - 1.02).abs() < 4e-4, "hangs at {held} m");
    assert!((force / -weight - 1.0).abs() < 0.01, "{force} N for a weight of {weight} N");
    assert!(fallen < 0.9, "did not fall: {fallen} m");
}

#[test]
fn s18_rebounds_cohesion_and_rolling_keep_momentum_on_the_gpu() {
    if !ready() {
        return;
    }
    let momentum = |sim: &World| {
        let one = |i: usize| sim.velocity(i).as_dvec3() / f64::from(sim.state().rows[i][3]);
        (0..sim.particles()).map(one).fold((DVec3::ZERO, 0.0), |(sum, size), p| (sum + p, size + p.length()))
    };
    for more in ["restitution = 0.8", "rolling = 20", "cohesion = 5", "restitution = 0.5, rolling = 5, cohesion = 2"] {
        let mut text = format!(
            "solver = {{ dt = 0.005, iterations = 6 }}\nworld = {{ gravity = [0, 0, 0] }}\ncontact = {{ {more} }}\n"
        );
        for (side, up) in [(-1.0, 0.2), (1.0, -0.1)] {
            text += &format!(
                "[[grains]]\nfill = {{ min = [-0.1, -0.1, -0.1], max = [0.1, 0.1, 0.1] }}\nradius = 0.02\ndensity = {}\n\
                 transform = {{ translate = [{}, {}, 0] }}\nvelocity = [{}, {up}, 0.15]\n",
                2000.0 + 800.0 * side,
                side * 0.25,
                side * 0.02,
                side * -2.0,
            );
        }
        let mut sim = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
        let (before, size) = momentum(&sim);
        let mut met = 0;
        for _ in 0..6 {
            sim.advance(10).unwrap();
            met = met.max(sim.contact_pairs().len());
        }
        assert!(met > 20, "{more}: only {met} contacts");
        let off = (momentum(&sim).0 - before).length() / size;
        println!("{more}: momentum off by {off:.1e}");
        assert!(off < 1e-5, "{more}: momentum is off by {off}");
    }
}

#[test]
fn r03_restitution_and_cohesion_are_repeatable_on_the_gpu() {
    if !ready() {
        return;
    }
    let set = ["contact.cohesion=2", "contact.restitution=0.4", "contact.rolling=2", "collider.0.restitution=0.5"];
    let scene = scene(HEAP, &set);
    let hash = |pieces: u32| {
        let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
        (0..pieces).for_each(|_| sim.advance(24 / pieces).unwrap());
        sim.hash()
    };
    let first = hash(1);
    [1, 24, 4, 1, 3].into_iter().for_each(|pieces| assert_eq!(hash(pieces), first, "{pieces} pieces"));
}
