//! Solids that were crushed, thrown and turned inside out.

use crate::support::{simulate, step};
use glam::{DVec3, Vec3};
use pliant::World;

fn volumes(sim: &World) -> Vec<f64> {
    let at = |i: u32| sim.position(i as usize).as_dvec3();
    let one = |t: &[u32; 4]| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).dot(at(t[3]) - at(t[0])) / 6.0;
    sim.topology().tets.iter().map(one).collect()
}

fn cube(more: &str) -> World {
    simulate(&format!(
        "[world]\ngravity = [0, 0, 0]\nair_density = 0\ndamping = 2\n[[soft]]\nblock = {{ cells = [5, 5, 5], size = [0.3, \
         0.3, 0.3] }}\nfem = {{ young = 2e5, poisson = 0.35 }}\n{more}"
    ))
}

/// Moves every particle, lets the body go and compares it with its rest shape.
fn recovers(what: &str, place: impl Fn(Vec3, usize) -> Vec3) {
    let mut sim = cube("");
    let rest = volumes(&sim);
    for i in 0..sim.particles() {
        let p = place(sim.position(i), i);
        sim.state_mut().rows[i][..3].copy_from_slice(&p.to_array());
    }
    step(&mut sim, 600);
    let after = volumes(&sim);
    let inverted = after.iter().filter(|v| **v <= 0.0).count();
    let share = after.iter().sum::<f64>() / rest.iter().sum::<f64>();
    eprintln!("{what}: {share:.4} of the volume, {inverted} inverted");
    assert_eq!(inverted, 0, "{what}");
    assert!((share - 1.0).abs() < 0.01, "{what}: {share} of the volume");
}

#[test]
fn v35_solids_recover_from_a_plane_a_point_and_inside_out() {
    recovers("plane", |p, _| Vec3::new(p.x, 0.15, p.z));
    // To a point, but for noise without which no direction is better than another.
    let noise = |i: usize| Vec3::new((i as f32 * 1.7).sin(), (i as f32 * 2.9).sin(), (i as f32 * 4.3).sin()) * 1e-3;
    recovers("point", |_, i| Vec3::splat(0.15) + noise(i));
    recovers("inside out", |p, i| Vec3::new(p.x, 0.3 - p.y, p.z) + noise(i));
    recovers("squashed", |p, _| Vec3::new(p.x, 0.2 * p.y, p.z));
}

#[test]
fn a_squashed_cube_in_free_space_keeps_its_momentum() {
    let mut sim = cube("squash = [1, 0.6, 1]\nvelocity = [1, 0, 0]\n");
    let mass: f64 = sim.state().rows.iter().map(|r| 1.0 / f64::from(r[3])).sum();
    // Of the largest sum so far: what is left when it has come to rest is rounding.
    let mut most = 0.0_f64;
    for _ in 0..20 {
        step(&mut sim, 10);
        let rows = sim.state().rows.iter().zip(&sim.state().velocities);
        let parts = rows.map(|(r, v)| {
            let point = |r: &[f32; 4]| DVec3::new(f64::from(r[0]), f64::from(r[1]), f64::from(r[2]));
            (1.0 / f64::from(r[3]), point(r), point(v))
        });
        let parts: Vec<(f64, DVec3, DVec3)> = parts.collect();
        let center = parts.iter().map(|(m, x, _)| *m * *x).sum::<DVec3>() / mass;
        let drift = parts.iter().map(|(m, _, v)| *m * *v).sum::<DVec3>() / mass;
        let spin = parts.iter().map(|(m, x, v)| *m * (*x - center).cross(*v - drift)).sum::<DVec3>().length();
        let sum: f64 = parts.iter().map(|(m, x, v)| m * (*x - center).length() * (*v - drift).length()).sum();
        let wanted = (-2.0 * sim.time()).exp();
        assert!((drift - DVec3::X * wanted).length() < 1e-4, "{drift} m/s after {} s", sim.time());
        most = most.max(sum);
        assert!(spin < 1e-3 * most, "spins by {} of its parts after {} s", spin / most, sim.time());
    }
}

#[test]
fn thrown_and_dropped_bodies_stay_whole() {
    for (speed, young) in [(50.0, 1e5), (20.0, 2e7), (30.0, 1e6)] {
        let mut sim = simulate(&format!(
            "[[soft]]\nblock = {{ cells = [8, 3, 3], size = [0.8, 0.2, 0.2] }}\ntransform = {{ translate = [0, 1, 0], \
             rotate = {{ axis = [0, 0, 1], degrees = 40 }} }}\nvelocity = [{speed}, -{speed}, 3]\nfem = {{ young = {young}, \
             poisson = 0.4 }}\n[[collider]]\nplane = {{ normal = [0, 1, 0] }}\n"
        ));
        step(&mut sim, 400);
        let inverted = volumes(&sim).iter().filter(|v| **v <= 0.0).count();
        assert_eq!(inverted, 0, "thrown at {speed} m/s with {young} Pa");
        let fastest = (0..sim.particles()).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
        assert!(fastest < 1.5 * speed as f32, "{fastest} m/s");
    }
}
