//! T01, T02, T04, T05: constraint counts of the reference scenes.

use crate::support::simulate;
use pliant::builder::{NoMeshes, build};
use pliant::partition::Target;

/// Stretch and bend constraints of copies of a grid of `cells`.
fn counts(cells: [u32; 2], copies: [u32; 3], bend: &str) -> (usize, usize, usize) {
    let sim = simulate(&format!(
        "[[cloth]]\ngrid = {{ cells = {cells:?}, size = [1, 1] }}\n{bend}\n\
         array = {{ count = {copies:?}, spacing = [2, 2, 2] }}\n"
    ));
    let counts = sim.counts();
    let of = |kind| counts.get(kind).copied().unwrap_or(0);
    (sim.particles(), of("stretch"), of("bend"))
}

const BEND: &str = "bend = { compliance = 0.1 }";

#[test]
fn t01_four_flags_have_13_764_stretch_and_13_140_bend_constraints() {
    // a × b particles have a(b−1) + b(a−1) + (a−1)(b−1) edges, of which 2(a−1) + 2(b−1) have no hinge.
    assert_eq!(counts([59, 19], [4, 1, 1], BEND), (4 * 1_200, 13_764, 13_140));
}

#[test]
fn t02_sixteen_cloths_have_41_296_stretch_constraints() {
    assert_eq!(counts([29, 29], [4, 1, 4], ""), (16 * 900, 41_296, 0));
}

#[test]
fn t04_cloth_of_150_by_150_has_66_901_stretch_and_66_305_bend_constraints() {
    assert_eq!(counts([149, 149], [1, 1, 1], BEND), (22_500, 66_901, 66_305));
}

#[test]
fn t05_cloth_of_100_by_100_has_29_601_stretch_and_29_205_bend_constraints() {
    assert_eq!(counts([99, 99], [1, 1, 1], BEND), (10_000, 29_601, 29_205));
}

#[test]
fn t06_the_smallest_graph_and_the_falling_cube_have_their_counts() {
    // Eight particles and fifteen edges; 14³ particles, 14,742 edges and 5 × 13³ = 10,985 tets: 25,727.
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/");
    let count = |name: &str| {
        let text = std::fs::read_to_string(format!("{scenes}{name}.toml")).expect("a built-in scene");
        let scene = pliant::scene::Scene::parse(&text, pliant::scene::Format::Toml).expect("a valid scene");
        let (model, state) = build(&scene, &NoMeshes, &Target::CPU).expect("a scene without meshes");
        (state.particles, model.constraints())
    };
    assert_eq!(count("graph8"), (8, 15));
    assert_eq!(count("cube"), (2_744, 25_727));
}
