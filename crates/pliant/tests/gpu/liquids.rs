//! Liquids: WGSL kernels, whole simulations, and neighbor lists that exceed their allocation.

use crate::samples::Rng;
use crate::simulations::{apart, bounds, on_gpu, pair, ready, scene};
use crate::support::{COUNT, Program, gpu};
use pliant::World;
use pliant::fluid::density::{DensityParams, multiplier};
use pliant::fluid::gpu::shaders::FLUID_KERNELS;
use pliant::fluid::sph_kernels::Smoothing;
use pliant::fluid::surface_tension::{SOLID, SurfaceTension, pair_stress};
use pliant::fluid::vorticity::{Confinement, RotationSums};
use pliant::fluid::{boundary, viscosity};
use pliant::math::V3;
use pliant::runtime::gpu::{Cap, GpuOptions};

const BOTH: [Smoothing; 2] = [Smoothing::Cubic, Smoothing::Poly6];

#[test]
fn s14_s23_kernels_boundaries_and_multipliers_are_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let spline = f(0u) < 0.5;
        var kernel = smooth_poly6(f(1u), f(2u));
        if spline { kernel = smooth_cubic(f(1u), f(2u)); }
        output[o] = kernel.x; output[o + 1u] = kernel.y;
        let share = boundary_share(spline, f(1u), f(3u), f(4u));
        output[o + 2u] = share.x; output[o + 3u] = share.y;
        output[o + 4u] = viscosity_boundary(spline, f(1u), f(3u));
        output[o + 5u] = density_multiplier(f(5u), f(6u), f(7u), f(8u), f(9u), f(10u));
        output[o + 6u] = viscosity_pair(f(11u), f(12u));
        let push = viscosity_pair_resistance(kernel, f3(13u), f(2u), f3(16u), 0.01 * f(1u) * f(1u), f(19u), f(20u));
        output[o + 7u] = push.x; output[o + 8u] = push.y; output[o + 9u] = push.z;
        let ball = boundary_large_particle(spline, f(1u), f(21u), f(22u), f(23u));
        output[o + 10u] = ball.x; output[o + 11u] = ball.y;
        output[o + 12u] = viscosity_bound(kernel, f(2u), 0.01 * f(1u) * f(1u), f(19u), f(20u));
        let sweep = viscosity_factors(f(24u), u(25u));
        output[o + 13u] = sweep.x; output[o + 14u] = sweep.y;";
    let mut rng = Rng(31);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    let number = |rng: &mut Rng, low: f64, high: f64| rng.range(low, high) as f32;
    for k in 0..COUNT {
        let smoothing = BOTH[k % 2];
        let reach = 10_f32.powf(number(&mut rng, -2.5, 0.5));
        let apart = rng.cube(0.7 * f64::from(reach)).as_vec3();
        let square = if k % 100 == 0 { 0.0 } else { apart.length_squared() };
        let delta = reach * number(&mut rng, -0.2, 1.1);
        let bend = if k % 3 == 0 { 1.0 / (reach * number(&mut rng, 1.0, 20.0)) } else { 0.0 };
        let rule = DensityParams {
            omega: number(&mut rng, 0.1, 1.0),
            compliance: number(&mut rng, 0.0, 2.0),
            relaxation: 0.0,
        };
        let (lambda, c) = (-number(&mut rng, 0.0, 2.0), number(&mut rng, -1.0, 1.0));
        let (stiffness, epsilon) = (number(&mut rng, 0.0, 3.0), number(&mut rng, 0.0, 0.1));
        let mus = [0, 1].map(|_| if rng.range(0.0, 4.0) < 1.0 { -1.0 } else { number(&mut rng, 0.0, 5.0) });
        let against = rng.cube(2.0).as_vec3();
        let (mu, drag) = (number(&mut rng, 0.0, 1.0), number(&mut rng, 0.0, 1.0));
        input.extend([f32::from(u8::from(smoothing == Smoothing::Poly6)), reach, square, delta, bend]);
        input.extend([rule.omega, rule.compliance, lambda, c, stiffness, epsilon, mus[0], mus[1]]);
        input.extend(apart.to_array());
        input.extend(against.to_array());
        input.extend([mu, drag]);
        // Balls from far smaller than the kernel to larger, with a liquid in them, at them and out of reach.
        let ball =
            boundary::LargeParticle { radius: reach * number(&mut rng, 0.3, 3.0), scale: number(&mut rng, 0.5, 3.0) };
        let away = (ball.radius + reach * number(&mut rng, -0.2, 1.1)).powi(2);
        input.extend([ball.radius, ball.scale, away]);
        let (width, sweep) = (10_f32.powf(number(&mut rng, -3.0, 4.0)), k % 30);
        input.extend([width, f32::from_bits(sweep as u32)]);
        let plan = viscosity::ChebyshevPlan { sweeps: sweep as u32 + 1, width };
        let (keep, take) = plan.factors().last().unwrap();
        let within = ball.at(smoothing, reach, away);
        let kernel = smoothing.at(reach, square);
        let (share, rate) = boundary::solid_share(smoothing, reach, delta, bend);
        let lanes = |v: glam::Vec3| V3::new(v.x, v.y, v.z);
        let small = viscosity::SMALL * reach * reach;
        let force = viscosity::pair_resistance(kernel, lanes(apart), square, lanes(against), small, (mu, drag));
        // Sizes: values at the center, where they are greatest; slopes over distances.
        let volume = reach * reach * reach;
        let slope = 60.0 / (volume * reach * reach.min(square.sqrt().max(1e-6 * reach)));
        let push = (slope * mu + 10.0 / volume * drag) * 4.0;
        expected.push([
            (kernel.0, 10.0 / volume),
            (kernel.1, slope),
            (share, 4.0),
            (rate, 8.0 / reach),
            (viscosity::boundary_resistance(smoothing, reach, delta), 60.0 / (reach * reach)),
            (multiplier(&rule, lambda, c, stiffness, epsilon), 2.0 + 3.0 / (stiffness + rule.compliance + epsilon)),
            (viscosity::pair_viscosity(mus[0], mus[1]), 5.0),
            (force.x, push),
            (force.y, push),
            (force.z, push),
            (within.0, 12.0),
            (within.1, 24.0 / (reach * away.sqrt())),
            (viscosity::resistance_bound(kernel, square, small, (mu, drag)), push),
            // Every sweep adds what its divisions are off by, 2.5 units each on some devices.
            (keep, (sweep as f32 / 10.0).max(1.0)),
            (take, take * (sweep as f32 / 10.0).max(1.0)),
        ]);
    }
    let output = gpu.run(&Program { parts: &FLUID_KERNELS, takes: 26, gives: 15, body }, &input);
    let mut worst = [0.0_f32; 15];
    for (found, wanted) in output.chunks(15).zip(&expected) {
        for (k, (&a, (b, size))) in found.iter().zip(wanted).enumerate() {
            let off = (a - b).abs() / size;
            worst[k] = worst[k].max(if off.is_finite() { off } else { f32::INFINITY });
        }
    }
    println!("off by {worst:?} of their sizes");
    assert!(worst.iter().all(|&w| w < 1e-5), "{worst:?}");
}

