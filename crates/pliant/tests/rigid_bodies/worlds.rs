//! Worlds with rigid bodies: poses, impulses, rays, snapshots, edits, threads, unrelated objects.

use crate::{body, run, world};
use glam::{DVec3, Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::math::Pose;
use pliant::scene::{Body, Collider, Format, Joint, Scene};
use pliant::{Event, Events, Handle, Options, World};

const HEAP: &str = "[[collider]]\nplane = {}\n[[body]]\nname = \"boxes\"\nbox = [0.2, 0.15, 0.1]\n\
    array = { count = [3, 4, 3], spacing = [0.17, 0.3, 0.13] }\ntransform = { translate = [0, 0.3, 0] }\n\
    [[body]]\nname = \"ball\"\nball = 0.1\ntransform = { translate = [0.1, 2, 0.1] }\n\
    [[body]]\nname = \"rod\"\ncapsule = { radius = 0.05, length = 0.3 }\ntransform = { translate = [0.3, 2.2, 0.1] }\n";

#[test]
fn poses_velocities_and_impulses_are_those_of_the_body() {
    let mut world = world("[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"box\"\nbox = [0.2, 0.3, 0.4]\n");
    let handle = world.find("box").unwrap();
    let mass = 1000.0 * 0.2 * 0.3 * 0.4;
    world.apply_impulse(handle, Vec3::new(mass, 0.0, 0.0), Some(Vec3::new(0.0, 0.15, 0.0))).unwrap();
    let (velocity, spin) = world.body_velocity(handle).unwrap();
    // L = r × J = −0.15·m about z; I = m(0.2² + 0.3²)/12.
    let wanted = -0.15 / ((0.04 + 0.09) / 12.0);
    assert!((velocity - Vec3::X).length() < 1e-5 && (spin - Vec3::Z * wanted).length() < 1e-3 * wanted.abs());
    let momentum = world.momentum(handle).unwrap();
    assert!((momentum.linear - DVec3::X * f64::from(mass)).length() < 1e-4);
    assert!((momentum.angular.z + 0.15 * f64::from(mass)).abs() < 1e-4);
    let turn = Quat::from_rotation_x(1.0);
    world.set_velocity(handle, Vec3::ZERO, Vec3::ZERO).unwrap();
    world.teleport(handle, Pose { position: Vec3::new(1.0, 2.0, 3.0), rotation: turn }).unwrap();
    run(&mut world, 0.1);
    let pose = world.pose(handle).unwrap();
    assert!(pose.position.distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-6 && pose.rotation.dot(turn).abs() > 1.0 - 1e-6);
    let (low, high) = world.bounds(handle).unwrap();
    assert!(low.x < 0.91 && high.x > 1.09);
}

#[test]
fn rays_hit_the_exact_shape() {
    let mut world = world("[[body]]\nname = \"ball\"\nball = 0.25\ntransform = { translate = [1, 2, 3] }\n");
    let handle = world.find("ball").unwrap();
    let hit = world.ray_cast(Vec3::new(1.0, 9.0, 3.1), Vec3::NEG_Y, 100.0).unwrap().unwrap();
    let wanted = 9.0 - 2.0 - (0.25_f32 * 0.25 - 0.01).sqrt();
    assert_eq!(hit.object, handle);
    assert!((hit.distance - wanted).abs() < 1e-4, "{} instead of {wanted}", hit.distance);
    assert!(world.ray_cast(Vec3::new(1.3, 9.0, 3.0), Vec3::NEG_Y, 100.0).unwrap().is_none());
    let near = world.closest_point(Vec3::new(1.0, 3.0, 3.0), 9.0).unwrap().unwrap();
    assert!((near.distance - 0.75).abs() < 1e-5 && near.object == handle);
    assert_eq!(world.overlap_sphere(Vec3::new(1.0, 2.5, 3.0), 0.3).unwrap(), vec![handle]);
}

#[test]
fn v36_bits_do_not_depend_on_threads_or_on_objects_elsewhere() {
    let hash = |text: &str, threads: usize| {
        let scene = Scene::parse(text, Format::Toml).unwrap();
        let mut world = World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap();
        world.advance(150).unwrap();
        let bodies = world.state().rigid_bodies.bodies.clone();
        bodies[..38].to_vec()
    };
    let alone = hash(HEAP, 1);
    assert_eq!(alone, hash(HEAP, 3));
    for more in [
        "[[body]]\nbox = [1, 1, 1]\ntransform = { translate = [20, 0.5, 0] }\n[[body]]\nball = 0.3\ntransform = { translate = [20, 1.5, 0] }\n",
        "[[cloth]]\ngrid = { cells = [9, 9], size = [0.5, 0.5] }\ntransform = { translate = [9, 1, 0] }\n",
        "[[collider]]\nsurface = { bowl = { radius = 0.3, height = 0.2 }, transform = { translate = [8, 0.1, 0] } }\n",
    ] {
        assert_eq!(alone, hash(&format!("{HEAP}{more}"), 1), "with {more}");
    }
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits_also_from_bytes() {
    let text = format!("{HEAP}[[joint]]\nkind = \"ball\"\nbody = \"rod\"\nto = \"ball\"\nanchor = [0.2, 2.1, 0.1]\n");
    let mut world = world(&text);
    world.advance(60).unwrap();
    let saved = world.snapshot().unwrap();
    let bytes = saved.to_bytes();
    world.advance(60).unwrap();
    let wanted = world.hash();
    world.restore(&saved).unwrap();
    world.advance(60).unwrap();
    assert_eq!(world.hash(), wanted);
    let again = world.snapshot_from_bytes(&bytes).unwrap();
    world.restore(&again).unwrap();
    world.advance(60).unwrap();
    assert_eq!(world.hash(), wanted);
    // Damaged orientations and contacts are refused, not used.
    for at in (bytes.len() / 2..bytes.len()).step_by(997) {
        let mut wrong = bytes.clone();
        wrong[at] ^= 0xff;
        assert!(world.snapshot_from_bytes(&wrong).is_err());
    }
}

#[test]
fn bodies_and_joints_come_and_go_without_a_change_of_the_others() {
    let mut world = world(
        "[[collider]]\nplane = {}\n[[body]]\nname = \"a\"\nbox = [0.4, 0.4, 0.4]\ntransform = { translate = [0, 0.5, 0] }\n",
    );
    run(&mut world, 1.0);
    let before = body(&world, 0);
    // Inside the first one: refused. Beside it: welcome.
    assert!(world.add(Body::cuboid([0.4; 3]).at([0.1, 0.3, 0.0])).is_err());
    let ball = world.add(Body::ball(0.2).named("ball").at([0.0, 2.0, 0.0])).unwrap();
    world.apply_edits().unwrap();
    assert_eq!(body(&world, 0), before);
    run(&mut world, 1.5);
    let joint = world.add(Joint::ball("ball").anchor([0.0, 3.0, 0.0])).unwrap();
    run(&mut world, 0.5);
    world.remove(joint).unwrap();
    run(&mut world, 0.1);
    let floor = world.add(Collider::cuboid([5.0, 0.0, 0.0], [1.0, 1.0, 1.0])).unwrap();
    world.remove(ball).unwrap();
    world.remove(floor).unwrap();
    run(&mut world, 1.0);
    assert_eq!(world.state().rigid_bodies.bodies.len(), 1);
    assert!(body(&world, 0).position.distance(DVec3::new(0.0, 0.2, 0.0)) < 2e-3, "{}", body(&world, 0).position);
}

#[test]
fn frames_have_the_bodies_and_their_true_shape() {
    let mut world = world("[[body]]\nname = \"box\"\nbox = [0.2, 0.4, 0.6]\ntransform = { translate = [1, 2, 3] }\n");
    run(&mut world, 0.1);
    let mut frame = Default::default();
    world.write_frame(&mut frame);
    let topology = world.topology();
    assert_eq!((topology.body_objects.len(), frame.bodies.len()), (1, 1));
    assert_eq!(topology.object_names[topology.body_objects[0] as usize], "box");
    assert_eq!(frame.positions.len(), topology.objects.len());
    let center = frame.positions.iter().copied().sum::<Vec3>() / frame.positions.len() as f32;
    assert!(center.distance(Vec3::from(frame.bodies[0].position.map(|v| v as f32))) < 1e-5);
    let high = frame.positions.iter().fold(Vec3::NEG_INFINITY, |m, &p| m.max(p));
    assert!((high - center).distance(Vec3::new(0.1, 0.2, 0.3)) < 1e-5);
}

#[test]
fn degenerate_bodies_are_refused_with_what_is_wrong() {
    for (text, place) in [
        ("[[body]]\nconvex = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]\n", "body[0]"),
        ("[[body]]\nconvex = [[nan, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]\n", "body[0].convex[0]"),
        ("[[body]]\nbox = [1, 1, 1]\nmodel = \"rigid\"\ngrid = 4\n", "body[0].model"),
        ("[[body]]\ncone = { radius = 1, length = 1 }\nmodel = \"particles\"\n", "body[0].model"),
        ("[[body]]\nbox = [1, 1, 1]\ncone = { radius = 1, length = 1 }\n", "body[0]"),
        ("[[body]]\nparts = [{ translate = [0, 0, 0] }]\n", "body[0].parts[0]"),
        ("[[body]]\ncapsule = { radius = -1, length = 1 }\n", "body[0].capsule.radius"),
    ] {
        let error = match Scene::parse(text, Format::Toml) {
            Err(e) => e.to_string(),
            Ok(scene) => World::from_scene(&scene, &NoMeshes, Options::default()).err().unwrap().to_string(),
        };
        assert!(error.contains(place), "{text}: {error}");
    }
}

#[test]
fn contacts_of_rigid_bodies_are_events() {
    let mut world = world(
        "[[collider]]\nname = \"floor\"\nplane = {}\n[[body]]\nname = \"low\"\nbox = [0.2, 0.2, 0.2]\n\
        transform = { translate = [0, 0.15, 0] }\n[[body]]\nname = \"high\"\nball = 0.1\n\
        transform = { translate = [0, 0.5, 0] }\n",
    );
    world.record_events(100);
    run(&mut world, 1.0);
    let [floor, low, high] = ["floor", "low", "high"].map(|name| world.find(name).unwrap());
    let met = |a: Handle, b: Handle, events: &Events| {
        events.all.iter().any(|(_, e)| {
            matches!(e, Event::ContactBegan { first, second, impulse }
            if (*first, *second) == (a.min(b), a.max(b)) && *impulse > 0.0)
        })
    };
    let events = world.events();
    assert!(met(floor, low, &events) && met(low, high, &events) && !met(floor, high, &events), "{events:?}");
}
