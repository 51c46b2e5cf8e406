//! Sensors report what overlaps them, and push nothing.

use crate::{body, run, world};
use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::scene::{Body, Format, Scene};
use pliant::{EditError, Event, Options, Pose, World};

const GATE: &str = "[[collider]]\nname = \"gate\"\nbox = { center = [0, 1, 0], size = [1, 0.2, 1] }\nsensor = true\n\
    [[body]]\nname = \"ball\"\nball = 0.1\ntransform = { translate = [0, 2, 0] }\n\
    [[grains]]\nname = \"grain\"\nfill = { min = [0.28, 2.18, 0.28], max = [0.32, 2.22, 0.32] }\nradius = 0.02\n";

#[test]
fn s21_what_falls_through_a_sensor_is_reported_and_falls_freely() {
    let mut world = world(GATE);
    let [gate, ball, grain] = ["gate", "ball", "grain"].map(|name| world.find(name).unwrap());
    world.record_events(100);
    assert!(world.overlapping(gate).unwrap().is_empty());
    run(&mut world, 1.0);
    let mut free = crate::world(&GATE[GATE.find("[[body]]").unwrap()..]);
    run(&mut free, 1.0);
    assert_eq!(body(&world, 0), body(&free, 0));
    let events = world.events();
    for (object, top, bottom) in [(ball, 2.0 - 1.1 - 0.1, 2.0 - 0.9 + 0.1), (grain, 2.2 - 1.1 - 0.02, 2.2 - 0.9 + 0.02)]
    {
        let time = |found: &dyn Fn(&Event) -> bool| events.all.iter().find(|(_, e)| found(e)).unwrap().0;
        let entered = time(&|e| *e == Event::SensorEntered { sensor: gate, object });
        let left = time(&|e| *e == Event::SensorLeft { sensor: gate, object });
        for (found, way) in [(entered, top), (left, bottom)] {
            let wanted = (2.0_f64 * way / 9.81).sqrt();
            assert!(found >= wanted - 0.006 && found < wanted + 0.016, "at {found} s instead of {wanted}");
        }
    }
    assert!(!events.all.iter().any(|(_, e)| matches!(e, Event::ContactBegan { .. })), "{events:?}");
}

#[test]
fn s21_a_sensor_may_be_a_body_and_reports_groups_only() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n[[collider]]\nname = \"wall\"\nbox = { center = [2, 0, 0], size = [0.2, 1, 1] }\n\
        [[body]]\nname = \"probe\"\nball = 0.2\nsensor = true\nvelocity = [1, 0, 0]\n\
        [[body]]\nname = \"seen\"\nmodel = \"rigid\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [1, 0, 0] }\n\
        [[body]]\nname = \"other\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [1, 0.25, 0] }\ncollision = { groups = [3] }\n",
    );
    let [wall, probe, seen, other] = ["wall", "probe", "seen", "other"].map(|name| world.find(name).unwrap());
    run(&mut world, 0.5);
    assert_eq!(world.overlapping(probe).unwrap(), vec![]);
    run(&mut world, 0.5);
    let mut both = vec![seen, other];
    both.sort();
    assert_eq!(world.overlapping(probe).unwrap(), both);
    run(&mut world, 1.0);
    assert_eq!(world.overlapping(probe).unwrap(), vec![wall]);
    assert!((body(&world, 0).position.x - 2.0).abs() < 1e-6, "{}", body(&world, 0).position);
    assert_eq!(body(&world, 1).velocity.length(), 0.0);
    assert!(matches!(world.overlapping(seen), Err(EditError::Unsuitable(_))));
    assert!(world.set_collision_groups(probe, pliant::CollisionGroups::ALL).is_err());
    // Others may be put into it, and it may be put where others are.
    world.teleport(probe, Pose { position: Vec3::new(5.0, 0.0, 0.0), rotation: Quat::IDENTITY }).unwrap();
    let inside = world.add(Body::ball(0.1).at([5.0, 0.0, 0.0])).unwrap();
    assert_eq!(world.overlapping(probe).unwrap(), vec![inside]);
    // A filter of groups.
    let scene = "[[collider]]\nname = \"gate\"\nsphere = { center = [0, 0, 0], radius = 1 }\nsensor = true\ncollision = { with = [2] }\n\
        [[body]]\nname = \"a\"\nmodel = \"rigid\"\nbox = [0.2, 0.2, 0.2]\ncollision = { groups = [2] }\n\
        [[body]]\nname = \"b\"\nmodel = \"rigid\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [0.5, 0, 0] }\ncollision = { groups = [1] }\n";
    let mut world = crate::world(scene);
    let [gate, a] = ["gate", "a"].map(|name| world.find(name).unwrap());
    assert_eq!(world.overlapping(gate).unwrap(), vec![a]);
}

#[test]
fn s21_bodies_of_particles_are_no_sensors() {
    let text = "[[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\ngrid = 4\nsensor = true\n";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let error = World::from_scene(&scene, &NoMeshes, Options::default()).err().unwrap().to_string();
    assert!(error.contains("body[0].sensor"), "{error}");
}
