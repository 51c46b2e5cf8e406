//! Gradients against central differences of C, and the signs and masses of the errata.

use crate::support::{Double, Rng, Sample, XPBD, can_be_rigid, sample};
use glam::{DQuat, DVec3};
use pliant::constraints::ConstraintKind;

/// ∂C_m/∂(row k, component c) by central differences.
fn differences(at: &Sample, row: usize, component: usize) -> Vec<f64> {
    // Truncation ~ε² = 1e-10, rounding ~1e-16/ε = 1e-11.
    let step = 1e-5;
    let mut moved = at.clone();
    moved.rows[row][component] = at.rows[row][component] + step;
    let ahead = moved.evaluate::<Double>();
    moved.rows[row][component] = at.rows[row][component] - step;
    let behind = moved.evaluate::<Double>();
    ahead.iter().zip(behind).map(|(a, b)| (a - b) / (2.0 * step)).collect()
}

/// Σ_m Δλ_m ∇C_m for one row, in the tangent space of the sphere for orientations.
fn expected(at: &Sample, row: usize, dl: &[f64]) -> [f64; 4] {
    let turns = at.turns().contains(&row);
    let mut sum = [0.0; 4];
    for (c, s) in sum.iter_mut().enumerate().take(if turns { 4 } else { 3 }) {
        *s = differences(at, row, c).iter().zip(dl).map(|(g, d)| g * d).sum();
    }
    if turns {
        let q = at.rows[row];
        let along: f64 = sum.iter().zip(q).map(|(s, q)| s * q).sum();
        (0..4).for_each(|c| sum[c] -= along * q[c]);
    }
    sum
}

#[test]
fn s04_every_correction_follows_the_gradient_by_finite_differences() {
    let mut rng = Rng(1);
    for kind in ConstraintKind::ALL {
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            // α̃ = 1 against small weights of the orientations keeps their turns small, where
            // renormalization is the tangent projection up to |Δq|² ~ 1e-12 of a |Δq| of 1e-6.
            at.set_compliance(1.0);
            if !at.turns().is_empty() {
                at.set_weights(|k| if kind == ConstraintKind::StretchShear && k < 2 { 1.0 } else { 1e-6 });
            }
            let lambda: Vec<f64> = at.no_lambda().iter().map(|_| -rng.range(0.0, 0.05)).collect();
            let outcome = at.project::<Double>(XPBD, &lambda);
            let dl: Vec<f64> = outcome.lambda.iter().zip(&lambda).map(|(a, b)| a - b).collect();
            // The polynomial of atan2 is within 0.6e-7 of the arctangent, but its slope only within 2.03e-5 of
            // the arctangent's (at 45°); the finite differences add 1e-6.
            let tolerance = if kind == ConstraintKind::Bend { 2.2e-5 } else { 2e-6 };
            for row in 0..at.rows.len() {
                let want = expected(&at, row, &dl);
                let scale = want.iter().map(|v| v * v).sum::<f64>().sqrt().max(1e-3);
                let last = if at.turns().contains(&row) { 4 } else { 3 };
                for c in 0..last {
                    let got = outcome.rows[row][c] / at.weight(row);
                    let error = (got - want[c]).abs() / scale;
                    assert!(error < tolerance, "{kind:?} row {row} component {c}: {got} against {}", want[c]);
                }
            }
        }
    }
}

#[test]
fn s05_the_multiplier_of_every_scalar_constraint_is_that_of_xpbd() {
    // Δλ = −(C + α̃λ)/(Σ w|∇C|² + α̃) with ∇C by finite differences; inequalities while they pull.
    let mut rng = Rng(2);
    for kind in ConstraintKind::ALL.into_iter().filter(|k| k.layout().multipliers == 1) {
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            let alpha = rng.range(0.0, 0.5);
            at.set_compliance(alpha);
            let lambda = -rng.range(0.0, 0.01);
            let sum: f64 = (0..at.rows.len())
                .map(|k| at.weight(k) * (0..3).map(|c| differences(&at, k, c)[0].powi(2)).sum::<f64>())
                .sum();
            let want = -(at.evaluate::<Double>()[0] + alpha * lambda) / (sum + alpha);
            let got = at.project::<Double>(XPBD, &[lambda]).lambda[0] - lambda;
            // |∇C|² doubles the relative error of the gradient, see above.
            let tolerance = if kind == ConstraintKind::Bend { 5e-5 } else { 5e-6 };
            assert!((got - want).abs() <= tolerance * want.abs().max(1e-3), "{kind:?}: {got} against {want}");
        }
    }
}

