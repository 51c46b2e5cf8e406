//! Batches: copies of a scene in one world, which move as each would alone and never touch each other.

use crate::{options, parse, world};
use glam::{Quat, Vec3};
use pliant::scene::Scene;
use pliant::{Batch, BatchOptions, EditError, Pose, World};

/// Scenes of every kind of object, with the largest distance from a world of their own [m]: 0 for equal bits. Sums of
/// liquids run in another order.
const SCENES: [(&str, &[&str], f32); 8] = [
    (
        r#"
        solver = { iterations = 4, substeps = 2 }
        [[cloth]]
        name = "cloth"
        grid = { cells = [9, 7], size = [1, 1], plane = "xz" }
        transform = { translate = [0, 0.3, 0] }
        [[collider]]
        sphere = { center = [0.5, 0, 0.5], radius = 0.2 }
        [[collider]]
        plane = {}
        "#,
        &["cloth"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 5, substeps = 2 }
        contact = { between = true, itself = true }
        [[cloth]]
        name = "cloth"
        grid = { cells = [9, 9], size = [0.5, 0.5], plane = "xz" }
        transform = { translate = [0, 0.5, 0], rotate = { axis = [1, 0, 0.3], degrees = 60 } }
        [[rope]]
        name = "rope"
        path = [[0, 0.1, 0.2], [0.5, 0.1, 0.2]]
        segments = 20
        [[collider]]
        plane = {}
        "#,
        &["cloth", "rope"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 6, substeps = 4 }
        [[body]]
        name = "brick"
        box = [0.2, 0.1, 0.1]
        grid = 4
        array = { count = [1, 3, 1], spacing = [0, 0.102, 0] }
        transform = { translate = [0, 0.06, 0] }
        [[body]]
        name = "ball"
        ball = 0.08
        grid = 5
        transform = { translate = [-0.4, 0.2, 0] }
        velocity = [4, 1, 0]
        [[collider]]
        plane = {}
        friction = { static = 0.5, kinetic = 0.4 }
        restitution = 0.3
        "#,
        &["brick", "ball"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 6, substeps = 2 }
        [[rope]]
        name = "rope"
        path = [[0, 1, 0], [0.6, 1, 0]]
        segments = 12
        pin = [{ at = "start" }]
        [[body]]
        name = "box"
        box = [0.1, 0.1, 0.1]
        grid = 3
        transform = { translate = [0.66, 1, 0] }
        [[attach]]
        from = { object = "rope", at = "end" }
        to = { object = "box" }
        within = 0.1
        "#,
        &["rope", "box"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 6 }
        [[soft]]
        name = "soft"
        block = { cells = [3, 3, 3], size = [0.3, 0.3, 0.3] }
        transform = { translate = [0, 0.05, 0] }
        [[inflatable]]
        name = "balloon"
        sphere = { subdivisions = 2, radius = 0.2 }
        transform = { translate = [1, 0.25, 0] }
        [[collider]]
        plane = {}
        "#,
        &["soft", "balloon"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 4, substeps = 2 }
        [[grains]]
        name = "sand"
        fill = { min = [0, 0.1, 0], max = [0.3, 0.4, 0.3] }
        radius = 0.02
        [[collider]]
        plane = {}
        "#,
        &["sand"],
        0.0,
    ),
    (
        r#"
        solver = { iterations = 3, substeps = 2 }
        fluid = { radius = 0.02 }
        [[liquid]]
        name = "water"
        fill = { min = [0, 0.02, 0], max = [0.3, 0.3, 0.3] }
        viscosity = 0.5
        [[body]]
        name = "cork"
        box = [0.1, 0.1, 0.1]
        grid = 3
        density = 300
        transform = { translate = [0.15, 0.4, 0.15] }
        [[collider]]
        plane = {}
        "#,
        &["water", "cork"],
        1e-3,
    ),
    (
        r#"
        solver = { integrator = "bdf2", iterations = 6, substeps = 2 }
        [[rope]]
        name = "rod"
        path = [[0, 1, 0], [0.6, 1, 0]]
        segments = 10
        bend = { modulus = 1e6 }
        twist = { modulus = 1e6 }
        pin = [{ at = "start", motion = { oscillate = { amplitude = [0, 0.1, 0], period = 0.5 } } }]
        [[cloth]]
        name = "flag"
        grid = { cells = [6, 6], size = [0.5, 0.5] }
        pin = [{ at = "left edge" }]
        [[collider]]
        name = "paddle"
        box = { center = [0.4, 0.7, 0], size = [0.2, 0.1, 0.2] }
        motion = { oscillate = { amplitude = [0, 0.2, 0], period = 0.7 } }
        "#,
        &["rod", "flag"],
        0.0,
    ),
];

