//! Grips on every kind of object.

use crate::{options, parse, world};
use glam::{DVec3, Vec3};
use pliant::builder::NoMeshes;
use pliant::scene::{Body, Collider, Scene};
use pliant::{EditError, GripOptions, World};

const OBJECTS: [(&str, &str, [f32; 3]); 8] = [
    (
        "cloth",
        "[[cloth]]\nname = \"it\"\ngrid = { cells = [10, 10], size = [1, 1], plane = \"xz\" }\ndensity = 0.5",
        [0.53, 0.0, 0.52],
    ),
    ("rope", "[[rope]]\nname = \"it\"\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 20\nradius = 0.03", [0.5, 0.0, 0.0]),
    (
        "soft",
        "[[soft]]\nname = \"it\"\nblock = { cells = [4, 4, 4], size = [0.5, 0.5, 0.5] }\nstretch = { modulus = 1e5 }",
        [0.26, 0.5, 0.24],
    ),
    ("balloon", "[[inflatable]]\nname = \"it\"\nsphere = { radius = 0.4, subdivisions = 2 }", [0.0, 0.4, 0.0]),
    ("body of particles", "[[body]]\nname = \"it\"\nbox = [0.4, 0.4, 0.4]\ngrid = 4", [0.05, 0.2, 0.05]),
    ("rigid body", "[[body]]\nname = \"it\"\nbox = [0.4, 0.3, 0.4]", [0.1, 0.15, -0.05]),
    (
        "grains",
        "[[grains]]\nname = \"it\"\nfill = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }\nradius = 0.05",
        [0.05, 0.2, 0.05],
    ),
    (
        "water",
        "[[liquid]]\nname = \"it\"\nfill = { min = [0, 0, 0], max = [0.3, 0.3, 0.3] }\n[fluid]\nradius = 0.025",
        [0.13, 0.3, 0.13],
    ),
];

fn above(at: [f32; 3]) -> Vec3 {
    Vec3::from(at) + Vec3::new(0.0, 3.0, 0.0)
}

#[test]
fn every_kind_of_object_is_held_against_its_weight_and_follows() {
    for (kind, text, at) in OBJECTS {
        let mut world = world(&parse(text));
        let hit = world.ray_cast(above(at), Vec3::NEG_Y, 10.0).unwrap().unwrap_or_else(|| panic!("{kind}: no hit"));
        let grip = world.grab(&hit, &GripOptions::default()).unwrap();
        let start = world.grip_point(grip).unwrap();
        world.advance(100).unwrap();
        let held = world.grip_point(grip).unwrap();
        assert!(held.distance(start) < 0.06, "{kind}: held at {held} instead of {start}");
        // Moved by a meter in a second.
        for k in 1..=100 {
            world.move_grip(grip, start + Vec3::new(0.01 * k as f32, 0.0, 0.0)).unwrap();
            world.step().unwrap();
        }
        world.advance(50).unwrap();
        let target = start + Vec3::X;
        let moved = world.grip_point(grip).unwrap();
        assert!(moved.distance(target) < 0.06, "{kind}: moved to {moved} instead of {target}");
        let force = world.grip_force(grip).unwrap();
        assert!(force.y > 0.0, "{kind}: {force}");
        world.release(grip).unwrap();
        world.advance(50).unwrap();
        assert_eq!(world.grip_point(grip), Err(EditError::Stale));
        assert_eq!(world.release(grip), Err(EditError::Stale));
    }
}

#[test]
fn one_step_after_its_target_has_moved_an_object_has_followed() {
    for (kind, text, at) in OBJECTS {
        let mut world = world(&parse(text));
        let hit = world.ray_cast(above(at), Vec3::NEG_Y, 10.0).unwrap().unwrap();
        let grip = world.grab(&hit, &GripOptions::default()).unwrap();
        world.advance(50).unwrap();
        let before = world.grip_point(grip).unwrap();
        world.move_grip(grip, before + Vec3::X * 0.01).unwrap();
        world.step().unwrap();
        // 20 times its weight moves a free object by 20·g·dt²/2 = 9.8 mm in a step of one substep.
        let moved = world.grip_point(grip).unwrap().x - before.x;
        assert!(moved > 0.003 && moved < 0.015, "{kind}: {moved} m after one step");
    }
}