#[test]
fn e01_volume_gradients_are_the_cross_products_of_the_errata() {
    let mut rng = Rng(3);
    let at = sample(ConstraintKind::Volume, &mut rng);
    let e = [1, 2, 3].map(|k| at.point(k) - at.point(0));
    let g = [e[1].cross(e[2]) / 6.0, e[2].cross(e[0]) / 6.0, e[0].cross(e[1]) / 6.0];
    let g = [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]];
    let c = e[0].cross(e[1]).dot(e[2]) / 6.0 - at.params[0];
    // E02: Δpᵢ = −s·wᵢ∇ᵢ with s = C/Σwⱼ|∇ⱼ|².
    let s = c / (0..4).map(|k| at.weight(k) * g[k].length_squared()).sum::<f64>();
    let outcome = at.project::<Double>(XPBD, &[0.0]);
    for (k, gradient) in g.iter().enumerate() {
        let want = *gradient * (-s * at.weight(k));
        let got = DVec3::from_slice(&outcome.rows[k][..3]);
        // The kernel's sixths are single precision: relative 1e-8.
        assert!(got.distance(want) < 1e-6 * want.length(), "corner {k}: {got} against {want}");
    }
}

#[test]
fn e02_one_rigid_projection_brings_every_constraint_nearer_to_zero() {
    // A wrong sign would raise the error instead. How much is left depends on how curved C is: here strains
    // of a half and angles of half a radian are removed.
    let mut rng = Rng(4);
    for kind in ConstraintKind::ALL.into_iter().filter(|&k| can_be_rigid(k)) {
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            let size = |s: &Sample| s.evaluate::<Double>().iter().map(|c| c * c).sum::<f64>().sqrt();
            let before = size(&at);
            at.apply(&at.project::<Double>(XPBD, &at.no_lambda()));
            assert!(size(&at) < before, "{kind:?}: {before} became {}", size(&at));
        }
    }
}

#[test]
fn e03_e04_e05_stretch_moves_each_end_by_its_share_of_the_error_along_the_unit_direction() {
    let rest = 1.25;
    let rows = vec![[3.0, 1.0, 0.0, 2.0], [0.0, -3.0, 0.0, 0.5]];
    let at = Sample { kind: ConstraintKind::Stretch, params: vec![rest, 0.0], rows };
    // |x₀ − x₁| = 5, so the error is 3.75 m along (0.6, 0.8, 0), shared 2 : 0.5.
    let outcome = at.project::<Double>(XPBD, &[0.0]);
    let n = DVec3::new(0.6, 0.8, 0.0);
    for (k, share) in [(0, -0.8), (1, 0.2)] {
        let got = DVec3::from_slice(&outcome.rows[k][..3]);
        assert!(got.distance(n * (share * 3.75)) < 1e-12, "end {k} moved by {got}");
    }
    assert!((outcome.lambda[0] + 3.75 / 2.5).abs() < 1e-12);
}

#[test]
fn s04_projections_keep_linear_and_angular_momentum_for_random_masses() {
    let mut rng = Rng(5);
    for kind in ConstraintKind::ALL {
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            at.set_compliance(0.1);
            if !at.turns().is_empty() {
                // Small turns, as above, so that Δq/wq is the generalized impulse.
                at.set_weights(|k| if kind == ConstraintKind::StretchShear && k < 2 { 1.0 } else { 1e-7 });
            }
            let outcome = at.project::<Double>(XPBD, &at.no_lambda());
            let (mut linear, mut angular, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
            for k in 0..at.rows.len() {
                let [x, y, z, w] = outcome.rows[k].map(|v| v / at.weight(k));
                if at.turns().contains(&k) {
                    // δq = ½ωq and wq = 1/(4I): an impulse G on q is the angular impulse Iω = ½Im(G·q̄).
                    let spin = DQuat::from_xyzw(x, y, z, w) * DQuat::from_array(at.rows[k]).conjugate();
                    angular += DVec3::new(spin.x, spin.y, spin.z) * 0.5;
                } else {
                    let push = DVec3::new(x, y, z);
                    linear += push;
                    angular += at.point(k).cross(push);
                }
                size += x.abs() + y.abs() + z.abs();
            }
            // Points lie within 5 m of the origin; f64 leaves 1e-15, the finite turns 1e-7.
            let tolerance = if at.turns().is_empty() { 1e-12 } else { 1e-5 } * size;
            assert!(linear.length() <= tolerance, "{kind:?}: linear momentum {linear} of {size}");
            assert!(angular.length() <= tolerance, "{kind:?}: angular momentum {angular} of {size}");
        }
    }
}