#[test]
fn s14_s24_surface_tension_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        let own = tension_stress(f(0u), f(1u), f(2u), f(3u), f3(4u));
        var other = tension_stress(f(0u), f(1u), f(2u), f(7u), f3(8u));
        if f(7u) < 0.0 { other = TENSION_SOLID; }
        output[o] = own.x; output[o + 1u] = own.y; output[o + 2u] = own.z; output[o + 3u] = own.w;
        let force = tension_pair_stress(own, other, f3(11u), 0.3) - tension_pair_stress(other, own, -f3(11u), 0.3);
        output[o + 4u] = force.x; output[o + 5u] = force.y; output[o + 6u] = force.z;";
    let mut rng = Rng(37);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for k in 0..COUNT {
        let reach = 10_f32.powf(rng.range(-2.5, 0.5) as f32);
        let radius = reach / rng.range(3.0, 6.0) as f32;
        let tension = SurfaceTension::new(Smoothing::Cubic, reach, radius, 0.2 * radius);
        let [a, b] = [0, 1].map(|_| rng.cube(f64::from(3.0 / reach)).as_vec3());
        let a = if k % 100 == 0 { glam::Vec3::ZERO } else { a };
        let tensions = [rng.range(0.0, 1.0) as f32, if k % 4 == 0 { -1.0 } else { rng.range(0.0, 1.0) as f32 }];
        let g = rng.cube(1.0).as_vec3();
        input.extend([tension.noise, tension.scale, tension.air, tensions[0], a.x, a.y, a.z]);
        input.extend([tensions[1], b.x, b.y, b.z, g.x, g.y, g.z]);
        let lanes = |v: glam::Vec3| V3::new(v.x, v.y, v.z);
        let own = tension.stress(tensions[0], lanes(a));
        let other = if tensions[1] < 0.0 { SOLID } else { tension.stress(tensions[1], lanes(b)) };
        let part = |p: [f32; 4]| (V3::new(p[0], p[1], p[2]), p[3]);
        let force = pair_stress(part(own), part(other), lanes(g), 0.3);
        // Opposite for the two of a pair.
        let back = pair_stress(part(other), part(own), lanes(-g), 0.3);
        let stress = 4.0 * (tension.air + tension.scale * 6.0 / reach);
        let size = stress.sqrt();
        let pulls = own.map(|x| (x, size)).into_iter().take(3).chain([(own[3], tension.air)]);
        let both = [force.x - back.x, force.y - back.y, force.z - back.z].map(|x| (x, 2.0 * stress));
        for sum in [force.x + back.x, force.y + back.y, force.z + back.z] {
            assert!(sum.abs() < 1e-6 * stress, "{sum} of {stress}");
        }
        expected.push(pulls.chain(both).collect::<Vec<_>>());
    }
    let output = gpu.run(&Program { parts: &FLUID_KERNELS, takes: 14, gives: 7, body }, &input);
    let mut worst = 0.0_f32;
    for (a, (b, size)) in output.iter().zip(expected.iter().flatten()) {
        worst = worst.max(if a.is_finite() { (a - b).abs() / size } else { f32::INFINITY });
    }
    println!("off by {worst:.1e} of their sizes");
    assert!(worst < 1e-5, "{worst}");
}