#[test]
fn a_grip_that_is_pulled_away_at_100_meters_per_second_holds_to_its_force() {
    for (kind, text, at) in OBJECTS {
        let mut scene = parse(text);
        scene.world.gravity = [0.0; 3];
        scene.world.air_density = 0.0;
        // The force that is read is that of the last substep: its sum is the impulse only where there is one.
        scene.solver.substeps = 1;
        let mut world = world(&scene);
        let hit = world.ray_cast(above(at), Vec3::NEG_Y, 10.0).unwrap().unwrap();
        let grip = world.grab(&hit, &GripOptions::default()).unwrap();
        let start = world.grip_point(grip).unwrap();
        let object = world.find("it").unwrap();
        let mut impulse = DVec3::ZERO;
        let mut most = 0.0_f32;
        for k in 1..=100 {
            world.move_grip(grip, start + Vec3::new(1.0, 0.4, -0.3) * k as f32).unwrap();
            world.step().unwrap_or_else(|e| panic!("{kind}, step {k}: {e}"));
            let force = world.grip_force(grip).unwrap();
            impulse += force.as_dvec3() * 0.01;
            most = most.max(force.length());
            let momentum = world.momentum(object).unwrap().linear;
            let missing = (momentum - impulse).length() / impulse.length();
            // Grains and water have the velocity of their positions, which are rounded 100 m away.
            let bound = if k > 20 && (kind == "water" || kind == "grains") { 1e-4 } else { 1e-5 };
            assert!(missing < bound, "{kind}, step {k}: momentum {momentum} instead of {impulse}");
        }
        let momentum = world.momentum(object).unwrap();
        let limit = 20.0 * 9.81 * momentum.mass as f32;
        assert!(most <= 1.001 * limit, "{kind}: {most} N instead of at most {limit} N");
        // Once released it flies on, and comes together again.
        world.release(grip).unwrap();
        world.advance(100).unwrap_or_else(|e| panic!("{kind}: {e}"));
        let after = world.momentum(object).unwrap();
        assert!(
            (after.linear - momentum.linear).length() < 1e-3 * impulse.length(),
            "{kind}: {} {}",
            after.linear,
            momentum.linear
        );
    }
}

