//! Collision groups: which objects touch, of every kind and from one step to the next.

use crate::{options, parse, world};
use glam::Vec3;
use pliant::builder::NoMeshes;
use pliant::scene::{Body, BodyModel, Cloth, Collider, Grains, Inflatable, Liquid, Object, Rope, Scene, Soft};
use pliant::{CollisionGroups, EditError, Event, Handle, Overlap, Snapshot, World};

const FIRST: CollisionGroups = CollisionGroups::new(0b01, 0b01);
const SECOND: CollisionGroups = CollisionGroups::new(0b10, 0b10);

/// An object of every kind at a height, 0.2 m in size, with collision groups.
fn kinds(y: f32, groups: CollisionGroups) -> Vec<(&'static str, Object)> {
    let at = [0.0, y, 0.0];
    let fill = ([-0.1, y - 0.1, -0.1], [0.1, y + 0.1, 0.1]);
    vec![
        ("cloth", Cloth::flat([4, 4], [0.2, 0.2]).at([-0.1, y, -0.1]).collision_groups(groups).into()),
        ("rope", Rope::along(&[[-0.1, y, 0.0], [0.1, y, 0.0]], 8).collision_groups(groups).into()),
        ("soft", Soft::block([2, 2, 2], [0.2; 3]).at([-0.1, y, -0.1]).radius(0.05).collision_groups(groups).into()),
        ("inflatable", Inflatable::sphere(0.1, 2).at(at).collision_groups(groups).into()),
        ("grains", Grains::fill(fill.0, fill.1, 0.04).collision_groups(groups).into()),
        ("particle body", Body::cuboid([0.2; 3]).grid(4).at(at).collision_groups(groups).into()),
        ("rigid body", Body::cuboid([0.2; 3]).model(BodyModel::Rigid).at(at).collision_groups(groups).into()),
        ("liquid", Liquid::fill(fill.0, fill.1).collision_groups(groups).into()),
    ]
}

fn lowest(world: &mut World, object: Handle) -> f32 {
    world.bounds(object).unwrap().0.y
}

/// Colliders whose top is at y = 0.
fn floors() -> Vec<(&'static str, Scene)> {
    let scene = |shape: &str| parse(&format!("[[collider]]\nname = \"floor\"\n{shape}\n"));
    let square = "points = [[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], triangles = [[0, 2, 1], [0, 3, 2]]";
    vec![
        ("plane", scene("plane = {}")),
        ("box", scene("box = { center = [0, -1, 0], size = [4, 2, 4] }")),
        ("surface", scene(&format!("surface = {{ inline = {{ {square} }} }}"))),
    ]
}

#[test]
fn every_kind_falls_through_a_collider_of_other_groups_and_rests_on_one_of_its_own() {
    for (floor, scene) in floors() {
        for (kind, object) in kinds(0.25, FIRST) {
            let mut found = [0.0; 2];
            for (groups, low) in [FIRST, SECOND].into_iter().zip(&mut found) {
                let mut world = world(&scene);
                let collider = world.find("floor").unwrap();
                world.set_collision_groups(collider, groups).unwrap();
                let handle = world.add(object.clone()).unwrap();
                world.advance(60).unwrap();
                *low = lowest(&mut world, handle);
            }
            // In 0.6 s it falls 1.7 m, cloth in the air less.
            assert!(found[0] > -0.1, "{kind} on {floor}: {}", found[0]);
            assert!(found[1] < -0.4, "{kind} through {floor}: {}", found[1]);
        }
    }
}

/// Where the upper of two objects ends that falls on the lower one, which lies on the floor.
fn dropped(lower: Object, upper: Object, groups: [CollisionGroups; 2]) -> f32 {
    let mut world = world(&parse("contact = { between = true }\n[[collider]]\nname = \"floor\"\nplane = {}"));
    let below = world.add(lower).unwrap();
    let above = world.add(upper).unwrap();
    // The floor is of both groups, so that only the two differ.
    world.set_collision_groups(below, groups[0]).unwrap();
    world.set_collision_groups(above, groups[1]).unwrap();
    world.advance(45).unwrap();
    world.momentum(above).unwrap().center.y as f32
}

