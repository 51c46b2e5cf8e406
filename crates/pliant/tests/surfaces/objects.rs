//! What is caught by what.

use crate::{advance_without_crossings, crossings_of, world};
use pliant::builder::NoMeshes;
use pliant::scene::{Format, Scene};
use pliant::{Options, World};

fn crate_on_cloth(cells: u32, edge: f32, degrees: f32) -> String {
    format!(
        "[[cloth]]\ngrid = {{ cells = [{cells}, {cells}], size = [1, 1], plane = \"xz\" }}\ndensity = 0.5\n\
         stretch = {{ modulus = 20000 }}\ntransform = {{ translate = [-0.5, 0, -0.5] }}\n\
         pin = [{{ at = \"corners\" }}]\n\
         [[body]]\nname = \"crate\"\nbox = [{edge}, {edge}, {edge}]\ndensity = 300\n\
         transform = {{ translate = [0.03, {edge}, 0.02], rotate = {{ axis = [1, 0, 1], degrees = {degrees} }} }}\n"
    )
}

#[test]
fn v34_a_crate_is_caught_by_a_cloth_held_at_its_corners() {
    // Coarse: the crate is smaller than a cell, so that no vertex of the cloth may meet it.
    for (cells, edge, degrees, steps) in [(4, 0.15, 20.0, 80), (16, 0.2, 40.0, 60)] {
        let mut sim = world(&crate_on_cloth(cells, edge, degrees), 1);
        advance_without_crossings(&mut sim, steps);
        let low = (0..sim.particles()).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min);
        let at = sim.state().rigid_bodies.bodies[0].position.y as f32;
        assert!(at > low && at > -0.5, "{cells} cells: the crate is at {at} m, the cloth at {low} m");
    }
}

/// A crate that bounces on a cloth without damping rises no higher than it fell from: contact takes from the cloth what it
/// gives the crate.
#[test]
fn v34_a_crate_gains_no_energy_from_a_stiff_cloth() {
    for (cells, edge, density, degrees) in [(24, 0.16, 350.0, 26), (20, 0.2, 600.0, 20)] {
        let text = format!(
            "[[cloth]]\ngrid = {{ cells = [{cells}, {cells}], size = [1, 1], plane = \"xz\" }}\ndensity = 0.5\n\
             stretch = {{ modulus = 20000 }}\ntransform = {{ translate = [-0.5, 0, -0.5] }}\n\
             pin = [{{ at = \"left edge\" }}, {{ at = \"right edge\" }}, {{ at = \"top edge\" }}, {{ at = \"bottom edge\" }}]\n\
             [[body]]\nname = \"crate\"\nbox = [{edge}, {edge}, {edge}]\ndensity = {density}\n\
             transform = {{ translate = [0, {edge}, 0], rotate = {{ axis = [1, 0, 1], degrees = {degrees} }} }}\n"
        );
        let mut sim = world(&text, 1);
        let object = sim.find("crate").unwrap();
        let energy = |sim: &mut World| {
            let found = sim.energy(object).unwrap();
            found.kinetic + found.potential
        };
        let start = energy(&mut sim);
        let (mut least, mut most) = (start, 0.0_f64);
        for step in 0..60 {
            sim.advance(1).unwrap();
            let now = energy(&mut sim);
            least = least.min(now);
            if step > 22 {
                most = most.max(now);
            }
        }
        // The first half of the test shows that it has met the cloth.
        assert!(least < 0.6 * start, "{cells} cells: {least} J of {start} J at the least");
        assert!(most < start, "{cells} cells: {most} J, after {start} J at the start");
    }
}

#[test]
fn v34_a_soft_block_lies_on_another_and_on_a_rigid_one() {
    let block = |height: f32, cells: u32| {
        format!(
            "[[soft]]\nblock = {{ cells = [{cells}, {cells}, {cells}], size = [0.2, 0.2, 0.2] }}\ndensity = 300\n\
             fem = {{ young = 2e5, poisson = 0.3 }}\ntransform = {{ translate = [-0.1, {height}, -0.1] }}\n"
        )
    };
    let floor = "[[collider]]\nplane = {}\n";
    let rigid = "[[body]]\nbox = [0.1, 0.2, 0.1]\ndensity = 2000\ntransform = { translate = [0, 0.1, 0] }\n";
    for text in [format!("{}{}{floor}", block(0.02, 3), block(0.25, 4)), format!("{}{rigid}{floor}", block(0.23, 3))] {
        let mut sim = world(&text, 1);
        advance_without_crossings(&mut sim, 60);
        let objects = &sim.topology().objects;
        let last = objects[sim.particles() - 1];
        let own = (0..sim.particles()).filter(|&i| objects[i] == last);
        let low = own.map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min);
        assert!(low > 0.18, "the upper block has sunk to {low} m\n{text}");
    }
}

