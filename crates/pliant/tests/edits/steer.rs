//! Steering: settings, colliders, pins, impulses.

use crate::{parse, world};
use glam::{DVec3, Quat, Vec3};
use pliant::scene::{Body, Cloth, Collider, Place, Scene, WindSpec};
use pliant::{EditError, Handle, Pose, World};

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose { position: Vec3::new(x, y, z), rotation: Quat::IDENTITY }
}

fn empty(gravity: f32) -> World {
    let mut scene = Scene::default();
    scene.world.gravity = [0.0, -gravity, 0.0];
    scene.world.air_density = 0.0;
    // Its ball is of particles, which a paddle pushes too fast with the substeps of grains (docs/limitations.md).
    scene.solver.substeps = 1;
    world(&scene)
}

fn ball(world: &mut World) -> Handle {
    world.add(Body::ball(0.1).grid(5).density(800.0).at([0.0, 1.0, 0.0])).unwrap()
}

#[test]
fn gravity_and_time_step_change_between_steps() {
    let mut world = empty(9.81);
    let ball = ball(&mut world);
    world.advance(10).unwrap();
    world.set_gravity([2.0, 0.0, 0.0]).unwrap();
    world.set_time_step(0.005, 3).unwrap();
    world.advance(20).unwrap();
    assert!((world.time() - 0.2).abs() < 1e-7, "{}", world.time());
    let found = world.momentum(ball).unwrap();
    let v = found.linear / found.mass;
    assert!((v - DVec3::new(0.2, -0.981, 0.0)).length() < 1e-4, "{v}");
    assert!(world.set_gravity([f32::NAN, 0.0, 0.0]).is_err());
    assert!(world.set_time_step(0.0, 1).is_err());
    assert!(world.set_time_step(0.01, 0).is_err());
    assert!(world.set_wind(Some(WindSpec { velocity: [f32::INFINITY; 3], gust: 0.0, period: 1.0 })).is_err());
    assert_eq!(world.solver_settings().substeps, 3);
}

#[test]
fn steering_keeps_the_substeps_that_a_stiff_sheet_needs() {
    let text = "[[cloth]]\ngrid = { cells = [30, 30], size = [1, 1] }\ndensity = 0.2\nstretch = { modulus = 2000 }\n";
    let mut world = world(&parse(text));
    let steps = |world: &World| (world.model().settings.substeps, world.model().settings.iterations);
    let chosen = steps(&world);
    assert!(chosen.0 > 1, "{chosen:?}");
    world.set_gravity([0.0, -5.0, 0.0]).unwrap();
    world.set_wind(Some(WindSpec { velocity: [1.0, 0.0, 0.0], gust: 0.0, period: 1.0 })).unwrap();
    world.set_damping(0.1).unwrap();
    world.set_sleep_speed(1e-4).unwrap();
    assert_eq!(steps(&world), chosen);
    // A new object builds the model again.
    world.add(Collider::plane()).unwrap();
    world.step().unwrap();
    assert_eq!(steps(&world), chosen);
    world.set_iterations(7).unwrap();
    assert_eq!(steps(&world), (chosen.0, 7));
    world.set_time_step(0.005, 2).unwrap();
    assert_eq!(steps(&world), (2, 7));
    world.add(Collider::plane()).unwrap();
    world.step().unwrap();
    assert_eq!(steps(&world), (2, 7));
    assert!(!world.model().bodies.is_empty(), "descent has become projection");
}

#[test]
fn liquids_keep_their_method_when_steps_are_changed() {
    let text = "[[liquid]]\nfill = { min = [0, 0.05, 0], max = [0.2, 0.2, 0.2] }\n[[collider]]\nplane = {}\n";
    let mut world = world(&parse(text));
    let projects = |world: &World| world.model().fluid.as_ref().unwrap().projects;
    assert!(projects(&world));
    world.set_time_step(0.005, 1).unwrap();
    world.add(Collider::plane()).unwrap();
    world.step().unwrap();
    assert!(projects(&world));
}

#[test]
fn wind_moves_a_cloth_that_hung_still() {
    let mut world = world(&Scene::default());
    let flag = world.add(Cloth::grid([10, 10], [1.0, 1.0]).pin(Place::TopEdge)).unwrap();
    world.advance(50).unwrap();
    let depth = |world: &mut World| {
        let (low, high) = world.bounds(flag).unwrap();
        high.z - low.z
    };
    assert!(depth(&mut world) < 0.05);
    world.set_wind(Some(WindSpec { velocity: [0.0, 0.0, 8.0], gust: 0.0, period: 1.0 })).unwrap();
    world.advance(50).unwrap();
    assert!(depth(&mut world) > 0.2, "{}", depth(&mut world));
}