#[test]
fn pairs_of_every_kind_pass_through_each_other_where_their_groups_do_not_touch() {
    // Heavy and wide, so that what falls on it stays.
    let table = |model| Body::cuboid([0.8, 0.4, 0.8]).model(model).density(5000.0).at([0.0, 0.2, 0.0]);
    for model in [BodyModel::Rigid, BodyModel::Particles] {
        for (kind, object) in kinds(0.7, CollisionGroups::ALL) {
            let lower = || Object::from(table(model));
            let touching = dropped(lower(), object.clone(), [FIRST, FIRST]);
            let passing = dropped(lower(), object, [FIRST, SECOND]);
            assert!(touching > 0.3, "{kind} on a table of {model:?}: {touching}");
            assert!(passing < 0.25, "{kind} through a table of {model:?}: {passing}");
        }
    }
}

#[test]
fn both_objects_must_touch_the_other() {
    let [cube, ball] = [0.2, 0.6].map(|y| Object::from(Body::ball(0.15).at([0.0, y, 0.0])));
    let all = CollisionGroups::ALL;
    let asks = CollisionGroups::new(0b01, u16::MAX);
    let refuses = CollisionGroups::new(u16::MAX, 0b10);
    assert!(!asks.touches(refuses) && !refuses.touches(asks));
    assert!(dropped(cube.clone(), ball.clone(), [all, asks]) > 0.3);
    assert!(dropped(cube, ball, [refuses, asks]) < 0.3);
}

#[test]
fn an_object_whose_groups_do_not_touch_themselves_has_no_self_contact() {
    let scene = |collision: &str| {
        parse(&format!(
            "solver = {{ substeps = 4 }}\n[[collider]]\nplane = {{}}\n[[grains]]\nname = \"sand\"\nradius = 0.05\njitter = 0\n\
             fill = {{ min = [0, 0.1, 0], max = [0.1, 0.3, 0.1] }}\n{collision}\n"
        ))
    };
    // Two grains, one above the other.
    let top = |collision: &str| {
        let mut world = world(&scene(collision));
        let sand = world.find("sand").unwrap();
        world.advance(60).unwrap();
        assert_eq!(world.particles(), 2);
        world.bounds(sand).unwrap().1.y
    };
    assert!((top("") - 0.2).abs() < 5e-3, "{}", top(""));
    let apart = top("collision = { groups = [0], with = [1] }");
    assert!((apart - 0.1).abs() < 5e-3, "{apart}");
}

#[test]
fn liquids_of_different_groups_keep_their_density() {
    let group = "collision = { groups = [0] }\n";
    let text = |collision: &str| {
        format!(
            "fluid = {{ radius = 0.03 }}\n[[collider]]\nplane = {{}}\n{group}[[collider]]\n\
             box = {{ center = [1.3, 0, 0], size = [2, 4, 4] }}\n{group}[[collider]]\n\
             box = {{ center = [-1.3, 0, 0], size = [2, 4, 4] }}\n{group}[[collider]]\n\
             box = {{ center = [0, 0, 1.2], size = [4, 4, 2] }}\n{group}[[collider]]\n\
             box = {{ center = [0, 0, -1.2], size = [4, 4, 2] }}\n{group}\
             [[liquid]]\nfill = {{ min = [-0.3, 0, -0.2], max = [0.3, 0.3, 0.2] }}\n{collision}\n"
        )
    };
    let height = |collision: &str| {
        let mut world = world(&parse(&text(collision)));
        let water = world.find("liquid 0").unwrap();
        world.advance(40).unwrap();
        world.bounds(water).unwrap().1.y
    };
    let (free, apart) = (height(""), height("collision = { groups = [3], with = [4, 5, 6, 7] }"));
    assert!(free > 0.25, "{free}");
    // It touches neither floor nor walls, and falls as one piece.
    assert!(apart < 0.0, "{apart}");
    let mut world = world(&parse(&text("collision = { groups = [3], with = [4] }")));
    let water = world.find("liquid 0").unwrap();
    let before = world.bounds(water).unwrap();
    world.advance(40).unwrap();
    let after = world.bounds(water).unwrap();
    let change = ((after.1 - after.0) - (before.1 - before.0)).abs().max_element();
    assert!(change < 0.1, "{change}");
}

