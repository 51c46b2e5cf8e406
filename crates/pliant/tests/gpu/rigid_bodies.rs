//! Rigid bodies with exact shapes in worlds on a GPU: the host moves them, and particles on the device push them as on the CPU.

use crate::shared_device::device;
use crate::simulations::{on_cpu, on_gpu, pair, ready, scene};
use glam::{DVec3, Vec3};
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::Body;
use pliant::{Batch, BatchOptions, Options, SnapshotRing, World};

/// Bodies alone: a stack, a ball that rolls, a hinge with a motor.
const ALONE: &str = r#"
    [[collider]]
    plane = {}
    [[collider]]
    box = { center = [1, 0.1, 0], size = [0.4, 0.2, 0.4] }
    [[body]]
    name = "crate"
    box = [0.3, 0.2, 0.3]
    transform = { translate = [0, 0.1, 0] }
    array = { count = [1, 3, 1], spacing = [0, 0.2, 0] }
    [[body]]
    name = "ball"
    ball = 0.1
    velocity = [1, 0, 0]
    transform = { translate = [-1, 0.1, 0.01] }
    [[body]]
    name = "arm"
    box = [0.4, 0.05, 0.05]
    transform = { translate = [2, 1, 0] }
    [[joint]]
    kind = "hinge"
    body = "arm"
    anchor = [1.8, 1, 0]
    axis = [0, 0, 1]
    motor = { speed = 2.0, most = 5.0 }
"#;

/// A crate that falls on a cloth beside a ball, and grains on a plate with a hull on it.
const MIXED: &str = r#"
    solver = { iterations = 6, substeps = 3 }
    contact = { between = true }
    [[cloth]]
    grid = { cells = [10, 10], size = [1, 1], plane = "xz" }
    stretch = { modulus = 20000 }
    transform = { translate = [-0.5, 1, -0.5] }
    pin = [{ at = "corners" }]
    [[body]]
    name = "crate"
    box = [0.25, 0.2, 0.25]
    density = 300
    transform = { translate = [0.02, 1.15, 0.01], rotate = { axis = [0, 1, 0], degrees = 20 } }
    [[body]]
    name = "wedge"
    convex = [[-0.1, 0, -0.1], [0.1, 0, -0.1], [0, 0, 0.12], [0, 0.15, 0]]
    density = 500
    velocity = [0.3, 0, 0]
    transform = { translate = [2, 0.12, 0] }
    [[grains]]
    radius = 0.03
    fill = { min = [1.85, 0.3, -0.12], max = [2.15, 0.45, 0.12] }
    [[collider]]
    plane = {}
"#;

fn worst(a: &World, b: &World) -> f64 {
    let bodies = a.state().rigid_bodies.bodies.iter().zip(&b.state().rigid_bodies.bodies);
    bodies.map(|(a, b)| a.position.distance(b.position) + a.rotation.angle_between(b.rotation)).fold(0.0, f64::max)
}

#[test]
fn bodies_alone_have_the_bits_of_the_cpu_and_never_touch_the_device() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(ALONE, &[]), GpuOptions::default());
    let sent = gpu.gpu().unwrap().uploaded();
    cpu.advance(60).unwrap();
    gpu.advance(60).unwrap();
    assert_eq!(gpu.gpu().unwrap().uploaded(), sent);
    assert_eq!(cpu.state().rigid_bodies, gpu.state().rigid_bodies);
    assert!((cpu.time() - gpu.time()).abs() < 1e-12);
    // Handles work as on the CPU, before and after somebody has looked at the state.
    for world in [&mut cpu, &mut gpu] {
        let ball = world.find("ball").unwrap();
        world.apply_impulse(ball, Vec3::new(0.0, 0.5, 0.2), None).unwrap();
        world.advance(10).unwrap();
        world.set_velocity(ball, Vec3::X, Vec3::ZERO).unwrap();
        world.advance(10).unwrap();
    }
    assert_eq!(cpu.state().rigid_bodies, gpu.state().rigid_bodies);
}

#[test]
fn bodies_come_and_go_in_a_world_on_a_gpu_as_on_the_cpu_and_it_is_sent_nothing() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(ALONE, &[]), GpuOptions::default());
    let sent = gpu.gpu().unwrap().uploaded();
    for world in [&mut cpu, &mut gpu] {
        for k in 0..6 {
            let at = [-3.0 - 0.5 * k as f32, 0.3, 0.1];
            let crate_ = world.add(Body::cuboid([0.3; 3]).at(at)).unwrap();
            world.advance(5).unwrap();
            if k % 2 == 0 {
                world.remove(crate_).unwrap();
            }
            if k == 3 {
                // Also while the host has a copy of the state.
                assert_eq!(world.state().rigid_bodies.bodies.len(), world.topology().body_objects.len());
                world.remove(world.find("ball").unwrap()).unwrap();
            }
            world.advance(5).unwrap();
        }
    }
    assert_eq!(gpu.gpu().unwrap().uploaded(), sent);
    assert_eq!(cpu.state().rigid_bodies, gpu.state().rigid_bodies);
}

