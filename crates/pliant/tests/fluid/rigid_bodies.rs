//! Rigid bodies in liquids whose velocities are projected: buoyancy, added mass, draft, and what they leave alone.

use crate::support::{frictionless, same_bits_everywhere, simulate, tank};
use pliant::World;
use pliant::scene::Collider;

/// A cube in a tank of water at default settings.
fn cube(density: f64) -> String {
    format!(
        "[fluid]\nradius = 0.01
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.4, 0.45, 0.4] }}
         [[body]]\nname = \"cube\"\nbox = [0.1, 0.1, 0.1]\ndensity = {density}\ntransform = {{ translate = [0.2, 0.22, 0.2] }}\n{}",
        smooth_tank()
    )
}

/// Walls without friction.
fn smooth_tank() -> String {
    frictionless(&tank([0.0; 3], [0.4, 1.0, 0.4]))
}

/// Height of the only body [m].
fn height(sim: &World) -> f64 {
    sim.state().rigid_bodies.bodies[0].position.y
}

#[test]
fn v09_s24_a_cube_a_tenth_heavier_sinks_and_a_lighter_one_rises_with_added_mass() {
    for density in [1100.0, 900.0] {
        let mut sim = simulate(&cube(density));
        let start = height(&sim);
        let seconds = 0.5;
        while sim.state().time < seconds - 1e-6 {
            sim.advance(1).unwrap();
        }
        let ratio = density / 1000.0;
        // Two thirds of the displaced water move with a cube.
        let wanted = -0.5 * 9.81 * (ratio - 1.0) / (ratio + 0.67) * seconds * seconds;
        let way = height(&sim) - start;
        println!("{density} kg/m³: {:.1} mm, theory {:.1} mm", 1000.0 * way, 1000.0 * wanted);
        assert!((way / wanted - 1.0).abs() < 0.25, "{way} for {wanted}");
    }
}

#[test]
fn s24_liquid_around_a_body_fits_its_surface_at_the_start() {
    // Faces through the centers of particles, elsewhere, and across the lattice.
    for (height, turn) in [(0.22, 0), (0.205, 0), (0.213, 25)] {
        let place = format!("{height}, 0.2], rotate = {{ axis = [0.3, 1, 0.2], degrees = {turn} }} }}");
        let sim = simulate(&cube(1000.0).replace("0.22, 0.2] }", &place));
        let body = &sim.state().rigid_bodies.bodies[0];
        let distance = |i: usize| {
            let q = (body.rotation.conjugate() * (sim.position(i).as_dvec3() - body.position)).abs() - 0.05;
            q.max(glam::DVec3::ZERO).length() + q.max_element().min(0.0)
        };
        let near: Vec<usize> =
            (0..sim.particles()).filter(|&i| sim.state().rows[i][3] > 0.0 && distance(i) < 0.04).collect();
        let nearest = near.iter().map(|&i| distance(i)).fold(f64::MAX, f64::min);
        let densities = sim.densities();
        let most = near.iter().map(|&i| densities[i]).fold(0.0, f32::max);
        let mean = near.iter().map(|&i| densities[i]).sum::<f32>() / near.len() as f32;
        println!("height {height}, turned by {turn}: nearest {nearest:.4} m, densities mean {mean:.3}, most {most:.3}");
        // Nothing is crowded. The mean is below 1: beside an edge the body counts as its tangent plane, which has gaps.
        assert!(nearest > 0.0095, "{nearest} m");
        assert!(most < 1.03 && mean > 0.95, "mean {mean}, most {most}");
    }
}

#[test]
fn v09_s24_a_rigid_slab_floats_as_deep_as_its_density_says() {
    let text = format!(
        "[fluid]\nradius = 0.01
         [[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.4, 0.2, 0.4] }}
         [[body]]\nname = \"slab\"\nbox = [0.2, 0.08, 0.2]\ndensity = 500\ntransform = {{ translate = [0.2, 0.21, 0.2] }}\n{}",
        smooth_tank()
    );
    let mut sim = simulate(&text);
    // Twice the height of the center of mass, away from the slab.
    let level = |sim: &World| {
        let away = |i: &usize| (sim.position(*i) - glam::vec3(0.2, 0.0, 0.2)).with_y(0.0).abs().max_element() > 0.12;
        let all: Vec<f64> = (0..sim.particles()).filter(away).map(|i| f64::from(sim.position(i).y)).collect();
        2.0 * all.iter().sum::<f64>() / all.len() as f64
    };
    sim.advance(100).unwrap();
    let (mut draft, turns) = (0.0, 10);
    for _ in 0..turns {
        sim.advance(5).unwrap();
        draft += (level(&sim) - (height(&sim) - 0.04)) / 0.08 / f64::from(turns);
    }
    println!("{draft:.3} of its height under water, theory 0.500");
    assert!((draft - 0.5).abs() < 0.06, "{draft}");
}

#[test]
fn s24_a_rigid_body_far_from_a_liquid_changes_no_bit_of_it() {
    let liquid = format!(
        "[fluid]\nradius = 0.02\n[[liquid]]\nfill = {{ min = [0, 0, 0], max = [0.3, 0.3, 0.2] }}\n{}",
        tank([0.0; 3], [0.6, 1.0, 0.2])
    );
    let body = "[[body]]\nbox = [0.1, 0.1, 0.1]\ntransform = { translate = [5, 3, 0] }\n";
    let run = |text: &str| {
        let mut sim = simulate(text);
        sim.advance(20).unwrap();
        (sim.state().rows.clone(), sim.state().pressures.clone())
    };
    assert!(run(&liquid) == run(&format!("{liquid}{body}")));
}

#[test]
fn r01_r02_s24_rigid_bodies_in_liquids_have_the_same_bits_on_any_number_of_threads_and_lanes() {
    let text = cube(900.0).replace("radius = 0.01", "radius = 0.02");
    same_bits_everywhere(&text, 12);
}

#[test]
fn s24_liquid_particles_that_a_body_displaces_stay_out_of_the_world_after_an_edit() {
    let text = cube(900.0).replace("radius = 0.01", "radius = 0.02");
    let active = |sim: &World| sim.state().rows.iter().filter(|row| row[3] > 0.0).count();
    let mut sim = simulate(&text);
    let (all, first) = (sim.particles(), active(&sim));
    // The cube takes the place of 1000 cm³ in cubes of 64 cm³.
    assert!((all - first).abs_diff(16) <= 1, "{first} of {all}");
    sim.advance(5).unwrap();
    sim.add(Collider::sphere([3.0, 0.0, 0.0], 0.1)).unwrap();
    sim.advance(5).unwrap();
    assert_eq!(active(&sim), first);
}

#[test]
fn r05_a_liquid_with_a_rigid_body_goes_on_with_the_same_bits_after_a_snapshot() {
    let mut sim = simulate(&cube(900.0).replace("radius = 0.01", "radius = 0.02"));
    sim.advance(10).unwrap();
    let saved = sim.snapshot().unwrap();
    sim.advance(10).unwrap();
    let hash = sim.hash();
    sim.restore(&saved).unwrap();
    sim.advance(10).unwrap();
    assert_eq!(sim.hash(), hash);
}
