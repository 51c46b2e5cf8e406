//! S21: the built-in scenes of rigid bodies do what they show.

use glam::{Quat, Vec3};
use pliant::builder::NoMeshes;
use pliant::scene::{Format, JointAxis, JointType, ObjectKind, Override, Scene};
use pliant::{Handle, Options, Pose, World};

fn scene(name: &str, set: &[&str]) -> Scene {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
    Scene::parse_with(&text, Format::Toml, &set).unwrap()
}

fn build(scene: &Scene) -> World {
    // Tests run side by side.
    World::from_scene(scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap()
}

fn world(name: &str) -> World {
    build(&scene(name, &[]))
}

/// Runs for a time [s] with steps of 10 ms.
fn run(world: &mut World, seconds: f64) {
    world.advance((seconds / 0.01).round() as u32).unwrap();
}

/// Pose of a body, of a copy by `name[k]`.
fn pose(world: &mut World, name: &str) -> Pose {
    let (name, copy) = match name.split_once('[') {
        Some((name, copy)) => (name, copy.trim_end_matches(']').parse().unwrap()),
        None => (name, 0_usize),
    };
    let body = world.find(name).unwrap();
    world.poses(body).unwrap()[copy]
}

/// Centers of all copies of a body.
fn centers(world: &mut World, name: &str) -> Vec<Vec3> {
    let body = world.find(name).unwrap();
    world.poses(body).unwrap().iter().map(|p| p.position).collect()
}

/// Centers of all rigid bodies.
fn all_centers(world: &World) -> Vec<Vec3> {
    world.state().rigid_bodies.bodies.iter().map(|b| b.position.as_vec3()).collect()
}

/// Speed of a body that is a single one [m/s].
fn speed(world: &mut World, name: &str) -> f32 {
    let body = world.find(name).unwrap();
    world.body_velocity(body).unwrap().0.length()
}

/// How far each has moved [m].
fn moved(before: &[Vec3], after: &[Vec3]) -> Vec<f32> {
    before.iter().zip(after).map(|(a, b)| a.distance(*b)).collect()
}

fn most(values: &[f32]) -> f32 {
    values.iter().copied().fold(0.0, f32::max)
}

/// All joints, in the order of the scene.
fn joints(world: &World) -> Vec<Handle> {
    world.objects().into_iter().filter(|&h| world.kind(h).unwrap() == ObjectKind::Joint).collect()
}

/// A point that two bodies share, or a body and the world: in the frame of each.
struct Anchor {
    body: String,
    to: Option<String>,
    on_body: Vec3,
    on_other: Vec3,
}

/// The anchors of ball joints and hinges at the start.
fn anchors(world: &mut World, scene: &Scene) -> Vec<Anchor> {
    let mut all = Vec::new();
    for joint in scene.joint.iter().filter(|j| matches!(j.kind, JointType::Ball | JointType::Hinge)) {
        let at = Vec3::from(joint.anchor);
        let on_body = pose(world, &joint.body).inward(at);
        let on_other = joint.to.as_ref().map_or(at, |to| pose(world, to).inward(at));
        all.push(Anchor { body: joint.body.clone(), to: joint.to.clone(), on_body, on_other });
    }
    all
}

/// Largest distance between the two places of an anchor [m].
fn gap(world: &mut World, anchors: &[Anchor]) -> f32 {
    let mut largest = 0.0_f32;
    for anchor in anchors {
        let one = pose(world, &anchor.body).outward(anchor.on_body);
        let other = anchor.to.as_ref().map_or(anchor.on_other, |to| pose(world, to).outward(anchor.on_other));
        largest = largest.max(one.distance(other));
    }
    largest
}

#[test]
fn s21_a_jenga_tower_stands_when_a_block_is_pushed_out() {
    let mut world = world("jenga");
    let before = all_centers(&world);
    run(&mut world, 3.5);
    let pushed = pose(&mut world, "layer 9[1]").position;
    assert!(pushed.x > 0.07 && pushed.y < 0.02, "the block is at {pushed}");
    let mut moved = moved(&before, &all_centers(&world));
    moved.sort_unstable_by(f32::total_cmp);
    assert_eq!(moved.len(), 46);
    // All others: the top swings by less than half a millimeter.
    assert!(moved[44] < 2e-3, "another block moved by {} m", moved[44]);
}

#[test]
fn s21_a_masonry_arch_stands_when_its_centering_is_lowered() {
    let mut world = world("arch");
    let before = all_centers(&world);
    run(&mut world, 4.5);
    let centering = world.find("centering").unwrap();
    assert!(world.pose(centering).unwrap().position.y < -1.1);
    let moved = most(&moved(&before, &all_centers(&world)));
    assert!(moved < 3e-4, "a voussoir moved by {moved} m");
}

#[test]
fn s21_a_house_of_cards_stands() {
    let mut world = world("cards");
    let before = all_centers(&world);
    run(&mut world, 3.0);
    // Cards that overlap tilt by their thickness of 0.4 mm.
    let moved = most(&moved(&before, &all_centers(&world)));
    assert!(moved < 1e-3, "a card moved by {moved} m");
}

#[test]
fn s21_dominoes_fall_one_after_the_other_at_a_steady_rate() {
    // The first turns of the spiral: more is only more of the same.
    let mut scene = scene("dominoes", &[]);
    assert_eq!(scene.body.len(), 501);
    scene.body.truncate(201);
    let mut world = build(&scene);
    let standing = |world: &World| {
        let bodies = &world.state().rigid_bodies.bodies[1..];
        bodies.iter().filter(|b| (b.rotation * glam::DVec3::Y).y > 0.9).count()
    };
    assert_eq!(standing(&world), 200);
    run(&mut world, 1.5);
    let first = standing(&world);
    run(&mut world, 1.5);
    let second = standing(&world);
    run(&mut world, 1.5);
    let third = standing(&world);
    let (one, other) = ((first - second) as f64, (second - third) as f64);
    assert!((one / other - 1.0).abs() < 0.1 && one > 50.0, "{one}, then {other} in 1.5 s");
    run(&mut world, 1.0);
    assert_eq!(standing(&world), 0);
}

#[test]
fn s21_newtons_cradle_hands_the_speed_on_to_the_last_ball() {
    let mut world = world("cradle");
    let mut fastest = [0.0_f32; 5];
    for _ in 0..50 {
        run(&mut world, 0.01);
        for (k, fastest) in fastest.iter_mut().enumerate() {
            *fastest = fastest.max(speed(&mut world, &format!("ball {}", k + 1)));
        }
    }
    // v = √(2·g·L·(1 − cos 40°)) at the bottom; a step of 10 ms sees at least 0.99 of it.
    let wanted = (2.0 * 9.81 * 0.4 * (1.0 - 40_f32.to_radians().cos())).sqrt();
    assert!((fastest[0] / wanted - 1.0).abs() < 0.02, "{fastest:?} instead of {wanted}");
    assert!(fastest[4] > 0.97 * fastest[0] && fastest[4] < 1.01 * wanted, "{fastest:?}");
    assert!(most(&fastest[1..4]) < 0.01 * fastest[0], "{fastest:?}");
}

#[test]
fn s21_a_wrecking_ball_breaks_a_brick_wall_and_its_chain_holds() {
    let scene = scene("wrecking_ball", &[]);
    let mut world = build(&scene);
    let anchors = anchors(&mut world, &scene);
    let bricks = |world: &mut World| -> Vec<Vec3> {
        ["brick", "upper brick", "half brick"].iter().flat_map(|name| centers(world, name)).collect()
    };
    let before = bricks(&mut world);
    run(&mut world, 0.7);
    let still = most(&moved(&before, &bricks(&mut world)));
    assert!(still < 5e-4, "a brick moved by {still} m before the ball came");
    let mut open = 0.0_f32;
    for _ in 0..8 {
        run(&mut world, 0.1);
        open = open.max(gap(&mut world, &anchors));
    }
    assert!(open < 1e-3, "the chain opens by {open} m");
    let moved = moved(&before, &bricks(&mut world));
    let (away, stay) = (moved.iter().filter(|&&m| m > 0.3).count(), moved.iter().filter(|&&m| m < 0.02).count());
    assert!((10..=40).contains(&away) && stay > 50, "{away} bricks are away, {stay} in their places");
}

#[test]
fn s21_marbles_roll_through_all_troughs_into_the_tray() {
    let mut world = world("marbles");
    run(&mut world, 8.0);
    for name in ["red", "orange", "green", "blue", "violet"] {
        for at in centers(&mut world, name) {
            let inside = at.x > -0.75 && at.x < -0.30 && at.z.abs() < 0.16 && (at.y - 0.03).abs() < 2e-3;
            assert!(inside, "a {name} marble is at {at}");
        }
    }
}

#[test]
fn s21_ragdolls_tumble_down_stairs_and_their_joints_hold() {
    let scene = scene("ragdolls", &[]);
    let mut world = build(&scene);
    let (anchors, joints) = (anchors(&mut world, &scene), joints(&world));
    assert_eq!((anchors.len(), joints.len()), (27, 27));
    let (mut open, mut beyond) = (0.0_f32, 0.0_f32);
    for _ in 0..25 {
        run(&mut world, 0.1);
        open = open.max(gap(&mut world, &anchors));
        for (joint, spec) in joints.iter().zip(&scene.joint).filter(|(_, spec)| spec.kind == JointType::Hinge) {
            let angle = world.joint_motion(*joint, None).unwrap().0.to_degrees();
            let [low, high] = spec.limits.unwrap();
            beyond = beyond.max(low - angle).max(angle - high);
        }
    }
    assert!(open < 1e-3, "a joint opens by {open} m");
    assert!(beyond < 1.0, "a limit is exceeded by {beyond} degrees");
    for head in centers(&mut world, "head") {
        assert!(head.y < 0.6 && head.x > 1.5, "a head is at {head}");
    }
}

#[test]
fn s21_a_car_crosses_bumps_at_the_speed_of_its_wheels() {
    let scene = scene("car", &[]);
    let mut world = build(&scene);
    let (joints, mut tilt, mut travel) = (joints(&world), 1.0_f32, 0.0_f32);
    for _ in 0..16 {
        run(&mut world, 0.25);
        tilt = tilt.min((pose(&mut world, "chassis").rotation * Vec3::Y).y);
        for (joint, _) in joints.iter().zip(&scene.joint).filter(|(_, spec)| spec.kind == JointType::Six) {
            travel = travel.max(world.joint_motion(*joint, Some(JointAxis::X)).unwrap().0.abs());
        }
    }
    assert!(tilt > 0.99, "it tilts: {tilt}");
    assert!(travel > 0.01 && travel < 0.151, "springs travel by {travel} m of 0.15");
    // 12 rad/s at 0.34 m, on a curve to the left.
    let (at, speed) = (pose(&mut world, "chassis").position, speed(&mut world, "chassis"));
    assert!((speed / 4.08 - 1.0).abs() < 0.06, "{speed} m/s");
    assert!(at.x > 10.0 && at.z < -2.0, "it is at {at}");
}

#[test]
fn s21_a_four_bar_linkage_follows_its_closed_form() {
    let mut world = world("linkage");
    let (ground, crank, coupler, rocker) = (0.40_f64, 0.12_f64, 0.36_f64, 0.26_f64);
    let mut worst = 0.0_f64;
    for k in 1..=40_u32 {
        run(&mut world, 0.05);
        // The pin of the crank, the one of the coupler at the intersection of two circles, the middle of the rocker.
        let angle = std::f64::consts::PI * (0.5 + 0.05 * f64::from(k));
        let (ax, ay) = (crank * angle.cos(), crank * angle.sin());
        let (dx, dy) = (ground - ax, -ay);
        let d = dx.hypot(dy);
        let along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
        let across = (coupler * coupler - along * along).sqrt();
        let (bx, by) = (ax + (along * dx - across * dy) / d, ay + (along * dy + across * dx) / d);
        let (x, y) = (0.5 * (bx + ground) - 0.5 * ground, 0.5 * by + 0.35);
        let found = pose(&mut world, "rocker").position.as_dvec3();
        worst = worst.max((found.x - x).hypot(found.y - y));
    }
    assert!(worst < 1e-4, "the rocker is off by {worst} m");
}

#[test]
fn s21_a_crane_lifts_a_bucket_of_gravel_and_loses_none() {
    let scene = scene("crane", &[]);
    let mut world = build(&scene);
    let anchors = anchors(&mut world, &scene);
    let low = pose(&mut world, "bucket").position.y;
    run(&mut world, 3.0);
    let bucket = pose(&mut world, "bucket");
    assert!(bucket.position.y - low > 1.5, "lifted by {} m", bucket.position.y - low);
    let open = gap(&mut world, &anchors);
    assert!(open < 1e-3, "the chain opens by {open} m");
    let gravel = world.find("gravel").unwrap();
    let grains: Vec<Vec3> = world.positions(gravel).unwrap().iter().map(|r| Vec3::new(r[0], r[1], r[2])).collect();
    assert!(grains.len() > 200);
    for at in grains.into_iter().map(|at| bucket.inward(at)) {
        // About its center of mass; 0.36 m wide inside.
        assert!(at.x.abs() < 0.18 && at.z.abs() < 0.18 && at.y.abs() < 0.2, "a grain is at {at} in the bucket");
    }
}

#[test]
fn s21_a_boat_with_crates_floats_upright_as_deep_as_its_weight_demands() {
    let mut world = build(&scene("boat_crates", &["fluid.radius=0.04"]));
    let names = ["crate[0]", "crate[1]", "crate[2]", "crate[3]", "top crate[0]", "top crate[1]"];
    let boat = pose(&mut world, "boat");
    let places: Vec<Vec3> = names.iter().map(|name| boat.inward(pose(&mut world, name).position)).collect();
    let bottom = Vec3::new(0.0, 0.42 - boat.position.y, 0.0);
    run(&mut world, 1.5);
    let boat = pose(&mut world, "boat");
    let upright = (boat.rotation * Vec3::Y).y;
    assert!(upright > 0.99, "it heels: {upright}");
    for (name, place) in names.iter().zip(places) {
        let slipped = boat.inward(pose(&mut world, name).position).distance(place);
        assert!(slipped < 0.05, "{name} has slipped by {slipped} m");
    }
    // Boat and crates weigh 27.8 kg and raise the water; that volume is below the surface at a draft of 0.073 m. Contact
    // with particles is where their centers are within their radius: coarse water carries it a little too high.
    let water = world.find("water").unwrap();
    let volume = world.positions(water).unwrap().len() as f32 * 0.08_f32.powi(3);
    let level = (volume + 0.0278) / (2.4 * 1.08);
    let draft = level - boat.outward(bottom).y;
    assert!((draft / 0.073 - 1.0).abs() < 0.3, "draft {draft} m at a level of {level} m");
}

#[test]
fn s21_bodies_of_all_shapes_come_to_rest_in_a_bin() {
    // A corner of the pile.
    let set: Vec<String> = (0..6).map(|k| format!("body.{k}.array.count=[4, 1, 5]")).collect();
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let scene = scene("shapes", &set);
    let mut world = build(&scene);
    run(&mut world, 2.0);
    for spec in &scene.body {
        let body = world.find(&spec.name).unwrap();
        let (low, high) = world.bounds(body).unwrap();
        let inside = low.min_element() > -0.803 && low.y > -0.003 && high.x.max(high.z) < 0.803 && high.y < 0.5;
        assert!(inside, "{}: from {low} to {high}", spec.name);
    }
    // Of a kilojoule that they fall with; a ball still rolls.
    let energy = world.probe().kinetic;
    assert!(energy < 1.0, "{energy} J are left");
}

#[test]
fn s21_a_gripper_lifts_a_soft_ball_that_does_not_slip() {
    let mut world = world("gripper");
    let ball = world.find("ball").unwrap();
    let height = |world: &mut World| {
        let rows = world.positions(ball).unwrap();
        rows.iter().map(|r| r[1]).sum::<f32>() / rows.len() as f32
    };
    run(&mut world, 0.6);
    let (first, hand) = (height(&mut world), pose(&mut world, "hand").position.y);
    run(&mut world, 1.0);
    let (ball_rise, hand_rise) = (height(&mut world) - first, pose(&mut world, "hand").position.y - hand);
    assert!((hand_rise - 0.12).abs() < 1e-3, "the hand rises by {hand_rise} m");
    assert!((ball_rise - hand_rise).abs() < 3e-3, "the ball rises by {ball_rise} m, the hand by {hand_rise} m");
    assert!(pose(&mut world, "hand").rotation.dot(Quat::IDENTITY).abs() > 0.9999);
}
