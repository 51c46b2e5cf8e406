//! Edits and impulses on the GPU: the state stays on the device, and moves there without a change of a bit.

use crate::simulations::{on_gpu, pair, ready, scene};
use glam::{DVec3, Vec3};
use pliant::builder::NoMeshes;
use pliant::runtime::gpu::GpuOptions;
use pliant::scene::{Attach, Body, Collider, Integrator, Rope, Scene};
use pliant::{AddOptions, CollisionGroups, EditError, Handle, Overlap, World};
use std::time::Instant;

const ALLOW: AddOptions<'_> = AddOptions { meshes: &NoMeshes, overlap: Some(Overlap::Allow) };

const MIXED: &str = r#"
    solver = { iterations = 4, substeps = 2 }
    contact = { between = true }
    [[cloth]]
    name = "cloth"
    grid = { cells = [10, 10], size = [1, 1], plane = "xz" }
    transform = { translate = [-0.5, 0.6, -0.5] }
    pin = [{ at = "corners" }]
    [[rope]]
    name = "rod"
    path = [[4, 1, 0], [5, 1, 0]]
    segments = 8
    bend = { compliance = 1e-2 }
    twist = { compliance = 1e-2 }
    pin = [{ at = "start" }]
    [[body]]
    name = "box"
    box = [0.3, 0.2, 0.3]
    grid = 4
    transform = { translate = [2, 0.11, 0] }
    [[collider]]
    name = "ceiling"
    plane = { normal = [0, -1, 0], offset = -20 }
    [[collider]]
    name = "floor"
    plane = {}
"#;

fn read(world: &World) -> u64 {
    world.gpu().unwrap().downloaded()
}

/// Positions, velocities and pose of some objects, to the bit.
fn bits(world: &mut World, names: &[&str]) -> Vec<u32> {
    let mut all = Vec::new();
    for name in names {
        let handle = world.find(name).unwrap();
        all.extend(world.positions(handle).unwrap().iter().flatten().map(|v| v.to_bits()));
        all.extend(world.velocities(handle).unwrap().iter().flatten().map(|v| v.to_bits()));
        if let Ok(pose) = world.pose(handle) {
            all.extend(pose.position.to_array().map(f32::to_bits));
            all.extend(pose.rotation.to_array().map(f32::to_bits));
        }
    }
    all
}

#[test]
fn edits_move_the_state_within_the_device() {
    if !ready() {
        return;
    }
    let mut world = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
    world.advance(10).unwrap();
    let names = ["cloth", "rod", "box"];
    let before = bits(&mut world, &names);
    let start = read(&world);
    // Objects before and behind others, a collider before the floor's, and other settings.
    let rope = world.add(Rope::along(&[[7.0, 1.0, 0.0], [8.0, 1.0, 0.0]], 5)).unwrap();
    world.add_with(Body::ball(0.1).grid(3).at([0.0, 3.0, 0.0]), &ALLOW).unwrap();
    world.remove(world.find("ceiling").unwrap()).unwrap();
    world.apply_edits().unwrap();
    world.set_iterations(5).unwrap();
    assert_eq!(read(&world), start, "an edit has read the state");
    assert!(bits(&mut world, &names) == before, "an edit has changed the state");
    // Contacts move with their particles: the floor is another collider now.
    let held = world.collider_forces()[0];
    assert!(
        (held.y + 9.81 * world.momentum(world.find("box").unwrap()).unwrap().mass as f32).abs() < 0.5 * held.y.abs()
    );
    world.remove(rope).unwrap();
    world.apply_edits().unwrap();
    assert!(bits(&mut world, &names) == before, "an edit has changed the state");
    assert_eq!(world.collider_forces()[0], held);
    // An attachment is made where its objects are now: only they are read.
    world.advance(3).unwrap();
    let start = read(&world);
    let (low, _) = world.bounds(world.find("rod").unwrap()).unwrap();
    let ball = world.add_with(Body::ball(0.1).grid(3).at((low + Vec3::new(0.9, 0.0, 0.0)).to_array()), &ALLOW).unwrap();
    world.apply_edits().unwrap();
    let name = world.name(ball).unwrap().to_owned();
    world.add(Attach::objects(name, "rod", 0.4)).unwrap();
    let most = 16 * 4 * (world.particles_of(ball).unwrap().len() + 9) as u64;
    assert!(read(&world) - start <= most, "{} bytes for an attachment", read(&world) - start);
    world.advance(3).unwrap();
    world.sync().unwrap();
}

