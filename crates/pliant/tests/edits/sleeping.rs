//! Objects that are put to sleep and woken by a caller.

use crate::{parse, world};
use glam::Vec3;
use pliant::scene::{Body, Cloth, Collider};
use pliant::{EditError, Event, Handle, World};

fn height(world: &mut World, object: Handle) -> f32 {
    world.pose(object).unwrap().position.y
}

#[test]
fn a_rigid_body_that_is_put_to_sleep_stays_in_the_air_until_it_is_woken() {
    let mut world = world(&parse("[[collider]]\nplane = {}"));
    let sleeper = world.add(Body::ball(0.1).at([0.0, 2.0, 0.0]).velocity([1.0, 0.0, 0.0])).unwrap();
    let other = world.add(Body::ball(0.1).at([3.0, 2.0, 0.0])).unwrap();
    world.record_events(100);
    world.step().unwrap();
    assert!(!world.is_asleep(sleeper).unwrap());
    world.sleep(sleeper).unwrap();
    assert!(world.is_asleep(sleeper).unwrap() && !world.is_asleep(other).unwrap());
    let before = height(&mut world, sleeper);
    world.advance(30).unwrap();
    assert_eq!(height(&mut world, sleeper), before);
    assert!(height(&mut world, other) < 1.7);
    let saved = world.snapshot().unwrap();
    world.wake(sleeper).unwrap();
    assert!(!world.is_asleep(sleeper).unwrap());
    world.advance(30).unwrap();
    assert!(height(&mut world, sleeper) < 1.7);
    let events = world.events().all;
    let of = |event: Event| events.iter().filter(|(_, e)| *e == event).count();
    assert_eq!((of(Event::FellAsleep { object: sleeper }), of(Event::Woke { object: sleeper })), (1, 1));
    world.restore(&saved).unwrap();
    assert!(world.is_asleep(sleeper).unwrap());
    let read = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
    world.restore(&read).unwrap();
    world.advance(10).unwrap();
    assert_eq!(height(&mut world, sleeper), before);
}

#[test]
fn what_touches_a_sleeping_body_or_pushes_it_wakes_it() {
    let mut world = world(&parse(""));
    let sleeper = world.add(Body::cuboid([0.4; 3]).at([0.0, 1.0, 0.0])).unwrap();
    let pushed = world.add(Body::cuboid([0.4; 3]).at([3.0, 1.0, 0.0])).unwrap();
    world.add(Body::ball(0.1).at([0.0, 1.6, 0.0])).unwrap();
    world.step().unwrap();
    world.sleep(sleeper).unwrap();
    world.sleep(pushed).unwrap();
    world.advance(10).unwrap();
    assert!(world.is_asleep(sleeper).unwrap() && world.is_asleep(pushed).unwrap());
    world.apply_impulse(pushed, Vec3::new(1.0, 0.0, 0.0), None).unwrap();
    world.advance(40).unwrap();
    assert!(height(&mut world, sleeper) < 0.99 && height(&mut world, pushed) < 0.99);
}

#[test]
fn an_island_sleeps_and_wakes_as_a_whole() {
    let mut world = world(&parse(""));
    world.add(Collider::plane()).unwrap();
    let stack: Vec<Handle> =
        (0..3).map(|k| world.add(Body::cuboid([0.4; 3]).at([0.0, 0.2 + 0.4 * k as f32, 0.0])).unwrap()).collect();
    let apart = world.add(Body::cuboid([0.4; 3]).at([5.0, 0.2, 0.0])).unwrap();
    world.advance(30).unwrap();
    world.sleep(stack[2]).unwrap();
    let asleep = |world: &mut World| stack.iter().map(|&body| world.is_asleep(body).unwrap()).collect::<Vec<_>>();
    assert_eq!(asleep(&mut world), [true; 3]);
    assert!(!world.is_asleep(apart).unwrap());
    world.advance(5).unwrap();
    assert_eq!(asleep(&mut world), [true; 3]);
    world.wake(stack[0]).unwrap();
    assert_eq!(asleep(&mut world), [false; 3]);
}

#[test]
fn rigid_bodies_that_come_to_rest_have_events() {
    let mut world = world(&parse("[[collider]]\nplane = {}"));
    let cube = world.add(Body::cuboid([0.4; 3]).at([0.0, 0.2, 0.0])).unwrap();
    world.record_events(100);
    world.advance(200).unwrap();
    assert!(world.is_asleep(cube).unwrap());
    let fell = |(_, event): &(f64, Event)| *event == Event::FellAsleep { object: cube };
    assert_eq!(world.events().all.iter().filter(|e| fell(e)).count(), 1);
}

#[test]
fn only_rigid_bodies_are_put_to_sleep() {
    let mut world = world(&parse("solver = { sleep_speed = 0.01 }\nworld = { gravity = [0, 0, 0] }"));
    let cloth = world.add(Cloth::flat([2, 2], [0.2, 0.2])).unwrap();
    let moving = world.add(Cloth::flat([2, 2], [0.2, 0.2]).at([1.0, 0.0, 0.0]).velocity([0.1, 0.0, 0.0])).unwrap();
    assert!(matches!(world.sleep(cloth), Err(EditError::Unsuitable(_))));
    world.advance(2).unwrap();
    assert!(world.is_asleep(cloth).unwrap() && !world.is_asleep(moving).unwrap());
    world.remove(cloth).unwrap();
    assert_eq!(world.wake(cloth), Err(EditError::Stale));
}
