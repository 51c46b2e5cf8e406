//! Motions of colliders and pins that are given between steps.

use crate::{options, parse, world};
use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::scene::{Body, Collider, Keyframe, MotionSpec, Scene};
use pliant::{EditError, Handle, World};

const PINNED: &str = r#"
    [[cloth]]
    name = "cloth"
    grid = { cells = [6, 6], size = [1, 1] }
    pin = [{ at = "top left" }, { at = "top right" }]
    [[rope]]
    name = "rod"
    path = [[3, 1, 0], [4, 1, 0]]
    segments = 6
    twist = { modulus = 1e6 }
    bend = { modulus = 1e6 }
    pin = [{ at = "start" }]
    array = { count = [2, 1, 1], spacing = [0, 0, 2] }
"#;

fn pinned() -> (World, Handle, Handle) {
    let world = world(&parse(PINNED));
    let (cloth, rod) = (world.find("cloth").unwrap(), world.find("rod").unwrap());
    (world, cloth, rod)
}

/// Positions of the pinned particles of an object.
fn pins(world: &mut World, object: Handle) -> Vec<Vec3> {
    let rows = world.positions(object).unwrap();
    rows.iter().filter(|row| row[3] == 0.0).map(|row| Vec3::new(row[0], row[1], row[2])).collect()
}

fn keys(frames: &[(f32, [f32; 3])]) -> MotionSpec {
    let frame = |&(time, translate): &(f32, [f32; 3])| Keyframe { time, translate, rotate: None };
    MotionSpec::Keys { frames: frames.iter().map(frame).collect(), center: [0.0; 3] }
}

#[test]
fn pins_that_were_built_without_a_motion_are_moved() {
    let (mut world, cloth, rod) = pinned();
    world.advance(5).unwrap();
    let start = [pins(&mut world, cloth), pins(&mut world, rod)].concat();
    let [left, right, first, second] = start[..] else { panic!("{start:?}") };
    for k in 1..=10 {
        let way = Vec3::new(0.0, 0.0, 0.02 * k as f32);
        world.move_pins(cloth, 1, way, Quat::IDENTITY, Vec3::ZERO).unwrap();
        world.move_pins(rod, 0, way, Quat::IDENTITY, Vec3::ZERO).unwrap();
        world.step().unwrap();
    }
    let way = Vec3::Z * 0.2;
    let close = |found: Vec<Vec3>, expected: &[Vec3]| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(a, b)| assert!(a.distance(*b) < 1e-5, "{a} instead of {b}"));
    };
    // One pin of the cloth, and that of every copy of the rod.
    close(pins(&mut world, cloth), &[left, right + way]);
    close(pins(&mut world, rod), &[first + way, second + way]);
    let missing = world.move_pins(cloth, 2, way, Quat::IDENTITY, Vec3::ZERO);
    assert!(matches!(missing, Err(EditError::Unsuitable(_))), "{missing:?}");
    // Steady, then along keys from where they are, then at rest.
    world.set_pin_velocity(cloth, 0, Vec3::new(0.5, 0.0, 0.0), Vec3::Y).unwrap();
    world.advance(20).unwrap();
    close(pins(&mut world, cloth), &[left + Vec3::X * 0.1, right + way]);
    world.set_pin_motion(cloth, 0, Some(keys(&[(0.0, [0.0, 1.0, 0.0]), (0.1, [0.0, 1.1, 0.0])]))).unwrap();
    world.advance(5).unwrap();
    close(pins(&mut world, cloth), &[left + Vec3::new(0.1, 0.05, 0.0), right + way]);
    world.advance(10).unwrap();
    world.set_pin_motion(cloth, 0, None).unwrap();
    world.advance(5).unwrap();
    close(pins(&mut world, cloth), &[left + Vec3::new(0.1, 0.1, 0.0), right + way]);
    // The start is still what a displacement counts from.
    world.move_pins(cloth, 0, Vec3::ZERO, Quat::IDENTITY, Vec3::ZERO).unwrap();
    world.advance(2).unwrap();
    close(pins(&mut world, cloth), &[left, right + way]);
}

