//! Rigid bodies that come and go in place: the bits of a world that is built anew, at a cost in proportion to what changed.

use crate::{parse, world};
use glam::Vec3;
use pliant::scene::{ArraySpec, Body, Collider, Grains, Scene};
use pliant::{AddOptions, CollisionGroups, EditError, Handle, Options, Overlap, World};
use std::time::Instant;

const ALLOW: AddOptions<'_> = AddOptions { meshes: &pliant::builder::NoMeshes, overlap: Some(Overlap::Allow) };

/// Crates, balls and a pile of grains on a floor.
fn mixed(with_grains: bool) -> (World, Vec<Handle>) {
    let mut world = world(&Scene::default());
    world.add(Collider::plane()).unwrap();
    if with_grains {
        world.add(Grains::fill([-0.3, 0.05, 1.0], [0.3, 0.5, 1.5], 0.04)).unwrap();
    }
    let at = |k: usize| [0.6 * k as f32, 0.26, 0.0];
    let mut handles: Vec<Handle> =
        (0..5).map(|k| world.add(Body::cuboid([0.5; 3]).density(400.0).at(at(k))).unwrap()).collect();
    handles.push(world.add(Body::ball(0.2).at([0.0, 0.9, 1.2])).unwrap());
    world.step().unwrap();
    (world, handles)
}

/// Comings and goings; `build`: something comes along every time that needs a build.
fn play(world: &mut World, handles: &[Handle], build: bool) -> u64 {
    let mut handles = handles.to_vec();
    for k in 0..14 {
        let at = [0.35 * k as f32, 1.2 + 0.1 * k as f32, 0.1 * (k % 3) as f32];
        let body = match k % 4 {
            0 => Body::ball(0.15),
            1 => Body::capsule(0.1, 0.3),
            2 => Body::cylinder(0.2, 0.2).collision_groups(CollisionGroups::new(2, u16::MAX)),
            _ => {
                let array = Some(ArraySpec { count: [2, 1, 1], spacing: [0.7, 0.0, 0.0] });
                Body { array, ..Body::cuboid([0.3, 0.2, 0.4]) }
            }
        };
        handles.push(world.add_with(body.at(at).velocity([0.0, -2.0, 0.5]), &ALLOW).unwrap());
        if k % 2 == 1 {
            world.remove(handles.remove((5 * k) % handles.len())).unwrap();
        }
        if build {
            let far = world.add(Collider::sphere([0.0, 900.0, 0.0], 1.0)).unwrap();
            world.apply_edits().unwrap();
            world.remove(far).unwrap();
        }
        world.advance(5).unwrap();
    }
    world.hash()
}

#[test]
fn rigid_bodies_that_come_and_go_in_place_have_the_bits_of_a_build() {
    for with_grains in [false, true] {
        let (mut quick, handles) = mixed(with_grains);
        let found = play(&mut quick, &handles, false);
        let (mut slow, handles) = mixed(with_grains);
        let expected = play(&mut slow, &handles, true);
        assert_eq!(found, expected, "with grains: {with_grains}");
        // A snapshot builds anew; outputs have the same bodies then.
        let count = quick.topology().body_objects.len();
        let objects = |world: &World| {
            let names = &world.topology().object_names;
            world.topology().body_objects.iter().map(|&o| names[o as usize].clone()).collect::<Vec<_>>()
        };
        let before = (objects(&quick), quick.topology().triangles.len(), quick.topology().objects.len());
        let saved = quick.snapshot().unwrap();
        assert_eq!(before, (objects(&quick), quick.topology().triangles.len(), quick.topology().objects.len()));
        assert_eq!(quick.topology().body_objects.len(), count);
        assert_eq!(quick.hash(), expected);
        quick.advance(20).unwrap();
        let later = quick.hash();
        slow.advance(20).unwrap();
        assert_eq!(slow.hash(), later, "with grains: {with_grains}");
        quick.restore(&saved).unwrap();
        quick.advance(20).unwrap();
        assert_eq!(quick.hash(), later, "with grains: {with_grains}");
    }
}

#[test]
fn triangles_of_outputs_stay_within_their_bodies_as_others_go() {
    let (mut world, handles) = mixed(true);
    world.remove(handles[2]).unwrap();
    world.add(Body::ball(0.1).at([0.0, 3.0, 0.0])).unwrap();
    world.remove(handles[0]).unwrap();
    world.step().unwrap();
    let topology = world.topology();
    assert_eq!(topology.objects.len(), topology.radii.len());
    for t in &topology.triangles {
        let objects = t.map(|v| topology.objects[v as usize]);
        assert!(objects.iter().all(|&o| o == objects[0]), "a triangle joins objects {objects:?}");
    }
    let mut frame = pliant::frame::Frame::default();
    world.write_frame(&mut frame);
    assert_eq!(frame.positions.len(), topology.objects.len());
    for (body, &object) in frame.bodies.iter().zip(&topology.body_objects) {
        let own = frame.positions.iter().zip(&topology.objects).filter(|(_, o)| **o == object).map(|(p, _)| *p);
        let far = own.map(|p| p.distance(Vec3::from(body.position.map(|x| x as f32)))).fold(0.0, f32::max);
        assert!(far > 0.05 && far < 0.5, "{}: {far} m", topology.object_names[object as usize]);
    }
}