#[test]
fn groups_change_between_steps_and_stay_through_edits_snapshots_and_bytes() {
    let mut world = world(&parse("[[collider]]\nname = \"floor\"\nplane = {}"));
    let floor = world.find("floor").unwrap();
    let ball = world.add(Body::ball(0.1).grid(4).at([0.0, 0.2, 0.0])).unwrap();
    let crate_ = world.add(Body::cuboid([0.2; 3]).at([1.0, 0.2, 0.0])).unwrap();
    world.advance(40).unwrap();
    assert_eq!(world.collision_groups(ball).unwrap(), CollisionGroups::ALL);
    let resting = world.snapshot().unwrap();
    for object in [ball, crate_] {
        world.set_collision_groups(object, SECOND).unwrap();
        assert_eq!(world.collision_groups(object).unwrap(), SECOND);
    }
    world.set_collision_groups(floor, FIRST).unwrap();
    let before = world.snapshot().unwrap();
    let bytes = before.to_bytes();
    let fallen = |world: &mut World| {
        world.advance(30).unwrap();
        [lowest(world, ball), lowest(world, crate_)]
    };
    let first = fallen(&mut world);
    assert!(first.iter().all(|y| *y < -0.3), "{first:?}");
    world.restore(&before).unwrap();
    world.add(Cloth::flat([3, 3], [0.3, 0.3]).at([5.0, 1.0, 0.0])).unwrap();
    assert_eq!(fallen(&mut world), first, "after an edit");
    world.restore(&resting).unwrap();
    assert_eq!(world.collision_groups(ball).unwrap(), CollisionGroups::ALL);
    let held = fallen(&mut world);
    assert!(held.iter().all(|y| *y > -0.01), "{held:?}");
    let read: Snapshot = world.snapshot_from_bytes(&bytes).unwrap();
    world.restore(&read).unwrap();
    assert_eq!(world.collision_groups(crate_).unwrap(), SECOND);
    assert_eq!(fallen(&mut world), first, "from bytes");
    world.remove(crate_).unwrap();
    assert_eq!(world.collision_groups(crate_), Err(EditError::Stale));
    assert_eq!(world.set_collision_groups(crate_, FIRST), Err(EditError::Stale));
}

#[test]
fn bodies_of_other_groups_do_not_wake_a_sleeping_one_and_give_no_events() {
    let sleepers = |groups: CollisionGroups| {
        let mut world = world(&parse("world = { air_density = 0 }\n[[collider]]\nname = \"floor\"\nplane = {}"));
        let lower = world.add(Body::cuboid([0.4; 3]).at([0.0, 0.2, 0.0]).collision_groups(FIRST)).unwrap();
        // It arrives after 2.2 s, when the lower one has been asleep for a second.
        let falls = world.add(Body::cuboid([0.2; 3]).at([0.0, 24.0, 0.0]).collision_groups(groups)).unwrap();
        world.record_events(100);
        world.advance(240).unwrap();
        let met = world.events().all.iter().any(|(_, event)| match event {
            Event::ContactBegan { first, second, .. } => [*first, *second] == [lower.min(falls), lower.max(falls)],
            _ => false,
        });
        (world.state().rigid_bodies.rest[0] > 2.0, met)
    };
    assert_eq!(sleepers(FIRST), (false, true));
    assert_eq!(sleepers(SECOND), (true, false));
}

#[test]
fn a_body_that_does_not_touch_another_may_be_added_inside_it() {
    for model in [BodyModel::Rigid, BodyModel::Particles] {
        let cube = || Body::cuboid([0.4; 3]).model(model).at([0.0, 1.0, 0.0]);
        let mut world = world(&Scene::default());
        world.add(cube().collision_groups(FIRST)).unwrap();
        assert!(matches!(world.add(cube().collision_groups(FIRST)), Err(EditError::Overlap { .. })), "{model:?}");
        world.add(cube().collision_groups(SECOND)).unwrap();
        world.add(Collider::sphere([0.0, 3.0, 0.0], 1.0).collision_groups(FIRST)).unwrap();
        world.add(cube().at([0.0, 3.0, 0.0]).collision_groups(SECOND)).unwrap();
        world.step().unwrap();
        let inside = pliant::AddOptions { overlap: Some(Overlap::Refuse), ..Default::default() };
        assert!(world.add_with(cube().at([0.0, 3.0, 0.0]).collision_groups(FIRST), &inside).is_err(), "{model:?}");
    }
}

