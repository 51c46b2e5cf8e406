//! Wrong input: an error that says what was wrong, and a world as it was.

use crate::{parse, world};
use pliant::builder::NoMeshes;
use pliant::scene::{Attach, Body, Cloth, Collider, Format, GridSpec, Rope, Scene, Select, Soft, SphereShape};
use pliant::{AddOptions, EditError, Handle, Options, Overlap, World};

fn crate_at(x: f32, y: f32) -> Body {
    let mut body = Body { cuboid: Some([0.2; 3]), grid: 3, ..Body::default() };
    body.transform.translate = [x, y, 0.0];
    body
}

fn cloth(name: &str) -> Cloth {
    let grid = GridSpec { cells: [4, 4], size: [1.0, 1.0], plane: Default::default() };
    Cloth { name: name.into(), grid: Some(grid), ..Cloth::default() }
}

fn empty() -> World {
    World::new(Options { threads: 1, ..Options::default() }).unwrap()
}

#[test]
fn an_empty_world_runs_and_is_filled() {
    let mut world = empty();
    assert_eq!(world.particles(), 0);
    world.advance(3).unwrap();
    assert!((world.time() - 0.03).abs() < 1e-6);
    let body = world.add(crate_at(0.0, 1.0)).unwrap();
    world.add(Collider::plane()).unwrap();
    world.advance(200).unwrap();
    let height = world.momentum(body).unwrap().center.y;
    assert!((height - 0.1).abs() < 0.01, "a crate of 0.2 m rests at {height} m");
    assert_eq!(world.remove(body).unwrap(), [body]);
    world.step().unwrap();
    assert_eq!(world.particles(), 0);
}

#[test]
fn stale_and_foreign_handles_are_errors() {
    let mut world = empty();
    let first = world.add(crate_at(0.0, 0.0)).unwrap();
    world.step().unwrap();
    world.remove(first).unwrap();
    let second = world.add(crate_at(0.0, 5.0)).unwrap();
    let mut other = empty();
    let foreign = other.add(crate_at(0.0, 0.0)).unwrap();
    let check = |world: &mut World, handle: Handle| {
        assert!(!world.contains(handle));
        assert_eq!(world.remove(handle), Err(EditError::Stale));
        assert_eq!(world.positions(handle).err(), Some(EditError::Stale));
        assert_eq!(world.velocities(handle).err(), Some(EditError::Stale));
        assert_eq!(world.bounds(handle).err(), Some(EditError::Stale));
        assert_eq!(world.pose(handle).err(), Some(EditError::Stale));
        assert_eq!(world.name(handle).err(), Some(EditError::Stale));
        assert_eq!(world.kind(handle).err(), Some(EditError::Stale));
    };
    check(&mut world, first);
    check(&mut world, foreign);
    assert_ne!(first, second);
    assert!(world.contains(second));
    let (low, high) = world.bounds(second).unwrap();
    assert!(low.y > 4.0 && high.y < 6.0, "{low} {high}");
}

#[test]
fn r06_bad_objects_are_refused_and_nothing_changes() {
    let mut world = world(&parse("[[body]]\nname = \"box\"\nbox = [0.2, 0.2, 0.2]\ngrid = 3"));
    world.advance(2).unwrap();
    let (hash, objects) = (world.hash(), world.objects());
    let bad = |size: f32, density: f32| Body { cuboid: Some([size; 3]), density, ..crate_at(9.0, 0.0) };
    let refused = [
        world.add(bad(f32::NAN, 1.0)).unwrap_err(),
        world.add(bad(-1.0, 1.0)).unwrap_err(),
        world.add(bad(0.0, 1.0)).unwrap_err(),
        world.add(bad(1.0, f32::INFINITY)).unwrap_err(),
        world.add(bad(1.0, -5.0)).unwrap_err(),
        world.add(Body { velocity: [f32::NAN, 0.0, 0.0], ..crate_at(9.0, 0.0) }).unwrap_err(),
        world.add(Body { name: "box".into(), ..crate_at(9.0, 0.0) }).unwrap_err(),
        world.add(Body { mesh: Some("missing.obj".into()), cuboid: None, ..crate_at(9.0, 0.0) }).unwrap_err(),
        world.add(Cloth::default()).unwrap_err(),
        world.add(Rope { segments: 0, ..Rope::default() }).unwrap_err(),
        world.add(Soft::default()).unwrap_err(),
        world.add(Collider::default()).unwrap_err(),
        world
            .add(Collider { sphere: Some(SphereShape { center: [0.0; 3], radius: -1.0 }), ..Collider::default() })
            .unwrap_err(),
        world
            .add(Attach {
                from: Select { object: "box".into(), ..Select::default() },
                to: Select { object: "nobody".into(), ..Select::default() },
                within: 1.0,
                compliance: 0.0,
            })
            .unwrap_err(),
        world.add_text("[[body]]\nbox = [1, 1, 1]\n[[cloth]]\n", Format::Toml, &NoMeshes).unwrap_err(),
        world.add_text("[[body]\n", Format::Toml, &NoMeshes).unwrap_err(),
        world
            .add_text(
                "[[body]]\nname = \"a\"\nbox = [1, 1, 1]\n[[body]]\nname = \"a\"\nbox = [1, 1, 1]",
                Format::Toml,
                &NoMeshes,
            )
            .unwrap_err(),
    ];
    for error in &refused {
        assert!(!error.to_string().is_empty());
    }
    assert!(refused[0].to_string().contains("box"), "{}", refused[0]);
    assert!(refused[6].to_string().contains("taken"), "{}", refused[6]);
    assert!(refused[7].to_string().contains("missing.obj"), "{}", refused[7]);
    assert_eq!((world.hash(), world.objects()), (hash, objects));
    world.step().unwrap();
}

