//! Results of a projection: C = 0 if rigid, no change for an inactive inequality, the specified softness.

use crate::support::{Double, Rng, Sample, XPBD, can_be_rigid, sample};
use pliant::constraints::{ConstraintKind, Scales, Softness};

#[test]
fn s04_rigid_projections_satisfy_the_constraint_in_the_steps_its_shape_needs() {
    let mut rng = Rng(11);
    for kind in ConstraintKind::ALL.into_iter().filter(|&k| can_be_rigid(k)) {
        // Linear along the correction: one step. Curved: Newton steps, the error squares each time.
        // Rods renormalize their quaternions, so that a large correction turns less than it says.
        let (steps, tolerance) = match kind {
            ConstraintKind::Stretch
            | ConstraintKind::Tether
            | ConstraintKind::Attach
            | ConstraintKind::RopeBending
            | ConstraintKind::Isometric => (1, 1e-12),
            ConstraintKind::Volume
            | ConstraintKind::Bend
            | ConstraintKind::FemTriangle
            | ConstraintKind::Membrane
            | ConstraintKind::FemTet => (8, 1e-9),
            ConstraintKind::BendTwist | ConstraintKind::StretchShear => (40, 1e-9),
            ConstraintKind::NeoHookeanTriangle | ConstraintKind::NeoHookeanTet => continue,
        };
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            for _ in 0..steps {
                at.apply(&at.project::<Double>(XPBD, &at.no_lambda()));
            }
            let left = at.evaluate::<Double>();
            assert!(left.iter().all(|c| c.abs() < tolerance), "{kind:?} after {steps} steps: {left:?}");
            assert!(at.measure::<Double>()[0] < 100.0 * tolerance, "{kind:?}: residual does not vanish with C");
        }
    }
}

#[test]
fn s04_single_precision_projections_agree_with_double() {
    // The engine runs f32. Positions are of size 3 m (2e-7 m resolution) and gradients of order one, so
    // corrections of order 1 m may differ by a few times 1e-6 m.
    let mut rng = Rng(12);
    for kind in ConstraintKind::ALL {
        for _ in 0..50 {
            let mut at = sample(kind, &mut rng);
            at.set_compliance(0.2);
            // Both see the same numbers.
            at.rows.iter_mut().flatten().for_each(|v| *v = f64::from(*v as f32));
            at.params.iter_mut().for_each(|v| *v = f64::from(*v as f32));
            let (single, double) =
                (at.project::<f32>(XPBD, &at.no_lambda()), at.project::<Double>(XPBD, &at.no_lambda()));
            for (a, b) in single.rows.iter().flatten().zip(double.rows.iter().flatten()) {
                assert!((a - b).abs() < 2e-5, "{kind:?}: {a} against {b}");
            }
        }
    }
}

#[test]
fn s05_repeated_projections_of_one_soft_constraint_stop_at_its_compliance() {
    // λ is stored: the second projection of an already balanced scalar constraint changes nothing, so the
    // force −λ·∇C belongs to the compliance and not to the iteration count. C + α̃λ = 0 is the balance.
    let mut rng = Rng(13);
    for kind in ConstraintKind::ALL.into_iter().filter(|k| k.layout().softness.is_some()) {
        let mut at = sample(kind, &mut rng);
        at.set_compliance(0.7);
        let mut lambda = at.no_lambda();
        // Rods balance slowly, see above.
        for _ in 0..200 {
            let outcome = at.project::<Double>(XPBD, &lambda);
            at.apply(&outcome);
            lambda = outcome.lambda;
        }
        for (c, l) in at.evaluate::<Double>().iter().zip(&lambda) {
            assert!((c + 0.7 * l).abs() < 1e-9, "{kind:?}: C = {c}, α̃λ = {}", 0.7 * l);
        }
    }
}

fn tether(distance: f64) -> Sample {
    let rows = vec![[0.0, distance, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]];
    Sample { kind: ConstraintKind::Tether, params: vec![1.0, 0.0], rows }
}

