//! Joints in worlds: breaking, setters, removal, batches, snapshots.

use crate::{body, run, world};
use glam::DVec3;
use pliant::builder::NoMeshes;
use pliant::scene::{AxisSpec, Body, Format, Joint, JointAxis, MotorSpec, ObjectKind, Scene};
use pliant::{Batch, BatchOptions, EditError, Event, Options, World};

const G: f64 = 9.81;

fn only_joint(world: &World) -> pliant::Handle {
    world.objects().into_iter().find(|&h| world.kind(h).unwrap() == ObjectKind::Joint).unwrap()
}

#[test]
fn s21_a_joint_breaks_at_its_load_and_says_so() {
    // A box on a weld: the force is its weight, and the torque that of its lever of 0.5 m.
    for (key, load) in [("break_force", 10.0 * G), ("break_torque", 10.0 * G * 0.5)] {
        for (share, breaks) in [(0.99, true), (1.01, false)] {
            let mut world = world(&format!(
                "[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\ntransform = {{ translate = [0.5, 2, 0] }}\n\
                [[joint]]\nkind = \"fixed\"\nbody = \"arm\"\nanchor = [0, 2, 0]\n{key} = {}\n",
                share * load
            ));
            world.record_events(10);
            let joint = only_joint(&world);
            run(&mut world, 0.5);
            assert_eq!(world.is_joint_broken(joint).unwrap(), breaks, "{key} {share}");
            let events = world.events();
            let broke: Vec<_> = events.all.iter().filter(|(_, e)| matches!(e, Event::JointBroke { .. })).collect();
            assert_eq!(broke.len(), usize::from(breaks), "{events:?}");
            if let Some((time, Event::JointBroke { joint: found, force, torque })) = broke.first() {
                assert!(*found == joint && *time < 0.011);
                assert!((f64::from(*force) / (10.0 * G) - 1.0).abs() < 1e-3, "{force} N");
                assert!((f64::from(*torque) / (5.0 * G) - 1.0).abs() < 1e-3, "{torque} N·m");
                // It falls freely since the end of the first substep.
                let fallen = 2.0 - body(&world, 0).position.y;
                assert!((fallen - 0.5 * G * 0.498_f64.powi(2)).abs() < 0.02, "{fallen} m");
            }
        }
    }
}

#[test]
fn s21_bodies_collide_once_their_joint_is_broken() {
    // Two balls that a weld holds apart from each other do not touch; the upper one falls on the lower one when it breaks.
    let mut world = world(
        "[[collider]]\nplane = {}\n[[body]]\nname = \"low\"\nbox = [0.5, 0.2, 0.5]\ntransform = { translate = [0, 0.1, 0] }\n\
        [[body]]\nname = \"high\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [0, 0.6, 0] }\n\
        [[joint]]\nkind = \"slider\"\nbody = \"high\"\nto = \"low\"\nanchor = [0, 0.6, 0]\nlimits = [0, 1]\nbreak_force = 70\n",
    );
    let joint = only_joint(&world);
    run(&mut world, 0.2);
    assert!(world.is_joint_broken(joint).unwrap());
    run(&mut world, 3.0);
    let high = body(&world, 1).position;
    assert!((high.y - 0.3).abs() < 2e-3, "it lies on the other: {high}");
}

#[test]
fn s21_what_breaks_is_whole_again_in_a_snapshot() {
    let mut world = world(
        "[[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\n[[joint]]\nkind = \"ball\"\nbody = \"b\"\nbreak_force = 100\n",
    );
    run(&mut world, 0.2);
    let saved = world.snapshot().unwrap();
    let b = world.find("b").unwrap();
    world.apply_impulse(b, glam::Vec3::new(0.0, -20.0, 0.0), None).unwrap();
    run(&mut world, 0.5);
    let joint = only_joint(&world);
    assert!(world.is_joint_broken(joint).unwrap());
    let bytes = world.snapshot().unwrap().to_bytes();
    let (hash, broken) = (world.hash(), world.snapshot_from_bytes(&bytes).unwrap());
    world.restore(&saved).unwrap();
    run(&mut world, 0.5);
    assert!(!world.is_joint_broken(joint).unwrap() && body(&world, 0).position.length() < 1e-3);
    world.restore(&broken).unwrap();
    assert!(world.is_joint_broken(joint).unwrap() && world.hash() == hash);
    // Edits keep it broken.
    world.add(Body::ball(0.1).at([5.0, 0.0, 0.0])).unwrap();
    run(&mut world, 0.1);
    assert!(world.is_joint_broken(joint).unwrap());
}