#[test]
fn s14_s24_vorticity_confinement_is_the_same_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let body = "
        var spin = RotationSums(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0));
        for (var k = 0u; k < 6u; k++) {
            spin = vorticity_with(spin, f3(7u * k), f3(7u * k + 3u), f(7u * k + 6u));
        }
        let curl = vorticity_curl(spin);
        output[o] = curl.x; output[o + 1u] = curl.y; output[o + 2u] = curl.z;
        let push = vorticity_velocity_change(f(42u), f(43u), f3(44u), f3(47u));
        output[o + 3u] = push.x; output[o + 4u] = push.y; output[o + 5u] = push.z;";
    let mut rng = Rng(41);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    let lanes = |v: glam::Vec3| V3::new(v.x, v.y, v.z);
    for k in 0..COUNT {
        let reach = 10_f32.powf(rng.range(-2.5, 0.5) as f32);
        let (mut spin, mut sizes) = (RotationSums::<f32>::zero(), 0.0);
        // From no neighbors to a full neighborhood.
        let near = k % 7;
        for n in 0..6 {
            let (apart, against) = (rng.cube(0.5 * f64::from(reach)).as_vec3(), rng.cube(3.0).as_vec3());
            let weight = if n < near { rng.range(0.0, 8.0) as f32 / (reach * reach) } else { 0.0 };
            input.extend(apart.to_array().into_iter().chain(against.to_array()).chain([weight]));
            spin = spin.with(lanes(apart), lanes(against), weight);
            sizes += weight * apart.length() * against.length();
        }
        let curl = spin.curl();
        // Cofactors are differences of products of J, the determinant one of three of them.
        let trace = spin.diagonal.x + spin.diagonal.y + spin.diagonal.z;
        let [a, b, c] = [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)];
        let inverse = |angular| RotationSums { angular, ..spin }.curl().length();
        let gain = inverse(a) + inverse(b) + inverse(c);
        let size = (gain + trace * trace).max(1e-3) * (1.0 + trace * gain) * sizes.max(1e-6);
        let confinement =
            Confinement::new(rng.range(0.0, 100.0) as f32, rng.range(0.0, 0.02) as f32, reach, 0.25 * reach);
        let own = if k % 100 == 0 { glam::Vec3::ZERO } else { rng.cube(10.0).as_vec3() };
        let rise = if k % 100 == 1 { glam::Vec3::ZERO } else { rng.cube(f64::from(20.0 / reach)).as_vec3() };
        input.extend([confinement.strength, confinement.noise]);
        input.extend(own.to_array().into_iter().chain(rise.to_array()));
        let push = confinement.velocity_change(lanes(own), lanes(rise));
        let most = (confinement.strength * own.length()).max(1e-20);
        let curls = [curl.x, curl.y, curl.z].map(|x| (x, size));
        expected.push(curls.into_iter().chain([push.x, push.y, push.z].map(|x| (x, most))).collect::<Vec<_>>());
    }
    let output = gpu.run(&Program { parts: &FLUID_KERNELS, takes: 50, gives: 6, body }, &input);
    let mut worst = 0.0_f32;
    for (a, (b, size)) in output.iter().zip(expected.iter().flatten()) {
        worst = worst.max(if a.is_finite() { (a - b).abs() / size } else { f32::INFINITY });
    }
    println!("off by {worst:.1e} of their sizes");
    assert!(worst < 1e-5, "{worst}");
}