#[test]
fn a_body_of_a_scene_is_not_moved_out_of_a_collider_that_it_does_not_touch() {
    let scene = |with: &str| {
        parse(&format!(
            "[[collider]]\nplane = {{}}\ncollision = {{ groups = [0] }}\n[[body]]\nname = \"box\"\nbox = [0.2, 0.2, 0.2]\n\
             grid = 4\ncollision = {{ with = [{with}] }}\n"
        ))
    };
    let start = |with: &str| {
        let mut world = World::from_scene(&scene(with), &NoMeshes, options()).unwrap();
        let body = world.find("box").unwrap();
        world.pose(body).unwrap().position.y
    };
    assert!((start("0") - 0.1).abs() < 1e-3, "{}", start("0"));
    assert!(start("1").abs() < 1e-6, "{}", start("1"));
}

#[test]
fn what_melts_has_the_groups_of_its_liquid() {
    let lowest = |collision: &str| {
        let mut world = world(&parse(&format!(
            "fluid = {{ radius = 0.03 }}\n[[collider]]\nplane = {{}}\ncollision = {{ groups = [0] }}\n[[body]]\nname = \"ice\"\n\
             box = [0.2, 0.2, 0.2]\ngrid = 4\ntransform = {{ translate = [0, 0.1, 0] }}\n\
             [[liquid]]\nname = \"water\"\n{collision}\n[[melt]]\nbody = \"ice\"\nliquid = \"water\"\nspeed = 2\n"
        )));
        world.advance(60).unwrap();
        let state = world.state();
        let active = (0..state.particles).filter(|&i| !state.is_inactive(i));
        active.map(|i| state.rows[i][1]).fold(f32::INFINITY, f32::min)
    };
    assert!(lowest("") > -0.05, "{}", lowest(""));
    assert!(lowest("collision = { with = [1] }") < -0.3);
}

#[test]
fn wrong_groups_are_refused_with_their_path() {
    let error = |text: &str| pliant::scene::Scene::parse(text, pliant::scene::Format::Toml).unwrap_err().to_string();
    let found = error("[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }\ncollision = { groups = [0, 16] }");
    assert!(found.contains("cloth[0].collision.groups[1]") && found.contains("0 to 15"), "{found}");
    let found = error("[[collider]]\nplane = {}\ncollision = { with = [99] }");
    assert!(found.contains("collider[0].collision.with[0]"), "{found}");
    assert!(error("[[collider]]\nplane = {}\ncollision = { group = [1] }").contains("group"));
    assert!(error("[[collider]]\nplane = {}\ncollision = { with = [-1] }").contains("with"));
    let mut world = world(&Scene::default());
    let drain = parse("[[drain]]\nsphere = { center = [0, 0, 0], radius = 1 }").drain[0].clone();
    let drain = world.add(drain).unwrap();
    assert!(matches!(world.set_collision_groups(drain, FIRST), Err(EditError::Unsuitable(_))));
}

#[test]
fn copies_of_a_batch_have_the_groups_of_their_scene() {
    let scene = parse(
        "contact = { between = true }\n[[collider]]\nplane = {}\ncollision = { groups = [0] }\n\
         [[body]]\nname = \"held\"\nball = 0.1\ntransform = { translate = [0, 0.3, 0] }\n\
         [[body]]\nname = \"free\"\nball = 0.1\ntransform = { translate = [0, 0.3, 0] }\ncollision = { with = [1] }\n\
         [[grains]]\nname = \"sand\"\nradius = 0.05\nfill = { min = [1, 0.2, 0], max = [1.2, 0.4, 0.2] }\ncollision = { with = [1] }\n",
    );
    let mut batch =
        pliant::Batch::new(&scene, 3, &pliant::BatchOptions { world: options(), ..Default::default() }).unwrap();
    for _ in 0..50 {
        batch.step().unwrap();
    }
    let state = batch.world().state();
    let heights: Vec<f64> = state.rigid_bodies.bodies.iter().map(|b| b.position.y).collect();
    assert!(heights[..3].iter().all(|y| *y > 0.05) && heights[3..].iter().all(|y| *y < -0.5), "{heights:?}");
    assert!(state.rows[..state.particles].iter().all(|row| Vec3::new(row[0], row[1], row[2]).y < -0.3));
}

