//! Rigid bodies in liquids whose velocities are projected, on the GPU: pressure on them and their motion by it, as on the CPU.

use crate::simulations::{apart, on_cpu, on_gpu, pair, ready, scene};
use glam::DVec3;
use pliant::World;
use pliant::runtime::gpu::GpuOptions;

/// A cube under water in a small tank, and more text.
fn cube(density: f64, more: &str) -> String {
    format!(
        "fluid = {{ radius = 0.02, method = \"projection\" }}
        [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.4, 0.4, 0.4] }}
        [[body]]\nbox = [0.12, 0.1, 0.12]\ndensity = {density}
        transform = {{ translate = [0.2, 0.2, 0.21], rotate = {{ axis = [0.3, 1, 0.2], degrees = 20 }} }}
        [[collider]]\nplane = {{}}
        [[collider]]\nplane = {{ normal = [1, 0, 0] }}
        [[collider]]\nplane = {{ normal = [-1, 0, 0], offset = -0.4 }}
        [[collider]]\nplane = {{ normal = [0, 0, 1] }}
        [[collider]]\nplane = {{ normal = [0, 0, -1], offset = -0.4 }}\n{more}"
    )
}

/// Greatest distance of bodies [m], and of the impulses of pressure on them, over that of the weight of the displaced water.
fn bodies_apart(a: &World, b: &World) -> (f64, f64) {
    let h = f64::from(a.model().settings.substep());
    let pairs = a.state().rigid_bodies.bodies.iter().zip(&b.state().rigid_bodies.bodies);
    let shapes = a.model().rigid_bodies.bodies.iter().map(|body| 9810.0 * body.shape.volume);
    pairs.zip(shapes).fold((0.0, 0.0), |(far, off): (f64, f64), ((a, b), weight)| {
        let push = (a.push[0] - b.push[0]).length() / (weight * h);
        (far.max((a.position - b.position).length()), off.max(push))
    })
}

#[test]
fn r03_r05_a_liquid_with_a_rigid_body_on_the_gpu_goes_on_with_its_bits_after_a_restore() {
    if !ready() {
        return;
    }
    let text = scene(&cube(800.0, ""), &[]);
    let mut world = on_gpu(&text, GpuOptions::default()).unwrap();
    let start = world.snapshot().unwrap();
    world.advance(4).unwrap();
    let saved = world.snapshot().unwrap();
    assert!(saved_push(&world).length() > 0.0, "pressure has given the body no impulse");
    world.advance(4).unwrap();
    let end = world.hash();
    let back = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    world.restore(&back).unwrap();
    (0..4).for_each(|_| world.step().unwrap());
    assert_eq!(world.hash(), end, "through bytes, step by step");
    // Also the first substep, in which pressures are found twice.
    world.restore(&start).unwrap();
    world.advance(8).unwrap();
    assert_eq!(world.hash(), end, "from the start");
    let mut cpu = on_cpu(&text, world.gpu().unwrap().target());
    let back = cpu.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    cpu.restore(&back).unwrap();
    world.restore(&saved).unwrap();
    for sim in [&mut cpu, &mut world] {
        sim.advance(2).unwrap();
        sim.sync().unwrap();
    }
    let (far, off) = bodies_apart(&cpu, &world);
    println!("two steps after a snapshot of the GPU: {far:.1e} m, {off:.1e} of buoyancy");
    assert!(far < 1e-5 && off < 1e-2, "{far} m, {off}");
}

fn saved_push(world: &World) -> DVec3 {
    world.state().rigid_bodies.bodies[0].push[0]
}

#[test]
fn s24_a_rigid_body_out_of_reach_changes_a_liquid_on_the_gpu_by_rounding_only() {
    if !ready() {
        return;
    }
    let liquid = "fluid = { radius = 0.02, method = \"projection\" }\n[[liquid]]\nfill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
        [[collider]]\nplane = {}\n";
    let body = "[[body]]\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [5, 3, 0] }\n";
    let run = |text: &str| {
        let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
        world.advance(5).unwrap();
        world.sync().unwrap();
        world
    };
    let (alone, beside) = (run(liquid), run(&format!("{liquid}{body}")));
    let off = apart(&alone, &beside);
    println!("{off:.1e} m");
    assert!(off < 1e-6, "{off} m");
    assert_eq!(saved_push(&beside), DVec3::ZERO);
}

#[test]
fn s24_r15_bodies_in_a_liquid_with_full_lists_take_its_pressure_once() {
    if !ready() {
        return;
    }
    // Five times the density: lists have no room in the first substep, which is repeated.
    let crush = |sim: &mut World| {
        for row in &mut sim.state_mut().rows {
            row[..3].iter_mut().for_each(|x| *x = 0.58 * (*x - 0.2) + 0.2);
        }
    };
    let text = scene(&cube(1000.0, ""), &["solver.dt=0.001", "fluid.method=projection"]);
    let (mut cpu, mut gpu) = pair(&text, GpuOptions::default());
    let mut again = on_gpu(&text, GpuOptions::default()).unwrap();
    [&mut cpu, &mut gpu, &mut again].into_iter().for_each(crush);
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(1).unwrap();
        sim.sync().unwrap();
    }
    let (far, off) = bodies_apart(&cpu, &gpu);
    println!("crushed: {far:.1e} m, {off:.1e} of buoyancy");
    assert!(far < 1e-5, "{far} m");
    gpu.advance(3).unwrap();
    again.advance(4).unwrap();
    assert_eq!((again.time(), again.hash()), (gpu.time(), gpu.hash()));
}

#[test]
fn s24_several_bodies_in_a_liquid_move_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let more = "[[body]]\nball = 0.047\ndensity = 400\ntransform = { translate = [0.09, 0.083, 0.1] }
        [[body]]\ncapsule = { radius = 0.031, length = 0.09 }\ndensity = 1700\ntransform = { translate = [0.31, 0.297, 0.313] }\n";
    // Default settings.
    let text = scene(&cube(950.0, more).replace(", method = \"projection\"", ""), &[]);
    let (mut cpu, mut gpu) = pair(&text, GpuOptions::default());
    assert!(cpu.model().fluid.as_ref().unwrap().projects && gpu.model().fluid.as_ref().unwrap().projects);
    // At the start particles touch bodies exactly, and a last bit decides which of them push.
    gpu.advance(4).unwrap();
    let saved = cpu.snapshot_from_bytes(&gpu.snapshot().unwrap().to_bytes()).unwrap();
    cpu.restore(&saved).unwrap();
    for sim in [&mut cpu, &mut gpu] {
        sim.advance(2).unwrap();
        sim.sync().unwrap();
    }
    let (far, off) = bodies_apart(&cpu, &gpu);
    println!("three bodies: {far:.1e} m, {off:.1e} of buoyancy");
    assert!(far < 1e-5 && off < 1e-2, "{far} m, {off}");
}