#[test]
fn s21_motors_limits_and_friction_are_set_while_a_world_runs() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\ntransform = { translate = [0.5, 0, 0] }\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"arm\"\naxis = [0, 0, 1]\n",
    );
    let joint = only_joint(&world);
    run(&mut world, 0.5);
    world.set_joint_motor(joint, None, Some(MotorSpec::velocity(1.0, 1e4))).unwrap();
    run(&mut world, 0.5);
    let (angle, speed) = world.joint_motion(joint, None).unwrap();
    assert!((angle - 0.5).abs() < 1e-3 && (speed - 1.0).abs() < 1e-6, "{angle} rad, {speed} rad/s");
    let saved = world.snapshot().unwrap();
    world.set_joint_limits(joint, Some(JointAxis::Rx), Some([-10.0, 45.0])).unwrap();
    run(&mut world, 1.0);
    let angle = world.joint_motion(joint, None).unwrap().0.to_degrees();
    assert!((angle - 45.0).abs() < 0.5, "{angle} degrees");
    // Also where objects come, and in another kind of motor.
    world.set_joint_motor(joint, None, Some(MotorSpec::position(20.0, 2000.0, 300.0, 1e4))).unwrap();
    world.add(Body::ball(0.1).at([5.0, 0.0, 0.0])).unwrap();
    run(&mut world, 3.0);
    let angle = world.joint_motion(joint, None).unwrap().0.to_degrees();
    assert!((angle - 20.0).abs() < 0.1, "{angle} degrees");
    // A snapshot has the motor of its time, and no limits.
    world.restore(&saved).unwrap();
    run(&mut world, 1.0);
    let angle = world.joint_motion(joint, None).unwrap().0;
    assert!((angle - 1.5).abs() < 2e-3, "{angle} rad");
    world.set_joint_motor(joint, None, None).unwrap();
    world.set_joint_friction(joint, None, 100.0).unwrap();
    run(&mut world, 1.0);
    assert!(world.joint_motion(joint, None).unwrap().1.abs() < 1e-9);
    for wrong in [
        world.set_joint_motor(joint, Some(JointAxis::Ry), None).unwrap_err(),
        world.set_joint_limits(joint, None, Some([10.0, 20.0])).unwrap_err(),
        world.set_joint_motor(joint, None, Some(MotorSpec::velocity(f32::NAN, 1.0))).unwrap_err(),
        world.set_joint_friction(joint, None, -1.0).unwrap_err(),
    ] {
        assert!(!matches!(wrong, EditError::Stale), "{wrong}");
    }
    let arm = world.find("arm").unwrap();
    assert!(world.joint_force(arm).is_err());
}

