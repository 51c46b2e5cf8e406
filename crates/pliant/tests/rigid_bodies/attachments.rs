//! Particles of ropes, cloth and soft bodies that are attached to rigid bodies.

use crate::{body, run, world};
use glam::{DVec3, Vec3};
use pliant::builder::NoMeshes;
use pliant::scene::{Attach, Body, Format, ObjectKind, Rope, Scene, Select};
use pliant::{Options, World};

const G: f64 = 9.81;

fn handle(world: &World, kind: ObjectKind) -> pliant::Handle {
    world.objects().into_iter().find(|&h| world.kind(h).unwrap() == kind).unwrap()
}

/// How far attached particles are from their points, at most [m].
fn gap(world: &World) -> f64 {
    let (model, state) = (&world.model().rigid_bodies, world.state());
    let anchors = model.anchors.iter().zip(&state.rigid_bodies.anchors);
    let gaps = anchors.map(|(anchor, own)| {
        let [x, y, z, _] = state.rows[anchor.particle as usize];
        let point = state.rigid_bodies.bodies[anchor.body as usize].frame().outward(own.local);
        point.distance(Vec3::new(x, y, z).as_dvec3())
    });
    gaps.fold(0.0, f64::max)
}

const LAMP: &str = "[[rope]]\nname = \"rope\"\npath = [[0, 1, 0], [0, 0, 0]]\nsegments = 10\ndensity = 0.2\npin = [{ at = \"start\" }]\n\
    [[body]]\nname = \"lamp\"\nmodel = \"rigid\"\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [0, -0.05, 0] }\n\
    [[attach]]\nfrom = { object = \"rope\", at = \"end\" }\nto = { object = \"lamp\" }\n";

#[test]
fn s21_a_body_hangs_on_a_rope_with_its_weight() {
    let mut world = world(LAMP);
    run(&mut world, 4.0);
    let lamp = body(&world, 0);
    assert!((lamp.position.y + 0.05).abs() < 0.01 && lamp.velocity.length() < 0.02, "{lamp:?}");
    assert!(gap(&world) < 2e-3, "{} m", gap(&world));
    // The box stays below its point, and its weight of 1 kg is what the attachment transmits.
    assert!((lamp.rotation * DVec3::Y).y > 0.9999);
    let attachment = handle(&world, ObjectKind::Attach);
    let force = world.attachment_force(attachment).unwrap();
    assert!((f64::from(force.y) + G).abs() < 0.02 * G && force.x.abs() < 0.1, "{force}");
}

