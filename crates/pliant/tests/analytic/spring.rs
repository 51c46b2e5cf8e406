//! One mass on one spring.

use crate::support::{G, left_to_hardware, relative, simulate, step};
use pliant::World;
use pliant::constraints::{ConstraintKind, Softness};

const MASS: f64 = 2.0;
const COMPLIANCE: f64 = 0.01;

/// Two kilograms hang on one meter of 100 N/m, damped so that they come to rest within seconds.
fn spring(method: &str, dt: f64, iterations: u32) -> World {
    simulate(&format!(
        "[solver]\nmethod = \"{method}\"\ndt = {dt}\niterations = {iterations}\n[world]\ndamping = 8\n[[rope]]\n\
         path = [[0, 0, 0], [0, -1, 0]]\nsegments = 1\nparticle_mass = {MASS}\n\
         stretch = {{ compliance = {COMPLIANCE} }}\npin = [{{ at = \"start\" }}]\n"
    ))
}

fn rest(sim: &mut World, dt: f64) -> f64 {
    step(sim, (5.0 / dt) as usize);
    -f64::from(sim.position(1).y) - 1.0
}

#[test]
fn s05_v04_t09_xpbd_spring_hangs_by_m_g_alpha_for_any_iterations_and_step() {
    if left_to_hardware() {
        return;
    }
    // Static balance: C = α·m·g = 0.01 m/N · 2 kg · 9.81 m/s² = 0.1962 m.
    let exact = COMPLIANCE * MASS * G;
    for dt in [1.0 / 120.0, 8.0 / 120.0] {
        for iterations in 1..=32 {
            let mut sim = spring("xpbd", dt, iterations);
            let stretch = rest(&mut sim, dt);
            assert!(relative(stretch, exact) < 0.01, "dt {dt}, {iterations} iterations: {stretch}");
            // The force is readable: λ/h² = −m·g (negative pulls).
            let lambda = f64::from(sim.constraints(ConstraintKind::Stretch).next().unwrap().multipliers[0]);
            let force = -lambda / (dt * dt);
            assert!(relative(force, MASS * G) < 0.01, "dt {dt}, {iterations} iterations: {force} N");
            if [1, 32].contains(&iterations) {
                eprintln!("xpbd spring dt {dt:.4} × {iterations}: {stretch:.5} m ({exact}), force {force:.4} N");
            }
        }
    }
}

#[test]
fn t09_pbd_spring_stiffens_with_iterations_as_its_formula_says() {
    // Without memory every iteration multiplies C by r = α̃/(w + α̃), so rest means C = (C + g·h²)·rⁿ:
    // C = g·h²·rⁿ/(1 − rⁿ). One iteration gives m·g·α like XPBD; more give less.
    let dt = 1.0 / 120.0;
    let r = (COMPLIANCE / (dt * dt)) / (1.0 / MASS + COMPLIANCE / (dt * dt));
    let mut last = f64::INFINITY;
    for iterations in [1, 2, 8, 32] {
        let stretch = rest(&mut spring("pbd", dt, iterations), dt);
        let rn = r.powi(iterations as i32);
        let exact = G * dt * dt * rn / (1.0 - rn);
        eprintln!("pbd spring × {iterations}: {stretch:.6} m against {exact:.6} m");
        assert!(relative(stretch, exact) < 0.01, "{iterations}: {stretch} against {exact}");
        assert!(stretch < 0.6 * last, "PBD must stiffen: {stretch} after {last}");
        last = stretch;
    }
}

#[test]
fn s16_softness_changed_at_run_time_melts_the_spring() {
    let dt = 1.0 / 120.0;
    let mut sim = spring("xpbd", dt, 4);
    for alpha in [0.01, 0.03, 0.002] {
        assert_eq!(sim.set_softness(0, ConstraintKind::Stretch, Softness::compliance(alpha)), Ok(1));
        let stretch = rest(&mut sim, dt);
        let exact = f64::from(alpha) * MASS * G;
        eprintln!("melting spring α {alpha}: {stretch:.5} m against {exact:.5} m");
        assert!(relative(stretch, exact) < 0.01, "α {alpha}: {stretch} against {exact}");
    }
    assert!(sim.set_softness(7, ConstraintKind::Stretch, Softness::RIGID).is_err(), "there is no object 7");
}