#[test]
fn what_depends_on_an_object_goes_with_it_and_is_reported() {
    let text = r#"
        [[cloth]]
        name = "a"
        grid = { cells = [2, 2], size = [1, 1] }
        [[cloth]]
        name = "b"
        grid = { cells = [2, 2], size = [1, 1] }
        transform = { translate = [1, 0, 0] }
        [[attach]]
        from = { object = "a", at = "right edge" }
        to = { object = "b", at = "left edge" }
        [[liquid]]
        name = "water"
        [[body]]
        name = "ice"
        box = [0.2, 0.2, 0.2]
        grid = 4
        transform = { translate = [0, 5, 0] }
        [[melt]]
        body = "ice"
        liquid = "water"
        speed = 0.1
        [fluid]
        radius = 0.025
    "#;
    let mut world = world(&parse(text));
    world.advance(3).unwrap();
    let (a, b) = (world.find("a").unwrap(), world.find("b").unwrap());
    let removed = world.remove(a).unwrap();
    assert_eq!((removed.len(), removed[0]), (2, a), "a cloth and its attachment");
    let ice = world.remove(world.find("ice").unwrap()).unwrap();
    assert_eq!(ice.len(), 3, "a body, its melting, and the liquid that nothing melts into");
    world.advance(3).unwrap();
    assert_eq!(world.objects(), [b]);
    assert_eq!(world.particles(), 9);
}

#[test]
fn a_body_inside_another_is_refused_moved_or_placed_as_the_caller_says() {
    let mut world = empty();
    world.add(Collider::plane()).unwrap();
    let first = world.add(Body { name: "first".into(), ..crate_at(0.0, 0.1) }).unwrap();
    // Against what was added just now, and against what has been stepped.
    for _ in 0..2 {
        match world.add(crate_at(0.05, 0.15)) {
            Err(EditError::Overlap { other, depth, .. }) => {
                assert!(other == "first" && depth > 0.03, "{other} {depth}")
            }
            found => panic!("{found:?}"),
        }
        let below = world.add(crate_at(3.0, -0.05));
        assert!(matches!(below, Err(EditError::Overlap { .. })), "{below:?}");
        world.step().unwrap();
    }
    // A collider is where it was put last.
    let shelf = world.add(Collider::cuboid([6.0, 1.0, 0.0], [1.0; 3])).unwrap();
    let far = pliant::Pose { position: glam::Vec3::new(6.0, 9.0, 0.0), rotation: glam::Quat::IDENTITY };
    world.teleport(shelf, far).unwrap();
    assert!(world.add(crate_at(6.0, 9.0)).is_err());
    let there = world.add(crate_at(6.0, 1.0)).unwrap();
    world.remove(there).unwrap();
    let options = AddOptions { overlap: Some(Overlap::MoveOut), ..AddOptions::default() };
    let second = world.add_with(crate_at(0.0, 0.12), &options).unwrap();
    let energy = |world: &World| world.probe().kinetic;
    world.step().unwrap();
    assert!(energy(&world) < 1.0, "pushed apart with {} J", energy(&world));
    let (low, high) = (world.bounds(second).unwrap(), world.bounds(first).unwrap());
    let apart = (low.0 - high.1).max(high.0 - low.1).max_element();
    assert!(apart > -0.01, "they overlap by {apart} m");
    let options = AddOptions { overlap: Some(Overlap::Allow), ..AddOptions::default() };
    world.add_with(crate_at(0.0, 0.12), &options).unwrap();
    world.step().unwrap();
}

#[test]
fn objects_are_found_by_name_and_by_particle() {
    let mut world = empty();
    let flag = world.add(cloth("flag")).unwrap();
    let unnamed = world.add(cloth("")).unwrap();
    assert_eq!(world.find("flag"), Ok(flag));
    assert_eq!(world.find("sail"), Err(EditError::Unknown("sail".into())));
    let name = world.name(unnamed).unwrap().to_owned();
    assert_eq!(world.find(&name), Ok(unnamed));
    let range = world.particles_of(unnamed).unwrap();
    assert_eq!(range, 25..50);
    assert_eq!(world.object_of(26), Some((unnamed, 1)));
    assert_eq!(world.object_of(50), None);
    assert_eq!(world.normals(flag).unwrap().len(), 25);
    let scene = Scene::default();
    assert!(World::from_scene(&scene, &NoMeshes, Options::default()).is_ok());
}