#[test]
fn a_compliant_grip_gives_way_by_compliance_times_weight() {
    let mut world = world(&Scene::default());
    let body = world.add(Body::cuboid([0.2; 3]).grid(3).density(1000.0)).unwrap();
    let hit = world.ray_cast(Vec3::new(0.001, 3.0, 0.001), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    let grip =
        world.grab(&hit, &GripOptions { compliance: Some(1e-3), max_force: Some(1e5), ..Default::default() }).unwrap();
    let start = world.grip_point(grip).unwrap();
    world.set_damping(3.0).unwrap();
    world.advance(500).unwrap();
    let weight = world.momentum(body).unwrap().mass as f32 * 9.81;
    let (sag, force) = (start.y - world.grip_point(grip).unwrap().y, world.grip_force(grip).unwrap().y);
    assert!((sag - 1e-3 * weight).abs() < 0.02 * sag, "{sag} m under {weight} N");
    assert!((force - weight).abs() < 0.02 * weight, "{force} N instead of {weight} N");
    // A weaker hand cannot hold it.
    world.release(grip).unwrap();
    let top = world.pose(body).unwrap().position + Vec3::Y;
    let hit = world.closest_point(top, 10.0).unwrap().unwrap();
    let weak = world.grab(&hit, &GripOptions { max_force: Some(0.5 * weight), ..Default::default() }).unwrap();
    let from = world.momentum(body).unwrap().center.y;
    world.set_damping(0.0).unwrap();
    world.advance(50).unwrap();
    let fallen = from - world.momentum(body).unwrap().center.y;
    assert!(fallen > 0.4, "with half its weight in hand it falls {fallen} m in half a second");
    world.release(weak).unwrap();
}

#[test]
fn a_gripped_rigid_body_hangs_turns_and_is_carried_through_edits_and_snapshots() {
    let mut world = world(&Scene::default());
    let bar = world.add(Body::cuboid([1.0, 0.1, 0.1]).density(500.0)).unwrap();
    let weight = 5.0 * 9.81;
    let hit = world.ray_cast(Vec3::new(0.4, 3.0, 0.0), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    let stiff = GripOptions { compliance: Some(1e-4), ..GripOptions::default() };
    let grip = world.grab(&hit, &stiff).unwrap();
    world.set_damping(3.0).unwrap();
    world.advance(100).unwrap();
    // Bodies that come and go change the numbers of the others.
    let early = world.add(Body::ball(0.1).at([9.0, 0.0, 0.0])).unwrap();
    world.advance(5).unwrap();
    let snapshot = world.snapshot().unwrap();
    world.advance(100).unwrap();
    let hash = world.hash();
    world.restore(&snapshot).unwrap();
    world.advance(100).unwrap();
    assert_eq!(world.hash(), hash);
    world.remove(early).unwrap();
    world.advance(800).unwrap();
    // It hangs from the point: its center is straight below, and the grip carries its weight.
    let (point, center) = (world.grip_point(grip).unwrap(), world.momentum(bar).unwrap().center);
    let aside = (center - point.as_dvec3()) * DVec3::new(1.0, 0.0, 1.0);
    assert!(aside.length() < 2e-3 && center.y < f64::from(point.y) - 0.35, "center {center} below {point}");
    let force = world.grip_force(grip).unwrap();
    assert!((force - Vec3::Y * weight).length() < 0.01 * weight, "{force} N instead of {weight} N");
    assert!((hit.point.y - point.y - 1e-4 * weight).abs() < 2e-4, "{} m", hit.point.y - point.y);
    world.release(grip).unwrap();
    world.advance(20).unwrap();
    assert!(world.momentum(bar).unwrap().center.y < center.y - 0.1, "it falls once released");
}

#[test]
fn a_gripped_collider_follows_exactly() {
    let mut world = world(&Scene::default());
    let ball = world.add(Collider::sphere([0.0, 0.0, 0.0], 0.5)).unwrap();
    let hit = world.ray_cast(Vec3::new(0.1, 3.0, 0.0), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    assert_eq!(hit.object, ball);
    let grip = world.grab(&hit, &GripOptions::default()).unwrap();
    world.move_grip(grip, hit.point + Vec3::new(0.2, 0.1, 0.0)).unwrap();
    world.step().unwrap();
    let at = world.pose(ball).unwrap().position;
    assert!(at.distance(Vec3::new(0.2, 0.1, 0.0)) < 1e-5, "{at}");
    world.release(grip).unwrap();
}

#[test]
fn grips_survive_edits_end_with_their_object_and_are_in_snapshots() {
    let mut world = World::from_scene(&parse(OBJECTS[0].1), &NoMeshes, options()).unwrap();
    let object = world.find("it").unwrap();
    let hit = world.ray_cast(above(OBJECTS[0].2), Vec3::NEG_Y, 10.0).unwrap().unwrap();
    let grip = world.grab(&hit, &GripOptions::default()).unwrap();
    let start = world.grip_point(grip).unwrap();
    world.advance(5).unwrap();
    world.add(Body::ball(0.1).grid(8).at([20.0, 0.0, 0.0])).unwrap();
    world.advance(5).unwrap();
    let snapshot = world.snapshot().unwrap();
    world.advance(20).unwrap();
    let hash = world.hash();
    assert!(world.grip_point(grip).unwrap().distance(start) < 0.06);
    world.release(grip).unwrap();
    world.advance(5).unwrap();
    world.restore(&snapshot).unwrap();
    world.advance(20).unwrap();
    assert_eq!(world.hash(), hash, "the grip is back");
    world.remove(object).unwrap();
    assert_eq!(world.move_grip(grip, Vec3::ZERO), Err(EditError::Stale));
    world.advance(5).unwrap();
    assert_eq!(world.grip_force(grip), Err(EditError::Stale));
    let bad = GripOptions { max_force: Some(f32::NAN), ..GripOptions::default() };
    let ball = world.closest_point(Vec3::new(20.0, 0.0, 0.0), 10.0).unwrap().unwrap();
    assert!(world.grab(&ball, &bad).is_err());
    let held = world.grab(&ball, &GripOptions::default()).unwrap();
    assert!(world.move_grip(held, Vec3::NAN).is_err());
    world.step().unwrap();
}
