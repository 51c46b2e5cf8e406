//! Forces from multipliers and contacts, compared with mass times gravity: the tension of a rope that holds a weight, and
//! what two boxes press on the floor and on each other with.
//!
//! Run: `cargo run -p pliant --example read_forces`

#![allow(clippy::print_stdout, reason = "an example")]

use pliant::builder::NoMeshes;
use pliant::constraints::ConstraintKind;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

const SCENE: &str = r#"
    solver = { dt = 0.01, substeps = 4, iterations = 20 }
    world = { damping = 1, air_density = 0 }

    [[rope]]
    path = [[0, 2, 0], [0, 1, 0]]
    segments = 10
    particle_mass = 0.01
    pin = [{ at = "start" }]

    [[body]]
    name = "box"
    box = [0.2, 0.2, 0.2]
    grid = 4
    array = { count = [1, 2, 1], spacing = [0, 0.2, 0] }
    transform = { translate = [1, 0.1, 0] }

    [[collider]]
    plane = {}
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = Scene::parse(SCENE, Format::Toml)?;
    let mut sim = World::from_scene(&scene, &NoMeshes, Options::default())?;
    // Two kilograms at the rope's end, its particle 10.
    sim.state_mut().rows[10][3] = 1.0 / 2.0;
    sim.advance(300)?;
    let h = scene.solver.dt / scene.solver.substeps as f32;
    let mass = |i: usize| 1.0 / sim.state().rows[i][3];
    let g = 9.81;
    // Force of a constraint: λ/h² along its gradient, which for a stretch constraint is a unit vector.
    let top = sim.constraints(ConstraintKind::Stretch).find(|c| c.rows.contains(&0)).ok_or("a segment at the pin")?;
    let (tension, weight) = (-top.multipliers[0] / (h * h), g * (1..=10).map(mass).sum::<f32>());
    println!("tension at the top {tension:.2} N, weight below {weight:.2} N");
    assert!((tension / weight - 1.0).abs() < 0.01);

    let (first, each) = (11, (sim.particles() - 11) / 2);
    let one = g * (first..first + each).map(mass).sum::<f32>();
    let floor = sim.collider_forces()[0];
    println!("force on the floor {:.1} N, weight of both boxes {:.1} N", -floor.y, 2.0 * one);
    assert!((-floor.y / (2.0 * one) - 1.0).abs() < 0.05);

    // Their lattices are in line, so pairs of particles that touch are one above the other.
    let between: f32 = sim.contact_pairs().iter().map(|pair| pair.force).sum();
    println!("force between the boxes {between:.1} N, weight of the upper one {one:.1} N");
    assert!((between / one - 1.0).abs() < 0.05);
    Ok(())
}