/// Steers pins and colliders in many ways, and returns the world with what moves on.
fn steered() -> World {
    let (mut world, cloth, rod) = pinned();
    let ball = world.add(Collider::sphere([0.0, -0.4, 0.2], 0.2).named("ball")).unwrap();
    world.advance(3).unwrap();
    let waves = MotionSpec::Oscillate { amplitude: [0.0, 0.0, 0.2], period: 0.5, phase: 0.0 };
    world.set_pin_motion(cloth, 0, Some(waves.clone())).unwrap();
    world.set_pin_velocity(rod, 0, Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.0, 3.0, 0.0)).unwrap();
    world.set_motion(ball, Some(waves)).unwrap();
    world.advance(7).unwrap();
    world
}

#[test]
fn r05_steered_motions_stay_through_edits_snapshots_and_bytes() {
    let mut still = steered();
    still.advance(30).unwrap();
    let mut edited = steered();
    let far = edited.add(Collider::sphere([0.0, 99.0, 0.0], 1.0)).unwrap();
    edited.step().unwrap();
    edited.remove(far).unwrap();
    edited.advance(29).unwrap();
    assert_eq!(edited.hash(), still.hash(), "edits");
    let mut first = steered();
    let saved = first.snapshot().unwrap();
    let bytes = saved.to_bytes();
    let (cloth, ball) = (first.find("cloth").unwrap(), first.find("ball").unwrap());
    first.set_pin_motion(cloth, 0, None).unwrap();
    first.set_motion(ball, None).unwrap();
    first.advance(5).unwrap();
    first.restore(&saved).unwrap();
    first.advance(30).unwrap();
    assert_eq!(first.hash(), still.hash(), "a snapshot");
    let mut other = world(&parse(PINNED));
    let read = other.snapshot_from_bytes(&bytes).unwrap();
    other.restore(&read).unwrap();
    other.advance(30).unwrap();
    assert_eq!(other.hash(), still.hash(), "bytes");
}

#[test]
fn a_collider_takes_a_motion_between_steps_and_pushes() {
    let mut scene = Scene::default();
    scene.world.gravity = [0.0; 3];
    let mut world = World::from_scene(&scene, &NoMeshes, options()).unwrap();
    let arm = world.add(Collider::cuboid([1.0, 0.0, 0.0], [0.6, 0.2, 0.2])).unwrap();
    let ball = world.add(Body::ball(0.1).grid(4).at([0.0, 0.0, -1.0])).unwrap();
    world.advance(10).unwrap();
    // A quarter of a turn in half a second, about the origin.
    world.set_motion(arm, Some(MotionSpec::Spin { axis: [0.0, 2.0, 0.0], center: [0.0; 3], rate: 180.0 })).unwrap();
    world.advance(25).unwrap();
    let half = world.pose(arm).unwrap().position;
    assert!(half.distance(Vec3::new(0.5_f32.sqrt(), 0.0, -0.5_f32.sqrt())) < 1e-4, "{half}");
    world.advance(35).unwrap();
    let pushed = world.momentum(ball).unwrap();
    assert!(pushed.linear.x < 0.0, "{pushed:?}");
    world.set_motion(arm, None).unwrap();
    let before = world.pose(arm).unwrap();
    world.advance(10).unwrap();
    assert_eq!(world.pose(arm).unwrap(), before);
    world.set_motion(arm, Some(keys(&[(0.0, [0.0; 3]), (1.0, [0.0, 1.0, 0.0])]))).unwrap();
    world.advance(50).unwrap();
    let risen = world.pose(arm).unwrap().position - before.position;
    assert!(risen.distance(Vec3::Y * 0.5) < 1e-4, "{risen}");
    // What is wrong is said, and changes nothing.
    for wrong in [
        keys(&[]),
        keys(&[(1.0, [0.0; 3]), (0.0, [0.0; 3])]),
        keys(&[(0.0, [f32::NAN; 3])]),
        MotionSpec::Spin { axis: [0.0; 3], center: [0.0; 3], rate: 1.0 },
        MotionSpec::Oscillate { amplitude: [1.0; 3], period: 0.0, phase: 0.0 },
    ] {
        assert!(world.set_motion(arm, Some(wrong.clone())).is_err(), "{wrong:?}");
        assert!(world.set_pin_motion(ball, 0, Some(wrong)).is_err());
    }
    assert!(world.set_motion(ball, None).is_err(), "a body is no collider");
    assert!(world.set_pin_motion(ball, 0, None).is_err(), "a body has no pins");
    world.advance(50).unwrap();
    assert!((world.pose(arm).unwrap().position - before.position).distance(Vec3::Y) < 1e-4);
}
