//! Run-out of collapsing grain columns (V14).

use crate::support::simulate;
use pliant::World;
use std::f64::consts::{PI, TAU};

/// Radius of a grain [m].
const RADIUS: f64 = 0.02;
/// Grains along the side of the quarter of a column.
const BASE: usize = 7;

/// Radius of a round column, in grains.
const ACROSS: f64 = 5.0;
/// Aspect of the piece that round columns are stacked from.
const PIECE: f64 = 2.5;

/// Aspect a = h₀/r₀ and run-out (r∞ − r₀)/r₀ of a column of `layers` layers: a quarter of it, on a square between two
/// smooth walls, with the radius of a circle of its area.
fn run_out(layers: usize) -> (f64, f64) {
    let d = 2.0 * RADIUS;
    // Loose enough that jitter breaks the lattice: a crystal shears along its planes.
    let apart = 1.08 * d;
    let (side, height) = (apart * BASE as f64, apart * layers as f64);
    let mut sim = simulate(&format!(
        "solver = {{ dt = 0.005, iterations = 6 }}\nworld = {{ air_density = 0 }}
         contact = {{ friction = {{ static = 0.5, kinetic = 0.5 }} }}
         [[grains]]\nradius = {RADIUS}\ndistance = {apart}\nfill = {{ min = [0, 0, 0], max = [{side}, {height}, {side}] }}
         [[collider]]\nplane = {{}}\nfriction = {{ static = 0.5, kinetic = 0.5 }}
         [[collider]]\nplane = {{ normal = [1, 0, 0] }}\nfriction = {{ static = 0, kinetic = 0 }}
         [[collider]]\nplane = {{ normal = [0, 0, 1] }}\nfriction = {{ static = 0, kinetic = 0 }}\n"
    ));
    assert_eq!(sim.particles(), BASE * BASE * layers);
    sim.advance(((1.0 + 3.0 * (height / 9.81).sqrt()) / 0.005) as u32).unwrap();
    let foot = foot(&sim, PI / 2.0);
    let radius = side * 2.0 / PI.sqrt();
    (height / radius, foot / radius - 1.0)
}

/// Distance of every grain from the axis [m], in order.
fn radial_distances(sim: &World) -> Vec<f64> {
    let away = |i: usize| f64::from(sim.position(i).x).hypot(f64::from(sim.position(i).z));
    let mut away: Vec<f64> = (0..sim.particles()).map(away).collect();
    away.sort_by(f64::total_cmp);
    away
}

/// Foot of a deposit of which there is this angle: the outermost ring, two grains wide, that has half of a layer in it;
/// single grains run farther.
fn foot(sim: &World, angle: f64) -> f64 {
    let (d, away) = (2.0 * RADIUS, radial_distances(sim));
    let within = |r: f64| away.partition_point(|&x| x < r);
    let covered = |&r: &f64| {
        let layer = angle / 2.0 * ((r + 2.0 * d).powi(2) - r * r) / (d * d);
        (within(r + 2.0 * d) - within(r)) as f64 >= 0.5 * layer
    };
    (0..20_000).rev().map(|k| 0.05 * d * f64::from(k)).find(covered).unwrap_or(0.0) + d
}

/// Grains at these places [m], at rest on a floor of this friction. `more` of the scene comes last.
fn placed(places: &[[f64; 3]], solver: &str, friction: [f64; 2], more: &str) -> World {
    let d = 2.0 * RADIUS;
    let [particle_contact, floor] = friction;
    // A row of as many grains, all of which are put elsewhere.
    let row = d * (places.len() as f64 + 0.5);
    let mut sim = simulate(&format!(
        "{solver}\ncontact = {{ friction = {{ static = {particle_contact}, kinetic = {particle_contact} }} }}
         [[grains]]\nradius = {RADIUS}\nfill = {{ min = [0, 0, 0], max = [{row}, {d}, {d}] }}
         [[collider]]\nplane = {{}}\nfriction = {{ static = {floor}, kinetic = {floor} }}\n{more}"
    ));
    assert_eq!(sim.particles(), places.len());
    let state = sim.state_mut();
    for (i, [x, y, z]) in places.iter().enumerate() {
        state.rows[i] = [*x as f32, *y as f32, *z as f32, state.rows[i][3]];
        state.previous[i] = state.rows[i];
    }
    sim
}