#[test]
fn s21_bodies_and_particles_push_each_other_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(MIXED, &[]), GpuOptions::default());
    cpu.advance(25).unwrap();
    gpu.advance(25).unwrap();
    assert!(worst(&cpu, &gpu) < 2e-3, "bodies differ by {}", worst(&cpu, &gpu));
    let slowed = gpu.state().rigid_bodies.bodies[0].velocity.y;
    // In free fall it would have 2.45 m/s.
    assert!(slowed > -2.2, "the cloth does not slow the crate: {slowed} m/s after 0.25 s");
    // It repeats itself, from the start, from a snapshot and from a ring.
    let end = gpu.hash();
    let mut again = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    let mut ring = SnapshotRing::new(2);
    again.advance(10).unwrap();
    ring.push(&mut again).unwrap();
    let moment = again.snapshot().unwrap();
    again.advance(15).unwrap();
    assert_eq!(again.hash(), end, "another run");
    ring.restore(&mut again, 0).unwrap();
    again.advance(15).unwrap();
    assert_eq!(again.hash(), end, "from the ring");
    again.restore(&moment).unwrap();
    again.advance(15).unwrap();
    assert_eq!(again.hash(), end, "from a snapshot");
}

#[test]
fn momentum_goes_from_grains_to_a_body_and_is_kept_on_the_gpu() {
    if !ready() {
        return;
    }
    let text = "[world]\ngravity = [0, 0, 0]\nair_density = 0\n\
        [[body]]\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [0.3, 0, 0] }\n\
        [[grains]]\nradius = 0.02\nfill = { min = [-0.04, -0.04, -0.04], max = [0.04, 0.04, 0.04] }\nvelocity = [4, 0, 0]\n";
    let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
    let before = DVec3::from_array(world.probe().linear);
    world.advance(30).unwrap();
    let after = DVec3::from_array(world.probe().linear);
    assert!((after - before).length() < 1e-3 * before.length(), "{after} instead of {before}");
    assert!(world.state().rigid_bodies.bodies[0].velocity.x > 0.05);
}

#[test]
fn liquids_press_on_bodies_on_the_gpu_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let text = "solver = { substeps = 2, iterations = 4 }\nfluid = { radius = 0.02 }\n\
        [[liquid]]\nfill = { min = [-0.2, 0, -0.2], max = [0.2, 0.2, 0.2] }\n\
        [[body]]\nball = 0.07\ndensity = 400\ntransform = { translate = [0, 0.28, 0] }\nvelocity = [0, -1, 0]\n\
        [[collider]]\nplane = {}\n";
    let text = &format!(
        "{text}{}",
        [[-0.3, 0.0], [0.3, 0.0], [0.0, -0.3], [0.0, 0.3]]
            .map(|[x, z]: [f64; 2]| {
                let size = if x == 0.0 { [1.0, 1.0, 0.2] } else { [0.2, 1.0, 1.0] };
                format!("[[collider]]\nbox = {{ center = [{x}, 0.4, {z}], size = {size:?} }}\n")
            })
            .concat()
    );
    let gpu = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
    let mut worlds = [on_cpu(&scene(text, &[]), gpu.gpu().unwrap().target()), gpu];
    let speeds = worlds.each_mut().map(|world| {
        world.advance(15).unwrap();
        world.state().rigid_bodies.bodies[0].velocity.y
    });
    // In free fall it would have 2.5 m/s.
    assert!(speeds[1] > -1.5, "the liquid does not slow the ball: {} m/s", speeds[1]);
    assert!((speeds[0] - speeds[1]).abs() < 0.05, "{} and {} m/s", speeds[0], speeds[1]);
}

#[test]
fn bodies_of_copies_in_a_batch_move_by_themselves() {
    if !ready() {
        return;
    }
    let text = r#"
        solver = { iterations = 4, substeps = 2 }
        [[rope]]
        name = "rope"
        path = [[-0.3, 0.3, 0], [0.3, 0.3, 0]]
        segments = 10
        pin = [{ at = "start" }, { at = "end" }]
        [[body]]
        name = "bar"
        parts = [{ box = [0.1, 0.1, 0.3] }, { ball = 0.06, translate = [0, 0, 0.2] }]
        transform = { translate = [0, 0.45, 0] }
        [[body]]
        name = "ball"
        ball = 0.1
        transform = { translate = [1, 0.1, 0] }
        [[collider]]
        plane = {}
    "#;
    let scene = scene(text, &[]);
    let options = BatchOptions { world: Options { threads: 1, ..Options::default() }, ..BatchOptions::default() };
    let device = device(GpuOptions::default()).unwrap();
    let gpu = Batch::on_device(&scene, 3, &options, &device).unwrap();
    let target = Some(gpu.world().gpu().unwrap().target());
    let cpu = BatchOptions { world: Options { target, ..options.world }, ..options };
    let mut both = [Batch::new(&scene, 3, &cpu).unwrap(), gpu];
    for batch in &mut both {
        let (ball, bar) = (batch.object("ball").unwrap(), batch.object("bar").unwrap());
        batch.set_velocities(ball, &[Vec3::ZERO, Vec3::X, Vec3::ZERO]).unwrap();
        batch.step_many(20).unwrap();
        let poses = batch.poses(ball).unwrap();
        assert_eq!(poses[0], poses[2]);
        assert!(poses[1].position.x > poses[0].position.x + 0.1);
        // The rope has begun to slow the bar of every copy, which would have 1.962 m/s in free fall.
        let bars = batch.body_velocities(bar).unwrap();
        assert!(bars.iter().all(|(v, _)| v.y > -1.95), "{bars:?}");
        assert_eq!(batch.poses(bar).unwrap()[0], batch.poses(bar).unwrap()[2]);
        batch.reset(1).unwrap();
        assert_eq!(batch.poses(ball).unwrap()[1].position.x, 1.0);
        batch.step_many(5).unwrap();
        assert_eq!(batch.momenta(ball).unwrap().len(), 3);
    }
    let [cpu, gpu] = &both;
    assert!(worst(cpu.world(), gpu.world()) < 2e-3, "{}", worst(cpu.world(), gpu.world()));
}