#[test]
fn s21_joints_go_with_their_bodies_and_that_is_reported() {
    let mut world = world(
        "[[body]]\nname = \"a\"\nbox = [0.2, 0.2, 0.2]\n[[body]]\nname = \"b\"\nbox = [0.2, 0.2, 0.2]\n\
        transform = { translate = [1, 0, 0] }\n[[body]]\nname = \"c\"\nbox = [0.2, 0.2, 0.2]\ntransform = { translate = [2, 0, 0] }\n\
        [[joint]]\nkind = \"ball\"\nbody = \"a\"\n\
        [[joint]]\nkind = \"hinge\"\nbody = \"b\"\nto = \"a\"\nanchor = [0.5, 0, 0]\nmotor = { speed = 1, most = 5 }\n\
        [[joint]]\nkind = \"universal\"\nbody = \"c\"\nto = \"b\"\nanchor = [1.5, 0, 0]\naxis2 = [1, 0, 0]\n",
    );
    let joints: Vec<_> = world.objects().into_iter().filter(|&h| world.kind(h).unwrap() == ObjectKind::Joint).collect();
    run(&mut world, 0.2);
    let saved = world.snapshot().unwrap();
    let c = world.find("c").unwrap();
    assert_eq!(world.remove(c).unwrap(), vec![c, joints[2]]);
    let b = world.find("b").unwrap();
    let before = world.state().rigid_bodies.bodies[0];
    assert_eq!(world.remove(b).unwrap(), vec![b, joints[1]]);
    world.apply_edits().unwrap();
    assert_eq!(world.state().rigid_bodies.bodies, vec![before]);
    assert!(world.state().rigid_bodies.drives.is_empty());
    run(&mut world, 0.2);
    assert!(world.joint_force(joints[0]).unwrap().force.length() > 1.0);
    assert!(matches!(world.joint_force(joints[1]), Err(EditError::Stale)));
    // They come back with a snapshot, and a new joint has new handles.
    world.restore(&saved).unwrap();
    run(&mut world, 0.1);
    assert!(world.joint_force(joints[2]).is_ok() && world.state().rigid_bodies.joints.len() == 3);
    let more = world
        .add(Joint::six("c").free(JointAxis::Y, AxisSpec::limited(-1.0, 0.5)).free(JointAxis::Rz, AxisSpec::default()))
        .unwrap();
    run(&mut world, 0.1);
    world.remove(more).unwrap();
    run(&mut world, 0.1);
}

const ARM: &str = "[[body]]\nname = \"arm\"\nbox = [1, 0.1, 0.1]\narray = { count = [1, 1, 2], spacing = [1, 1, 1] }\n\
    transform = { translate = [0.5, 0, 0] }\n\
    [[joint]]\nkind = \"hinge\"\nbody = \"arm[0]\"\naxis = [0, 0, 1]\nmotor = { speed = 1, most = 20 }\nbreak_torque = 600\n\
    [[joint]]\nkind = \"ball\"\nbody = \"arm[1]\"\nanchor = [0, 0, 1]\nfriction = 2\n";

#[test]
fn s21_joints_of_batches_are_those_of_a_world() {
    let scene = Scene::parse(ARM, Format::Toml).unwrap();
    let options = Options { threads: 1, ..Options::default() };
    let mut alone = World::from_scene(&scene, &NoMeshes, options).unwrap();
    let mut batch = Batch::new(&scene, 3, &BatchOptions { world: options, ..BatchOptions::default() }).unwrap();
    for _ in 0..2 {
        alone.advance(50).unwrap();
        batch.step_many(50).unwrap();
    }
    let own = |k: usize| alone.state().rigid_bodies.bodies[k];
    let copies: Vec<_> = batch.world().state().rigid_bodies.bodies.clone();
    for copy in 0..3 {
        assert_eq!([copies[2 * copy], copies[2 * copy + 1]], [own(0), own(1)], "copy {copy}");
    }
    // A copy begins anew, the others go on.
    batch.reset(1).unwrap();
    let first = World::from_scene(&scene, &NoMeshes, options).unwrap();
    let now = batch.world().state().rigid_bodies.clone();
    assert_eq!(now.bodies[2..4], first.state().rigid_bodies.bodies[..]);
    assert_eq!((now.bodies[0], now.bodies[4]), (own(0), own(0)));
    batch.step_many(50).unwrap();
    let mut again = first;
    again.advance(50).unwrap();
    assert_eq!(batch.world().state().rigid_bodies.bodies[2..4], again.state().rigid_bodies.bodies[..]);
    assert!(body(&again, 0).position.distance(DVec3::X * 0.5) > 0.05);
}
