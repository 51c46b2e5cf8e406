//! Scene format of grains, bodies and contact.

use crate::support::simulate;
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

fn refused(text: &str) -> String {
    match Scene::parse(text, Format::Toml) {
        Err(e) => format!("{e}"),
        Ok(scene) => {
            World::from_scene(&scene, &NoMeshes, Options::default()).err().map_or_else(String::new, |e| e.to_string())
        }
    }
}

#[test]
fn r06_invalid_fills_and_bodies_are_refused_with_their_location() {
    let cases = [
        ("[[grains]]\n", "grains[0]"),
        ("[[grains]]\nfill = { min = [0, 0, 0], max = [1, -1, 1] }\n", "grains[0].fill"),
        ("[[grains]]\nfill = { min = [0, 0, 0], max = [1, 1, 0.01] }\n", "grains[0].fill"),
        ("[[grains]]\nfill = { min = [0, 0, 0], max = [1, 1, 1] }\ndistance = 0.01\n", "grains[0].distance"),
        ("[[grains]]\nfill = { min = [0, 0, 0], max = [100, 100, 100] }\nradius = 0.001\n", "grains[0].fill"),
        ("[[body]]\n", "body[0]"),
        ("[[body]]\nball = 1\nbox = [1, 1, 1]\n", "body[0]"),
        ("[[body]]\nball = 1\ngrid = 2000\n", "body[0].grid"),
        ("[[body]]\nball = 1\nplastic = { creep = -1 }\n", "body[0].plastic.creep"),
        ("[[body]]\nmesh = \"nowhere.obj\"\n", "body[0].mesh"),
        ("contact = { friction = { static = 0.2, kinetic = 0.3 } }\n", "contact.friction.kinetic"),
        ("contact = { omega = 3 }\n", "contact.omega"),
    ];
    for (text, place) in cases {
        let said = refused(text);
        assert!(said.contains(place), "{text}: {said:?}");
    }
}

#[test]
fn s10_particles_touch_where_there_are_grains_or_bodies_or_the_scene_says_so() {
    let cloth = "[[cloth]]\ngrid = { cells = [3, 3], size = [1, 1] }\n";
    let grains = "[[grains]]\nfill = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }\n";
    let touches = |text: &str| simulate(text).model().particle_contact.is_some();
    assert!(!touches(cloth) && touches(grains));
    assert!(touches(&format!("contact = {{ between = true }}\n{cloth}")));
    assert!(!touches(&format!("contact = {{ between = false }}\n{grains}")));
}

#[test]
fn s19_a_box_of_voxels_has_the_mass_and_the_middle_of_the_box() {
    let sim = simulate("[[body]]\nbox = [0.4, 0.2, 0.3]\ngrid = 8\ndensity = 700\n");
    let mass: f64 = (0..sim.particles()).map(|i| crate::support::mass(&sim, i)).sum();
    assert_eq!(sim.particles(), 8 * 4 * 6);
    assert!((mass - 700.0 * 0.024).abs() < 1e-3, "{mass} kg");
    let all: Vec<usize> = (0..sim.particles()).collect();
    assert!(crate::support::center(&sim, &all).0.length() < 1e-6);
}
