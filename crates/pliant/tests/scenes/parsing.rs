//! Text that is not a scene: unknown keys, syntax errors, overrides, and arbitrary bytes.

use crate::full_example::FULL;
use pliant::SceneError;
use pliant::scene::{Format, Override, Scene};
use proptest::prelude::*;

fn wrong(text: &str) -> SceneError {
    Scene::parse(text, Format::Toml).expect_err(text)
}

const CLOTH: &str = "[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }\n";

#[test]
fn r06_unknown_keys_are_refused_with_line_column_and_the_allowed_ones() {
    let e = wrong(&format!("{CLOTH}densty = 0.5\n"));
    assert_eq!(e.path, "cloth[0].densty");
    assert!(e.message.contains("densty") && e.message.contains("density"), "{}", e.message);
    assert_eq!(e.place.map(|p| p.0), Some(3));
    let e = wrong("solver.dtt = 0.1");
    assert!(e.message.contains("dtt") && e.message.contains("substeps"), "{}", e.message);
    assert_eq!(wrong("[[clothes]]\n").place.map(|p| p.0), Some(1));
    let e = wrong("[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1], depth = 3 }\n");
    assert_eq!(e.place.map(|p| p.0), Some(2), "{e:?}");
}

#[test]
fn r06_wrong_types_and_names_say_what_was_expected() {
    let e = wrong("title = \"x\"\n[solver]\niterations = 2.5\n");
    assert_eq!((e.path.as_str(), e.place.map(|p| p.0)), ("solver.iterations", Some(3)));
    let e = wrong("[solver]\nmethod = \"magic\"\n");
    assert!(e.message.contains("magic") && e.message.contains("xpbd"), "{}", e.message);
    assert_eq!(e.place, Some((2, 10)));
    let e = wrong(&format!("{CLOTH}pin = [{{ at = \"middle\" }}]\n"));
    assert!(e.message.contains("middle") && e.message.contains("top left"), "{}", e.message);
    let e = wrong(&format!("{CLOTH}stretch = {{ compliance = 0, modulus = 1 }}\n"));
    assert_eq!(e.path.split('.').next(), Some("cloth[0]"), "{e:?}");
    assert_eq!(e.place.map(|p| p.0), Some(3), "{e:?}");
    let e = wrong(&format!("{CLOTH}velocity = [1, 2]\n"));
    assert_eq!((e.path.as_str(), e.place.map(|p| p.0)), ("cloth[0].velocity", Some(3)), "{e:?}");
}

#[test]
fn r06_exactly_one_shape_is_needed() {
    let e = wrong("[[cloth]]\nname = \"x\"\n");
    assert_eq!(e.path, "cloth[0]");
    assert_eq!(e.message, "needs exactly one of grid, inline, mesh, but has none of them");
    let e = wrong(&format!("{CLOTH}mesh = \"a.obj\"\n"));
    assert_eq!(e.message, "needs exactly one of grid, inline, mesh, but has grid and mesh");
    assert_eq!(e.place.map(|p| p.0), Some(1));
    let e = wrong("[[soft]]\nball = { radius = 1, cells = 2 }\ntorus = { radius = 1, width = 0.5, cells = [8, 1] }\n");
    assert!(e.message.contains("torus and ball"), "{}", e.message);
    assert_eq!(wrong("[[collider]]\n").path, "collider[0]");
    assert_eq!(wrong("[[inflatable]]\n").path, "inflatable[0]");
    assert_eq!(wrong("[[rope]]\npath = [[0, 0, 0]]\n").path, "rope[0].path");
    assert_eq!(wrong("[[rope]]\npath = [[0, 0, 0], [0, 0, 0]]\n").path, "rope[0].path[1]");
    assert_eq!(wrong(&format!("{CLOTH}pin = [{{}}]\n")).path, "cloth[0].pin[0]");
    assert_eq!(wrong(&format!("{CLOTH}pin = [{{ at = \"all\", particles = [1] }}]\n")).path, "cloth[0].pin[0]");
}