/// A dam of water and one of syrup, a box that floats and a cloth that gets wet, in a tank with a ball.
const DAM: &str = "
    solver = { dt = 0.005, iterations = 3 }
    fluid = { radius = 0.02, xsph = 0.01 }
    [[liquid]]
    fill = { min = [-0.3, 0, -0.12], max = [-0.1, 0.3, 0.12] }
    [[liquid]]
    fill = { min = [0.1, 0, -0.12], max = [0.3, 0.2, 0.12] }
    density = 1300
    viscosity = 5
    [[body]]
    box = [0.16, 0.12, 0.12]
    grid = 4
    density = 400
    transform = { translate = [-0.2, 0.36, 0] }
    [[cloth]]
    grid = { cells = [8, 8], size = [0.24, 0.24] }
    radius = 0.016
    transform = { translate = [0.08, 0.23, -0.12], rotate = { axis = [1, 0, 0], degrees = 90 } }
    [[collider]]
    plane = {}
    [[collider]]
    plane = { normal = [1, 0, 0], offset = -0.3 }
    [[collider]]
    plane = { normal = [-1, 0, 0], offset = -0.3 }
    [[collider]]
    plane = { normal = [0, 0, 1], offset = -0.12 }
    [[collider]]
    plane = { normal = [0, 0, -1], offset = -0.12 }
    [[collider]]
    sphere = { center = [0, 0, 0], radius = 0.09 }
    motion = { oscillate = { amplitude = [0, 0.02, 0], period = 0.5 } }
";

/// Only water.
fn water() -> String {
    let (head, tail) = DAM.split_once("[[body]]").unwrap();
    let first = head.split("[[liquid]]").take(2).collect::<Vec<_>>().join("[[liquid]]");
    first + "[[collider]]" + tail.split_once("[[collider]]").unwrap().1
}

fn deviation(text: &str, set: &[&str], options: GpuOptions, steps: u32) -> f64 {
    let (mut cpu, mut gpu) = pair(&scene(text, set), options);
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(steps).unwrap();
        sim.sync().unwrap();
    }
    let off = apart(&cpu, &gpu) / bounds(&cpu).0;
    let compressed = |sim: &World| sim.residuals()["density"].mean;
    let (ours, theirs) = (compressed(&gpu), compressed(&cpu));
    println!("{set:?}: off by {off:.1e} after {steps} steps; compressed by {ours:.2e} and {theirs:.2e}");
    assert!((ours - theirs).abs() < 1e-3);
    off
}

