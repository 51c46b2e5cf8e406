//! Materials that are changed between steps.

use crate::{parse, world};
use pliant::scene::{ContactSpec, Elasticity};
use pliant::{EditError, World};

const SOFT: &str = "[[soft]]\nname = \"it\"\nblock = { cells = [4, 2, 2], size = [0.8, 0.2, 0.2] }\nfem = { young = YOUNG, poisson = 0.3 }\npin = [{ particles = [0, 1, 2, 3] }]";
const SHEET: &str = "[[cloth]]\nname = \"it\"\ngrid = { cells = [6, 6], size = [0.5, 0.5] }\nstretch = { STRETCH }\nbend = { modulus = BEND }\npin = [{ at = \"top edge\" }]";
const ROPE: &str = "[[rope]]\nname = \"it\"\npath = [[0, 1, 0], [1, 1, 0]]\nsegments = 12\nbend = { modulus = BEND }\npin = [{ at = \"start\" }]";
const LIQUID: &str = "fluid = { radius = 0.025 }\n[[liquid]]\nname = \"it\"\nfill = { min = [0, 0, 0], max = [0.25, 0.3, 0.25] }\nviscosity = VISCOSITY\ntension = TENSION\n[[collider]]\nplane = {}";
const SAND: &str = "contact = { rolling = ROLLING, cohesion = COHESION }\n[[grains]]\nname = \"it\"\nfill = { min = [0, 0, 0], max = [0.2, 0.3, 0.2] }\nradius = 0.03\nvelocity = [0.6, 0, 0]\n[[collider]]\nname = \"floor\"\nplane = {}\nrolling = FLOOR";

/// A text with other numbers.
fn with(text: &str, numbers: &[(&str, &str)]) -> String {
    numbers.iter().fold(text.to_owned(), |text, (name, number)| text.replace(name, number))
}

type Change = fn(&mut World) -> Result<(), EditError>;

/// Name, a scene, what a caller changes, and the scene built that way.
fn cases() -> Vec<(&'static str, String, Change, String)> {
    let soft = |young: &str| with(SOFT, &[("YOUNG", young)]);
    let sheet = |stretch: &str, bend: &str| with(SHEET, &[("STRETCH", stretch), ("BEND", bend)]);
    let rope = |bend: &str| with(ROPE, &[("BEND", bend)]);
    let liquid = |viscosity: &str, tension: &str| with(LIQUID, &[("VISCOSITY", viscosity), ("TENSION", tension)]);
    let sand = |rolling: &str, cohesion: &str, floor: &str| {
        with(SAND, &[("ROLLING", rolling), ("COHESION", cohesion), ("FLOOR", floor)])
    };
    vec![
        ("Young's modulus", soft("1e5"), |w| w.set_young(w.find("it")?, 3e4), soft("3e4")),
        (
            "stretch",
            sheet("modulus = 5000", "1e-3"),
            |w| w.set_stretch(w.find("it")?, Elasticity::Modulus(300.0)),
            sheet("modulus = 300", "1e-3"),
        ),
        (
            "stretch by another kind of constraint",
            sheet("modulus = 5000", "1e-3"),
            |w| w.set_stretch(w.find("it")?, Elasticity::Compliance(1e-4)),
            sheet("compliance = 1e-4", "1e-3"),
        ),
        (
            "bending of a sheet",
            sheet("modulus = 5000", "1e-3"),
            |w| w.set_bend(w.find("it")?, Some(Elasticity::Modulus(0.1))),
            sheet("modulus = 5000", "0.1"),
        ),
        ("bending of a rope", rope("1e6"), |w| w.set_bend(w.find("it")?, Some(Elasticity::Modulus(2e7))), rope("2e7")),
        ("viscosity", liquid("0.001", "0"), |w| w.set_viscosity(w.find("it")?, 20.0), liquid("20", "0")),
        (
            "surface tension",
            liquid("0.001", "0"),
            |w| w.set_surface_tension(w.find("it")?, 0.5),
            liquid("0.001", "0.5"),
        ),
        ("rolling of a collider", sand("0", "0", "0"), |w| w.set_rolling(w.find("floor")?, 3.0), sand("0", "0", "3")),
        (
            "rolling and cohesion",
            sand("0", "0", "0"),
            |w| {
                let now = w.contact_settings().clone();
                w.set_contact_settings(ContactSpec { rolling: 2.0, cohesion: 0.5, ..now })
            },
            sand("2", "0.5", "0"),
        ),
    ]
}