#[test]
fn impulses_change_momentum_by_what_they_are() {
    let mut world = empty(0.0);
    let ball = ball(&mut world);
    let before = world.momentum(ball).unwrap();
    let (impulse, point) = (Vec3::new(0.3, -0.2, 0.7), Vec3::new(0.02, 1.05, -0.03));
    world.apply_impulse(ball, impulse, Some(point)).unwrap();
    let after = world.momentum(ball).unwrap();
    let scale = f64::from(impulse.length());
    assert!((after.linear - impulse.as_dvec3()).length() < 1e-5 * scale, "{}", after.linear);
    let expected = (point.as_dvec3() - before.center).cross(impulse.as_dvec3());
    assert!((after.angular - expected).length() < 1e-5 * scale, "{} instead of {expected}", after.angular);
    // Steps keep both, but for what straight paths of turning particles lose.
    world.advance(10).unwrap();
    let later = world.momentum(ball).unwrap();
    assert!((later.linear - after.linear).length() < 1e-4 * scale, "{} {}", later.linear, after.linear);
    assert!((later.angular - after.angular).length() < 1e-2 * expected.length(), "{} {}", later.angular, after.angular);
    world.apply_angular_impulse(ball, -later.angular.as_vec3()).unwrap();
    let stopped = world.momentum(ball).unwrap();
    assert!(stopped.angular.length() < 1e-5 * expected.length(), "{}", stopped.angular);
    world.apply_force(ball, Vec3::X, None).unwrap();
    assert!((world.momentum(ball).unwrap().linear.x - later.linear.x - 0.01).abs() < 1e-6);
    let linear = world.momentum(ball).unwrap().linear;
    world.apply_particle_force(ball, 5, Vec3::new(0.0, 3.0, 0.0)).unwrap();
    assert!((world.momentum(ball).unwrap().linear.y - linear.y - 0.03).abs() < 1e-6);
    let many = world.particles_of(ball).unwrap().len();
    assert!(world.apply_particle_force(ball, many, Vec3::Y).is_err());
    assert!(world.apply_particle_force(ball, 0, Vec3::NAN).is_err());
    world.set_velocity(ball, Vec3::Y, Vec3::ZERO).unwrap();
    let set = world.momentum(ball).unwrap();
    assert!((set.linear / set.mass - DVec3::Y).length() < 1e-6);
}

#[test]
fn a_steered_collider_pushes_and_stays_where_it_was_sent() {
    let mut world = empty(0.0);
    let ball = ball(&mut world);
    let paddle = world.add(Collider::cuboid([0.0, 1.0, -0.5], [1.0, 1.0, 0.1])).unwrap();
    world.advance(2).unwrap();
    // Toward the ball at 1 m/s, a pose per step.
    for k in 1..=45 {
        world.set_pose(paddle, at(0.0, 1.0, -0.5 + 0.01 * k as f32)).unwrap();
        world.step().unwrap();
        let z = world.pose(paddle).unwrap().position.z;
        assert!((z - (-0.5 + 0.01 * k as f32)).abs() < 1e-5, "step {k}: {z}");
    }
    let found = world.momentum(ball).unwrap();
    let v = found.linear / found.mass;
    assert!((v.z - 1.0).abs() < 0.1, "pushed at 1 m/s, the ball has {v}");
    // It stays, and the ball goes on.
    world.advance(20).unwrap();
    assert!((world.pose(paddle).unwrap().position.z + 0.05).abs() < 1e-5);
    world.set_collider_velocity(paddle, Vec3::new(0.0, 0.0, 2.0), Vec3::new(0.0, 1.0, 0.0)).unwrap();
    world.advance(10).unwrap();
    let pose = world.pose(paddle).unwrap();
    assert!((pose.position.z - 0.15).abs() < 1e-4, "{}", pose.position);
    let angle = 2.0 * pose.rotation.w.clamp(-1.0, 1.0).acos();
    assert!((angle - 0.1).abs() < 1e-3, "{angle}");
    world.teleport(paddle, at(0.0, -50.0, 0.0)).unwrap();
    world.step().unwrap();
    assert_eq!(world.pose(paddle).unwrap().position.y, -50.0);
    let bad = Pose { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 2.0), ..at(0.0, 0.0, 0.0) };
    assert!(matches!(world.set_pose(paddle, bad), Err(EditError::Value(_))));
    assert!(world.set_pose(paddle, at(f32::NAN, 0.0, 0.0)).is_err());
    assert!(matches!(world.set_pose(ball, at(0.0, 0.0, 0.0)), Err(EditError::Unsuitable(_))));
}