#[test]
fn s14_s23_s24_liquids_flow_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let cases: [&[&str]; 7] = [
        &[],
        &["fluid.kernel=poly6", "fluid.carry=0"],
        &["solver.integrator=bdf2"],
        &["fluid.compressibility=1e-6", "solver.substeps=2"],
        &["contact.between=false"],
        &["liquid.0.tension=5", "fluid.adhesion=0.4", "fluid.spread=0.2"],
        &["fluid.vorticity=5"],
    ];
    for (name, text) in [("everything", DAM.to_owned()), ("water", water())] {
        for set in cases {
            println!("{name}");
            let first = deviation(&text, set, GpuOptions::default(), 1);
            assert!(first < 1e-5, "{set:?}: {first}");
            // Collisions amplify differences exponentially.
            let later = deviation(&text, set, GpuOptions::default(), 12);
            assert!(later < 1e-3, "{set:?}: {later}");
        }
    }
    let balls = format!(
        "{DAM}[[grains]]\nfill = {{ min = [-0.05, 0.25, -0.1], max = [0.05, 0.35, 0.1] }}\nradius = 0.05\ndensity = 700\n"
    );
    for set in [cases[0], cases[1], cases[5]] {
        assert!(deviation(&balls, set, GpuOptions::default(), 1) < 1e-5, "{set:?}");
        assert!(deviation(&balls, set, GpuOptions::default(), 12) < 1e-3, "{set:?}");
    }
    // A scene that uses the tree.
    let giant = "solver = { dt = 0.005, iterations = 3 }\nfluid = { radius = 0.02 }
        [[liquid]]\nfill = { min = [-0.24, 0, -0.24], max = [0.24, 0.16, 0.24] }
        [[grains]]\nfill = { min = [-0.2, 0.15, -0.2], max = [0.2, 0.55, 0.2] }\nradius = 0.2\ndensity = 700
        [[collider]]\nplane = {}\n";
    assert!(deviation(giant, &[], GpuOptions::default(), 1) < 1e-5);
    assert!(deviation(giant, &[], GpuOptions::default(), 12) < 1e-3);
    let checked = GpuOptions { checks: true, cap: Some(Cap::BROWSER), ..GpuOptions::default() };
    assert!(deviation(DAM, &[], checked, 1) < 1e-5);
    // Later, limits of the device add nothing to what collisions make of rounding.
    let (free, limited) = (deviation(DAM, &[], GpuOptions::default(), 4), deviation(DAM, &[], checked, 4));
    assert!(limited < 1e-3 && limited < 1e-6 + 3.0 * free, "{limited} with checks, {free} without");
}

#[test]
fn s23_r15_e33_liquids_that_are_crushed_lose_no_neighbor_and_no_step() {
    if !ready() {
        return;
    }
    let text = "solver = { dt = 0.001, iterations = 2 }\nfluid = { radius = 0.02 }
        [[liquid]]\nfill = { min = [0, 0, 0], max = [0.4, 0.4, 0.4] }\n[[collider]]\nplane = {}\n";
    // Eight times the density: 260 neighbors each, with capacity for 40.
    let crush = |sim: &mut World| {
        for row in &mut sim.state_mut().rows {
            row[..3].iter_mut().for_each(|x| *x *= 0.5);
            row[1] += 0.3;
        }
    };
    let crushed = |set: &[&str]| {
        let (mut cpu, mut gpu) = pair(&scene(text, set), GpuOptions::default());
        for sim in [&mut cpu, &mut gpu] {
            crush(sim);
            sim.advance(1).unwrap();
            sim.sync().unwrap();
        }
        let first = apart(&cpu, &gpu) / bounds(&cpu).0;
        assert!(first < 1e-5, "{set:?}: off by {first} after one step");
        let speeds = cpu.state().velocities.iter().zip(&gpu.state().velocities);
        let off = speeds.map(|(a, b)| (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f32::max)).fold(0.0, f32::max);
        let most = cpu.state().velocities.iter().flatten().fold(0.0_f32, |m, v| m.max(v.abs()));
        assert!(off < 1e-4 * most, "{set:?}: velocities off by {off} of {most} m/s");
        gpu
    };
    // Honey so dense is stiffer than its sweeps expect.
    crushed(&["liquid.0.viscosity=100"]);
    let (scene, mut gpu) = (scene(text, &[]), crushed(&[]));
    let mut again = on_gpu(&scene, GpuOptions::default()).unwrap();
    crush(&mut again);
    again.advance(12).unwrap();
    gpu.advance(11).unwrap();
    assert_eq!((again.time(), again.hash()), (gpu.time(), gpu.hash()));
    assert_eq!(again.state().pressures, gpu.state().pressures);
}

