//! Objects that are put to sleep and woken by a caller.

use crate::{parse, world};
use glam::Vec3;
use pliant::scene::{Attach, Body, Cloth, Collider, Grains, Inflatable, Liquid, Place, Rope, Soft};
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
fn objects_of_particles_rest_below_a_sleep_speed() {
    let mut world = world(&parse("solver = { sleep_speed = 0.01 }\nworld = { gravity = [0, 0, 0] }"));
    let cloth = world.add(Cloth::flat([2, 2], [0.2, 0.2])).unwrap();
    let moving = world.add(Cloth::flat([2, 2], [0.2, 0.2]).at([1.0, 0.0, 0.0]).velocity([0.1, 0.0, 0.0])).unwrap();
    world.advance(2).unwrap();
    assert!(world.is_asleep(cloth).unwrap() && !world.is_asleep(moving).unwrap());
    world.remove(cloth).unwrap();
    assert_eq!(world.wake(cloth), Err(EditError::Stale));
}

/// One object of each kind of particles, five meters from each other, and the same twice.
fn of_particles(world: &mut World, at: f32) -> Vec<Handle> {
    let place = |k: usize| [5.0 * k as f32, 3.0, at];
    vec![
        world.add(Cloth::flat([4, 4], [0.4, 0.4]).at(place(0))).unwrap(),
        world.add(Rope::along(&[place(1), [5.4, 3.0, at]], 8)).unwrap(),
        world.add(Soft::block([1, 1, 1], [0.2; 3]).fem(1e5, 0.3).at(place(2))).unwrap(),
        world.add(Soft::block([1, 1, 1], [0.2; 3]).at(place(3))).unwrap(),
        world.add(Inflatable::sphere(0.2, 1).at(place(4))).unwrap(),
        world.add(Grains::fill([25.0, 3.0, at], [25.3, 3.3, at + 0.3], 0.05)).unwrap(),
        world.add(Body::cuboid([0.3; 3]).grid(3).at(place(6))).unwrap(),
        world.add(rod(place(7))).unwrap(),
    ]
}

/// A rope with twist, which has orientations.
fn rod(at: [f32; 3]) -> Rope {
    let text = format!(
        "[[rope]]\npath = [[{}, {}, {}], [{}, {}, {}]]\nsegments = 6\nbend = {{ compliance = 1e-2 }}\ntwist = {{ compliance = 1e-2 }}",
        at[0],
        at[1],
        at[2],
        at[0] + 0.4,
        at[1],
        at[2]
    );
    parse(&text).rope.remove(0)
}

fn rows(world: &mut World, object: Handle) -> Vec<[u32; 4]> {
    world.positions(object).unwrap().iter().map(|row| row.map(f32::to_bits)).collect()
}

#[test]
fn objects_of_particles_stay_where_they_sleep_to_the_bit_and_fall_once_woken() {
    for settings in ["", "solver = { integrator = \"bdf2\" }", "solver = { method = \"xpbd\", iterations = 4 }"] {
        let mut world = world(&parse(&format!("{settings}\n[[collider]]\nplane = {{}}")));
        let (sleepers, others) = (of_particles(&mut world, 0.0), of_particles(&mut world, 5.0));
        world.record_events(100);
        world.advance(3).unwrap();
        sleepers.iter().for_each(|&object| world.sleep(object).unwrap());
        let before: Vec<_> = sleepers.iter().map(|&object| rows(&mut world, object)).collect();
        let pose = world.pose(sleepers[6]).unwrap();
        world.advance(10).unwrap();
        let saved = world.snapshot().unwrap();
        world.advance(10).unwrap();
        for (k, (&object, &other)) in sleepers.iter().zip(&others).enumerate() {
            assert!(world.is_asleep(object).unwrap() && !world.is_asleep(other).unwrap(), "{settings} {k}");
            assert_eq!(rows(&mut world, object), before[k], "{settings} {k}");
            assert_eq!(world.momentum(object).unwrap().linear, glam::DVec3::ZERO);
            assert!(world.momentum(other).unwrap().linear.y < 0.0);
        }
        assert_eq!(world.pose(sleepers[6]).unwrap(), pose);
        let hash = world.hash();
        sleepers.iter().for_each(|&object| world.wake(object).unwrap());
        world.advance(5).unwrap();
        for (k, &object) in sleepers.iter().enumerate() {
            assert!(!world.is_asleep(object).unwrap());
            // A free fall of 50 ms from rest.
            let fallen = world.momentum(object).unwrap();
            let speed = fallen.linear.y / fallen.mass;
            assert!((speed + 0.4905).abs() < 0.03, "{settings} {k}: {speed} m/s");
        }
        let events = world.events().all;
        for &object in &sleepers {
            let of = |event: Event| events.iter().filter(|(_, e)| *e == event).count();
            assert_eq!((of(Event::FellAsleep { object }), of(Event::Woke { object })), (1, 1));
        }
        let read = world.snapshot_from_bytes(&saved.to_bytes()).unwrap();
        for moment in [saved, read] {
            world.restore(&moment).unwrap();
            assert!(sleepers.iter().all(|&object| world.is_asleep(object).unwrap()));
            world.advance(10).unwrap();
            assert_eq!(world.hash(), hash, "{settings}");
        }
    }
}

