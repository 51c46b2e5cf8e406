//! Equal bits for any number of threads, and after a snapshot.

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

/// A sheet and a block large enough to be divided among threads, with a second coarse level, a cube, a rope and a rod, with
/// contact of all kinds.
const SCENE: &str = r#"
    [contact]
    between = true
    [[cloth]]
    grid = { cells = [70, 70], size = [1.4, 1.4], plane = "xz" }
    transform = { translate = [-0.7, 0.7, -0.7] }
    stretch = { modulus = 500 }
    bend = { modulus = 1e-4 }
    [[soft]]
    block = { cells = [3, 3, 3], size = [0.2, 0.2, 0.2] }
    transform = { translate = [-0.1, 0.8, -0.1] }
    fem = { young = 1e5, poisson = 0.3 }
    [[soft]]
    block = { cells = [20, 14, 14], size = [0.4, 0.28, 0.28] }
    transform = { translate = [-2, 0.01, 0] }
    fem = { young = 1e5, poisson = 0.3 }
    [[rope]]
    path = [[1, 0.5, 0], [2, 0.6, 0]]
    stretch = { modulus = 1e6 }
    bend = { modulus = 1e5 }
    [[rope]]
    path = [[1, 0.5, 1], [2, 0.6, 1]]
    stretch = { modulus = 1e6 }
    bend = { modulus = 1e5 }
    twist = { modulus = 1e5 }
    [[collider]]
    sphere = { center = [0, 0.3, 0], radius = 0.3 }
    [[collider]]
    plane = { normal = [0, 1, 0] }
"#;

fn world(threads: usize) -> World {
    let scene = Scene::parse(SCENE, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
    World::from_scene(&scene, &NoMeshes, Options { threads, ..Options::default() }).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn r01_elastic_bodies_have_the_same_bits_on_any_number_of_threads() {
    let [mut one, mut three] = [world(1), world(3)];
    for _ in 0..3 {
        one.advance(4).unwrap_or_else(|e| panic!("{e}"));
        three.advance(4).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(one.state().hash(), three.state().hash(), "after {} s", one.time());
    }
}

#[test]
fn elastic_bodies_go_on_with_the_same_bits_after_a_snapshot() {
    let mut sim = world(2);
    sim.advance(10).unwrap_or_else(|e| panic!("{e}"));
    let snapshot = sim.snapshot().unwrap_or_else(|e| panic!("{e}"));
    sim.advance(5).unwrap_or_else(|e| panic!("{e}"));
    let wanted = sim.state().hash();
    sim.restore(&snapshot).unwrap_or_else(|e| panic!("{e}"));
    sim.advance(5).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(sim.state().hash(), wanted);
    let mut other = world(1);
    other.restore(&snapshot).unwrap_or_else(|e| panic!("{e}"));
    other.advance(5).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(other.state().hash(), wanted);
}

#[test]
fn a_world_keeps_its_method_when_iterations_are_set_and_objects_added() {
    let mut sim = world(1);
    let bodies = sim.model().bodies.len();
    assert_eq!(bodies, 5, "cloth, cube, block, rope and rod");
    sim.set_iterations(8).unwrap_or_else(|e| panic!("{e}"));
    let more = "[[rope]]\nname = \"more\"\npath = [[3, 1, 0], [4, 1, 0]]\nstretch = { modulus = 1e6 }\n";
    let more = Scene::parse(more, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
    sim.add_scene(&more, &NoMeshes).unwrap_or_else(|e| panic!("{e}"));
    sim.step().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(sim.model().bodies.len(), bodies + 1);
}

#[test]
fn descent_is_refused_with_a_partition_that_is_not_parallel() {
    let text = "solver = { method = \"vbd\", partition = \"jacobi\" }\n[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\n";
    let error = Scene::parse(text, Format::Toml).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("solver.method"), "{error}");
}