#[test]
fn r06_numbers_out_of_range_say_the_value_and_the_range() {
    let e = wrong(&format!("{CLOTH}density = -0.5\n"));
    assert_eq!(e.to_string(), "cloth[0].density: is -0.5, but must lie between 0.000000001 and 1000000000");
    assert_eq!(e.place, Some((3, 11)));
    let e = wrong("[[collider]]\nplane = {}\nfriction = { static = 0.2, kinetic = 0.3 }\n");
    assert_eq!(e.path, "collider[0].friction.kinetic");
    let e = wrong("[[collider]]\nplane = { normal = [0, 0, 0] }\n");
    assert!(e.message.contains("must not be zero"), "{}", e.message);
    let e = wrong("output.width = 641");
    assert!(e.message.contains("even"), "{}", e.message);
    let e = wrong("[[cloth]]\ngrid = { cells = [20000, 20000], size = [1, 1] }\n");
    assert!(e.message.contains("400040001 particles"), "{}", e.message);
}

#[test]
fn r06_particle_counts_that_overflow_are_refused_and_not_wrapped() {
    for shape in [
        "[[cloth]]\ngrid = { cells = [20000, 20000], size = [1, 1] }",
        "[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 4294967295",
        "[[soft]]\nblock = { cells = [10000, 10000, 10000], size = [1, 1, 1] }",
        "[[soft]]\ntorus = { radius = 1, width = 0.5, cells = [1000000, 1000] }",
        "[[soft]]\ntorus = { radius = 1, width = 0.5, cells = [1000000, 1], layers = 1000 }",
        "[[soft]]\nball = { radius = 1, cells = 1000 }",
        "[[soft]]\nurchin = { radius = 1, cells = 1000, spikes = { length = 1, cells = [1, 1000] } }",
        "[[soft]]\nfigure = { height = 1, cells = 1000 }",
        "[[inflatable]]\nsphere = { radius = 1, subdivisions = 8 }",
    ] {
        for count in ["[1000000, 1000000, 1000000]", "[4294967295, 4294967295, 4294967295]"] {
            let e = wrong(&format!("{shape}\narray = {{ count = {count}, spacing = [1, 1, 1] }}\n"));
            assert!(!e.path.is_empty(), "{shape}: {e}");
        }
    }
}

#[test]
fn r06_generated_bodies_say_what_does_not_fit() {
    let urchin = |rest: &str| wrong(&format!("[[soft]]\nurchin = {{ radius = 1, {rest} }}\n"));
    let e = urchin("cells = 4, spikes = { length = 1, cells = [4, 3] }");
    let message = "soft[0].urchin.spikes: leaves no room for a spike of 4 cells and its gaps on a ball of 4";
    assert_eq!(e.to_string(), message);
    assert_eq!(e.place.map(|p| p.0), Some(2));
    let e = urchin("cells = 900, spikes = { length = 1, cells = [1, 50] }");
    assert_eq!(e.message, "needs a lattice of 1003003001 points, but at most 100000000 are allowed");
    let e = urchin("cells = 9, spikes = { length = 1, cells = [1, 3], gap = 0 }");
    assert_eq!(e.to_string(), "soft[0].urchin.spikes.gap: is 0, but must lie between 1 and 1000");
    let e = wrong("[[soft]]\nfigure = { height = 1, cells = 11 }\n");
    assert_eq!(e.to_string(), "soft[0].figure.cells: is 11, but must lie between 12 and 1000");
    let e = wrong("[[soft]]\ntorus = { radius = 1, width = 0.5, height = 0, cells = [9, 2] }\n");
    assert_eq!(e.path, "soft[0].torus.height");
    let e = wrong(&format!("{CLOTH}squash = [1, 0, 1]\n"));
    assert_eq!(e.to_string(), "cloth[0].squash[1]: is 0, but must lie between 0.0001 and 100");
}

#[test]
fn r06_inline_meshes_name_only_points_and_masses_they_have() {
    let mesh =
        |rest: &str| wrong(&format!("[[cloth]]\ninline = {{ points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], {rest} }}\n"));
    let e = mesh("triangles = [[0, 1, 3]]");
    assert_eq!(e.to_string(), "cloth[0].inline.triangles[0]: names point 3, but there are 3 points, from 0");
    assert_eq!(e.place.map(|p| p.0), Some(2));
    assert_eq!(mesh("triangles = [[0, 1, 2]], masses = [1, 2]").path, "cloth[0].inline.masses");
}