fn batch(scene: &Scene, copies: usize) -> Batch {
    let options = BatchOptions { world: options(), ..BatchOptions::default() };
    Batch::new(scene, copies, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// Positions and velocities of an object in one copy.
fn copy_of(batch: &mut Batch, name: &str, copy: usize) -> Vec<[f32; 4]> {
    let object = batch.object(name).unwrap();
    let each = batch.particles(object).unwrap();
    let own = copy * each..(copy + 1) * each;
    let mut all = batch.positions(object).unwrap()[own.clone()].to_vec();
    all.extend_from_slice(&batch.velocities(object).unwrap()[own]);
    all
}

fn bits(rows: &[[f32; 4]]) -> Vec<[u32; 4]> {
    rows.iter().map(|row| row.map(f32::to_bits)).collect()
}

/// The same of a world of its own.
fn alone(world: &mut World, name: &str) -> Vec<[f32; 4]> {
    let object = world.find(name).unwrap();
    let mut all = world.positions(object).unwrap().to_vec();
    all.extend_from_slice(world.velocities(object).unwrap());
    all
}

#[test]
fn every_copy_of_a_batch_moves_as_the_scene_alone() {
    for (text, names, tolerance) in SCENES {
        let scene = parse(text);
        let (mut all, mut one) = (batch(&scene, 3), world(&scene));
        for _ in 0..4 {
            all.step_many(10).unwrap();
            one.step_many(10).unwrap();
            for name in names {
                let expected = alone(&mut one, name);
                let first = copy_of(&mut all, name, 0);
                for k in 1..3 {
                    assert_eq!(bits(&copy_of(&mut all, name, k)), bits(&first), "copy {k} of {name}");
                }
                if tolerance == 0.0 {
                    assert_eq!(bits(&first), bits(&expected), "{name} in {text}");
                }
                let pairs = first.iter().zip(&expected).take(first.len() / 2);
                let far = pairs.map(|(a, b)| (0..3).map(|c| (a[c] - b[c]).abs()).fold(0.0, f32::max));
                let far = far.fold(0.0, f32::max);
                // Rounding grows with time where liquids splash.
                assert!(far <= tolerance || one.time() > 0.25, "{name}: {far} m apart after {} s", one.time());
            }
        }
    }
}

#[test]
fn copies_of_a_batch_do_not_influence_each_other() {
    for (text, names, _) in SCENES {
        let scene = parse(text);
        let (mut calm, mut pushed) = (batch(&scene, 4), batch(&scene, 4));
        let object = pushed.object(names[0]).unwrap();
        for round in 0..4 {
            // Through the places of all others, and far away.
            let mut velocities = [Vec3::ZERO; 4];
            velocities[2] = Vec3::new(-1.5, 2.0, 0.5 * round as f32);
            let each = pushed.particles(object).unwrap();
            let now = pushed.velocities(object).unwrap().to_vec();
            let next: Vec<Vec3> =
                now.iter().enumerate().map(|(i, v)| Vec3::from_slice(&v[..3]) + velocities[i / each]).collect();
            if round == 0 {
                pushed.set_particle_velocities(object, &next).unwrap();
                let same: Vec<Vec3> = now.iter().map(|v| Vec3::from_slice(&v[..3])).collect();
                let object = calm.object(names[0]).unwrap();
                calm.set_particle_velocities(object, &same).unwrap();
            }
            calm.step_many(12).unwrap();
            pushed.step_many(12).unwrap();
            for name in names {
                for k in [0, 1, 3] {
                    let expected = bits(&copy_of(&mut calm, name, k));
                    assert_eq!(bits(&copy_of(&mut pushed, name, k)), expected, "copy {k} of {name} in {text}");
                }
            }
        }
        let (a, b) = (copy_of(&mut calm, names[0], 2), copy_of(&mut pushed, names[0], 2));
        assert_ne!(a, b, "the pushed copy has moved");
    }
}

#[test]
fn a_reset_copy_moves_with_the_bits_of_a_fresh_start() {
    // The last scene has motions and BDF2, whose time goes on.
    for (text, names, _) in &SCENES[..7] {
        let scene = parse(text);
        let (mut fresh, mut used) = (batch(&scene, 3), batch(&scene, 3));
        used.step_many(17).unwrap();
        used.reset(1).unwrap();
        let mut before = Vec::new();
        for name in *names {
            before.push(copy_of(&mut used, name, 0));
            let start = copy_of(&mut fresh, name, 1);
            assert_eq!(bits(&copy_of(&mut used, name, 1)), bits(&start), "{name}");
        }
        fresh.step_many(20).unwrap();
        used.step_many(20).unwrap();
        for (name, before) in names.iter().zip(&before) {
            let expected = copy_of(&mut fresh, name, 1);
            assert_eq!(bits(&copy_of(&mut used, name, 1)), bits(&expected), "{name} in {text}");
            assert_ne!(&copy_of(&mut used, name, 0), before, "the others go on");
        }
        // The others have the bits of a batch that was never reset.
        let mut never = batch(&scene, 3);
        never.step_many(37).unwrap();
        for name in *names {
            let expected = bits(&copy_of(&mut never, name, 2));
            assert_eq!(bits(&copy_of(&mut used, name, 2)), expected, "{name}");
        }
    }
}

#[test]
fn motions_of_a_reset_copy_begin_anew() {
    let scene = parse(SCENES[7].0);
    let mut all = batch(&scene, 2);
    let paddle = all.object("paddle").unwrap();
    let start = all.poses(paddle).unwrap();
    all.step_many(12).unwrap();
    let moved = all.poses(paddle).unwrap();
    assert!(moved[1].position.distance(start[1].position) > 0.05);
    all.reset_many(&[1]).unwrap();
    let now = all.poses(paddle).unwrap();
    assert_eq!(now[0], moved[0]);
    assert!(now[1].position.distance(start[1].position) < 1e-6, "{}", now[1].position);
    all.step_many(12).unwrap();
    assert!(all.poses(paddle).unwrap()[1].position.distance(moved[1].position) < 1e-5);
}

const STEERED: &str = r#"
    solver = { iterations = 6, substeps = 2 }
    [[body]]
    name = "box"
    box = [0.2, 0.2, 0.2]
    grid = 4
    density = 500
    transform = { translate = [0, 0.1, 0] }
    [[collider]]
    name = "floor"
    plane = {}
    friction = { static = 0.2, kinetic = 0.2 }
    [[collider]]
    name = "paddle"
    box = { center = [-0.5, 0.1, 0], size = [0.2, 0.1, 0.2] }
"#;

#[test]
fn copies_are_steered_and_read_as_arrays() {
    let scene = parse(STEERED);
    let options = BatchOptions { world: options(), steered: &["paddle"], ..BatchOptions::default() };
    let mut all = Batch::new(&scene, 4, &options).unwrap();
    let [body, floor, paddle] = ["box", "floor", "paddle"].map(|name| all.object(name).unwrap());
    all.step_many(40).unwrap();
    // At rest the floor of every copy bears the weight of its own box.
    let mass = all.momenta(body).unwrap()[0].mass as f32;
    for force in all.collider_forces(floor).unwrap() {
        assert!((force.y + 9.81 * mass).abs() < 0.05 * 9.81 * mass, "{force}, {mass} kg");
    }
    // Only copies 1 and 3 are pushed, at different speeds.
    for step in 1..=40 {
        let way = [0.0, 0.4, 0.0, 0.8];
        let poses = way.map(|way| {
            let x = -0.5 + way * (step as f32 / 40.0);
            Pose { position: Vec3::new(x, 0.1, 0.0), rotation: Quat::IDENTITY }
        });
        all.set_poses(paddle, &poses).unwrap();
        all.step().unwrap();
    }
    let x: Vec<f64> = all.momenta(body).unwrap().iter().map(|m| m.center.x).collect();
    assert!(x[0].abs() < 1e-3 && x[2].abs() < 1e-3, "{x:?}");
    assert!(x[1] > 0.05 && x[3] > x[1] + 0.2, "{x:?}");
    assert_eq!(all.poses(body).unwrap().len(), 4);
    let before = all.momenta(body).unwrap();
    all.apply_impulses(body, &[Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::ZERO]).unwrap();
    let after = all.momenta(body).unwrap();
    for (k, expected) in [Vec3::ZERO, Vec3::X, Vec3::Y * 2.0, Vec3::ZERO].into_iter().enumerate() {
        let change = (after[k].linear - before[k].linear).as_vec3();
        assert!(change.distance(expected) < 1e-5 * (1.0 + expected.length()), "{change}");
    }
    all.set_velocities(body, &[Vec3::ZERO; 4]).unwrap();
    assert!(all.momenta(body).unwrap().iter().all(|m| m.linear.length() == 0.0));
}

#[test]
fn parameters_of_copies_differ_and_a_snapshot_returns_to_all() {
    let base = parse(STEERED);
    let heights = [0.1_f32, 0.5, 1.0];
    let options = BatchOptions { world: options(), ..BatchOptions::default() };
    let mut all = Batch::with(3, &options, |k| {
        let mut scene = base.clone();
        scene.body[0].transform.translate[1] = heights[k];
        scene.body[0].density = 500.0 * (k + 1) as f32;
        scene.collider[0].friction.kinetic_friction = 0.1 * k as f32;
        scene
    })
    .unwrap();
    let body = all.object("box").unwrap();
    let momenta = all.momenta(body).unwrap();
    assert!((momenta[2].mass / momenta[0].mass - 3.0).abs() < 1e-4);
    all.step_many(5).unwrap();
    let saved = all.snapshot().unwrap();
    all.step_many(20).unwrap();
    let hash = all.world().hash();
    all.reset(0).unwrap();
    all.step_many(3).unwrap();
    all.restore(&saved).unwrap();
    all.step_many(20).unwrap();
    assert_eq!(all.world().hash(), hash);
    // Each copy as its own scene alone.
    for (k, &height) in heights.iter().enumerate() {
        let mut scene = base.clone();
        scene.body[0].transform.translate[1] = height;
        scene.body[0].density = 500.0 * (k + 1) as f32;
        scene.collider[0].friction.kinetic_friction = 0.1 * k as f32;
        let mut one = world(&scene);
        one.step_many(25).unwrap();
        assert_eq!(bits(&copy_of(&mut all, "box", k)), bits(&alone(&mut one, "box")), "copy {k}");
    }
}

#[test]
fn batches_refuse_what_they_cannot_do() {
    let scene = parse(STEERED);
    let plain = BatchOptions { world: options(), ..BatchOptions::default() };
    let error = |copies: usize, change: &dyn Fn(usize, &mut Scene)| {
        let made = Batch::with(copies, &plain, |k| {
            let mut scene = scene.clone();
            change(k, &mut scene);
            scene
        });
        made.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(error(0, &|_, _| ()).contains("at least one"));
    let other = error(3, &|k, s| s.body[0].grid = if k == 2 { 5 } else { 4 });
    assert!(other.contains("copy 2: body[0]") && other.contains("particles"), "{other}");
    assert!(error(3, &|k, s| s.solver.iterations = 3 + k as u32).contains("copy 1: solver"));
    assert!(error(3, &|k, s| s.collider.truncate(2 - k / 2)).contains("copy 2: collider"));
    assert!(error(2, &|k, s| s.body[0].name = format!("b{k}")).contains("\"b1\""));
    assert!(error(2, &|_, s| s.contact.stacking = 1.0).contains("contact.stacking"));
    let pour = "[[grains]]\npour = { from = [0, 1, 0], radius = 0.1, velocity = [0, -1, 0], per_second = 10, until = 1 }\nradius = 0.02";
    let refused = Batch::new(&parse(pour), 2, &plain).err().unwrap().to_string();
    assert!(refused.contains("emitters are not supported in a batch"), "{refused}");
    let steered = BatchOptions { steered: &["nothing"], ..plain };
    assert!(Batch::new(&scene, 2, &steered).err().unwrap().to_string().contains("\"nothing\""));

    let mut all = Batch::new(&scene, 2, &plain).unwrap();
    let (body, paddle) = (all.object("box").unwrap(), all.object("paddle").unwrap());
    let hash = all.world().hash();
    assert!(matches!(all.object("none"), Err(EditError::Unknown(_))));
    assert!(matches!(all.apply_impulses(body, &[Vec3::X]), Err(EditError::Value(_))));
    assert!(matches!(all.apply_impulses(body, &[Vec3::X, Vec3::NAN]), Err(EditError::Value(_))));
    assert!(matches!(all.apply_impulses(paddle, &[Vec3::X; 2]), Err(EditError::Unsuitable(_))));
    let pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };
    let shared = all.set_poses(paddle, &[pose; 2]).unwrap_err().to_string();
    assert!(shared.contains("shared by all copies"), "{shared}");
    assert!(all.set_poses(body, &[pose; 2]).is_err());
    assert!(matches!(all.reset(2), Err(EditError::Value(_))));
    let mut second = Batch::new(&scene, 2, &plain).unwrap();
    assert_eq!(second.positions(body).err(), Some(EditError::Stale));
    assert_eq!(all.world().hash(), hash);
}
