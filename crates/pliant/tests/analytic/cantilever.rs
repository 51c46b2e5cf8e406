//! S07, V05: a clamped beam, E = 1e5 Pa and ν = 0.3, under its own weight and a weight at its tip.
//!
//! Length 1 m, height ¼ m, density 1 kg/m³ (light, so that it vibrates fast and settles soon); the load at the
//! tip equals the beam's weight. Beam theory: P·L³/(3·E·I) + q·L⁴/(8·E·I).

use crate::fem::{Material, Mesh, displacements};
use crate::support::{left_to_hardware, relative, simulate, step};
use glam::DVec3;
use pliant::World;

const E: f64 = 1e5;
const NU: f64 = 0.3;
const HEIGHT: f64 = 0.25;
const GRAVITY: f64 = 40.0;

/// Deflection of the tip by beam theory [m]; the width cancels. P = q·L, I = width·H³/12.
fn beam() -> f64 {
    let load_over_stiffness = GRAVITY * HEIGHT / (E * HEIGHT.powi(3) / 12.0);
    load_over_stiffness * (1.0 / 3.0 + 1.0 / 8.0)
}

/// Mean deflections of the tip: simulated at rest, and by linear finite elements on the same mesh.
/// The last `tip` particles are the tip, the first `tip` the clamp.
fn deflections(mut sim: World, tip: usize, steps: usize) -> (f64, f64) {
    let n = sim.particles();
    let total: f64 = HEIGHT * if sim.topology().tets.is_empty() { 0.01 } else { HEIGHT };
    for row in &mut sim.state_mut().rows[n - tip..n] {
        row[3] = (1.0 / (1.0 / f64::from(row[3]) + total / tip as f64)) as f32;
    }
    let points: Vec<DVec3> = (0..n).map(|i| sim.position(i).as_dvec3()).collect();
    let weight = |w: f32| if w > 0.0 { -GRAVITY / f64::from(w) } else { 0.0 };
    let forces: Vec<DVec3> = sim.state().rows.iter().map(|r| DVec3::new(0.0, weight(r[3]), 0.0)).collect();
    let shape = sim.topology();
    let mesh = if shape.tets.is_empty() {
        Mesh::Triangles { elements: &shape.triangles, thickness: 0.01 }
    } else {
        Mesh::Tets(&shape.tets)
    };
    let exact = displacements(&points, &mesh, Material { young: E, poisson: NU }, &forces, tip);
    let mean = |y: &dyn Fn(usize) -> f64| -(n - tip..n).map(y).sum::<f64>() / tip as f64;
    step(&mut sim, steps);
    let found = mean(&|i| f64::from(sim.position(i).y) - points[i].y);
    let fastest = (0..n).map(|i| sim.velocity(i).length()).fold(0.0, f32::max);
    assert!(fastest < 0.01, "the beam still moves at {fastest} m/s");
    (found, mean(&|i| exact[i].y))
}

/// The middle line at y = 0, where single precision resolves the small sag best.
const CENTER: &str = "transform = { translate = [0, -0.125, 0] }\n";

/// Neither the smallest steps nor the smallest load: what gravity adds in one step, g·h² = 2.5e-6 m on the
/// finest mesh, must stand far above the rounding of a position (3e-8 m near x = 1), or sub-rounding
/// corrections get lost and the beam softens: 4.4 % with a quarter of this load, 0.3 % with it. The sag is
/// still only 3.5 % of the length, so that linear theory holds to about its square.
fn solver(substeps: u32, iterations: u32) -> String {
    // Critical damping of the lowest mode, 2·√(3EI/(1.24·m·L³)) = 70 1/s, ends the vibration soonest:
    // e^(−35·0.3) = 3e-5 is left after 0.3 s.
    format!(
        "[solver]\ndt = 0.001\nsubsteps = {substeps}\niterations = {iterations}\n[world]\n\
         gravity = [0, -{GRAVITY}, 0]\nair_density = 0\ndamping = 70\n"
    )
}

fn strip(refine: u32) -> (f64, f64) {
    let sim = simulate(&format!(
        "{}[[cloth]]\ngrid = {{ cells = [{}, {}], size = [1, {HEIGHT}] }}\n{CENTER}density = 0.01\nthickness = 0.01\n\
         fem = {{ young = {E}, poisson = {NU} }}\npin = [{{ at = \"left edge\" }}]\n",
        solver(refine, 40),
        8 * refine,
        2 * refine
    ));
    deflections(sim, 2 * refine as usize + 1, 300)
}

fn bar(refine: u32) -> (f64, f64) {
    let sim = simulate(&format!(
        "{}[[soft]]\nblock = {{ cells = [{}, {refine}, {refine}], size = [1, {HEIGHT}, {HEIGHT}] }}\n{CENTER}density = 1\n\
         fem = {{ young = {E}, poisson = {NU} }}\npin = [{{ inside = {{ min = [-0.01, -1, -1], max = [0.01, 1, 1] }} }}]\n",
        solver(refine, 20),
        4 * refine
    ));
    deflections(sim, (refine as usize + 1).pow(2), 300)
}

/// Refined meshes agree with the linear solution on the same mesh and come nearer to the beam, from below:
/// elements of constant strain cannot bend without shearing (locking), most of all when few and large.
fn assert_converges(name: &str, finest: u32, case: impl Fn(u32) -> (f64, f64)) {
    let mut last = 0.0;
    for refine in [1, 2, finest] {
        let (found, exact) = case(refine);
        let (error, share) = (relative(found, exact), found / beam());
        eprintln!(
            "cantilever {name} ×{refine}: {:.3} mm, linear FEM {:.3} mm ({:+.2} %), {:.1} % of the beam's {:.3} mm",
            1e3 * found,
            1e3 * exact,
            100.0 * (found / exact - 1.0),
            100.0 * share,
            1e3 * beam()
        );
        assert!(error < 0.02, "{name} ×{refine}: {found} against {exact}");
        assert!(share > last + 0.02 && share < 1.05, "{name} ×{refine}: {share} of the beam after {last}");
        last = share;
    }
}

#[test]
fn s07_v05_cantilever_of_fem_triangles_agrees_with_linear_fem_and_converges_to_the_beam() {
    if left_to_hardware() {
        return;
    }
    assert_converges("triangles", 4, strip);
}

#[test]
fn s07_v05_cantilever_of_fem_tets_agrees_with_linear_fem_and_converges_to_the_beam() {
    if left_to_hardware() {
        return;
    }
    assert_converges("tets", 4, bar);
}
