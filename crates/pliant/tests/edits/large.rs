//! Bodies that come and go in a large world, in proportion to their size: the same bits as a world that is built anew.

use crate::world;
use pliant::scene::{Body, Collider, Scene};
use pliant::{AddOptions, CollisionGroups, Handle, Overlap, World};

const ALLOW: AddOptions<'_> = AddOptions { meshes: &pliant::builder::NoMeshes, overlap: Some(Overlap::Allow) };

/// A world of 18,000 particles; `integrator` "bdf1" or "bdf2".
fn large(bdf2: bool) -> (World, Vec<Handle>) {
    let mut scene = Scene::default();
    scene.solver.iterations = 2;
    if bdf2 {
        scene.solver.integrator = pliant::scene::Integrator::Bdf2;
    }
    let mut world = world(&scene);
    world.add(Collider::plane()).unwrap();
    let at = |k: usize| [(k % 10) as f32 * 1.2, 0.52 + (k % 3) as f32 * 0.3, (k / 10) as f32 * 1.2];
    let bodies = (0..36).map(|k| world.add(Body::cuboid([1.0; 3]).grid(8).at(at(k))).unwrap()).collect();
    world.step().unwrap();
    assert!(world.particles() > 17_000, "{}", world.particles());
    (world, bodies)
}

/// Comings and goings; `build`: something comes along every time that cannot be appended.
fn play(world: &mut World, bodies: &[Handle], build: bool) -> Vec<[f32; 4]> {
    let mut handles = bodies.to_vec();
    for k in 0..12 {
        let at = [0.3 + 0.9 * k as f32, 3.0, 0.4];
        handles.push(
            world.add_with(Body::cuboid([0.6, 0.3, 0.4]).grid(5).at(at).velocity([0.0, -2.0, 0.0]), &ALLOW).unwrap(),
        );
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

#[test]
fn bodies_that_are_appended_and_deactivated_have_the_bits_of_a_build() {
    for bdf2 in [false, true] {
        let (mut quick, bodies) = large(bdf2);
        let found = play(&mut quick, &bodies, false);
        let (mut slow, bodies) = large(bdf2);
        let expected = play(&mut slow, &bodies, true);
        assert!(quick.particles() > slow.particles(), "nothing was deactivated");
        assert!(found == expected, "other bits, bdf2: {bdf2}");
        assert_eq!(quick.objects().len(), slow.objects().len());
        // Frames leave removed bodies out.
        let mut frame = pliant::frame::Frame::default();
        quick.write_frame(&mut frame);
        let active = (0..quick.particles()).filter(|&i| !frame.is_inactive(i)).count();
        assert_eq!(active, slow.particles());
        // A snapshot closes the gaps and changes nothing.
        let snapshot = quick.snapshot().unwrap();
        assert_eq!(quick.particles(), slow.particles());
        quick.advance(2).unwrap();
        slow.advance(2).unwrap();
        assert_eq!(quick.hash(), slow.hash());
        quick.add_with(Body::ball(0.3).grid(4).at([0.0, 9.0, 0.0]), &ALLOW).unwrap();
        quick.step().unwrap();
        quick.restore(&snapshot).unwrap();
        quick.advance(2).unwrap();
        assert_eq!(quick.hash(), slow.hash());
    }
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
            // Its rows stay empty: another body stands behind it.
            world.apply_edits().unwrap();
            world.remove(handles.remove(handles.len() - 2)).unwrap();
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
fn bodies_with_groups_that_are_appended_have_the_bits_of_a_build() {
    let (mut quick, bodies) = large(false);
    let found = play_groups(&mut quick, &bodies, false);
    let (mut slow, bodies) = large(false);
    let expected = play_groups(&mut slow, &bodies, true);
    assert!(quick.particles() > slow.particles(), "nothing was deactivated");
    assert!(found == expected, "other bits");
}

#[test]
fn many_comings_and_goings_leave_nothing_behind() {
    let (mut busy, _) = large(false);
    busy.step().unwrap();
    let fresh = busy.bytes();
    let particles = busy.particles();
    for k in 0..400 {
        let crate_ = Body::cuboid([0.3; 3]).grid(3).at([-3.0, 2.0 + (k % 7) as f32, 0.0]);
        let handle = busy.add_with(crate_, &ALLOW).unwrap();
        if k % 40 == 0 {
            busy.step().unwrap();
        } else {
            busy.apply_edits().unwrap();
        }
        busy.remove(handle).unwrap();
    }
    busy.step().unwrap();
    // Every body takes the rows of the last one.
    assert!(busy.particles() <= particles + 27, "{} particles, {particles} at the start", busy.particles());
    assert!(busy.bytes() < fresh + fresh / 10, "{} bytes, {fresh} at the start", busy.bytes());
    busy.snapshot().unwrap();
    assert_eq!(busy.particles(), particles);
}

/// Shortest time of a step [s].
fn step_time(world: &mut World) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let clock = std::time::Instant::now();
        world.step().unwrap();
        best = best.min(clock.elapsed().as_secs_f64());
    }
    best
}

#[test]
#[ignore = "a soak of minutes, see docs/testing.md"]
fn a_hundred_thousand_comings_and_goings_end_as_a_fresh_build() {
    let (mut busy, _) = large(false);
    let count = std::env::var("PLIANT_REPETITIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    for k in 0..count {
        let crate_ = Body::cuboid([0.3; 3]).grid(3).at([-3.0, 2.0 + (k % 7) as f32, 0.0]);
        let handle = busy.add_with(crate_, &ALLOW).unwrap();
        busy.apply_edits().unwrap();
        busy.remove(handle).unwrap();
    }
    let (mut fresh, _) = large(false);
    let times = [step_time(&mut busy), step_time(&mut fresh)];
    let bytes = [busy.bytes(), fresh.bytes()];
    println!("{count} repetitions: steps of {times:?} s, {bytes:?} bytes (busy, fresh)");
    assert!(bytes[0] as f64 <= 1.1 * bytes[1] as f64, "{bytes:?} bytes");
    assert!(times[0] <= 1.1 * times[1], "steps of {times:?} s");
}
