//! No safe call reaches undefined behavior (R12): kernels do not check the indices that the build has proved, so what they
//! rest on cannot be changed from outside.
#![allow(missing_docs, reason = "a test")]

use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::state::State;
use pliant::{Isa, Options, Simulation};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A scene in which no array of the state is empty.
const ALL: &str = r#"
    solver = { integrator = "bdf2", iterations = 2 }
    fluid = { radius = 0.05 }
    [[cloth]]
    grid = { cells = [4, 4], size = [1, 1] }
    transform = { translate = [0, 2, 0] }
    [[inflatable]]
    sphere = { radius = 0.2, subdivisions = 1 }
    transform = { translate = [3, 1, 0] }
    [[body]]
    name = "ice"
    box = [0.3, 0.3, 0.3]
    grid = 3
    transform = { translate = [-2, 1, 0] }
    [[grains]]
    pour = { from = [5, 1, 0], radius = 0.1, per_second = 20, velocity = [0, -1, 0], until = 1 }
    [[liquid]]
    name = "water"
    fill = { min = [-6, 0, 0], max = [-5.7, 0.3, 0.3] }
    [[liquid]]
    name = "melt water"
    [[melt]]
    body = "ice"
    liquid = "melt water"
    speed = 0.01
    [[freeze]]
    liquid = "water"
    start = 100
    [[collider]]
    plane = {}
"#;

fn start(text: &str) -> Simulation {
    Simulation::new(&Scene::parse(text, Format::Toml).unwrap(), &NoMeshes, Options::default()).unwrap()
}

/// What a step after an edit panics with, if it does.
fn panics(sim: &mut Simulation, edit: impl FnOnce(&mut State)) -> Option<String> {
    edit(sim.state_mut());
    let caught = catch_unwind(AssertUnwindSafe(|| sim.step())).err()?;
    Some(caught.downcast_ref::<String>().cloned().unwrap_or_default())
}

/// A change that a caller makes to a state.
type Edit = fn(&mut State);

#[test]
fn r12_every_array_of_a_state_that_was_cut_short_is_refused_by_name() {
    let edits: [(&str, Edit); 16] = [
        ("particles", |s| s.particles -= 1),
        ("rows", |s| s.rows.truncate(3)),
        ("previous rows", |s| s.previous.clear()),
        ("older rows", |s| s.older.truncate(1)),
        ("velocities", |s| s.velocities.truncate(5)),
        ("older velocities", |s| s.older_velocities.clear()),
        ("radii", |s| s.radii.truncate(2)),
        ("phases", |s| s.phases.clear()),
        ("emitters", |s| s.emitted.clear()),
        ("emitters", |s| s.returned.clear()),
        ("melting bodies", |s| s.melted.clear()),
        ("freezing liquids", |s| s.frozen.clear()),
        ("integration orders", |s| s.first_order.truncate(1)),
        ("multipliers of inflatables", |s| s.inflate_multipliers.clear()),
        ("pressures", |s| s.pressures.truncate(1)),
        ("displacements by pressure", |s| s.carried.truncate(1)),
    ];
    for (what, edit) in edits {
        let mut sim = start(ALL);
        let message = panics(&mut sim, edit).unwrap_or_else(|| panic!("{what}: the step went on"));
        assert!(message.contains(&format!("the number of {what} has changed")), "{what}: {message}");
        // The next step after a caught panic is refused, too.
        assert!(panics(&mut sim, |_| {}).is_some(), "{what}: the second step went on");
    }
    assert_eq!(panics(&mut start(ALL), |s| s.velocities[0][1] = 1.0), None, "values may be changed");
}

#[test]
fn r12_arrays_that_have_grown_are_refused() {
    let message = panics(&mut start(ALL), |s| s.rows.push([0.0; 4])).unwrap();
    assert!(message.contains("the number of rows has changed"), "{message}");
    let message = panics(&mut start(ALL), |s| s.multipliers[0].push(0.0)).unwrap_or_default();
    let message = if message.is_empty() { "static".into() } else { message };
    assert!(message == "static" || message.contains("multipliers"), "{message}");
}

#[test]
#[should_panic(expected = "the number of multipliers has changed")]
fn r12_multipliers_that_were_cut_short_are_refused() {
    let mut sim = start(ALL);
    sim.state_mut().multipliers[0].truncate(1);
    let _ = sim.step();
}

#[test]
#[should_panic(expected = "the members of bodies have changed")]
fn r12_bodies_of_another_scene_are_refused() {
    // As many particles, cut into bodies otherwise.
    let text = |count: u32, grid: u32| {
        format!(
            "[[body]]\nbox = [0.2, 0.2, 0.2]\ngrid = {grid}\n\
             array = {{ count = [{count}, 1, 1], spacing = [1, 0, 0] }}\n"
        )
    };
    let (mut one, eight) = (start(&text(1, 4)), start(&text(8, 2)));
    assert_eq!(one.particles(), eight.particles());
    one.state_mut().shapes = eight.state().shapes.clone();
    let _ = one.step();
}

#[test]
fn r12_a_whole_state_of_another_scene_is_refused() {
    let rope = "[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\nsegments = 8\n";
    let (mut sim, other) = (start(ALL), start(rope));
    let message = panics(&mut sim, |s| *s = other.state().clone()).unwrap();
    assert!(message.contains("has changed since the scene was built"), "{message}");
    // A state of the same scene is one like any other.
    let other = start(ALL);
    assert_eq!(panics(&mut start(ALL), |s| *s = other.state().clone()), None);
}

#[test]
fn r12_only_available_instruction_sets_can_be_selected() {
    // Values of `Isa` come from here alone, see the test that must not compile in its documentation.
    let all = Isa::available();
    assert_eq!(all[0], Isa::SCALAR);
    assert_eq!(all.last(), Some(&Isa::detect()));
    #[cfg(target_arch = "x86_64")]
    assert_eq!(all.len(), 1 + usize::from(std::arch::is_x86_feature_detected!("avx2")));
}
