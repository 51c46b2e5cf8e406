//! Worlds that change, on the GPU: the same edits, steering, grips and events as on the CPU.

use crate::simulations::{apart, on_gpu, pair, ready, scene};
use glam::{DVec3, Quat, Vec3};
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::{Body, Cloth, Collider, Place, Scene};
use pliant::{Event, GripOptions, Handle, Pose, World};

const MIXED: &str = r#"
    solver = { iterations = 6, substeps = 2 }
    contact = { between = true }
    [[cloth]]
    name = "cloth"
    grid = { cells = [10, 10], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 0.6, -0.5] }
    pin = [{ at = "corners" }]
    [[body]]
    name = "box"
    box = [0.3, 0.2, 0.3]
    grid = 4
    transform = { translate = [2, 0.11, 0] }
    [[collider]]
    name = "floor"
    plane = {}
"#;

/// Edits and steering, the same on every world.
fn play(world: &mut World) -> (Handle, Handle) {
    world.advance(5).unwrap();
    let ball = world.add(Body::ball(0.1).grid(4).at([0.0, 1.0, 0.0]).velocity([0.2, -1.0, 0.0])).unwrap();
    let paddle = world.add(Collider::cuboid([3.0, 0.2, 0.0], [0.2, 0.4, 1.0])).unwrap();
    world.advance(5).unwrap();
    for k in 1..=10 {
        let position = Vec3::new(3.0 - 0.03 * k as f32, 0.2, 0.0);
        world.set_pose(paddle, Pose { position, rotation: Quat::IDENTITY }).unwrap();
        world.step().unwrap();
    }
    world.set_gravity([0.5, -5.0, 0.0]).unwrap();
    world.apply_impulse(ball, Vec3::new(0.0, 2.0, 0.3), None).unwrap();
    world.advance(5).unwrap();
    let flag = world.add(Cloth::grid([5, 5], [0.5, 0.5]).at([5.0, 1.0, 0.0]).pin(Place::LeftEdge)).unwrap();
    world.remove(world.find("cloth").unwrap()).unwrap();
    world.advance(5).unwrap();
    world.set_time_step(0.005, 1).unwrap();
    world.advance(5).unwrap();
    (ball, flag)
}

#[test]
fn edits_and_steering_on_the_gpu_are_those_on_the_cpu() {
    if !ready() {
        return;
    }
    let (mut cpu, mut gpu) = pair(&scene(MIXED, &[]), GpuOptions::default());
    let (ball, _) = play(&mut cpu);
    let (own, flag) = play(&mut gpu);
    assert_eq!(cpu.particles(), gpu.particles());
    assert!((cpu.time() - gpu.time()).abs() < 1e-9, "{} {}", cpu.time(), gpu.time());
    assert!(apart(&cpu, &gpu) < 2e-3, "{}", apart(&cpu, &gpu));
    let (a, b) = (cpu.momentum(ball).unwrap(), gpu.momentum(own).unwrap());
    assert!((a.linear - b.linear).length() < 1e-2 * a.linear.length(), "{} {}", a.linear, b.linear);
    assert!(gpu.bounds(flag).unwrap().0.x > 4.0);
    let hit = gpu.ray_cast(Vec3::new(5.2, 5.0, 0.001), Vec3::NEG_Y, 10.0).unwrap();
    assert!(hit.is_some());
    // It repeats itself, also through a snapshot of an edited world.
    let hash = gpu.hash();
    let mut again = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    again.advance(3).unwrap();
    let early = again.snapshot().unwrap();
    again.add(Body::ball(0.1).grid(4).at([0.0, 5.0, 0.0])).unwrap();
    again.advance(2).unwrap();
    again.restore(&early).unwrap();
    again.advance(2).unwrap();
    // The first five steps of the play are done: the rest of it follows.
    let mut fresh = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    play(&mut fresh);
    assert_eq!(fresh.hash(), hash);
    let mut still = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    still.advance(5).unwrap();
    assert_eq!(again.hash(), still.hash());
}