#[test]
fn s21_a_pendulum_on_a_rope_has_its_period() {
    // A ball of 4.2 kg on a rope of 20 g: l is that to its center.
    let degrees = 10.0_f64;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut world = world(&format!(
        "[world]\nair_density = 0\n[solver]\nsubsteps = 20\niterations = 10\nmethod = \"xpbd\"\n\
        [[rope]]\nname = \"rope\"\npath = [[0, 0, 0], [{}, {}, 0]]\nsegments = 8\ndensity = 0.02\npin = [{{ at = \"start\" }}]\n\
        [[body]]\nname = \"bob\"\nmodel = \"rigid\"\nball = 0.1\ntransform = {{ translate = [{}, {}, 0] }}\n\
        [[attach]]\nfrom = {{ object = \"rope\", at = \"end\" }}\nto = {{ object = \"bob\" }}\n",
        0.9 * sin,
        -0.9 * cos,
        sin,
        -cos
    ));
    let (mut last, mut crossings) = (sin, Vec::new());
    for k in 0..800_u32 {
        run(&mut world, 0.01);
        let x = body(&world, 0).position.x;
        if last > 0.0 && x <= 0.0 {
            crossings.push((f64::from(k) + last / (last - x)) * 0.01);
        }
        last = x;
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    // Rope and ball bend where they meet: the period is between that of the point and of one body, 0.2 % apart.
    let point = std::f64::consts::TAU * (1.0 / G).sqrt() * (1.0 + degrees.to_radians().powi(2) / 16.0);
    assert!((period / point - 1.0).abs() < 0.01, "{period} s instead of {point}");
}

#[test]
fn s21_attachments_to_bodies_keep_both_momenta() {
    // A rope, a cloth and a soft block tied to a spinning box, free in space. They do not touch it where they wrap around it:
    // contacts of particles keep momentum to single precision only.
    for (name, text) in [
        (
            "rope",
            "[[rope]]\nname = \"tail\"\ncollision = { groups = [1], with = [1] }\npath = [[0.2, 0, 0], [1.2, 0, 0]]\nsegments = 10\ndensity = 2\n",
        ),
        (
            "cloth",
            "[[cloth]]\nname = \"tail\"\ncollision = { groups = [1], with = [1] }\ngrid = { cells = [8, 8], size = [0.8, 0.8] }\ndensity = 2\n\
            transform = { translate = [0.2, 0, 0] }\n",
        ),
        (
            "soft",
            "[[soft]]\nname = \"tail\"\ncollision = { groups = [1], with = [1] }\nblock = { cells = [4, 2, 2], size = [0.4, 0.2, 0.2] }\ndensity = 1000\n\
            fem = { young = 1e5, poisson = 0.3 }\ntransform = { translate = [0.21, 0, 0] }\n",
        ),
    ] {
        let mut world = world(&format!(
            "[world]\ngravity = [0, 0, 0]\nair_density = 0\n{text}\
            [[body]]\nname = \"box\"\nmodel = \"rigid\"\nbox = [0.4, 0.3, 0.5]\ndensity = 300\ncollision = {{ groups = [2], with = [2] }}\n\
            [[attach]]\nfrom = {{ object = \"tail\" }}\nto = {{ object = \"box\" }}\nwithin = 0.03\n"
        ));
        assert!(!world.model().rigid_bodies.anchors.is_empty(), "{name}");
        let body = world.find("box").unwrap();
        world.set_velocity(body, Vec3::new(0.2, 0.1, -0.3), Vec3::new(1.0, 2.0, -1.0)).unwrap();
        let start = world.probe();
        run(&mut world, 2.0);
        let end = world.probe();
        let [p0, p1] = [start.linear, end.linear].map(DVec3::from_array);
        let [l0, l1] = [start.angular, end.angular].map(DVec3::from_array);
        assert!((p1 - p0).length() < 1e-5 * p0.length(), "{name}: {p0} became {p1}");
        assert!((l1 - l0).length() < 1e-5 * l0.length(), "{name}: {l0} became {l1}");
        assert!(gap(&world) < 5e-3, "{name}: {} m", gap(&world));
    }
}

#[test]
fn s21_attached_particles_stay_on_their_body_through_edits_and_snapshots() {
    let mut world = world(LAMP);
    let lamp = world.find("lamp").unwrap();
    world.apply_impulse(lamp, Vec3::new(1.0, 0.0, 0.5), None).unwrap();
    run(&mut world, 0.3);
    let saved = world.snapshot().unwrap();
    run(&mut world, 0.5);
    let wanted = world.hash();
    // An object elsewhere changes where all others are in memory, but no bit of them.
    world.restore(&saved).unwrap();
    let more = world.add(Rope::along(&[[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]], 5).density(0.1)).unwrap();
    let before = world.state().rigid_bodies.anchors.clone();
    world.apply_edits().unwrap();
    assert_eq!(world.state().rigid_bodies.anchors, before);
    world.remove(more).unwrap();
    run(&mut world, 0.5);
    assert_eq!(world.hash(), wanted);
    let bytes = saved.to_bytes();
    let again = world.snapshot_from_bytes(&bytes).unwrap();
    world.restore(&again).unwrap();
    run(&mut world, 0.5);
    assert_eq!(world.hash(), wanted);
    // Removing the body removes the attachment, and says so.
    let attachment = handle(&world, ObjectKind::Attach);
    assert_eq!(world.remove(lamp).unwrap(), vec![lamp, attachment]);
    run(&mut world, 0.1);
    assert!(world.model().rigid_bodies.anchors.is_empty());
}

#[test]
fn s21_a_rope_is_attached_to_a_body_where_both_are_now() {
    let mut world = world(
        "[world]\ngravity = [0, 0, 0]\nair_density = 0\n[[body]]\nname = \"box\"\nmodel = \"rigid\"\nbox = [0.2, 0.2, 0.2]\nvelocity = [1, 0, 0]\n",
    );
    run(&mut world, 1.0);
    let tail = Rope::along(&[[0.9, 0.0, 0.0], [0.4, 0.0, 0.0]], 5).density(0.1).velocity([1.0, 0.0, 0.0]).named("tail");
    world.add(tail).unwrap();
    let end = |object: &str| Select { object: object.into(), ..Select::default() };
    let attach = Attach { from: end("tail"), to: end("box"), within: 0.01, compliance: 0.0 };
    let handle = world.add(attach).unwrap();
    assert_eq!(world.model().rigid_bodies.anchors.len(), 1);
    run(&mut world, 1.0);
    assert!(gap(&world) < 1e-4 && (body(&world, 0).position.x - 2.0).abs() < 1e-3);
    assert!(world.attachment_force(handle).unwrap().length() < 0.05);
    assert!(world.add(Body::ball(0.1).at([9.0, 0.0, 0.0])).is_ok());
    run(&mut world, 0.1);
    assert!(gap(&world) < 1e-4);
}

#[test]
fn s21_wrong_attachments_to_bodies_are_refused() {
    let objects = "[[rope]]\nname = \"rope\"\npath = [[0, 1, 0], [0, 0.3, 0]]\nsegments = 5\n\
        [[body]]\nname = \"a\"\nmodel = \"rigid\"\nbox = [0.2, 0.2, 0.2]\n[[body]]\nname = \"b\"\ncapsule = { radius = 0.1, length = 0.2 }\n\
        transform = { translate = [1, 0, 0] }\n";
    for (attach, wanted) in [
        ("from = { object = \"a\" }\nto = { object = \"b\" }", "joins the rigid bodies"),
        ("from = { object = \"rope\" }\nto = { object = \"a\", at = \"end\" }", "attach[0].to"),
        ("from = { object = \"rope\" }\nto = { object = \"a\" }", "within 0.05 m of the body"),
        ("from = { object = \"nothing\" }\nto = { object = \"a\" }", "attach[0].from.object"),
    ] {
        let scene = Scene::parse(&format!("{objects}[[attach]]\n{attach}\n"), Format::Toml).unwrap();
        let error = World::from_scene(&scene, &NoMeshes, Options::default()).err().unwrap().to_string();
        assert!(error.contains(wanted), "{attach}: {error}");
    }
}