#[test]
fn a_body_is_put_elsewhere_and_keeps_its_shape() {
    let mut world = empty(0.0);
    let ball = ball(&mut world);
    world.set_velocity(ball, Vec3::X, Vec3::ZERO).unwrap();
    world.step().unwrap();
    let pose = Pose { position: Vec3::new(5.0, 6.0, 7.0), rotation: Quat::from_rotation_z(1.0) };
    world.teleport(ball, pose).unwrap();
    let center = world.momentum(ball).unwrap().center;
    assert!((center - DVec3::new(5.0, 6.0, 7.0)).length() < 1e-4, "{center}");
    world.advance(10).unwrap();
    let after = world.momentum(ball).unwrap();
    let (v, turned) = (after.linear / after.mass, DVec3::new(1.0_f64.cos(), 1.0_f64.sin(), 0.0));
    assert!((v - turned).length() < 1e-3, "{v}");
    assert!((after.center - DVec3::new(5.0, 6.0, 7.0) - 0.1 * turned).length() < 1e-3);
}

#[test]
fn pins_are_steered() {
    let text = "[[cloth]]\nname = \"c\"\ngrid = { cells = [6, 6], size = [1, 1] }\npin = [{ at = \"top edge\", motion = { keys = { frames = [{ time = 0 }, { time = 1 }] } } }]";
    let mut world = world(&parse(text));
    let cloth = world.find("c").unwrap();
    world.advance(10).unwrap();
    let start = world.positions(cloth).unwrap()[6];
    for k in 1..=20 {
        world.move_pins(cloth, 0, Vec3::new(0.0, 0.02 * k as f32, 0.0), Quat::IDENTITY, Vec3::ZERO).unwrap();
        world.step().unwrap();
    }
    let lifted = world.positions(cloth).unwrap()[6];
    assert!((lifted[1] - start[1] - 0.4).abs() < 1e-4, "{lifted:?} {start:?}");
    world.move_pins(cloth, 0, Vec3::new(0.0, 0.4, 0.0), Quat::from_rotation_y(0.5), Vec3::new(0.5, 0.0, 0.0)).unwrap();
    world.step().unwrap();
    let turned = world.positions(cloth).unwrap()[6];
    let expected = Quat::from_rotation_y(0.5) * Vec3::new(start[0] - 0.5, 0.0, start[2]) + Vec3::new(0.5, 0.0, 0.0);
    assert!((turned[0] - expected.x).abs() < 1e-4 && (turned[2] - expected.z).abs() < 1e-4, "{turned:?} {expected}");
    world.advance(5).unwrap();
    assert_eq!(world.positions(cloth).unwrap()[6], turned);
    assert!(world.move_pins(cloth, 1, Vec3::ZERO, Quat::IDENTITY, Vec3::ZERO).is_err());
}

#[test]
fn s18_friction_and_restitution_change() {
    let mut world = world(&Scene::default());
    let floor = world.add(Collider::plane().friction(0.0, 0.0)).unwrap();
    let crate_ =
        world.add(Body::cuboid([0.4, 0.2, 0.4]).grid(4).at([0.0, 0.1, 0.0]).velocity([1.0, 0.0, 0.0])).unwrap();
    world.advance(50).unwrap();
    let speed = |world: &mut World| {
        let m = world.momentum(crate_).unwrap();
        m.linear.x / m.mass
    };
    assert!(speed(&mut world) > 0.9, "{}", speed(&mut world));
    world.set_friction(floor, 0.8, 0.8).unwrap();
    world.advance(50).unwrap();
    assert!(speed(&mut world).abs() < 0.1, "{}", speed(&mut world));
    assert!(world.set_friction(floor, -1.0, 0.0).is_err());
    assert!(world.set_restitution(floor, 2.0).is_err());
}

#[test]
fn s18_restitution_that_was_set_is_that_of_a_collider_built_with_it() {
    let drop = |built: f32, set: Option<f32>| {
        let mut world = world(&Scene::default());
        let floor = world.add(Collider::plane().restitution(built)).unwrap();
        world.add(Body::ball(0.1).grid(5).at([0.0, 1.0, 0.0])).unwrap();
        world.advance(3).unwrap();
        if let Some(e) = set {
            world.set_restitution(floor, e).unwrap();
        }
        world.advance(80).unwrap();
        world.hash()
    };
    assert_eq!(drop(0.8, None), drop(0.0, Some(0.8)));
    assert_eq!(drop(0.0, None), drop(0.5, Some(0.0)));
    assert_ne!(drop(0.8, None), drop(0.0, None));
}