#[test]
fn looking_at_the_state_changes_no_bit_of_an_edited_world() {
    if !ready() {
        return;
    }
    let play = |look: bool| {
        let mut world = on_gpu(&scene(MIXED, &[]), GpuOptions::default()).unwrap();
        let see = |world: &World| _ = look.then(|| world.hash());
        world.advance(3).unwrap();
        see(&world);
        let ball = world.add_with(Body::ball(0.1).grid(3).at([2.0, 0.5, 0.0]), &ALLOW).unwrap();
        world.advance(3).unwrap();
        see(&world);
        world.apply_impulse(ball, Vec3::new(0.1, -0.5, 0.0), Some(Vec3::new(2.0, 0.6, 0.1))).unwrap();
        see(&world);
        world.advance(3).unwrap();
        world.set_iterations(5).unwrap();
        see(&world);
        world.remove(world.find("cloth").unwrap()).unwrap();
        world.advance(2).unwrap();
        world.hash()
    };
    assert_eq!(play(false), play(true));
}

const FREE: &str = r#"
    world = { gravity = [0, 0, 0], air_density = 0 }
    solver = { iterations = 4 }
    [[cloth]]
    name = "cloth"
    grid = { cells = [10, 10], size = [1, 1], plane = "xz" }
    density = 0.5
    [[rope]]
    name = "rope"
    path = [[4, 1, 0], [5, 1.2, 0], [5.5, 2, 0.5]]
    segments = 12
    [[body]]
    name = "box"
    box = [0.3, 0.2, 0.4]
    grid = 5
    transform = { translate = [2, 1, 0] }
    [[collider]]
    plane = { offset = -5 }
"#;

#[test]
fn impulses_on_the_gpu_change_momentum_by_what_they_are_and_read_nothing() {
    if !ready() {
        return;
    }
    for integrator in [Integrator::Bdf1, Integrator::Bdf2] {
        let mut free = scene(FREE, &[]);
        free.solver.integrator = integrator;
        let (mut cpu, mut gpu) = pair(&free, GpuOptions::default());
        for world in [&mut cpu, &mut gpu] {
            world.advance(2).unwrap();
        }
        for name in ["cloth", "rope", "box"] {
            let object = gpu.find(name).unwrap();
            let before = gpu.momentum(object).unwrap();
            let start = read(&gpu);
            let (impulse, turn) = (Vec3::new(0.3, -0.2, 0.7), Vec3::new(0.01, 0.03, -0.02));
            let point = before.center.as_vec3() + Vec3::new(0.05, 0.1, -0.08);
            gpu.apply_impulse(object, impulse, Some(point)).unwrap();
            gpu.apply_angular_impulse(object, turn).unwrap();
            gpu.apply_impulse(object, -0.5 * impulse, None).unwrap();
            gpu.apply_force(object, Vec3::X, None).unwrap();
            gpu.apply_torque(object, Vec3::Z).unwrap();
            gpu.apply_particle_impulse(object, 3, Vec3::new(0.0, 1e-3, 0.0)).unwrap();
            assert_eq!(read(&gpu), start, "an impulse has read the state");
            let after = gpu.momentum(object).unwrap();
            let dt = f64::from(gpu.solver_settings().dt);
            let linear = 0.5 * impulse.as_dvec3() + DVec3::X * dt + DVec3::Y * 1e-3;
            let scale = f64::from(impulse.length());
            let off = (after.linear - before.linear - linear).length();
            assert!(off < 1e-5 * scale, "{name}: momentum off by {off}");
            // The impulse on one particle turns the object, too.
            let third = Vec3::from_slice(&gpu.positions(object).unwrap()[3][..3]).as_dvec3();
            let angular = (point.as_dvec3() - before.center).cross(impulse.as_dvec3())
                + turn.as_dvec3()
                + DVec3::Z * dt
                + (third - before.center).cross(DVec3::Y * 1e-3);
            let off = (after.angular - before.angular - angular).length();
            assert!(off < 1e-5 * scale, "{name}: angular momentum off by {off} of {angular}");
        }
        let object = gpu.find("box").unwrap();
        let start = read(&gpu);
        gpu.set_velocity(object, Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 4.0, 0.0)).unwrap();
        assert_eq!(read(&gpu), start);
        cpu.set_velocity(cpu.find("box").unwrap(), Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 4.0, 0.0)).unwrap();
        for _ in 0..2 {
            let (a, b) = (cpu.momentum(cpu.find("box").unwrap()).unwrap(), gpu.momentum(object).unwrap());
            assert!((a.linear - b.linear).length() < 1e-5 * a.linear.length(), "{} {}", a.linear, b.linear);
            assert!((a.angular - b.angular).length() < 1e-4 * a.angular.length(), "{} {}", a.angular, b.angular);
            cpu.step().unwrap();
            gpu.step().unwrap();
        }
    }
}

