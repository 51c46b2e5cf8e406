//! Scenes that parse but cannot be built, and one that cannot be run.

use pliant::builder::{BuildError, NoMeshes};
use pliant::scene::{Format, Override, Scene};
use pliant::{Options, SceneError, StepError, World};

fn scene(text: &str) -> Scene {
    Scene::parse(text, Format::Toml).unwrap()
}

fn refused(text: &str) -> SceneError {
    match World::from_scene(&scene(text), &NoMeshes, Options::default()).map(|_| ()) {
        Err(BuildError::Scene(e)) => e,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn r06_pins_out_of_range_say_which_and_how_many_there_are() {
    let e = refused("[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }\npin = [{ particles = [3, 9] }]");
    assert_eq!(e.to_string(), "cloth[0].pin[0].particles: names particle 9, but the object has particles 0..=8");
    assert_eq!(e.help.as_deref(), Some("particle numbers start at 0"));
    let e = refused("[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 4\npin = [{ particles = [4294967295] }]");
    assert!(e.message.contains("0..=4"), "{e}");
}

#[test]
fn r06_regions_and_lists_without_particles_are_refused() {
    let cloth = "[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }\n";
    let e = refused(&format!("{cloth}pin = [{{ inside = {{ min = [5, 5, 5], max = [6, 6, 6] }} }}]"));
    assert_eq!((e.path.as_str(), e.message.as_str()), ("cloth[0].pin[0]", "picks no particle"));
    let e = refused(&format!("{cloth}pin = [{{ particles = [] }}]"));
    assert_eq!(e.path, "cloth[0].pin[0]");
}

#[test]
fn r06_unknown_selections_are_refused_with_the_valid_ones() {
    let e = refused("[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }\npin = [{ at = \"start\" }]");
    assert_eq!(e.message, "is \"start\", but this object only has edges, corners and \"all\"");
    let e = refused("[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\npin = [{ at = \"top left\" }]");
    assert!(e.message.contains("\"start\", \"end\""), "{e}");
    let e = refused("[[soft]]\nball = { radius = 1, cells = 2 }\npin = [{ at = \"corners\" }]");
    assert!(e.message.contains("particles or inside"), "{e}");
}

#[test]
fn r06_two_objects_of_one_name_are_refused() {
    let rope = "[[rope]]\nname = \"line\"\npath = [[0, 0, 0], [1, 0, 0]]\n";
    let e = refused(&format!("{rope}{rope}"));
    assert_eq!(e.to_string(), "rope[1].name: \"line\" is taken by another object");
}

#[test]
fn r06_attachments_without_particles_are_refused() {
    let ropes = "[[rope]]\nname = \"a\"\npath = [[0, 0, 0], [1, 0, 0]]\n[[rope]]\nname = \"b\"\npath = [[0, 9, 0], [1, 9, 0]]\n";
    let e = refused(&format!("{ropes}[[attach]]\nfrom = {{ object = \"a\" }}\nto = {{ object = \"b\" }}"));
    assert_eq!(e.to_string(), "attach[0]: joins nothing: no two of its particles are within 0.05 m");
    let e = refused(&format!("{ropes}[[attach]]\nfrom = {{ object = \"c\" }}\nto = {{ object = \"b\" }}"));
    assert_eq!(e.to_string(), "attach[0].from.object: names \"c\", but the objects are a, b");
    let e = refused(&format!(
        "{ropes}[[attach]]\nfrom = {{ object = \"a\", particles = [99] }}\nto = {{ object = \"b\" }}"
    ));
    assert!(e.message.contains("0..=32"), "{e}");
}

#[test]
fn r06_mesh_files_need_a_source() {
    for text in ["[[cloth]]\nmesh = \"a.obj\"", "[[soft]]\nmesh = \"a.msh\"", "[[inflatable]]\nmesh = \"a.obj\""] {
        let e = World::from_scene(&scene(text), &NoMeshes, Options::default()).map(|_| ()).unwrap_err();
        assert!(matches!(e, BuildError::Mesh(_)) && e.to_string().contains("a."), "{e}");
    }
}

#[test]
fn r06_scenes_made_in_code_are_checked_too() {
    let mut made = scene("[[cloth]]\ngrid = { cells = [2, 2], size = [1, 1] }");
    made.cloth[0].density = f32::NAN;
    let e = World::from_scene(&made, &NoMeshes, Options::default()).map(|_| ()).unwrap_err();
    assert!(e.to_string().starts_with("cloth[0].density: is NaN"), "{e}");
}

#[test]
fn r06_an_empty_scene_and_a_single_segment_run() {
    for text in [
        "",
        "[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = 1\nbend = { stiffness = 1 }\ntwist = { stiffness = 1 }",
    ] {
        for partition in ["color", "phantom", "hybrid", "patch", "shared-patch", "serial", "jacobi", "jacobi-gather"] {
            let set: Override = format!("solver.partition={partition}").parse().unwrap();
            let scene = Scene::parse_with(text, Format::Toml, &[set]).unwrap();
            let mut sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
            (0..5).for_each(|_| sim.step().unwrap());
        }
    }
}

#[test]
fn r06_extreme_but_allowed_values_never_panic_while_building_and_stepping() {
    // Single fields at the ends of their ranges: the run may diverge, but only with an error that says so.
    let text = "[[cloth]]\ngrid = { cells = [3, 3], size = [1, 1] }\nbend = { modulus = 0.001 }\n\
                [[soft]]\nblock = { cells = [1, 1, 1], size = [1, 1, 1] }\nfem = { young = 1e5, poisson = 0.3 }\n\
                [[rope]]\npath = [[0, 1, 0], [1, 1, 0]]\nsegments = 3\nbend = { modulus = 1e6 }\ntwist = { modulus = 1e6 }\n\
                [[soft]]\nurchin = { radius = 1, cells = 3, spikes = { length = 1, cells = [1, 1] } }\n\
                [[soft]]\nfigure = { height = 1, cells = 12 }\n\
                [[inflatable]]\nsphere = { radius = 0.5, subdivisions = 0 }\n[[collider]]\nplane = {}\n";
    for set in [
        "solver.dt=1e-7",
        "solver.dt=1000",
        "solver.omega=2",
        "solver.omega=0.01",
        "solver.contact_margin=1000",
        "world.gravity=[1e4, -1e4, 1e4]",
        "world.damping=1e4",
        "world.air_density=1e4",
        "cloth.0.density=1e-9",
        "cloth.0.density=1e9",
        "cloth.0.radius=1e4",
        "cloth.0.radius=0",
        "cloth.0.bend.modulus=1e15",
        "cloth.0.bend.modulus=1e-9",
        "cloth.0.grid.size=[1e-6, 1e5]",
        "cloth.0.transform.scale=1e-6",
        "cloth.0.transform.scale=1e6",
        "cloth.0.velocity=[1e4, 1e4, 1e4]",
        "soft.0.fem.young=1e15",
        "soft.0.fem.young=1e-6",
        "soft.0.fem.poisson=0.49",
        "soft.0.block.size=[1e-6, 1e-6, 1e-6]",
        "soft.0.squash=[1e-4, 1e-4, 1e-4]",
        "soft.0.squash=[100, 100, 100]",
        "soft.1.urchin.radius=1e-6",
        "soft.1.urchin.spikes.length=1e-6",
        "soft.1.urchin.spikes.length=1e5",
        "soft.2.figure.height=1e-6",
        "soft.2.figure.height=1e5",
        "cloth.0.squash=[1e-4, 1e-4, 1e-4]",
        "cloth.0.squash=[100, 100, 100]",
        "rope.0.radius=0",
        "rope.0.slack=0.01",
        "rope.0.slack=100",
        "rope.0.twist.modulus=1e15",
        "inflatable.0.pressure=0",
        "inflatable.0.pressure=1000",
        "inflatable.0.sphere.radius=1e-6",
        "inflatable.0.sphere.radius=1e5",
    ] {
        let scene =
            Scene::parse_with(text, Format::Toml, &[set.parse().unwrap()]).unwrap_or_else(|e| panic!("{set}: {e}"));
        let Ok(mut sim) = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }) else {
            continue;
        };
        let ended = (0..10).find_map(|_| sim.step().err());
        // Without a reported divergence all values must be finite.
        let finite = sim.state().rows.iter().flatten().all(|v| v.is_finite());
        assert!(ended.is_some() || finite, "{set}: not finite, without an error");
    }
}

