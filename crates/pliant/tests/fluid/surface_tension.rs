//! Surface tension, without gravity (S24).

use crate::support::{momentum, simulate};
use glam::{DMat3, DVec3};
use pliant::World;
use std::f64::consts::{PI, TAU};

/// Radius of particles [m], density [kg/m³] and tension [N/m] of water.
const RADIUS: f64 = 0.001;
const DENSITY: f64 = 1000.0;
const TENSION: f64 = 0.072;

/// A box of water, half as long as `half` says, with substeps over √(ρ·r³/σ) of `pace`.
fn water(half: DVec3, middle: DVec3, pace: f64, more: &str) -> (World, f64) {
    let dt = pace * (DENSITY * RADIUS.powi(3) / TENSION).sqrt();
    let (min, max) = ((middle - half).to_array(), (middle + half).to_array());
    let sim = simulate(&format!(
        "solver = {{ dt = {dt}, iterations = 4 }}\nworld = {{ gravity = [0, 0, 0] }}\n{more}
         [[liquid]]\nfill = {{ min = {min:?}, max = {max:?} }}\ntension = {TENSION}\nviscosity = 0.03\n"
    ));
    (sim, dt)
}

fn positions(sim: &World) -> Vec<DVec3> {
    (0..sim.particles()).map(|i| sim.position(i).as_dvec3()).collect()
}

/// Middle and second moments of points [m], [m²].
fn moments(points: &[DVec3]) -> (DVec3, DMat3) {
    let n = points.len() as f64;
    let middle = points.iter().sum::<DVec3>() / n;
    let square = |p: DVec3| DMat3::from_cols(p * p.x, p * p.y, p * p.z);
    (middle, points.iter().map(|&p| square(p - middle)).fold(DMat3::ZERO, |a, b| a + b) * (1.0 / n))
}

/// Radius of a ball of as much water [m].
fn ball(sim: &World) -> f64 {
    (sim.particles() as f64 * (2.0 * RADIUS).powi(3) * 3.0 / (4.0 * PI)).cbrt()
}