#[test]
fn one_object_is_read_and_positions_arrive_without_waiting() {
    if !ready() {
        return;
    }
    let mut world = on_gpu(&scene(FREE, &[]), GpuOptions::default()).unwrap();
    let object = world.find("box").unwrap();
    world.set_velocity(object, Vec3::X, Vec3::ZERO).unwrap();
    world.step().unwrap();
    let count = world.particles_of(object).unwrap().len() as u64;
    let start = read(&world);
    let first = world.positions(object).unwrap().to_vec();
    assert_eq!(read(&world) - start, 16 * count);
    let mut request = world.request_positions(object).unwrap();
    world.step().unwrap();
    let mut found = None;
    while found.is_none() {
        found = world.poll_positions(&mut request).unwrap().map(<[_]>::to_vec);
    }
    assert!(found.unwrap() == first, "not the positions of the step before");
    assert!(world.positions(object).unwrap() != first);
}

/// A world of more than 16,384 particles: from there on bodies are put into free rows.
fn large(bodies: usize) -> (World, Vec<Handle>) {
    let mut start = Scene::default();
    (start.solver.iterations, start.solver.substeps) = (2, 1);
    let mut world = on_gpu(&start, GpuOptions::default()).unwrap();
    world.add(Collider::plane()).unwrap();
    let at = |k: usize| [(k % 32) as f32 * 1.2, 0.52 + (k % 3) as f32 * 0.3, (k / 32) as f32 * 1.2];
    let add = |k: usize| world.add_with(Body::cuboid([1.0; 3]).grid(10).at(at(k)), &ALLOW).unwrap();
    let handles = (0..bodies).map(add).collect();
    world.step().unwrap();
    assert!(world.particles() > 16_384, "{}", world.particles());
    (world, handles)
}

/// Comings and goings; `build`: something comes along every time that takes a build.
fn play(world: &mut World, bodies: &[Handle], build: bool) -> Vec<[f32; 4]> {
    let mut handles = bodies.to_vec();
    for k in 0..4 {
        let at = [0.3 + 0.9 * k as f32, 2.0, 0.4];
        let one = Body::cuboid([0.6, 0.3, 0.4]).grid(6).at(at).velocity([0.0, -2.0, 0.0]);
        handles.push(world.add_with(one, &ALLOW).unwrap());
        if k % 2 == 1 {
            world.remove(handles.remove(3 * k)).unwrap();
        }
        if build {
            let far = world.add(Collider::sphere([0.0, 900.0, 0.0], 1.0)).unwrap();
            world.apply_edits().unwrap();
            world.remove(far).unwrap();
        }
        world.step().unwrap();
    }
    let mut rows = Vec::new();
    for &handle in &handles {
        rows.extend_from_slice(world.positions(handle).unwrap());
        rows.extend_from_slice(world.velocities(handle).unwrap());
        let pose = world.pose(handle).unwrap();
        rows.push(pose.rotation.to_array());
        rows.push(pose.position.extend(0.0).to_array());
    }
    rows
}