#[test]
fn e16_a_slack_tether_does_nothing_and_a_tight_one_only_pulls() {
    for method in [XPBD, (1.0, 0.0)] {
        let slack = tether(0.5).project::<f32>(method, &[0.0]);
        assert!(slack.rows.iter().all(|r| r[..3] == [0.0; 3]) && slack.lambda == [0.0]);
        let tight = tether(1.5).project::<f32>(method, &[0.0]);
        assert_eq!((tight.rows[0][1], tight.rows[1][1], tight.lambda[0]), (-0.5, 0.0, -0.5));
    }
    assert_eq!(tether(0.5).evaluate::<f32>(), [0.0]);
}

#[test]
fn e16_a_tether_undoes_its_corrections_but_never_pushes() {
    // Pulled by 0.5 before, then others moved the particle to 0.8: 0.2 of the pull may go.
    let back = tether(0.8).project::<f32>(XPBD, &[-0.5]);
    assert!((back.rows[0][1] - 0.2).abs() < 1e-6 && (back.lambda[0] + 0.3).abs() < 1e-6);
    // To 0.2: only the whole pull of 0.5 may go, never a push beyond it.
    let all = tether(0.2).project::<f32>(XPBD, &[-0.5]);
    assert!((all.rows[0][1] - 0.5).abs() < 1e-6 && all.lambda[0] == 0.0);
    let mut rng = Rng(14);
    for _ in 0..1000 {
        let lambda = -rng.range(0.0, 1.0);
        let outcome = tether(rng.range(0.0, 3.0)).project::<f32>(XPBD, &[lambda]);
        assert!(outcome.lambda[0] <= 0.0, "a tether pushes with {}", outcome.lambda[0]);
    }
}

#[test]
fn s05_softness_encodes_a_compliance_or_a_stiffness() {
    assert_eq!(Softness::RIGID.encoded(), 0.0);
    assert_eq!(Softness::compliance(0.25).encoded(), 0.25);
    assert_eq!(Softness::stiffness(0.25).encoded(), -0.25);
    assert_eq!(Softness::stiffness(1.0), Softness::RIGID);
    let scales = Scales { inv_h2: 100.0, memory: 1.0 };
    assert_eq!(scales.soften(Softness::RIGID.encoded()), (1.0, 0.0));
    assert_eq!(scales.soften(Softness::compliance(0.25).encoded()), (1.0, 25.0));
    assert_eq!(scales.soften(Softness::stiffness(0.25).encoded()), (0.25, 0.0));
}

#[test]
fn e11_delta_lambda_is_xpbd_with_memory_and_pbd_without() {
    // α̃ = α/h² = 0.5·4 = 2. With memory: −(3 + 2·0.5)/(6 + 2) = −0.5; without: −3/8.
    let xpbd = Scales { inv_h2: 4.0_f32, memory: 1.0 };
    let pbd = Scales { memory: 0.0, ..xpbd };
    assert_eq!(xpbd.delta_lambda(0.5, 3.0, 0.5, 6.0), -0.5);
    assert_eq!(pbd.delta_lambda(0.5, 3.0, 0.5, 6.0), -0.375);
    // PBD stiffness k: the share of the error that one projection removes, −k·C/Σw|∇C|².
    assert_eq!(pbd.delta_lambda(Softness::stiffness(0.25).encoded(), 4.0, 9.0, 2.0), -0.5);
    // All fixed and rigid: nothing may move.
    assert_eq!(xpbd.delta_lambda(0.0, 3.0, 0.5, 0.0), 0.0);
    // All fixed and soft: λ goes to the balance −C/α̃, and w = 0 keeps everything in place.
    assert_eq!(xpbd.delta_lambda(0.5, 3.0, 0.0, 0.0), -1.5);
}

#[test]
fn t09_pbd_stiffness_compounds_with_iterations_as_one_minus_k_to_the_n() {
    let mut at = Sample {
        kind: ConstraintKind::Stretch,
        params: vec![1.0, f64::from(Softness::stiffness(0.25).encoded())],
        rows: vec![[2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 3.0]],
    };
    for n in 1..=8 {
        at.apply(&at.project::<Double>((1.0, 0.0), &[0.0]));
        let left = at.evaluate::<Double>()[0];
        assert!((left - 0.75_f64.powi(n)).abs() < 1e-12, "after {n}: {left}");
    }
}
