//! Events of steps.

use crate::small_scenes::SCENES;
use crate::{options, parse, world};
use pliant::builder::NoMeshes;
use pliant::scene::{Body, Collider, Drain, ObjectKind, Scene};
use pliant::{Event, Handle, Options, World};

#[test]
fn a_ball_that_falls_touches_when_it_arrives() {
    let mut scene = Scene::default();
    scene.solver.substeps = 4;
    let mut world = world(&scene);
    let floor = world.add(Collider::plane()).unwrap();
    let ball = world.add(Body::ball(0.1).grid(5).at([0.0, 0.6, 0.0])).unwrap();
    world.record_events(100);
    world.advance(100).unwrap();
    let events = world.events();
    assert_eq!(events.dropped, 0);
    let (time, first) = events.all[0];
    // It falls by half a meter, less what the outermost particles stand back from the sphere.
    let (low, _) = world.bounds(ball).unwrap();
    let expected = (2.0 * 0.5 / 9.81_f64).sqrt();
    assert!((time - expected).abs() < 0.03, "at {time} s instead of {expected} s, lowest {low}");
    match first {
        Event::ContactBegan { first, second, impulse } => {
            assert_eq!([first.min(second), first.max(second)], [floor.min(ball), floor.max(ball)]);
            let mass = world.momentum(ball).unwrap().mass as f32;
            // The impulse stops what falls at 3.1 m/s, over a few substeps.
            assert!(impulse > 0.2 * mass * 3.1 && impulse < 1.5 * mass * 3.1, "{impulse} N·s for {mass} kg");
        }
        other => panic!("{other:?}"),
    }
    // It rests: no more contacts begin than end, and the last is a beginning.
    world.events();
    world.advance(50).unwrap();
    let (_, last) = events.all[events.all.len() - 1];
    assert!(matches!(last, Event::ContactBegan { .. }), "{last:?}");
    // Taken away from under it, the floor ends the contact.
    world.remove(floor).unwrap();
    world.step().unwrap();
    let ended = world.events().all;
    assert!(matches!(ended[..], [(_, Event::ContactEnded { .. })]), "{ended:?}");
}

#[test]
fn a_bouncing_grain_begins_and_ends_contacts_at_the_right_steps() {
    let text = "solver = { dt = 0.002 }\nworld = { air_density = 0 }\n[[grains]]\nname = \"g\"\nfill = { min = [0, 0.5, 0], max = [0.05, 0.55, 0.05] }\nradius = 0.025\njitter = 0\n[[collider]]\nname = \"floor\"\nplane = {}\nrestitution = 0.8\nfriction = { static = 0, kinetic = 0 }";
    let mut world = world(&parse(text));
    world.record_events(1000);
    let start = f64::from(world.position(0).y) - 0.025;
    world.advance(700).unwrap();
    let began: Vec<f64> =
        world.events().all.iter().filter(|(_, e)| matches!(e, Event::ContactBegan { .. })).map(|e| e.0).collect();
    let g = 9.81_f64;
    let (mut time, mut speed) = ((2.0 * start / g).sqrt(), (2.0 * g * start).sqrt());
    for (k, found) in began.iter().take(3).enumerate() {
        assert!((found - time).abs() < 0.012 * (k + 1) as f64, "bounce {k} at {found} s instead of {time} s");
        speed *= 0.8;
        time += 2.0 * speed / g;
    }
    assert!(began.len() >= 3, "{began:?}");
}

const BUSY: &str = r#"
    solver = { substeps = 2, sleep_speed = 0.02 }
    [[grains]]
    name = "sand"
    radius = 0.03
    pour = { from = [0, 1, 0], radius = 0.15, per_second = 200, velocity = [0, -1, 0], until = 0.3 }
    [[body]]
    name = "box"
    box = [0.3, 0.3, 0.3]
    grid = 4
    transform = { translate = [0.05, 0.16, 0] }
    [[body]]
    name = "other"
    box = [0.2, 0.2, 0.2]
    grid = 3
    transform = { translate = [0.05, 0.6, 0.02] }
    [[collider]]
    plane = {}
    [[drain]]
    box = { center = [0.4, 0.1, 0], size = [0.3, 0.3, 2] }
"#;