/// Bodies of two collision groups that come and go among others; `build` as above.
fn play_groups(world: &mut World, bodies: &[Handle], build: bool) -> Vec<[f32; 4]> {
    let groups = [CollisionGroups::new(1, 1), CollisionGroups::new(2, 2)];
    world.set_collision_groups(bodies[1], groups[1]).unwrap();
    let mut handles: Vec<Handle> = bodies.to_vec();
    for k in 0..4 {
        let at = [0.3 + 0.9 * k as f32, 1.3, 0.4];
        let one = Body::cuboid([0.6, 0.3, 0.4]).grid(5).at(at).collision_groups(groups[k % 2]).friction(0.9, 0.8);
        handles.push(world.add_with(one, &ALLOW).unwrap());
        if k == 2 {
            // The next one, of the other groups, takes its place.
            world.apply_edits().unwrap();
            world.remove(handles.pop().unwrap()).unwrap();
        }
        if build {
            let far = world.add(Collider::sphere([0.0, 900.0, 0.0], 1.0)).unwrap();
            world.apply_edits().unwrap();
            world.remove(far).unwrap();
        }
        world.advance(2).unwrap();
    }
    handles.iter().flat_map(|&handle| world.positions(handle).unwrap().to_vec()).collect()
}

#[test]
fn an_attachment_to_a_body_without_particles_is_treated_as_on_the_cpu() {
    if !ready() {
        return;
    }
    let (cpu, gpu) = pair(&scene(MIXED, &[]), GpuOptions::default());
    let attached = [cpu, gpu].map(|mut world| {
        world.add(Body::ball(0.2).named("ball").at([0.0, 3.0, 0.0])).unwrap();
        world.step().unwrap();
        let attach = world.add(Attach::objects("ball", "cloth", 5.0));
        world.step().unwrap();
        attach.map(|_| ()).map_err(|e| e.to_string())
    });
    assert_eq!(attached[0], attached[1]);
}

#[test]
fn bodies_with_groups_in_free_rows_have_the_bits_of_a_build() {
    if !ready() {
        return;
    }
    let (mut quick, bodies) = large(18);
    let found = play_groups(&mut quick, &bodies, false);
    let (mut slow, bodies) = large(18);
    let expected = play_groups(&mut slow, &bodies, true);
    assert!(quick.particles() > slow.particles(), "no rows were kept free");
    assert!(found == expected, "other bits");
}