#[test]
fn r06_syntax_errors_carry_the_line_and_column() {
    assert_eq!(wrong("title = \"a\"\n[solver]\ndt = = 3\n").place, Some((3, 6)));
    assert_eq!(wrong("title = \"never closed\n").place.map(|p| p.0), Some(1));
    assert_eq!(wrong("[solver]\ndt = 1\ndt = 2\n").place.map(|p| p.0), Some(3));
    let json = |text: &str| Scene::parse(text, Format::Json).expect_err(text);
    assert_eq!(json("{\n  \"title\": \"a\",\n  \"solver\" 3\n}").place.map(|p| p.0), Some(3));
    assert_eq!(json("{").place.map(|p| p.0), Some(1));
    assert!(json("[]").place.is_some());
    let e = json("{ \"solver\": { \"dt\": -1 } }");
    assert_eq!(e.path, "solver.dt");
    assert!(json("{ \"solver\": null }").message.len() > 3);
    assert!(json(&format!("{{ \"x\": {}{} }}", "[".repeat(100_000), "]".repeat(100_000))).place.is_some());
    // Toml as deep as that is refused too, and does not exhaust the stack.
    wrong(&format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000)));
}

#[test]
fn r06_overrides_set_fields_and_refuse_unknown_ones() {
    let with = |set: &[&str]| {
        let set: Vec<Override> = set.iter().map(|s| s.parse().unwrap()).collect();
        Scene::parse_with(CLOTH, Format::Toml, &set)
    };
    let scene = with(&["solver.dt=0.005", "cloth.0.density=0.3", "cloth[0].name=flag", "solver.method=pbd"]).unwrap();
    assert_eq!((scene.solver.dt, scene.cloth[0].density, scene.cloth[0].name.as_str()), (0.005, 0.3, "flag"));
    assert_eq!(scene.solver.method, pliant::scene::Method::Pbd);
    assert_eq!(with(&["cloth.0.velocity=[1, 2, 3]", "title=a b"]).unwrap().cloth[0].velocity, [1.0, 2.0, 3.0]);
    assert_eq!(with(&["world.wind.velocity=[1, 0, 0]"]).unwrap().world.wind.unwrap().velocity, [1.0, 0.0, 0.0]);
    let e = with(&["cloth.1.density=3"]).unwrap_err();
    assert!(e.message.contains("1 entries"), "{e}");
    assert_eq!(with(&["solver.dtt=3"]).unwrap_err().path, "solver.dtt");
    assert_eq!(with(&["solver.dt=-3"]).unwrap_err().path, "solver.dt");
    assert_eq!(with(&["solver.dt=nan"]).unwrap_err().path, "solver.dt");
    assert!(with(&["cloth.0.density.deep=3"]).is_err());
    assert!(with(&["cloth.x=3"]).is_err());
    for text in ["solver.dt", "=3", "a..b=3", "", ".=1", "[]=1"] {
        let e = text.parse::<Override>().expect_err(text);
        assert!(e.help.is_some(), "{text}: {e}");
    }
}

/// The full example with one small change.
fn mutated() -> impl Strategy<Value = String> {
    (any::<proptest::sample::Index>(), 0..8_usize, "\\PC{0,6}").prop_map(|(at, cut, put)| {
        let characters: Vec<char> = FULL.chars().collect();
        let at = at.index(characters.len());
        let after = characters[(at + cut).min(characters.len())..].iter();
        characters[..at].iter().copied().chain(put.chars()).chain(after.copied()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r06_arbitrary_text_never_panics(text in "\\PC{0,80}") {
        let _ = Scene::parse(&text, Format::Toml);
        let _ = Scene::parse(&text, Format::Json);
        let _ = text.parse::<Override>().map(|o| Scene::parse_with(CLOTH, Format::Toml, &[o]));
    }

    #[test]
    fn r06_mutated_scenes_are_read_or_refused_with_a_message(text in mutated()) {
        if let Err(e) = Scene::parse(&text, Format::Toml) {
            prop_assert!(!e.message.is_empty());
            prop_assert!(e.place.is_some(), "no line: {}", e);
        }
    }

    #[test]
    fn r06_overrides_with_any_value_never_panic(value in "\\PC{0,30}", key in "(solver|cloth|cloth\\.0|world)\\.[a-z_]{1,9}") {
        if let Ok(o) = format!("{key}={value}").parse::<Override>() {
            let _ = Scene::parse_with(CLOTH, Format::Toml, &[o]);
        }
    }
}