#[test]
fn an_empty_world_on_the_gpu_is_filled() {
    if !ready() {
        return;
    }
    let mut world = on_gpu(&Scene::default(), GpuOptions::default()).unwrap();
    world.advance(2).unwrap();
    world.add(Collider::plane()).unwrap();
    world.record_events(100);
    let body = world.add(Body::cuboid([0.2; 3]).grid(3).at([0.0, 0.3, 0.0])).unwrap();
    world.advance(40).unwrap();
    let height = world.momentum(body).unwrap().center.y;
    assert!((height - 0.1).abs() < 0.01, "{height}");
    let events = world.events();
    let (time, _) = events.all.iter().find(|(_, e)| matches!(e, Event::ContactBegan { .. })).expect("a contact");
    assert!((time - 0.02 - (2.0 * 0.2 / 9.81_f64).sqrt()).abs() < 0.03, "{time}");
    world.remove(body).unwrap();
    world.step().unwrap();
    assert_eq!(world.particles(), 0);
}

#[test]
fn grips_on_the_gpu_hold_move_and_keep_to_their_force() {
    if !ready() {
        return;
    }
    // An island, patches with seams, and bodies.
    let scenes = [
        (
            "[[cloth]]\nname = \"it\"\ngrid = { cells = [8, 8], size = [1, 1], plane = \"xz\" }\ndensity = 0.5",
            Vec3::new(0.53, 3.0, 0.52),
        ),
        (
            "solver = { patch_particles = 64 }\n[[cloth]]\nname = \"it\"\ngrid = { cells = [16, 16], size = [1, 1], plane = \"xz\" }\ndensity = 0.5",
            Vec3::new(0.53, 3.0, 0.52),
        ),
        ("[[body]]\nname = \"it\"\nbox = [0.4, 0.4, 0.4]\ngrid = 4", Vec3::new(0.05, 3.0, 0.05)),
    ];
    for (text, above) in scenes {
        let mut world = on_gpu(&scene(text, &[]), GpuOptions::default()).unwrap();
        let hit = world.ray_cast(above, Vec3::NEG_Y, 10.0).unwrap().unwrap();
        let grip = world.grab(&hit, &GripOptions::default()).unwrap();
        let start = world.grip_point(grip).unwrap();
        world.advance(15).unwrap();
        let sent = world.gpu().unwrap().uploaded();
        for k in 1..=20 {
            world.move_grip(grip, start + Vec3::new(0.01 * k as f32, 0.0, 0.0)).unwrap();
            world.step().unwrap();
        }
        let sent = world.gpu().unwrap().uploaded() - sent;
        assert!(sent < 20 * 16_384, "{sent} bytes for twenty steps with a grip");
        world.advance(60).unwrap();
        let before = world.grip_point(grip).unwrap();
        world.move_grip(grip, before + Vec3::new(0.0, 0.0, 0.01)).unwrap();
        world.step().unwrap();
        let followed = world.grip_point(grip).unwrap().z - before.z;
        assert!(followed > 0.003 && followed < 0.015, "{text}: {followed} m in the step after its target has moved");
        world.move_grip(grip, start + Vec3::X * 0.2).unwrap();
        world.advance(60).unwrap();
        let moved = world.grip_point(grip).unwrap();
        assert!(moved.distance(start + Vec3::X * 0.2) < 0.06, "{text}: at {moved}, began at {start}");
        let object = world.find("it").unwrap();
        let mass = world.momentum(object).unwrap().mass as f32;
        let force = world.grip_force(grip).unwrap();
        assert!((force.y - 9.81 * mass).abs() < 0.5 * 9.81 * mass, "{text}: {force} for {mass} kg");
        for k in 1..=10 {
            world.move_grip(grip, start + Vec3::new(1.0, 0.5, 0.0) * k as f32).unwrap();
            world.step().unwrap();
        }
        let most = world.grip_force(grip).unwrap().length();
        assert!(most <= 1.01 * 20.0 * 9.81 * mass, "{text}: {most} N");
        world.release(grip).unwrap();
        world.advance(5).unwrap();
        world.sync().unwrap();
    }
}