#[test]
fn r06_a_diverging_run_ends_with_stage_particle_object_and_time() {
    // dt × 1000 on the flags: gusts on a rigid sheet that takes ten seconds at a time.
    let text = "solver = { dt = 10 }\nworld = { wind = { velocity = [6, 0, 1], gust = 0.5 } }\n\
                [[cloth]]\nname = \"flag\"\ngrid = { cells = [59, 19], size = [3, 1] }\n\
                bend = { compliance = 1 }\npin = [{ at = \"left edge\" }]\n";
    let mut sim = World::from_scene(&scene(text), &NoMeshes, Options::default()).unwrap();
    let end = (0..50).find_map(|_| sim.step().err()).expect("50 steps of 10 s do not diverge");
    let StepError::Diverged(end) = end else { panic!("{end}") };
    assert!(["predict", "solve"].contains(&end.stage), "{end}");
    assert_eq!(end.object, "flag");
    assert!(end.particle < sim.particles() && end.time <= 500.0);
    assert!(end.to_string().starts_with("the simulation diverged at t = "), "{end}");
}

#[test]
fn r06_inline_meshes_that_make_no_surface_are_refused_or_run() {
    // No triangle, a triangle of one point, a point that no triangle uses: an error with words or a run.
    for triangles in ["", "[0, 0, 0]", "[0, 1, 2]", "[0, 1, 1]", "[0, 1, 2], [2, 1, 0], [0, 1, 2]"] {
        let text = format!(
            "[[cloth]]\ninline = {{ points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], triangles = [{triangles}] }}\n\
             bend = {{ modulus = 0.001 }}"
        );
        match World::from_scene(&scene(&text), &NoMeshes, Options::default()) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(mut sim) => {
                (0..5).for_each(|_| sim.step().unwrap());
                assert!(sim.state().rows.iter().flatten().all(|v| v.is_finite()), "{triangles}: not finite");
            }
        }
    }
}
