//! Snapshots of worlds that have changed.

use crate::small_scenes::SCENES;
use crate::{options, parse, world};
use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Body, Cloth, Collider, Grains, Place};
use pliant::{EditError, GripOptions, Options, SnapshotRing, World};

#[test]
fn r05_a_snapshot_brings_removed_objects_and_their_handles_back() {
    for (name, text) in SCENES {
        let mut world = world(&parse(text));
        world.advance(5).unwrap();
        let objects = world.objects();
        let early = world.snapshot().unwrap();
        let bytes = early.to_bytes();
        let later = |world: &mut World| {
            world.advance(5).unwrap();
            world.hash()
        };
        let expected = later(&mut world);
        // Something goes, something comes.
        world.remove(objects[0]).unwrap();
        let added = world.add(Collider::sphere([0.0, 90.0, 0.0], 1.0)).unwrap();
        world.step().unwrap();
        let late = world.snapshot().unwrap();
        let hash = later(&mut world);
        world.restore(&early).unwrap();
        assert!(world.contains(objects[0]) && !world.contains(added), "{name}");
        assert_eq!(world.objects(), objects, "{name}");
        assert_eq!(later(&mut world), expected, "{name}");
        world.restore(&late).unwrap();
        assert!(!world.contains(objects[0]) && world.contains(added), "{name}");
        assert_eq!(later(&mut world), hash, "{name}");
        // The same through bytes, from a world of other objects.
        let read = world.snapshot_from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        world.restore(&read).unwrap();
        assert_eq!(world.objects(), objects, "{name}");
        assert_eq!(later(&mut world), expected, "{name}");
    }
}

#[test]
fn r05_another_process_goes_on_with_edits_and_steering() {
    let build = || {
        let mut world = World::new(options()).unwrap();
        world.add(Collider::plane()).unwrap();
        world
    };
    let mut world = build();
    let table = world.add(Collider::cuboid([0.0, 0.5, 0.0], [1.0, 0.1, 1.0]).named("table")).unwrap();
    let crate_ = world.add(Body::cuboid([0.2; 3]).grid(3).at([0.0, 0.7, 0.0]).named("crate")).unwrap();
    let flag = world.add(Cloth::grid([6, 4], [0.6, 0.4]).at([2.0, 1.0, 0.0]).pin(Place::LeftEdge)).unwrap();
    world.advance(10).unwrap();
    world.set_collider_velocity(table, Vec3::new(0.1, 0.05, 0.0), Vec3::new(0.0, 0.3, 0.0)).unwrap();
    world.set_gravity([0.0, -5.0, 1.0]).unwrap();
    world.set_time_step(0.004, 2).unwrap();
    world.apply_impulse(crate_, Vec3::new(0.5, 0.0, 0.0), None).unwrap();
    world.advance(5).unwrap();
    let bytes = world.snapshot().unwrap().to_bytes();
    world.advance(40).unwrap();

    let mut other = build();
    let read = other.snapshot_from_bytes(&bytes).unwrap();
    other.restore(&read).unwrap();
    assert_eq!(other.particles(), world.particles());
    other.advance(40).unwrap();
    assert_eq!((other.hash(), other.time()), (world.hash(), world.time()));
    let found = other.find("crate").unwrap();
    assert_eq!(other.positions(found).unwrap(), world.positions(crate_).unwrap());
    assert_eq!(other.world_settings().gravity, [0.0, -5.0, 1.0]);
    // Handles are of the world that they came from.
    assert_eq!(other.positions(flag).err(), Some(EditError::Stale));
}

#[test]
fn a_handle_of_an_abandoned_future_fits_nothing_that_comes_later() {
    let mut world = World::new(options()).unwrap();
    let start = world.snapshot().unwrap();
    let gone = world.add(Body::ball(0.1).grid(8)).unwrap();
    let hit = world.closest_point(Vec3::ZERO, 5.0).unwrap().unwrap();
    let grip = world.grab(&hit, &GripOptions::default()).unwrap();
    let bytes = world.snapshot().unwrap().to_bytes();
    world.restore(&start).unwrap();
    let other = world.add(Body::ball(0.2).grid(8)).unwrap();
    let hit = world.closest_point(Vec3::ZERO, 5.0).unwrap().unwrap();
    let held = world.grab(&hit, &GripOptions::default()).unwrap();
    assert!(!world.contains(gone) && world.contains(other));
    assert_eq!(world.move_grip(grip, Vec3::Y), Err(EditError::Stale));
    world.move_grip(held, Vec3::Y).unwrap();
    // Bytes have no grips: what they bring back falls.
    let read = world.snapshot_from_bytes(&bytes).unwrap();
    world.restore(&read).unwrap();
    assert!(world.contains(gone) && !world.contains(other));
    assert_eq!(world.move_grip(held, Vec3::Y), Err(EditError::Stale));
    world.advance(20).unwrap();
    assert!(world.momentum(gone).unwrap().center.y < -0.1);
}