#[test]
fn s16_a_material_that_was_changed_is_that_of_an_object_built_with_it() {
    for (name, before, change, after) in cases() {
        let mut changed = world(&parse(&before));
        let mut built = world(&parse(&after));
        change(&mut changed).unwrap_or_else(|e| panic!("{name}: {e}"));
        changed.advance(30).unwrap();
        built.advance(30).unwrap();
        assert_eq!(changed.hash(), built.hash(), "{name}");
        let mut other = world(&parse(&before));
        other.advance(30).unwrap();
        assert_ne!(other.hash(), changed.hash(), "{name} changes nothing");
    }
}

#[test]
fn r05_changed_materials_stay_through_edits_snapshots_and_bytes() {
    // No solid: it would switch the projection of liquids off.
    let far = "[[collider]]\nname = \"far\"\nsphere = { center = [90, 1, 0], radius = 0.1 }";
    for (name, text, change, _) in cases() {
        let start = || {
            let mut world = world(&parse(&text));
            world.advance(5).unwrap();
            world
        };
        let mut still = start();
        still.advance(20).unwrap();
        let mut changed = start();
        let early = changed.snapshot().unwrap();
        change(&mut changed).unwrap();
        changed.advance(5).unwrap();
        let late = changed.snapshot().unwrap();
        changed.advance(20).unwrap();
        let hash = changed.hash();
        // To a moment before the change and to one after it, and there in another world.
        changed.restore(&early).unwrap_or_else(|e| panic!("{name}: {e}"));
        changed.advance(20).unwrap();
        assert_eq!(changed.hash(), still.hash(), "{name}: before the change");
        changed.restore(&late).unwrap_or_else(|e| panic!("{name}: {e}"));
        let object = changed.find("it").unwrap();
        changed.advance(20).unwrap();
        assert_eq!(changed.hash(), hash, "{name}: after the change");
        let mut other = start();
        let read = other.snapshot_from_bytes(&late.to_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        other.restore(&read).unwrap();
        other.advance(20).unwrap();
        assert_eq!(other.hash(), hash, "{name}: bytes");
        // An edit builds the changed object again.
        changed.restore(&late).unwrap();
        let own = changed.particles_of(object).unwrap().len();
        changed.add_text(far, pliant::scene::Format::Toml, &pliant::builder::NoMeshes).unwrap();
        changed.step().unwrap();
        changed.remove(changed.find("far").unwrap()).unwrap();
        changed.advance(19).unwrap();
        assert_eq!(changed.particles_of(object).unwrap().len(), own);
        assert_eq!(changed.hash(), hash, "{name}: an edit");
    }
}

#[test]
fn materials_that_an_object_does_not_have_are_refused_and_nothing_changes() {
    let text = format!(
        "{}\n{}",
        with(SAND, &[("ROLLING", "0"), ("COHESION", "0"), ("FLOOR", "0")]),
        "[[body]]\nname = \"body\"\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [3, 1, 0] }\n[[cloth]]\nname = \"sheet\"\ngrid = { cells = [3, 3], size = [0.5, 0.5] }\ntransform = { translate = [9, 1, 0] }"
    );
    let mut world = world(&parse(&text));
    world.advance(3).unwrap();
    let hash = world.hash();
    for name in ["it", "floor", "body", "sheet"] {
        let object = world.find(name).unwrap();
        assert!(world.set_young(object, 1e5).is_err(), "{name}");
        assert!(world.set_viscosity(object, 1.0).is_err(), "{name}");
        assert!(world.set_surface_tension(object, 0.1).is_err(), "{name}");
        if name != "sheet" {
            assert!(world.set_stretch(object, Elasticity::Modulus(1e3)).is_err(), "{name}");
            assert!(world.set_bend(object, None).is_err(), "{name}");
        }
        if name != "floor" {
            assert!(world.set_rolling(object, 1.0).is_err(), "{name}");
        }
    }
    let (sheet, floor) = (world.find("sheet").unwrap(), world.find("floor").unwrap());
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(world.set_stretch(sheet, Elasticity::Modulus(bad)).is_err());
        assert!(world.set_bend(sheet, Some(Elasticity::Compliance(bad))).is_err());
        assert!(world.set_rolling(floor, bad).is_err());
        let now = world.contact_settings().clone();
        assert!(world.set_contact_settings(ContactSpec { cohesion: bad, ..now }).is_err());
    }
    let now = world.contact_settings().clone();
    assert!(world.set_contact_settings(ContactSpec { itself: !now.itself, ..now }).is_err());
    assert_eq!(world.hash(), hash);
    world.step().unwrap();
}