#[test]
fn grips_on_the_gpu_add_their_impulse_to_the_momentum_and_nothing_else() {
    if !ready() {
        return;
    }
    // Elastic bodies, patches with seams under XPBD, a rope with orientations, a body of particles, and two islands of
    // which only one is held.
    let cloth = "[[cloth]]\nname = \"it\"\ngrid = { cells = [12, 12], size = [1, 1], plane = \"xz\" }\ndensity = 0.5";
    let chosen = format!("solver = {{ patch_particles = 64, iterations = 8 }}\n{cloth}");
    let rope = "[[rope]]\nname = \"it\"\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 20\nradius = 0.03";
    let body = "[[body]]\nname = \"it\"\nbox = [0.4, 0.4, 0.4]\ngrid = 4";
    let two = format!("{body}\n[[body]]\nbox = [0.4, 0.4, 0.4]\ngrid = 4\ntransform = {{ translate = [3, 0, 0] }}");
    let scenes = [
        (cloth, Vec3::new(0.53, 3.0, 0.52)),
        (&chosen, Vec3::new(0.53, 3.0, 0.52)),
        (rope, Vec3::new(0.5, 3.0, 0.0)),
        (body, Vec3::new(0.05, 3.0, 0.05)),
        (&two, Vec3::new(0.05, 3.0, 0.05)),
    ];
    for (text, above) in scenes {
        let mut scene = scene(text, &[]);
        scene.world.gravity = [0.0; 3];
        scene.world.air_density = 0.0;
        // The force that is read is that of the last substep: its sum is the impulse only where there is one.
        scene.solver.substeps = 1;
        let mut world = on_gpu(&scene, GpuOptions::default()).unwrap();
        let hit = world.ray_cast(above, Vec3::NEG_Y, 10.0).unwrap().unwrap();
        let grip = world.grab(&hit, &GripOptions::default()).unwrap();
        let (object, start) = (world.find("it").unwrap(), world.grip_point(grip).unwrap());
        let mut impulse = DVec3::ZERO;
        for k in 1..=15 {
            world.move_grip(grip, start + Vec3::new(1.0, 0.4, -0.3) * k as f32).unwrap();
            world.step().unwrap();
            impulse += world.grip_force(grip).unwrap().as_dvec3() * 0.01;
        }
        let momentum = world.momentum(object).unwrap().linear;
        let missing = (momentum - impulse).length() / impulse.length();
        assert!(missing < 1e-5, "{text}: momentum {momentum} instead of {impulse}");
        world.release(grip).unwrap();
        world.advance(10).unwrap();
        let after = world.momentum(object).unwrap().linear;
        assert!((after - momentum).length() < 1e-5 * impulse.length(), "{text}: {after} after {momentum}");
    }
}

#[test]
fn grips_and_energies_read_one_object_and_nothing_of_the_rest() {
    if !ready() {
        return;
    }
    let mut world = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    let rigid = world.add(Body::cuboid([0.2; 3]).at([4.0, 1.0, 0.0])).unwrap();
    let body = world.find("box").unwrap();
    world.step().unwrap();
    let (low, high) = world.bounds(body).unwrap();
    let on_box = world.closest_point(0.5 * (low + high), 1.0).unwrap().unwrap();
    assert_eq!(on_box.object, body);
    let on_cube = world.ray_cast(Vec3::new(4.0, 3.0, 0.0), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    world.step().unwrap();
    let read = |world: &World| world.gpu().unwrap().downloaded();
    let particles = world.particles_of(body).unwrap().len() as u64;
    // The host moves rigid bodies with exact shapes.
    let start = read(&world);
    assert!(world.energy(rigid).unwrap().kinetic > 0.0);
    let of_cube = world.grab(&on_cube, &GripOptions::default()).unwrap();
    world.grip_point(of_cube).unwrap();
    assert_eq!(read(&world) - start, 0, "of a rigid body");
    // The first grip on particles makes buffers anew, and counts from there.
    let first = world.grab(&on_box, &GripOptions::default()).unwrap();
    world.release(first).unwrap();
    world.step().unwrap();
    // Positions of the box, 16 bytes each.
    let start = read(&world);
    let of_box = world.grab(&on_box, &GripOptions::default()).unwrap();
    assert_eq!(read(&world) - start, 16 * particles, "of the box that is grabbed");
    world.step().unwrap();
    let start = read(&world);
    world.grip_point(of_box).unwrap();
    assert!(read(&world) - start <= 3 * 16, "{} bytes for a gripped point", read(&world) - start);
    let start = read(&world);
    world.energy(body).unwrap();
    assert_eq!(read(&world) - start, 32 * particles, "positions and velocities of the box");
}