#[test]
fn r01_events_are_the_same_on_any_number_of_threads() {
    let run = |threads: usize| {
        let mut world = World::from_scene(&parse(BUSY), &NoMeshes, Options { threads, ..options() }).unwrap();
        world.record_events(100_000);
        world.advance(120).unwrap();
        let names: Vec<String> = world.objects().iter().map(|&o| world.name(o).unwrap().to_owned()).collect();
        let events = world.events();
        let handles = world.objects();
        let text = |e: &(f64, Event)| {
            let mut text = format!("{e:?}");
            for (handle, name) in handles.iter().zip(&names) {
                text = text.replace(&format!("{handle:?}"), name);
            }
            text
        };
        (events.all.iter().map(text).collect::<Vec<_>>(), world.hash())
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
    for kind in ["ContactBegan", "Emitted", "Drained"] {
        assert!(one.0.iter().any(|e| e.contains(kind)), "no {kind} among {} events", one.0.len());
    }
    // Recording changes nothing.
    let mut quiet = world(&parse(BUSY));
    quiet.advance(120).unwrap();
    assert_eq!(quiet.hash(), one.1);
}

#[test]
fn a_full_buffer_reports_what_it_dropped() {
    let all = {
        let mut world = world(&parse(BUSY));
        world.record_events(100_000);
        world.advance(60).unwrap();
        world.events().all
    };
    let mut world = world(&parse(BUSY));
    world.record_events(5);
    world.advance(60).unwrap();
    let events = world.events();
    assert_eq!((events.all.len(), events.dropped), (5, all.len() as u64 - 5));
    world.record_events(0);
    world.advance(10).unwrap();
    assert!(world.events().all.is_empty());
}

#[test]
fn sleeping_and_divergence_are_events() {
    let mut scene = Scene::default();
    scene.solver.sleep_speed = 0.05;
    let mut sleepy = world(&scene);
    sleepy.add(Collider::plane()).unwrap();
    let body = sleepy.add(Body::cuboid([0.2; 3]).grid(3).at([0.0, 0.1, 0.0])).unwrap();
    sleepy.record_events(1000);
    sleepy.advance(100).unwrap();
    let events = sleepy.events().all;
    assert!(events.iter().any(|e| e.1 == Event::FellAsleep { object: body }), "{events:?}");
    sleepy.apply_impulse(body, glam::Vec3::new(20.0, 30.0, 0.0), None).unwrap();
    sleepy.advance(2).unwrap();
    let events = sleepy.events().all;
    assert!(events.iter().any(|e| e.1 == Event::Woke { object: body }), "{events:?}");
    sleepy.apply_impulse(body, glam::Vec3::splat(1e9), None).unwrap();
    assert!(sleepy.step().is_err());
    assert!(sleepy.events().all.iter().any(|e| e.1 == Event::Diverged { object: Some(body) }));
}

/// The only object of a kind.
fn only(world: &World, kind: ObjectKind) -> Handle {
    let all: Vec<_> = world.objects().into_iter().filter(|&o| world.kind(o) == Ok(kind)).collect();
    assert_eq!(all.len(), 1);
    all[0]
}

#[test]
fn melting_and_freezing_are_events_of_the_particles_that_they_have_changed() {
    let text = SCENES.iter().find(|(name, _)| *name == "melt and freeze").unwrap().1;
    let mut world = world(&parse(text));
    let (melt, freeze) = (only(&world, ObjectKind::Melt), only(&world, ObjectKind::Freeze));
    world.record_events(10_000);
    world.advance(70).unwrap();
    let events = world.events();
    assert_eq!(events.dropped, 0);
    let (mut melted, mut frozen) = (Vec::new(), Vec::new());
    for (time, event) in &events.all {
        match event {
            Event::Melted { object, count } => {
                assert_eq!(*object, melt);
                melted.push((*time, *count));
            }
            Event::Frozen { object, count } => {
                assert_eq!(*object, freeze);
                frozen.push((*time, *count));
            }
            _ => {}
        }
    }
    let sum = |all: &[(f64, usize)]| all.iter().map(|(_, count)| count).sum::<usize>();
    let state = world.state();
    assert!(state.melted[0] > 50 && sum(&melted) == state.melted[0], "{} of {}", sum(&melted), state.melted[0]);
    assert!(state.frozen[0].count > 4 && sum(&frozen) == state.frozen[0].count, "{}", sum(&frozen));
    // The front melts from the start on, layer by layer; nothing freezes before 0.2 s.
    assert!(melted.len() > 10 && melted[0].0 < 0.05, "{melted:?}");
    assert!(!frozen.is_empty() && (0.19..0.5).contains(&frozen[0].0), "{frozen:?}");
}

#[test]
fn a_drain_names_itself_and_what_it_has_removed() {
    let mut world = world(&parse(BUSY));
    let first = only(&world, ObjectKind::Drain);
    let sand = world.find("sand").unwrap();
    let second = world.add(Drain::sphere([0.0, 0.7, 0.0], 0.1).of("sand")).unwrap();
    world.record_events(100_000);
    world.advance(120).unwrap();
    let mut by_drain = [0; 2];
    let mut emitted = 0;
    for (_, event) in world.events().all {
        match event {
            Event::Drained { drain, object, count } => {
                assert_eq!(object, sand);
                let place = [first, second].iter().position(|&d| d == drain).unwrap();
                by_drain[place] += count;
            }
            Event::Emitted { object, count } => {
                assert_eq!(object, sand);
                emitted += count;
            }
            _ => {}
        }
    }
    assert!(by_drain[1] > 0, "{by_drain:?}");
    assert_eq!(by_drain[0] + by_drain[1], world.state().drained);
    assert_eq!(emitted, world.state().emitted[0]);
}
