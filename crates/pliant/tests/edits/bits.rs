//! Bits: a world built by edits is the one built at once, and what is out of reach does not change.

use crate::small_scenes::SCENES;
use crate::{options, parse, settings_of, world};
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Handle, World};

const STEPS: u32 = 12;

#[test]
fn a_world_built_by_edits_has_the_bits_of_one_built_at_once() {
    for (name, text) in SCENES {
        let scene = parse(text);
        let mut whole = world(&scene);
        let mut built = world(&settings_of(&scene));
        built.add_text(text, Format::Toml, &NoMeshes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(built.particles(), whole.particles(), "{name}");
        whole.advance(STEPS).unwrap();
        built.advance(STEPS).unwrap();
        assert_eq!(built.hash(), whole.hash(), "{name}");
    }
}

/// Objects far from all others.
const FAR: [(&str, &str); 9] = [
    (
        "cloth",
        "[[cloth]]\nname = \"far\"\ngrid = { cells = [5, 4], size = [1, 1] }\ntransform = { translate = [20, 0, 0] }\npin = [{ at = \"corners\" }]",
    ),
    (
        "rope",
        "[[rope]]\nname = \"far\"\npath = [[20, 1, 0], [21, 1, 0]]\nsegments = 9\ntwist = { modulus = 1e6 }\nbend = { modulus = 1e6 }",
    ),
    (
        "soft",
        "[[soft]]\nname = \"far\"\nblock = { cells = [2, 2, 2], size = [1, 1, 1] }\ntransform = { translate = [20, 0, 0] }",
    ),
    (
        "inflatable",
        "[[inflatable]]\nname = \"far\"\nsphere = { radius = 0.5, subdivisions = 1 }\ntransform = { translate = [20, 0, 0] }",
    ),
    ("body", "[[body]]\nname = \"far\"\nbox = [0.4, 0.4, 0.4]\ngrid = 4\ntransform = { translate = [20, 0, 0] }"),
    ("collider", "[[collider]]\nname = \"far\"\nbox = { center = [20, 0, 0], size = [1, 1, 1] }"),
    ("grains", "[[grains]]\nname = \"far\"\nradius = 0.03\nfill = { min = [20, 0, 0], max = [20.2, 0.2, 0.2] }"),
    ("rigid body", "[[body]]\nname = \"far\"\nbox = [0.4, 0.3, 0.2]\ntransform = { translate = [20, 0, 0] }"),
    ("liquid", "[[liquid]]\nname = \"far\"\nfill = { min = [20, 0, 0], max = [20.2, 0.2, 0.2] }"),
];

/// Rows of the objects in the order of their handles, with velocities.
fn rows(world: &mut World, handles: &[Handle]) -> Vec<[f32; 4]> {
    let mut all = Vec::new();
    for &handle in handles {
        if let Ok(rows) = world.positions(handle) {
            all.extend_from_slice(rows);
            all.extend_from_slice(world.velocities(handle).unwrap());
        }
    }
    all
}

/// With contacts between objects, which the first body would switch on, and steps of its own: those that a scene does not
/// give follow from all of its objects.
fn settled(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.contact.between = Some(scene.contact.between.unwrap_or(true));
    scene.solver.substeps = scene.substeps_and_iterations().0;
    scene
}

/// Sums of liquids with surface tension follow cells that are made for the bounds of all particles.
fn sums_over_all(scene: &Scene) -> bool {
    scene.liquid.iter().any(|liquid| liquid.tension > 0.0)
}

#[test]
fn adding_and_removing_out_of_reach_changes_no_bit() {
    for (name, text) in SCENES {
        let scene = settled(&parse(text));
        if sums_over_all(&scene) {
            continue;
        }
        let mut still = world(&scene);
        let handles = still.objects();
        still.advance(STEPS).unwrap();
        let expected = rows(&mut still, &handles);
        for (kind, far) in FAR {
            let mut changed = world(&scene);
            let handles = changed.objects();
            changed.advance(4).unwrap();
            let added =
                changed.add_text(far, Format::Toml, &NoMeshes).unwrap_or_else(|e| panic!("{name}, {kind}: {e}"));
            changed.advance(4).unwrap();
            assert_eq!(changed.remove(added[0]).unwrap(), added, "{name}, {kind}");
            changed.advance(STEPS - 8).unwrap();
            assert_eq!(changed.particles(), still.particles(), "{name}, {kind}");
            assert!(rows(&mut changed, &handles) == expected, "{name}: adding and removing a {kind} changed its bits");
        }
    }
}

#[test]
fn removing_the_first_object_leaves_the_others_as_they_are() {
    for (name, text) in SCENES {
        let scene = settled(&parse(text));
        if sums_over_all(&scene) {
            continue;
        }
        // The same scene with another object in front of its list, which goes away later.
        let mut with = scene.clone();
        let far = parse(FAR[4].1).body;
        with.body = far.into_iter().chain(with.body).collect();
        let mut still = world(&scene);
        let handles = still.objects();
        still.advance(STEPS).unwrap();
        let expected = rows(&mut still, &handles);
        let mut changed = world(&with);
        let gone = changed.find("far").unwrap();
        let handles: Vec<_> = changed.objects().into_iter().filter(|&h| h != gone).collect();
        changed.advance(5).unwrap();
        changed.remove(gone).unwrap();
        changed.advance(STEPS - 5).unwrap();
        assert!(rows(&mut changed, &handles) == expected, "{name}");
    }
}

#[test]
fn edits_with_liquids_keep_state_and_time() {
    for (name, text) in SCENES.iter().filter(|(_, text)| text.contains("[[liquid]]")) {
        let scene = parse(text);
        let mut changed = world(&scene);
        let handles = changed.objects();
        changed.advance(6).unwrap();
        let (before, time) = (rows(&mut changed, &handles), changed.time());
        let far = changed.add_text(FAR[5].1, Format::Toml, &NoMeshes).unwrap();
        assert!(rows(&mut changed, &handles) == before, "{name}");
        changed.remove(far[0]).unwrap();
        changed.apply_edits().unwrap();
        assert!(rows(&mut changed, &handles) == before, "{name}");
        assert_eq!(changed.time(), time);
        // The same particles in the same place: the same bits.
        let mut still = world(&scene);
        still.advance(12).unwrap();
        changed.advance(6).unwrap();
        assert_eq!(changed.hash(), still.hash(), "{name}");
    }
}

#[test]
fn r01_edits_do_not_depend_on_threads() {
    let run = |threads: usize| {
        let scene = parse(SCENES[0].1);
        let mut world = World::from_scene(&scene, &NoMeshes, pliant::Options { threads, ..options() }).unwrap();
        world.advance(3).unwrap();
        for (kind, far) in FAR {
            let text = far.replace("\"far\"", &format!("\"{kind}\""));
            world.add_text(&text, Format::Toml, &NoMeshes).unwrap();
            world.advance(2).unwrap();
        }
        world.hash()
    };
    assert_eq!(run(1), run(3));
}