/// Soft blocks of unlike stiffness meet at a corner, at speeds of several thicknesses a step: what stops one moves the other,
/// and deforms both by no more energy than they had.
#[test]
fn v34_soft_blocks_that_collide_gain_no_energy() {
    for (low, top, height, turn) in [(7.5e5, 4.9e6, 1.0, 20.0), (4.1e6, 7.3e4, 0.9, 12.0), (2.6e6, 2.7e6, 0.95, 17.0)] {
        let text = format!(
            "[[collider]]\nplane = {{}}\n\
             [[soft]]\nname = \"low\"\nblock = {{ cells = [4, 4, 5], size = [0.5, 0.25, 0.5] }}\ndensity = 900\n\
             fem = {{ young = {low}, poisson = 0.3 }}\ntransform = {{ translate = [-0.25, 0.005, -0.25] }}\n\
             [[soft]]\nname = \"top\"\nblock = {{ cells = [4, 5, 4], size = [0.3, 0.3, 0.3] }}\ndensity = 600\n\
             fem = {{ young = {top}, poisson = 0.3 }}\n\
             transform = {{ translate = [-0.16, {height}, -0.13], rotate = {{ axis = [1, 0, 1], degrees = {turn} }} }}\n"
        );
        let mut sim = world(&text, 1);
        let objects = ["low", "top"].map(|name| sim.find(name).unwrap());
        let energy = |sim: &mut World| -> f64 {
            let all = objects.map(|object| sim.energy(object).unwrap());
            all.iter().map(|e| e.kinetic + e.potential + e.elastic).sum()
        };
        let start = energy(&mut sim);
        for step in 0..120 {
            sim.advance(1).unwrap();
            let now = energy(&mut sim);
            assert!(now < 1.001 * start, "{low} Pa, {top} Pa: {now} J in step {step}, after {start} J at the start");
        }
        assert_eq!(crossings_of(&sim), 0);
        let [_, upper] = objects.map(|object| sim.bounds(object).unwrap());
        assert!(upper.0.y > 0.2, "{low} Pa, {top} Pa: the upper block has sunk to {} m", upper.0.y);
    }
}

/// Particles of fine cloths hold each other; those of coarse soft blocks do not, which is told where nothing else holds them.
#[test]
fn v34_objects_that_may_pass_through_each_other_are_told() {
    let told = |contact: &str, objects: &str| {
        let scene = Scene::parse(&format!("{contact}\n{objects}"), Format::Toml).unwrap();
        let sim = World::from_scene(&scene, &NoMeshes, Options { threads: 1, ..Options::default() }).unwrap();
        sim.model().notes.iter().filter(|note| note.contains("too far apart")).cloned().collect::<Vec<_>>()
    };
    let block = |name: &str, more: &str| {
        format!(
            "[[soft]]\nname = \"{name}\"\nblock = {{ cells = [3, 3, 3], size = [0.2, 0.2, 0.2] }}\ndensity = 300\n\
             fem = {{ young = 2e5, poisson = 0.3 }}\n{more}\n"
        )
    };
    let blocks = format!("{}{}", block("left", ""), block("right", "transform = { translate = [0, 1, 0] }"));
    let notes = told("", &blocks);
    assert!(notes.len() == 1 && notes[0].contains("\"left\" and \"right\""), "{notes:?}");
    assert_eq!(told("[contact]\ntriangles = true", &blocks), [""; 0]);
    let apart = format!(
        "{}{}",
        block("left", "collision = { groups = [1], with = [1] }"),
        block("right", "collision = { groups = [2], with = [2] }")
    );
    assert_eq!(told("", &apart), [""; 0]);
    assert_eq!(told("", &block("alone", "")), [""; 0]);
    let cloth = "[[cloth]]\ngrid = { cells = [10, 10], size = [1, 1], plane = \"xz\" }\nradius = 0.05\ndensity = 0.2\n";
    assert_eq!(told("", &format!("{cloth}{cloth}transform = {{ translate = [0, 1, 0] }}\n")), [""; 0]);
}

#[test]
fn v34_grains_do_not_pass_a_held_cloth() {
    let text = "[[cloth]]\ngrid = { cells = [6, 6], size = [0.6, 0.6], plane = \"xz\" }\nradius = 0.004\ndensity = 0.5\n\
                stretch = { modulus = 20000 }\ntransform = { translate = [-0.3, 0, -0.3] }\n\
                pin = [{ at = \"left edge\" }, { at = \"right edge\" }, { at = \"top edge\" }, { at = \"bottom edge\" }]\n\
                [[grains]]\nfill = { min = [-0.1, 0.1, -0.1], max = [0.1, 0.2, 0.1] }\nradius = 0.01\n";
    let mut sim = world(text, 1);
    for _ in 0..50 {
        sim.advance(1).unwrap();
    }
    let cloth = 49;
    let low = (0..cloth).map(|i| sim.position(i).y).fold(f32::INFINITY, f32::min);
    let lost = (cloth..sim.particles()).filter(|&i| sim.position(i).y < low).count();
    assert_eq!(lost, 0, "{lost} of {} grains are below the cloth", sim.particles() - cloth);
    assert_eq!(crossings_of(&sim), 0);
}