#[test]
fn bodies_in_free_rows_have_the_bits_of_a_build_and_read_nothing() {
    if !ready() {
        return;
    }
    let (mut quick, bodies) = large(18);
    let (start, sent) = (read(&quick), quick.gpu().unwrap().uploaded());
    let found = play(&mut quick, &bodies, false);
    let (rows, read) = (found.len() as u64, read(&quick) - start);
    assert!(read <= 16 * 9 * rows, "{read} bytes read for {rows} rows");
    let (mut slow, bodies) = large(18);
    let expected = play(&mut slow, &bodies, true);
    assert!(found == expected, "other bits");
    // A body that would be inside another is refused; only what is around it is read.
    let start = quick.gpu().unwrap().downloaded();
    let inside = Body::cuboid([0.6, 0.3, 0.4]).grid(6).at([0.1, 0.55, 0.1]);
    assert!(matches!(quick.add(inside), Err(EditError::Overlap { .. })));
    let apart = quick.add(Body::cuboid([0.3; 3]).grid(6).at([-9.0, 5.0, 0.0])).unwrap();
    quick.apply_edits().unwrap();
    let near = quick.gpu().unwrap().downloaded() - start;
    assert!(near < 16 * 2000, "{near} bytes read for a place");
    quick.remove(apart).unwrap();
    // Removed bodies leave their rows to others of their size: nothing grows.
    let one = || Body::cuboid([0.3; 3]).grid(4).at([-3.0, 2.0, 0.0]);
    let first = quick.add_with(one(), &ALLOW).unwrap();
    quick.apply_edits().unwrap();
    quick.remove(first).unwrap();
    let (particles, before) = (quick.particles(), quick.gpu().unwrap().uploaded());
    assert!(before > sent);
    for _ in 0..20 {
        let handle = quick.add_with(one(), &ALLOW).unwrap();
        quick.apply_edits().unwrap();
        assert_eq!(quick.positions(handle).unwrap().len(), 64);
        quick.remove(handle).unwrap();
    }
    let sent = quick.gpu().unwrap().uploaded() - before;
    assert!(sent < 20 * 40_000, "{sent} bytes for twenty bodies");
    assert_eq!(quick.particles(), particles);
    // A snapshot closes the gaps and changes nothing.
    let mut frame = pliant::frame::Frame::default();
    quick.write_frame(&mut frame);
    let active = (0..quick.particles()).filter(|&i| !frame.is_inactive(i)).count();
    assert_eq!(active, slow.particles());
    quick.snapshot().unwrap();
    assert_eq!(quick.particles(), slow.particles());
    assert_eq!(quick.hash(), slow.hash());
    // Many between two steps, each beside the one before it, and those that are moved out: no more than that either.
    let start = quick.gpu().unwrap().downloaded();
    let placed: Vec<Handle> = (0..30)
        .map(|k| {
            quick.add(Body::cuboid([0.3; 3]).grid(4).at([-9.0 - 0.4 * (k % 6) as f32, 5.0 + 0.4 * (k / 6) as f32, 0.0]))
        })
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(quick.add(Body::cuboid([0.3; 3]).grid(4).at([-9.0, 5.1, 0.0])).is_err(), "inside one that is to come");
    let out = AddOptions { overlap: Some(Overlap::MoveOut), ..ALLOW };
    let moved = quick.add_with(Body::cuboid([0.3; 3]).grid(4).at([0.1, 0.55, -0.6]), &out).unwrap();
    let near = quick.gpu().unwrap().downloaded() - start;
    assert!(near < 16 * 8 * 4000, "{near} bytes read for thirty-two places");
    placed.into_iter().chain([moved]).for_each(|handle| drop(quick.remove(handle).unwrap()));
}

/// Host times of edits in a large world; `PLIANT_BODIES` of 1,000 particles each, 1,000 by default.
#[test]
#[ignore = "a measurement"]
fn edits_of_a_large_world_take_little_host_time() {
    if !ready() {
        return;
    }
    let count = std::env::var("PLIANT_BODIES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let (mut world, _) = large(count);
    world.wait().unwrap();
    println!("{} particles", world.particles());
    let mut times = Vec::new();
    for k in 0..20 {
        let body = Body::cuboid([1.0; 3]).grid(10).at([-3.0 - 1.2 * k as f32, 2.0, 0.0]);
        let start = Instant::now();
        let handle = world.add_with(body, &ALLOW).unwrap();
        let checked = start.elapsed();
        world.apply_edits().unwrap();
        let added = start.elapsed();
        world.step().unwrap();
        world.wait().unwrap();
        let start = Instant::now();
        if k % 2 == 0 {
            world.remove(handle).unwrap();
            world.apply_edits().unwrap();
        }
        times.push([checked, added, start.elapsed()].map(|t| 1e3 * t.as_secs_f64()));
        world.step().unwrap();
        world.wait().unwrap();
    }
    for [checked, added, removed] in &times {
        println!("part built {checked:.3} ms, added {added:.3} ms in all; removed {removed:.3} ms");
    }
    println!("{} bytes read in all", read(&world));
}