#[test]
fn s24_a_box_of_water_becomes_a_ball() {
    let half = DVec3::splat(10.0 * RADIUS);
    let (mut sim, dt) = water(half, DVec3::ZERO, 0.2, "fluid = { radius = 0.001 }");
    let radius = ball(&sim);
    let period = TAU * (DENSITY * radius.powi(3) / (8.0 * TENSION)).sqrt();
    sim.advance((3.0 * period / dt) as u32).unwrap();
    let points = positions(&sim);
    let (middle, m) = moments(&points);
    // A ball has R²/5 in all directions.
    let axes = [m.x_axis.x, m.y_axis.y, m.z_axis.z].map(|s| (5.0 * s).sqrt() / radius);
    // How far the farthest particle is, in each of many directions.
    let mut reach = [0.0_f64; 26];
    let mut ways = Vec::new();
    for k in 0..27 {
        let way = DVec3::new((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64 - 1.0);
        ways.extend((k != 13).then(|| way.normalize()));
    }
    for &p in &points {
        let arm = p - middle;
        for (way, reach) in ways.iter().zip(&mut reach) {
            if arm.dot(*way) > 0.95 * arm.length() {
                *reach = reach.max(arm.length());
            }
        }
    }
    let mean = reach.iter().sum::<f64>() / 26.0;
    let spread = reach.iter().map(|r| (r / mean - 1.0).powi(2)).sum::<f64>().sqrt() / 26_f64.sqrt();
    println!("axes {axes:.3?} of a ball, surface off by {:.1} % (RMS)", 100.0 * spread);
    assert!(axes.iter().all(|a| (a - 1.0).abs() < 0.05), "{axes:?}");
    // Less than a particle's radius.
    assert!(spread < 0.75 * RADIUS / radius, "{spread}");
}

/// Period of the lowest mode over Rayleigh's, T = 2π·√(ρ·R³/(8·σ)), from half a swing.
fn swing(size: f64, reach: f64, pace: f64) -> f64 {
    let (long, short) = (1.3 * size * RADIUS, size * RADIUS / 1.3_f64.sqrt());
    // A drop is not deep: the factor of a reach of four serves others, too.
    let fluid = format!("fluid = {{ radius = {RADIUS}, reach = {reach}, omega = 0.6 }}");
    let (mut sim, dt) = water(DVec3::new(long, short, short), DVec3::ZERO, pace, &fluid);
    let period = TAU * (DENSITY * ball(&sim).powi(3) / (8.0 * TENSION)).sqrt();
    let mut before = 1.0;
    let mut crossings = Vec::new();
    while crossings.len() < 2 {
        assert!(sim.time() < 5.0 * period, "it does not swing: {crossings:?}");
        sim.advance(1).unwrap();
        let m = moments(&positions(&sim)).1;
        let now = m.x_axis.x - 0.5 * (m.y_axis.y + m.z_axis.z);
        if now * before < 0.0 {
            crossings.push(sim.time() - dt * now / (now - before));
        }
        before = now;
    }
    let found = 2.0 * (crossings[1] - crossings[0]) / period;
    println!("{} particles, reach {reach}, pace {pace}: {found:.3} of Rayleigh's period", sim.particles());
    found
}

#[test]
fn s24_a_drop_swings_with_the_period_of_rayleigh() {
    for (size, reach, pace) in [(10.5, 4.0, 0.2), (15.0, 4.0, 0.2), (10.5, 5.0, 0.1)] {
        let found = swing(size, reach, pace);
        assert!((found - 1.0).abs() < 0.15, "{found} at {size} {reach} {pace}");
    }
}

/// Height and width of a drop on a plane, over those of half a ball.
fn on_a_plane(adhesion: f32) -> (f64, f64) {
    let half = DVec3::new(9.0, 5.0, 9.0) * RADIUS;
    let more = format!("fluid = {{ radius = 0.001, adhesion = {adhesion} }}\n[[collider]]\nplane = {{}}\n");
    let (mut sim, _) = water(half, DVec3::Y * half.y, 0.2, &more);
    let radius = ball(&sim) * 2_f64.cbrt();
    sim.advance(2000).unwrap();
    let (middle, m) = moments(&positions(&sim));
    // Half a ball: its middle is at 3/8 of the radius, and along the plane it has R²/5 as a ball.
    let found = (middle.y / (0.375 * radius), (2.5 * (m.x_axis.x + m.z_axis.z)).sqrt() / radius);
    println!("adhesion {adhesion}: {:.3} of the height of half a ball, {:.3} of its width", found.0, found.1);
    found
}

#[test]
fn s24_a_drop_on_a_plane_is_half_a_ball_and_adhesion_flattens_it() {
    let (height, width) = on_a_plane(0.0);
    assert!((height - 1.0).abs() < 0.1 && (width - 1.0).abs() < 0.1, "{height} {width}");
    let mut last = width;
    for adhesion in [0.8, 1.0] {
        let (_, width) = on_a_plane(adhesion);
        assert!(width > last + 0.02, "{width} after {last}");
        last = width;
    }
}

#[test]
fn s24_surfaces_keep_momentum_among_liquids_and_bodies() {
    let mut sim = simulate(
        "solver = { dt = 0.0005, iterations = 3 }\nworld = { gravity = [0, 0, 0] }\nfluid = { radius = 0.001 }
         [[liquid]]\nfill = { min = [-0.008, -0.008, -0.008], max = [0.008, 0.008, 0.008] }\ntension = 0.072
         velocity = [0.2, 0, 0]
         [[liquid]]\nname = \"heavy\"\nfill = { min = [0.01, -0.006, -0.006], max = [0.022, 0.006, 0.006] }\ntension = 0.4
         density = 3000\nvelocity = [-0.2, 0.1, 0]
         [[body]]\nname = \"ball\"\nball = 0.006\ngrid = 7\ndensity = 500\ntransform = { translate = [0, 0.014, 0] }
         velocity = [0, -0.3, 0]\n",
    );
    let (before, scale) = momentum(&sim);
    sim.advance(300).unwrap();
    let off = (momentum(&sim).0 - before).length() / scale;
    println!("momentum is off by {off:.1e}");
    assert!(off < 1e-5, "{off}");
}