/// Two strips that fall on their edges and fold, out of each other's reach; bits of both.
fn strips(contact: &str, own: [&str; 2]) -> [Vec<[u32; 4]>; 2] {
    let strip = |name: &str, x: f32, own: &str| {
        format!(
            "[[cloth]]\nname = \"{name}\"\ngrid = {{ cells = [4, 24], size = [0.2, 1.2] }}\nradius = 0.025\n{own}\n\
             transform = {{ translate = [{x}, 0.05, 0], rotate = {{ axis = [1, 0, 0], degrees = 8 }} }}\n"
        )
    };
    let (first, second) = (strip("first", 0.0, own[0]), strip("second", 3.0, own[1]));
    let settings = "solver = { dt = 0.005, substeps = 1, iterations = 6 }\nworld = { air_density = 0 }\n";
    let mut world = world(&parse(&format!("{settings}{contact}\n{first}{second}[[collider]]\nplane = {{}}\n")));
    world.advance(160).unwrap();
    ["first", "second"].map(|name| {
        let object = world.find(name).unwrap();
        world.positions(object).unwrap().iter().map(|row| row.map(f32::to_bits)).collect()
    })
}

#[test]
fn s10_each_cloth_decides_whether_it_collides_with_itself() {
    let (on, off) = ("collision = { itself = true }", "collision = { itself = false }");
    let [none, _] = strips("contact = { between = true }", ["", ""]);
    let [all, all_second] = strips("contact = { itself = true }", ["", ""]);
    assert_ne!(none, all, "they do not fold");
    let [first, second] = strips("", [on, ""]);
    assert_eq!(first, all);
    assert_ne!(second, all_second);
    assert_eq!(strips("contact = { itself = true }", ["", off]), [first, second]);
    let wrong = parse("[[grains]]\nradius = 0.1\nfill = { min = [0, 0, 0], max = [1, 1, 1] }\n");
    let mut spec = wrong.clone();
    spec.grains[0].collision = Some(pliant::scene::CollisionSpec { itself: Some(true), ..Default::default() });
    let error = spec.validate().unwrap_err();
    assert_eq!(error.path, "grains[0].collision.itself");
}

#[test]
fn collision_groups_leave_self_collision_as_it_was() {
    let mut world = world(&parse(""));
    let spec = pliant::scene::CollisionSpec { itself: Some(true), ..Default::default() };
    let cloth = world.add(Cloth { collision: Some(spec), ..Cloth::flat([2, 2], [1.0, 1.0]) }).unwrap();
    world.set_collision_groups(cloth, FIRST).unwrap();
    world.set_collision_groups(cloth, CollisionGroups::ALL).unwrap();
    world.step().unwrap();
    // Particles of objects that collide with themselves have phase 0.
    assert!(world.state().phases.iter().all(|&phase| phase == 0));
}

#[test]
fn r06_a_surface_is_changed_beside_the_place_of_an_object_that_was_removed() {
    let crate_at = |x: f32| Body::cuboid([0.2; 3]).grid(2).at([x, 0.5, 0.0]);
    let mut edited = world(&parse("[[collider]]\nplane = {}"));
    let first = edited.add(crate_at(0.0)).unwrap();
    let second = edited.add(crate_at(1.0)).unwrap();
    edited.step().unwrap();
    // Its rows stay, as those of no object.
    edited.remove(first).unwrap();
    edited.set_restitution(second, 0.5).unwrap();
    edited.set_collision_groups(second, FIRST).unwrap();
    assert_eq!(edited.collision_groups(second).unwrap(), FIRST);
    // Whoever takes the place has a surface of its own.
    let third = edited.add(crate_at(2.0)).unwrap();
    assert_eq!(edited.collision_groups(third).unwrap(), CollisionGroups::ALL);
    edited.set_collision_groups(third, SECOND).unwrap();
    edited.advance(30).unwrap();
    assert!(lowest(&mut edited, second) > -0.05);
}