#[test]
fn r06_damaged_archives_are_refused() {
    let mut world = world(&parse(SCENES[6].1));
    world.step().unwrap();
    world.add(Body::ball(0.1).grid(8).at([0.0, 9.0, 0.0])).unwrap();
    let bytes = world.snapshot().unwrap().to_bytes();
    let hash = world.hash();
    for at in (0..bytes.len()).step_by(bytes.len() / 200 + 1) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0x21;
        assert!(world.snapshot_from_bytes(&wrong).is_err(), "byte {at}");
        assert!(world.snapshot_from_bytes(&bytes[..at]).is_err(), "{at} bytes");
    }
    assert_eq!(world.hash(), hash);
    let mut foreign = World::from_scene(&parse(SCENES[0].1), &NoMeshes, Options::default()).unwrap();
    let snapshot = foreign.snapshot().unwrap();
    assert!(world.restore(&snapshot).is_err());
}

#[test]
fn r05_a_ring_rewinds_to_any_of_its_moments_with_the_same_bits() {
    for (name, text) in SCENES {
        let mut world = world(&parse(text));
        let mut ring = SnapshotRing::new(3);
        let mut hashes = Vec::new();
        for _ in 0..5 {
            ring.push(&mut world).unwrap();
            hashes.push(world.hash());
            world.step_many(4).unwrap();
        }
        assert_eq!(ring.len(), 3, "{name}");
        let times: Vec<f64> = ring.times().collect();
        assert!(times.is_sorted() && (times[2] - times[1] - (times[1] - times[0])).abs() < 1e-9, "{times:?}");
        assert!(ring.bytes() >= 3 * 32 * world.particles() as u64, "{name}");
        let end = world.hash();
        // The oldest of three is the third of five.
        ring.restore(&mut world, 1).unwrap();
        assert_eq!((world.hash(), ring.len()), (hashes[3], 2), "{name}");
        world.step_many(8).unwrap();
        assert_eq!(world.hash(), end, "{name}");
        ring.restore(&mut world, 0).unwrap();
        assert_eq!(world.hash(), hashes[2], "{name}");
        assert!(ring.restore(&mut world, 1).is_err(), "later moments are forgotten");
        // Edits end what the ring has.
        world.add(Collider::sphere([0.0, 90.0, 0.0], 1.0)).unwrap();
        let hash = world.hash();
        assert!(ring.restore(&mut world, 0).is_err(), "{name}");
        world.step().unwrap();
        assert!(ring.restore(&mut world, 0).is_err(), "{name}");
        assert_ne!(world.hash(), hash);
        ring.push(&mut world).unwrap();
        ring.restore(&mut world, 1).unwrap();
    }
}

#[test]
fn contacts_between_particles_are_those_of_the_moment_that_was_restored() {
    let mut world = world(&parse("contact = { between = true }\n[[collider]]\nplane = {}"));
    world.add(Grains::fill([0.0, 0.01, 0.0], [0.4, 0.4, 0.4], 0.05)).unwrap();
    world.advance(30).unwrap();
    let (pairs, contacts) = (world.contact_pairs(), world.probe().contacts);
    assert!(pairs.len() > 10, "{}", pairs.len());
    let saved = world.snapshot().unwrap();
    world.set_gravity([0.0, 5.0, 0.0]).unwrap();
    world.advance(30).unwrap();
    assert_ne!(world.contact_pairs(), pairs);
    let read = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    for moment in [saved, read] {
        world.advance(3).unwrap();
        world.restore(&moment).unwrap();
        assert_eq!(world.contact_pairs(), pairs);
        assert_eq!(world.probe().contacts, contacts);
    }
}