#[test]
fn what_hits_a_sleeping_object_meets_one_of_its_mass_and_wakes_it() {
    // Without gravity an object at rest and one that sleeps are the same to what hits them, but for rounding.
    let settings = "world = { gravity = [0, 0, 0] }\nsolver = { substeps = 4 }\ncontact = { between = true }";
    let run = |sleeps: bool| {
        let mut world = world(&parse(settings));
        let cloth = world.add(Cloth::flat([6, 6], [0.5, 0.5]).at([-0.25, 0.0, -0.25])).unwrap();
        let crate_ = world.add(Body::cuboid([0.3; 3]).grid(3).at([3.0, 0.0, 0.0])).unwrap();
        let untouched = world.add(Cloth::flat([6, 6], [0.5, 0.5]).at([6.0, 0.0, 0.0])).unwrap();
        for x in [0.0, 3.0] {
            world.add(Body::cuboid([0.2; 3]).grid(3).at([x, 0.5, 0.0]).velocity([0.0, -3.0, 0.0])).unwrap();
        }
        if sleeps {
            [cloth, crate_, untouched].iter().for_each(|&object| world.sleep(object).unwrap());
        }
        world.advance(40).unwrap();
        let asleep = [cloth, crate_, untouched].map(|object| world.is_asleep(object).unwrap());
        let moved = world.momentum(crate_).unwrap().linear.y;
        let places: Vec<Vec3> = (0..world.particles()).map(|i| world.position(i)).collect();
        (places, asleep, moved)
    };
    let (awake, asleep) = (run(false), run(true));
    assert!(asleep.2 < -0.1, "the crate was not hit: {} kg·m/s", asleep.2);
    assert_eq!(asleep.1, [false, false, true]);
    let apart = awake.0.iter().zip(&asleep.0).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart < 1e-4, "a collision with a sleeping object ends {apart} m elsewhere");
}

#[test]
fn a_pile_of_particle_bodies_sleeps_as_a_whole_on_the_floor_and_with_what_is_attached() {
    let mut world = world(&parse("contact = { between = true }"));
    let floor = world.add(Collider::plane()).unwrap();
    let stack: Vec<Handle> = (0..3)
        .map(|k| world.add(Body::cuboid([0.3; 3]).grid(3).at([0.0, 0.15 + 0.3 * k as f32, 0.0])).unwrap())
        .collect();
    let upper =
        world.add(Rope::along(&[[2.0, 3.0, 0.0], [2.0, 2.0, 0.0]], 6).named("upper").pin(Place::Start)).unwrap();
    let lower = world.add(Rope::along(&[[2.0, 2.0, 0.0], [2.5, 2.0, 0.0]], 6).named("lower")).unwrap();
    world.add(Attach::objects("upper", "lower", 0.01)).unwrap();
    let liquid = world.add(Liquid::fill([8.0, 0.0, 0.0], [8.2, 0.2, 0.2])).unwrap();
    world.advance(20).unwrap();
    assert!(matches!(world.sleep(liquid), Err(EditError::Unsuitable(_))));
    world.sleep(stack[0]).unwrap();
    world.sleep(lower).unwrap();
    let all: Vec<Handle> = stack.iter().copied().chain([upper, lower]).collect();
    let asleep = |world: &mut World| all.iter().map(|&object| world.is_asleep(object).unwrap()).collect::<Vec<_>>();
    assert_eq!(asleep(&mut world), [true; 5]);
    world.advance(10).unwrap();
    assert_eq!(asleep(&mut world), [true; 5], "weight on a floor at rest and on each other wakes nothing");
    // A collider that a caller moves, settings and edits wake all; a grip and an impulse what they act on.
    world.apply_impulse(upper, Vec3::X * 1e-3, None).unwrap();
    assert_eq!(asleep(&mut world), [true, true, true, false, false]);
    world.set_collider_velocity(floor, Vec3::Y * 0.1, Vec3::ZERO).unwrap();
    assert_eq!(asleep(&mut world), [false; 5]);
    world.sleep(stack[2]).unwrap();
    world.advance(5).unwrap();
    assert_eq!(asleep(&mut world), [false; 5], "a floor that rises wakes what lies on it");
    world.set_collider_velocity(floor, Vec3::ZERO, Vec3::ZERO).unwrap();
    world.sleep(lower).unwrap();
    let hit = world.closest_point(Vec3::new(2.6, 2.0, 0.0), 3.0).unwrap().unwrap();
    let grip = world.grab(&hit, &pliant::GripOptions::default()).unwrap();
    assert_eq!(asleep(&mut world), [false; 5]);
    world.release(grip).unwrap();
    world.sleep(lower).unwrap();
    world.set_gravity([0.0, -3.0, 0.0]).unwrap();
    assert_eq!(asleep(&mut world), [false; 5]);
    world.sleep(lower).unwrap();
    world.remove(liquid).unwrap();
    assert_eq!(asleep(&mut world), [false; 5]);
}
