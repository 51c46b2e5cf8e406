//! The figures of D4 that show contact (T12), except those with liquids.

use crate::support::{center, deepest, members, simulate};
use glam::{DVec3, Vec3};
use pliant::World;

/// Fastest particle now [m/s].
fn fastest(sim: &World) -> f64 {
    (0..sim.particles()).map(|i| f64::from(sim.velocity(i).length())).fold(0.0, f64::max)
}

/// Fastest that any particle was within so many steps [m/s].
fn fastest_in(sim: &mut World, steps: u32) -> f64 {
    (0..steps).fold(0.0, |most, _| {
        sim.step().unwrap();
        fastest(sim).max(most)
    })
}

#[test]
fn t12_a_grain_in_the_notch_of_two_rests_on_both() {
    // Two grains that are held, one and a half diameters apart; a third falls between them.
    let (radius, gap) = (0.02_f64, 0.06_f64);
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 10 }\ncontact = { friction = { static = 0, kinetic = 0 } }\nworld = { air_density = 0 }
         [[grains]]\nname = \"held\"\nfill = { min = [0, 0, 0], max = [0.12, 0.06, 0.06] }\ndistance = 0.06\njitter = 0
         [[grains]]\nname = \"third\"\nfill = { min = [0.04, 0.07, 0.01], max = [0.08, 0.11, 0.05] }\njitter = 0\n",
    );
    let (held, third) = (members(&sim, "held"), members(&sim, "third")[0]);
    assert_eq!((held.len(), sim.particles()), (2, 3));
    let weight = crate::support::mass(&sim, third) * 9.81;
    for &i in &held {
        sim.state_mut().rows[i][3] = 0.0;
    }
    sim.advance(400).unwrap();
    let slope = (gap / 2.0 / (2.0 * radius)).asin();
    let height = f64::from(sim.position(third).y - sim.position(held[0]).y);
    let expected = 2.0 * radius * slope.cos();
    println!("rests {height:.6} m above them, {expected:.6} m in theory, at {:.1e} m/s", sim.velocity(third).length());
    assert!((height - expected).abs() < 1e-5 && sim.velocity(third).length() < 1e-4, "{height} m of {expected} m");
    let forces: Vec<f64> = sim.contact_pairs().iter().map(|t| f64::from(t.force)).collect();
    let each = weight / (2.0 * slope.cos());
    assert!(forces.len() == 2 && forces.iter().all(|f| (f / each - 1.0).abs() < 0.01), "{forces:?} N of {each} N");
}

#[test]
fn t12_a_grain_thrown_into_a_corner_of_three_walls_touches_all_and_stays() {
    for friction in [0.0, 0.5] {
        let wall = |n: &str| {
            format!(
                "[[collider]]\nplane = {{ normal = {n} }}\nfriction = {{ static = {friction}, kinetic = {friction} }}\n"
            )
        };
        let mut sim = simulate(&format!(
            "solver = {{ dt = 0.01, iterations = 8 }}\nworld = {{ gravity = [-5, -6, -4], air_density = 0 }}
             [[grains]]\nfill = {{ min = [0.2, 0.2, 0.2], max = [0.24, 0.24, 0.24] }}\njitter = 0\nvelocity = [-7, -9, -8]\n{}{}{}",
            wall("[1, 0, 0]"),
            wall("[0, 1, 0]"),
            wall("[0, 0, 1]")
        ));
        assert_eq!(sim.particles(), 1);
        let most = fastest_in(&mut sim, 300);
        let p = sim.position(0);
        println!("friction {friction}: {p:?}, fastest {most:.2} m/s");
        assert!((p - Vec3::splat(0.02)).abs().max_element() < 1e-6, "{p:?}");
        assert!(fastest(&sim) < 1e-4 && most < 14.5, "{most} m/s");
    }
}

/// A heap in which one grain is put into the middle of another, and one three radii under the floor. Returns the fastest
/// that any grain is on the way out [m/s], the lowest and the deepest at the end.
fn recover_from_overlap(stabilization: u32) -> (f64, f32, f64) {
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 8, stabilization = {stabilization} }}\nworld = {{ air_density = 0 }}
         [[grains]]\nfill = {{ min = [-0.08, 0, -0.08], max = [0.08, 0.16, 0.08] }}\nradius = 0.02
         [[collider]]\nplane = {{}}\n"
    ));
    sim.advance(200).unwrap();
    let (a, b, under) = (20, 40, 3);
    let place = sim.position(a) + Vec3::new(1e-4, 0.0, 0.0);
    sim.state_mut().rows[b][..3].copy_from_slice(&place.to_array());
    sim.state_mut().rows[under][1] = -0.06;
    let most = fastest_in(&mut sim, 200);
    let lowest = (0..sim.particles()).map(|i| sim.position(i).y).fold(f32::MAX, f32::min);
    (most, lowest, deepest(&sim))
}

#[test]
fn t12_overlapping_grains_separate_without_exploding() {
    let (without, ..) = recover_from_overlap(0);
    for (passes, most_allowed) in [(2, 2.5), (8, 1.5)] {
        let (most, lowest, inside) = recover_from_overlap(passes);
        println!(
            "{passes} passes of stabilization: fastest {most:.2} m/s, {without:.2} without any; lowest {lowest:.5} m; \
             {inside:.4} of a diameter inside each other at the end"
        );
        assert!(lowest > 0.02 * 0.99 && inside < 0.05, "lowest {lowest} m, inside {inside}");
        // Out of the floor in one step of 5 ms is 16 m/s. What is left comes from grains in the way of each other, of
        // which a few passes part only so many.
        assert!(without > 10.0 && most < most_allowed, "{most} m/s");
    }
}

#[test]
fn t12_interlocked_boxes_separate() {
    let mut sim = simulate(
        "solver = { dt = 0.005, iterations = 10 }\nworld = { gravity = [0, 0, 0], air_density = 0 }
         [[body]]\nname = \"a\"\nbox = [0.3, 0.3, 0.3]\ngrid = 5
         [[body]]\nname = \"b\"\nbox = [0.3, 0.3, 0.3]\ngrid = 5
         transform = { translate = [0.2, 0.13, 0.05], rotate = { axis = [0, 1, 1], degrees = 30 } }\n",
    );
    let before = deepest(&sim);
    let (a, b) = (members(&sim, "a"), members(&sim, "b"));
    let (pa, pb) = (center(&sim, &a).0, center(&sim, &b).0);
    let most = fastest_in(&mut sim, 400);
    let after = deepest(&sim);
    let (qa, qb) = (center(&sim, &a).0, center(&sim, &b).0);
    println!(
        "inside {before:.3} at first, {after:.4} after; fastest {most:.2} m/s; centers {:.3} m and {:.3} m apart",
        (pa - pb).length(),
        (qa - qb).length()
    );
    assert!(before > 0.5, "they should start inside each other: {before}");
    assert!(after < 0.02, "still {after} of a diameter inside");
    assert!(most < 3.0, "{most} m/s");
    // Nothing but the other pushes either of them.
    assert!(((pa + pb) - (qa + qb)).length() < 1e-3, "{:?}", (pa + pb) - (qa + qb) - DVec3::ZERO);
}