#[test]
fn r03_liquids_are_repeatable_on_the_gpu() {
    if !ready() {
        return;
    }
    let scene = scene(DAM, &[]);
    let hash = || {
        let mut sim = on_gpu(&scene, GpuOptions::default()).unwrap();
        sim.advance(15).unwrap();
        sim.hash()
    };
    let first = hash();
    (1..5).for_each(|run| assert_eq!(hash(), first, "run {run}"));
}

/// Front of the water over the width of the column, at times t·√(2g/a): Martin & Moyce 1952, square column, a = 2.25
/// in.
const EXPERIMENT: [(f64, f64); 7] =
    [(0.832, 1.217), (1.219, 1.474), (1.997, 2.292), (2.547, 2.995), (3.345, 4.134), (4.034, 4.944), (5.091, 6.980)];

#[test]
fn v11_s14_the_front_of_a_dam_break_on_the_gpu_is_that_of_the_experiment() {
    if !ready() {
        return;
    }
    // Eight particles across, as on the CPU.
    let (width, size) = (0.05715_f64, 0.05715 / 8.0);
    let wall = |normal: &str, offset: f64| {
        format!(
            "[[collider]]\nplane = {{ normal = {normal}, offset = {offset} }}\nfriction = {{ static = 0, kinetic = 0 }}\n"
        )
    };
    let text = format!(
        "solver = {{ dt = 0.002, substeps = 2, iterations = 2 }}\nfluid = {{ radius = {} }}
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [{width}, {}, {}] }}\n",
        0.5 * size,
        2.0 * width,
        6.0 * size
    ) + &wall("[0, 1, 0]", 0.0)
        + &wall("[1, 0, 0]", 0.0)
        + &wall("[0, 0, 1]", 0.0)
        + &wall("[0, 0, -1]", -6.0 * size);
    let mut sim = on_gpu(&scene(&text, &[]), GpuOptions::default()).unwrap();
    assert_eq!(sim.particles(), 8 * 16 * 6);
    let scale = (2.0 * 9.81 / width).sqrt();
    let (mut before, mut sum) = ((0.0, 1.0), 0.0);
    let mut wanted = EXPERIMENT.iter().peekable();
    while let Some(&&(time, there)) = wanted.peek() {
        sim.advance(1).unwrap();
        let mut x: Vec<f32> = (0..sim.particles()).map(|i| sim.position(i).x).collect();
        x.sort_by(f32::total_cmp);
        let now = (sim.time() * scale, f64::from(x[x.len() - 1 - x.len() / 200]) / width);
        if now.0 >= time {
            let found = before.1 + (time - before.0) / (now.0 - before.0) * (now.1 - before.1);
            println!("t = {time:.3}, front {found:.3}, experiment {there:.3}");
            sum += (found / there - 1.0_f64).powi(2);
            wanted.next();
        }
        before = now;
    }
    let off = (sum / EXPERIMENT.len() as f64).sqrt();
    println!("off by {off:.3}");
    assert!(off < 0.15, "{off}");
}
