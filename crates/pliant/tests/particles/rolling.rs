//! Rolling and sliding down a slope (V06, V07).

use crate::support::{center, members, simulate, with_threads};
use glam::DVec3;
use pliant::World;
use pliant::shape_matching::{BodyDef, ShapeMatch};
use std::f64::consts::PI;

/// Gravity in the frame of a slope [m/s²].
fn gravity(degrees: f64) -> (f64, f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (9.81 * sin, -9.81 * cos)
}

/// Distance of the outer particles from the middle of the ball [m].
const BALL: f64 = 0.2;

/// A ball on a slope that is as even as its particles allow: `shell` of them on a sphere, by the golden angle, with
/// 3/5 of the mass, the rest at the center. These are the moments of a solid ball. Its particles yield one by one,
/// like a tire: with contact.whole it would roll like a rimless wheel (docs/shape-matching.md).
fn even_ball(degrees: f64, shell: usize) -> World {
    let (gx, gy) = gravity(degrees);
    // Voxels are where the particles come from, not where they stay.
    let grid = (2.2 * shell as f64).cbrt().ceil();
    let mut sim = with_threads(
        &format!(
            "solver = {{ dt = 0.0025, iterations = 20 }}\ncontact = {{ whole = false }}\nworld = {{ gravity = [{gx}, {gy}, 0], air_density = 0 }}
             [[body]]\nname = \"ball\"\nball = {BALL}\ngrid = {grid}
             [[collider]]\nplane = {{}}\nfriction = {{ static = 1, kinetic = 1 }}\n"
        ),
        1,
    );
    let (n, mass, radius) = (sim.particles(), 30.0, 0.01);
    assert!(n > shell, "{n} particles for a shell of {shell}");
    let state = sim.state_mut();
    for i in 0..n {
        let y = 1.0 - 2.0 * (i as f64 + 0.5) / shell as f64;
        let (around, turn) = ((1.0 - y * y).max(0.0).sqrt(), i as f64 * PI * (3.0 - 5_f64.sqrt()));
        let (place, own) = match i {
            _ if i < shell => {
                (DVec3::new(around * turn.cos(), y, around * turn.sin()) * BALL, 0.6 * mass / shell as f64)
            }
            _ if i == shell => (DVec3::ZERO, 0.4 * mass),
            // As good as not there.
            _ => (DVec3::ZERO, 1e-6),
        };
        state.rows[i] = [place.x as f32, (place.y + BALL + radius) as f32, place.z as f32, (1.0 / own) as f32];
        state.radii[i] = radius as f32;
    }
    state.shapes = Some(ShapeMatch::new(&[BodyDef::rigid(0..n as u32)], &state.rows[..n]).unwrap());
    sim
}

/// Spin about z [rad/s] of the particles of a shell.
fn spin(sim: &World, shell: usize) -> f64 {
    let all: Vec<usize> = (0..shell).collect();
    let (middle, speed) = center(sim, &all);
    let (mut moment, mut inertia) = (0.0, 0.0);
    for &i in &all {
        let (r, v) = (sim.position(i).as_dvec3() - middle, sim.velocity(i).as_dvec3() - speed);
        moment += r.cross(v).z;
        inertia += r.x * r.x + r.y * r.y;
    }
    moment / inertia
}

#[test]
fn v07_a_ball_rolls_down_with_five_sevenths_of_gravity() {
    const SHELL: usize = 1000;
    for degrees in [10.0, 20.0] {
        let mut sim = even_ball(degrees, SHELL);
        let all = members(&sim, "ball");
        // It settles into the plane first, by as much as one iteration leaves.
        sim.advance(80).unwrap();
        let start = center(&sim, &all).1.x;
        sim.advance(160).unwrap();
        let speed = center(&sim, &all).1.x;
        let (found, expected) = ((speed - start) / 0.4, 5.0 / 7.0 * gravity(degrees).0);
        let slip = 1.0 + spin(&sim, SHELL) * BALL / speed;
        println!(
            "{degrees} degrees: {found:.4} m/s², {:+.2} % of {expected:.4}; {:.2} % of its speed is slip",
            100.0 * (found / expected - 1.0),
            100.0 * slip
        );
        assert!((found / expected - 1.0).abs() < 0.02, "{found} m/s² of {expected}");
        assert!(slip.abs() < 0.05, "it slips by {slip} of its speed");
    }
}

/// How far a box of 6 × 2 × 6 particles goes down a slope in so many seconds, from rest, with ten iterations [m].
fn slide_distance(degrees: f64, seconds: u32) -> f64 {
    let (gx, gy) = gravity(degrees);
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 10, sleep_speed = 0 }}\nworld = {{ gravity = [{gx}, {gy}, 0], air_density = 0 }}
         [[body]]\nname = \"box\"\nbox = [0.3, 0.1, 0.3]\ngrid = 6\ntransform = {{ translate = [0, 0.05, 0] }}
         [[collider]]\nplane = {{}}\nfriction = {{ static = 0.5, kinetic = 0.5 }}\n"
    ));
    let all = members(&sim, "box");
    let start = center(&sim, &all).0;
    sim.advance(200 * seconds).unwrap();
    (center(&sim, &all).0 - start).x
}

#[test]
fn v06_s19_a_rigid_box_creeps_less_than_a_tenth_of_a_millimeter_half_a_degree_below_and_slides_half_above() {
    let limit = 0.5_f64.atan().to_degrees();
    let crept = slide_distance(limit - 0.5, 10);
    let slid = slide_distance(limit + 0.5, 2);
    let (gx, gy) = gravity(limit + 0.5);
    // Of n steps the k-th goes k·a·h².
    let expected = 0.5 * (gx + 0.5 * gy) * 2.0 * (2.0 + 0.005);
    println!("{crept:.1e} m in ten seconds below; {slid:.4} m in two above, Coulomb says {expected:.4} m");
    assert!(crept.abs() < 1e-4, "crept {crept} m");
    assert!((slid / expected - 1.0).abs() < 0.02, "{slid} m of {expected} m");
}