#[test]
fn r06_moments_before_a_body_was_removed_in_place_come_back_with_it() {
    let (mut world, handles) = mixed(false);
    let (saved, before) = (world.snapshot().unwrap(), world.hash());
    let bytes = saved.to_bytes();
    for from_bytes in [false, true] {
        world.remove(handles[1]).unwrap();
        world.advance(3).unwrap();
        let snapshot = if from_bytes { world.snapshot_from_bytes(&bytes).unwrap() } else { saved.clone() };
        world.restore(&snapshot).unwrap();
        assert_eq!(world.hash(), before, "from bytes: {from_bytes}");
        assert!(world.pose(handles[1]).is_ok());
        world.step().unwrap();
    }
}

#[test]
fn a_body_out_of_reach_wakes_nothing_and_one_that_is_removed_wakes_what_it_carried() {
    let mut world = world(&Scene::default());
    world.add(Collider::plane()).unwrap();
    let crates: Vec<Handle> =
        (0..3).map(|k| world.add(Body::cuboid([0.5; 3]).at([0.0, 0.25 + 0.5 * k as f32, 0.0])).unwrap()).collect();
    let other = world.add(Body::cuboid([0.5; 3]).at([3.0, 0.25, 0.0])).unwrap();
    world.advance(300).unwrap();
    assert!(crates.iter().all(|&c| world.is_asleep(c).unwrap()) && world.is_asleep(other).unwrap());
    let before = world.hash();
    let far = world.add(Body::ball(0.2).at([20.0, 5.0, 0.0])).unwrap();
    world.step().unwrap();
    assert!(crates.iter().all(|&c| world.is_asleep(c).unwrap()), "a body far away has woken a stack");
    world.apply_impulse(far, Vec3::X, None).unwrap();
    world.step().unwrap();
    assert!(crates.iter().all(|&c| world.is_asleep(c).unwrap()), "an impulse far away has woken a stack");
    world.remove(far).unwrap();
    world.step().unwrap();
    assert_eq!(world.hash(), before);
    world.remove(crates[0]).unwrap();
    world.advance(60).unwrap();
    assert!(world.is_asleep(other).unwrap(), "a crate that touched nothing has woken");
    let lowest = world.pose(crates[1]).unwrap().position.y;
    assert!((lowest - 0.25).abs() < 0.01, "what stood on the removed crate is at {lowest} m");
}

#[test]
fn a_rigid_body_inside_another_is_refused_or_moved_out_among_many() {
    let mut world = world(&parse("world = { gravity = [0, 0, 0] }"));
    for k in 0..200 {
        world.add(Body::cuboid([0.5; 3]).at([0.6 * (k % 20) as f32, 0.0, 0.6 * (k / 20) as f32])).unwrap();
    }
    let inside = Body::cuboid([0.5; 3]).at([6.1, 0.1, 3.1]);
    assert!(matches!(world.add(inside.clone()), Err(EditError::Overlap { .. })));
    let options = AddOptions { overlap: Some(Overlap::MoveOut), ..AddOptions::default() };
    let moved = world.add_with(inside, &options).unwrap();
    assert!(world.pose(moved).unwrap().position.y.abs() > 0.49, "{:?}", world.pose(moved));
    // A body hundreds of times as large finds the small ones, and they find it.
    let ball = Body::ball(40.0).at([0.0, -40.1, 0.0]);
    assert!(matches!(world.add(ball), Err(EditError::Overlap { .. })));
    world.add(Body::ball(40.0).at([0.0, -41.0, 0.0])).unwrap();
    assert!(matches!(world.add(Body::ball(0.3).at([0.0, -1.2, 0.0])), Err(EditError::Overlap { .. })));
}

/// Seconds per body of adding crates one by one, each looked at, to a world of `count` in the end.
fn add_one_by_one(count: usize, steps: bool) -> f64 {
    let mut world = world(&Scene::default());
    world.add(Collider::plane()).unwrap();
    let clock = Instant::now();
    for k in 0..count {
        let at = [(k % 100) as f32, 0.25, (k / 100) as f32];
        world.add(Body::cuboid([0.5; 3]).at(at)).unwrap();
        if steps && k % 500 == 0 {
            world.step().unwrap();
        }
    }
    world.apply_edits().unwrap();
    assert_eq!(world.topology().body_objects.len(), count);
    clock.elapsed().as_secs_f64() / count as f64
}

#[test]
#[ignore = "a measurement: run in release"]
fn ten_thousand_crates_are_added_one_by_one_in_two_seconds_at_most() {
    let (few, many) = (add_one_by_one(2_500, false), add_one_by_one(10_000, false));
    println!("{:.1} µs per crate for 2,500, {:.1} for 10,000", 1e6 * few, 1e6 * many);
    assert!(many * 1e4 < 2.0, "{} s", many * 1e4);
    assert!(many < 2.0 * few, "more than linear");
    println!("{:.1} µs with steps between", 1e6 * add_one_by_one(10_000, true));
    let mut world = World::new(Options::default()).unwrap();
    world.add(Collider::plane()).unwrap();
    world.add(Grains::fill([0.0, 0.05, 0.0], [10.0, 1.0, 10.0], 0.025)).unwrap();
    world.add(Body::cuboid([0.5; 3]).at([-3.0, 0.25, 0.0])).unwrap();
    world.apply_edits().unwrap();
    let clock = Instant::now();
    let crate_ = world.add(Body::cuboid([0.5; 3]).at([-2.0, 0.25, 0.0])).unwrap();
    world.apply_edits().unwrap();
    let added = clock.elapsed();
    world.remove(crate_).unwrap();
    world.apply_edits().unwrap();
    println!("{} grains: a crate in {added:?}, out after {:?}", world.particles(), clock.elapsed());
    assert!(clock.elapsed().as_secs_f64() < 2e-3);
}
