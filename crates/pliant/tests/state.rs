//! Per-particle state, and the sign of the inverse mass.
#![allow(missing_docs, reason = "a test")]

use pliant::builder::NoMeshes;
use pliant::constraints::attach::Attach;
use pliant::constraints::{Constraint, Row, Scales};
use pliant::math::V3;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

#[test]
fn s03_particles_have_position_velocity_inverse_mass_a_radius_and_a_phase_of_their_own() {
    let text = r#"
        [[rope]]
        name = "thin"
        path = [[0, 2, 0], [1, 2, 0]]
        segments = 4
        particle_mass = 0.5
        radius = 0.01
        velocity = [1, 2, 3]
        [[rope]]
        name = "thick"
        path = [[0, 3, 0], [1, 3, 0]]
        segments = 2
        particle_mass = 4
        radius = 0.2
        pin = [{ at = "start" }]
    "#;
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    let state = sim.state();
    assert_eq!(state.rows[1], [0.25, 2.0, 0.0, 2.0]);
    assert_eq!(state.velocities[1], [1.0, 2.0, 3.0, 0.0]);
    assert_eq!(state.rows[5][3], 0.0, "a pinned particle has no inverse mass");
    assert_eq!(state.rows[6][3], 0.25);
    assert_eq!(state.radii, [0.01, 0.01, 0.01, 0.01, 0.01, 0.2, 0.2, 0.2]);
    // One phase per object, so that self-collision of an object can be disabled.
    assert_eq!(state.phases, [1, 1, 1, 1, 1, 2, 2, 2]);
    sim.set_phase(1, 7).unwrap();
    assert_eq!(sim.state().phases, [1, 1, 1, 1, 1, 7, 7, 7]);
}

#[test]
fn e15_the_multiplier_of_a_particle_held_at_a_point_is_minus_mass_times_displacement() {
    // C(x) = x, ∇C = 1: λ = −C/w = −m·x', and the correction w·λ brings it back.
    let (mass, x) = (2.5_f32, [0.3_f32, -0.2, 0.7]);
    let rows = [Row { v: V3::new(x[0], x[1], x[2]), w: 1.0 / mass }, Row { v: V3::new(0.0, 0.0, 0.0), w: 0.0 }];
    let scales = Scales { inv_h2: 1e4, memory: 1.0 };
    let update = Attach::project(&scales, &[0.0], &rows, &[0.0; 3]);
    for k in 0..3 {
        assert!((update.lambda[k] + mass * x[k]).abs() < 1e-6);
    }
    let moved = update.rows[0].v;
    assert!((moved.x + x[0]).abs() < 1e-6 && (moved.y + x[1]).abs() < 1e-6 && (moved.z + x[2]).abs() < 1e-6);
}

#[test]
#[should_panic(expected = "the number of rows has changed")]
fn r12_a_state_that_was_cut_short_is_refused_before_any_index_is_used() {
    let text = "[[rope]]\npath = [[0, 2, 0], [1, 2, 0]]\n";
    let scene = Scene::parse(text, Format::Toml).unwrap();
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default()).unwrap();
    sim.state_mut().rows.truncate(2);
    let _ = sim.step();
}