/// Grains of a round column of aspect [`PIECE`], at random and dense, as sand is that was filled into a pipe: a
/// column that begins as a loose lattice falls by a third of its height before it spreads, and one of a dense lattice
/// stands.
fn piece() -> Vec<[f64; 3]> {
    let d = 2.0 * RADIUS;
    let (apart, radius) = (1.06 * d, ACROSS * d);
    // A lattice takes up this much more volume than a random packing.
    let (side, height) = (ACROSS * apart, 1.28 * PIECE * radius * 1.06_f64.powi(3));
    let lattice = simulate(&format!(
        "[[grains]]\nradius = {RADIUS}\ndistance = {apart}
         fill = {{ min = [-{side}, 0, -{side}], max = [{side}, {height}, {side}] }}\n"
    ));
    let places = |sim: &World| (0..sim.particles()).map(|i| sim.position(i).to_array().map(f64::from)).collect();
    let mut loose: Vec<[f64; 3]> = places(&lattice);
    loose.retain(|[x, _, z]| x.hypot(*z) < radius - RADIUS);
    let mut pipe = String::new();
    for k in 0..24 {
        let (sin, cos) = (TAU * f64::from(k) / 24.0).sin_cos();
        pipe += &format!("[[collider]]\nplane = {{ normal = [{cos}, 0, {sin}], offset = -{radius} }}\n");
        pipe += "friction = { static = 0, kinetic = 0 }\n";
    }
    // So light that no grains are compressed, which would burst apart when the pipe is removed.
    let solver = "solver = { dt = 0.005, iterations = 5 }\nworld = { gravity = [0, -0.1, 0], air_density = 0 }";
    let mut sim = placed(&loose, solver, [0.0, 0.0], &pipe);
    sim.advance(900).unwrap();
    let mut grains: Vec<[f64; 3]> = places(&sim);
    grains.retain(|[_, y, _]| *y < PIECE * radius - RADIUS);
    grains
}

/// Aspect, run-out and height h∞/r₀ of a round column of `count` pieces, each turned against the one below.
///
/// The floor is rough, as if grains were glued to it. Grains do not turn, so that a smooth floor would stop them by
/// sliding alone, after a way of h/μ, where sand comes to rest on sand.
fn collapse(piece: &[[f64; 3]], count: u32) -> (f64, [f64; 2]) {
    // A little wider than they were packed: no two of them are inside each other then.
    let wider = 1.01;
    let radius = wider * ACROSS * 2.0 * RADIUS;
    let height = f64::from(count) * PIECE * radius;
    let stacked = (0..count).flat_map(|k| {
        let (sin, cos) = (2.4 * f64::from(k)).sin_cos();
        let up = f64::from(k) * PIECE * radius;
        piece.iter().map(move |[x, y, z]| [wider * (cos * x - sin * z), wider * y + up, wider * (sin * x + cos * z)])
    });
    let places: Vec<[f64; 3]> = stacked.collect();
    // No grain falls by more than 0.3 of a diameter in a step. With 5 ms it is a whole one, and falling grains eject
    // those at rest: a hole in the middle, and an exponent of 0.8.
    let solver = "solver = { dt = 0.0015, iterations = 6 }\nworld = { air_density = 0 }";
    let mut sim = placed(&places, solver, [0.5, 1.0], "");
    // Sand has come to rest after 3·√(h/g).
    sim.advance(((0.3 + 3.0 * (height / 9.81).sqrt()) / 0.0015) as u32).unwrap();
    // Height of the grains above a circle of two diameters, assuming a packing of three fifths.
    let circle = 4.0 * RADIUS;
    let volume = radial_distances(&sim).partition_point(|&r| r < circle) as f64 * 4.0 / 3.0 * PI * RADIUS.powi(3) / 0.6;
    let rest = volume / (PI * circle * circle);
    (height / radius, [foot(&sim, TAU) / radius - 1.0, rest / radius])
}

/// Exponent of a power law through points, by least squares of logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(a, r)| (a.ln(), r.ln())).collect();
    let (x, y) = logs.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let over: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    over / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[test]
fn v14_low_columns_run_out_in_proportion_to_their_aspect() {
    let points = [6, 8, 10, 12].map(run_out);
    let found = exponent(&points);
    println!("aspects and run-outs {points:.3?}: exponent {found:.2}");
    assert!((found - 1.0).abs() < 0.15, "{found}");
}

#[test]
fn v14_high_columns_run_out_with_the_root_of_their_aspect() {
    // From three times the aspect at which sand changes over (1.7, Lube et al. 2004), because grains that do not turn
    // rub more, and few to a radius have no thin rim: both delay the change.
    let piece = piece();
    let found = [2, 4, 6].map(|count| collapse(&piece, count));
    let run_out = exponent(&found.map(|(a, [foot, _])| (a, foot)));
    let height = exponent(&found.map(|(a, [_, rest])| (a, rest)));
    println!("aspects, run-outs and heights {found:.3?}: exponents {run_out:.2} and {height:.2}");
    assert!((run_out - 0.5).abs() < 0.15, "{run_out}");
    assert!((height - 1.0 / 6.0).abs() < 0.15, "{height}");
}
