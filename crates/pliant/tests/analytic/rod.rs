//! S26: rods with torsion and bending.

use crate::support::{G, left_to_hardware, relative, simulate, step};
use pliant::constraints::ConstraintKind;
use std::f64::consts::PI;

#[test]
fn s26_twisted_rod_shares_the_twist_evenly_and_carries_g_j_phi_over_l() {
    if left_to_hardware() {
        return;
    }
    // Ten segments of 0.1 m, both end segments clamped: nine joints share φ = 90° over L = 0.9 m, the
    // distance between the middles of the clamped segments. J = π·r⁴/2.
    let (shear, radius, dt) = (1e6, 0.02_f64, 0.002);
    let mut sim = simulate(&format!(
        "[solver]\ndt = {dt}\nsubsteps = 4\niterations = 20\n[world]\ngravity = [0, 0, 0]\ndamping = 5\n[[rope]]\n\
         path = [[0, 0, 0], [1, 0, 0]]\nsegments = 10\nradius = {radius}\nbend = {{ modulus = 2.6e6 }}\n\
         twist = {{ modulus = {shear} }}\npin = [{{ at = \"start\" }}, {{ at = \"end\", motion = {{ keys = {{ \
         frames = [{{ time = 0 }}, {{ time = 1, rotate = {{ axis = [1, 0, 0], degrees = 90 }} }}] }} }} }}]\n"
    ));
    step(&mut sim, 2500);
    let h = dt / 4.0;
    let exact = shear * PI * radius.powi(4) / 2.0 * (PI / 2.0) / 0.9;
    let mut joints = 0;
    for joint in sim.constraints(ConstraintKind::BendTwist) {
        // C = sin(φ/2) has the slope ½·cos(φ/2) in the angle, so the torque is ½·cos(φ/2)·|λ|/h².
        let torque = 0.5 * (PI / 36.0).cos() * f64::from(joint.multipliers[2]).abs() / (h * h);
        assert!(relative(torque, exact) < 0.02, "joint {joints}: {torque} N·m against {exact}");
        let across = f64::from(joint.multipliers[0]).hypot(f64::from(joint.multipliers[1]));
        assert!(across < 0.01 * f64::from(joint.multipliers[2]).abs(), "pure torsion does not bend");
        if joints == 0 {
            eprintln!("rod twist: torque {torque:.5} N·m against {exact:.5} N·m");
        }
        joints += 1;
    }
    assert_eq!(joints, 9);
    // The angle of each joint from the orientations themselves: 10° each.
    let turns = &sim.state().rows[sim.particles()..];
    for pair in turns.windows(2) {
        let dot: f64 = (0..4).map(|k| f64::from(pair[0][k]) * f64::from(pair[1][k])).sum();
        let angle = 2.0 * dot.abs().min(1.0).acos().to_degrees();
        assert!((angle - 10.0).abs() < 0.1, "a joint turns by {angle}°");
    }
}

/// Deflection of the tip of a horizontal rod of 1 m under its own weight [m], and what theory says for the
/// chain of joints and for the continuous beam.
fn sag(segments: u32) -> [f64; 3] {
    // A quarter of the usual gravity keeps the deflection at 2 % of the length: small, as theory wants it.
    let (young, radius, density, gravity) = (2e8, 0.01_f64, 0.1, 0.25 * G);
    let mut sim = simulate(&format!(
        "[solver]\ndt = 0.002\nsubsteps = 20\niterations = 8\n[world]\ngravity = [0, -{gravity}, 0]\n\
         damping = 28\n[[rope]]\npath = [[0, 0, 0], [1, 0, 0]]\nsegments = {segments}\nradius = {radius}\n\
         density = {density}\nbend = {{ modulus = {young} }}\ntwist = {{ modulus = 8e7 }}\npin = [{{ at = \"start\" }}]\n"
    ));
    step(&mut sim, 500);
    let stiffness = young * PI * radius.powi(4) / 4.0;
    let (n, l) = (segments as usize, 1.0 / f64::from(segments));
    let weight = |i: usize| density * l * gravity * if i == n { 0.5 } else { 1.0 };
    // Joint j at x = j·l turns by M·l/EI and lowers the tip by its distance times that.
    let moment = |j: usize| (j + 1..=n).map(|i| weight(i) * (i - j) as f64 * l).sum::<f64>();
    let chain = (1..n).map(|j| moment(j) * l / stiffness * (n - j) as f64 * l).sum();
    [-f64::from(sim.position(n).y), chain, density * gravity / (8.0 * stiffness)]
}

#[test]
fn s26_rod_cantilever_sags_like_a_beam() {
    if left_to_hardware() {
        return;
    }
    // A pinned end clamps its whole segment, so half a segment of the length does not bend: against
    // q·L⁴/(8EI) that misses 2/n, against the free length L − l/2 it does not.
    let mut last = 0.0;
    for segments in [8, 16] {
        let [found, chain, beam] = sag(segments);
        let free = beam * (1.0 - 0.5 / f64::from(segments)).powi(4);
        eprintln!(
            "rod of {segments}: sag {:.3} mm, chain of joints {:.3} mm, beam of L − l/2 {:.3} mm, beam {:.3} mm",
            1e3 * found,
            1e3 * chain,
            1e3 * free,
            1e3 * beam
        );
        assert!(relative(found, chain) < 0.02, "{segments} segments: {found} against {chain}");
        assert!(relative(found, free) < 0.05, "{segments} segments: {found} against {free}");
        if last > 0.0 {
            // First order in 1/n: doubling n allows to extrapolate to the beam.
            let limit = 2.0 * found - last;
            eprintln!("rod extrapolated: {:.3} mm", 1e3 * limit);
            assert!(relative(limit, beam) < 0.05, "extrapolated {limit} against {beam}");
        }
        last = found;
    }
}
