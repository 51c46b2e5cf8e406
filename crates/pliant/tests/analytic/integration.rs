//! S01: the integrators, by themselves and in the engine.

use crate::support::{G, free_particle, relative, simulate, step};
use pliant::integration::bdf::{explicit_euler, implicit_euler_spring, symplectic_euler, verlet};

/// How far a particle falls in the engine in `steps` steps of `h` [m].
fn fall(h: f64, steps: usize) -> f64 {
    let mut sim = simulate(&format!("[solver]\ndt = {h}\n{}", free_particle([0.0; 3], "")));
    step(&mut sim, steps);
    -f64::from(sim.position(0).y)
}

/// Symplectic Euler: v_n = n·h·g, x_n = h·Σ v_k = ½·g·h²·n(n+1) = ½·g·t·(t + h).
fn assert_falls_by_the_formula(h: f64, steps: usize) {
    let t = h * steps as f64;
    let (found, exact) = (fall(h, steps), 0.5 * G * t * (t + h));
    let error = relative(found, exact);
    eprintln!("free fall, h {h:.5}: {found:.6} m against {exact:.6} m, error {error:.1e}");
    assert!(error < 1e-5, "h {h}: {found} against {exact}");
}

#[test]
fn s01_v01_free_fall_is_the_discrete_formula() {
    assert_falls_by_the_formula(0.01, 100);
    assert_falls_by_the_formula(0.02, 50);
}

#[test]
fn s01_v01_free_fall_is_the_discrete_formula_at_240_steps_a_second() {
    // v = (x' − x)/h would take up the rounding of x in every step and miss with 4.2e-5; the engine's
    // v' = ṽ + (x' − x̃)/h does not.
    assert_falls_by_the_formula(1.0 / 240.0, 240);
}

#[test]
fn v01_free_fall_is_first_order_in_the_step() {
    // x − ½·g·t² = ½·g·t·h: halving h halves the distance from the continuous fall.
    let exact = 0.5 * G;
    let coarse = fall(0.02, 50) - exact;
    let fine = fall(0.01, 100) - exact;
    let order = (coarse / fine).log2();
    eprintln!("free fall: order {order:.4}");
    assert!((order - 1.0).abs() < 0.01, "order {order}");
}

#[test]
fn s01_symplectic_euler_and_verlet_take_the_same_steps() {
    let (k, h) = (40.0, 0.01);
    let pull = |x: f64| -k * x;
    let (mut x, mut v) = (1.0, 0.3);
    let (mut now, mut before) = (x, x - h * v);
    for n in 0..2000 {
        (x, v) = symplectic_euler(x, v, h, pull);
        (now, before) = (verlet(now, before, h, pull), now);
        // Algebraically equal; 2000 steps of rounding at 1e-16 stay far below 1e-10.
        assert!((x - now).abs() < 1e-10, "step {n}: {x} against {now}");
    }
}

#[test]
fn s01_explicit_euler_gains_and_implicit_euler_loses_what_theory_says() {
    // On a = −k·x each step multiplies the energy ½v² + ½kx² by exactly 1 + h²k (explicit) and
    // 1/(1 + h²k) (implicit); symplectic Euler keeps ½v² + ½kx² − ½h·k·x·v.
    let (k, h, steps) = (25.0, 0.01, 400);
    let pull = |x: f64| -k * x;
    let energy = |(x, v): (f64, f64)| 0.5 * (v * v + k * x * x);
    let shadow = |(x, v): (f64, f64)| energy((x, v)) - 0.5 * h * k * x * v;
    let start = (1.0, 0.0);
    let (mut explicit, mut implicit, mut symplectic) = (start, start, start);
    for _ in 0..steps {
        explicit = explicit_euler(explicit.0, explicit.1, h, pull);
        implicit = implicit_euler_spring(implicit.0, implicit.1, h, k);
        symplectic = symplectic_euler(symplectic.0, symplectic.1, h, pull);
    }
    let growth = (1.0 + h * h * k).powi(steps);
    assert!(relative(energy(explicit), energy(start) * growth) < 1e-10);
    assert!(relative(energy(implicit), energy(start) / growth) < 1e-10);
    assert!(relative(shadow(symplectic), shadow(start)) < 1e-10);
    eprintln!("energy after {steps} steps: explicit ×{growth:.3}, implicit ×{:.3}", 1.0 / growth);
}
