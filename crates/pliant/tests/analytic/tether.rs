//! S16: long-range tethers.

use crate::support::{G, simulate, step};
use pliant::constraints::ConstraintKind;

#[test]
fn s16_a_tether_never_exceeds_its_length() {
    // A sheet that itself hardly resists (1 N/m per edge) hangs on tethers of 1.1 times its length.
    let mut sim = simulate(
        "[solver]\niterations = 4\n[world]\nair_density = 0\n[[cloth]]\ngrid = { cells = [4, 8], size = [0.5, 1] }\n\
         stretch = { compliance = 1 }\ntether = 1.1\npin = [{ at = \"top edge\" }]\n",
    );
    let tethers: Vec<_> = sim.constraints(ConstraintKind::Tether).map(|t| (t.rows, t.params[0])).collect();
    assert_eq!(tethers.len(), 5 * 8, "one for each free particle");
    let mut worst = 0.0_f32;
    for _ in 0..300 {
        step(&mut sim, 1);
        for (rows, length) in &tethers {
            let far = sim.position(rows[0] as usize).distance(sim.position(rows[1] as usize));
            worst = worst.max(far / length - 1.0);
        }
        assert!(sim.constraints(ConstraintKind::Tether).all(|t| t.multipliers[0] <= 0.0), "a tether pushed");
    }
    let lowest = (0..sim.particles()).map(|i| sim.position(i).y).fold(0.0, f32::min);
    eprintln!("tether: exceeded by {worst:.1e} of its length; lowest particle at {lowest:.4} m");
    // Tethers run last in an iteration and anchors do not yield: only rounding is left.
    assert!(worst < 1e-5, "exceeded by {worst}");
    assert!(lowest < -0.05, "without the tethers it would hang lower, with them just at their length");
}

#[test]
fn s16_slack_tether_exerts_no_force() {
    // The lower edge falls freely from 1 m below its pins until 1.5 m: ½·g·t·(t + h) < 0.5 m, t < 0.31 s.
    let mut sim = simulate(
        "[world]\nair_density = 0\n[[cloth]]\ngrid = { cells = [1, 1], size = [1, 1] }\n\
         stretch = { compliance = 1e12 }\ntether = 1.5\npin = [{ at = \"top edge\" }]\n",
    );
    for n in 1..=30 {
        step(&mut sim, 1);
        let t = 0.01 * f64::from(n);
        let fallen = -f64::from(sim.position(0).y);
        assert!((fallen - 0.5 * G * t * (t + 0.01)).abs() < 1e-5, "step {n}: {fallen}");
        assert!(sim.constraints(ConstraintKind::Tether).all(|c| c.multipliers[0] == 0.0), "step {n}");
    }
    step(&mut sim, 30);
    let length = sim.position(0).distance(sim.position(1));
    assert!((length - 1.5).abs() < 1e-5, "taut at {length}");
    assert!(sim.constraints(ConstraintKind::Tether).all(|c| c.multipliers[0] < 0.0), "taut, it must pull");
}
