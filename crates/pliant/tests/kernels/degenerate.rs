//! Degenerate input without direction, size or freedom: results stay finite, and fixed rows do not move.

use crate::support::{Rng, Sample, XPBD, can_be_rigid, sample};
use pliant::constraints::ConstraintKind;

fn assert_finite(at: &Sample, what: &str) {
    for method in [XPBD, (1e4, 1.0), (1e4, 0.0), (1e14, 1.0)] {
        let outcome = at.project::<f32>(method, &at.no_lambda());
        let numbers = outcome.rows.iter().flatten().chain(&outcome.lambda);
        let [residual, energy] = at.measure::<f32>();
        let fine = numbers.chain([&residual, &energy]).all(|v| v.is_finite());
        assert!(fine, "{:?}, {what}, {method:?}: {at:?} gave {:?} {:?}", at.kind, outcome.rows, outcome.lambda);
    }
}

/// Rows that share one place, and orientations that stay as they are.
fn collapse(at: &mut Sample, size: f64) {
    let center = at.rows[0];
    let turns = at.turns();
    for (k, row) in at.rows.iter_mut().enumerate().filter(|(k, _)| !turns.contains(k)) {
        (0..3).for_each(|c| row[c] = center[c] + (row[c] - center[c]) * size * f64::from(u8::from(k > 0)));
    }
}

#[test]
fn s04_coincident_and_nearly_coincident_points_give_finite_corrections() {
    let mut rng = Rng(21);
    for kind in ConstraintKind::ALL {
        // Up to the largest permitted extent of a scene [m].
        for size in [0.0, 1e-30, 1e-20, 1e-12, 1e-7, 1e-4, 1e4, 1e5] {
            for alpha in [0.0, 1e-6, 1e12] {
                let mut at = sample(kind, &mut rng);
                at.set_compliance(alpha);
                // Around the origin, so that the sizes survive single precision.
                let (first, turns) = (at.rows[0], at.turns());
                for (_, row) in at.rows.iter_mut().enumerate().filter(|(k, _)| !turns.contains(k)) {
                    (0..3).for_each(|c| row[c] -= first[c]);
                }
                collapse(&mut at, size);
                assert_finite(&at, &format!("size {size}, compliance {alpha}"));
            }
        }
    }
}

#[test]
fn s04_zero_parameters_give_finite_corrections() {
    let mut rng = Rng(22);
    for kind in ConstraintKind::ALL {
        for collapsed in [1.0, 0.0] {
            let mut at = sample(kind, &mut rng);
            at.params.fill(0.0);
            collapse(&mut at, collapsed);
            assert_finite(&at, "all parameters zero");
        }
    }
}

#[test]
fn s04_flat_elements_and_triangles_without_area_give_finite_corrections() {
    let mut rng = Rng(23);
    for kind in [
        ConstraintKind::Bend,
        ConstraintKind::Isometric,
        ConstraintKind::Volume,
        ConstraintKind::FemTriangle,
        ConstraintKind::FemTet,
        ConstraintKind::Membrane,
        ConstraintKind::NeoHookeanTriangle,
        ConstraintKind::NeoHookeanTet,
        ConstraintKind::RopeBending,
    ] {
        for (y, z) in [(1.0, 0.0), (0.0, 0.0), (1e-6, 1e-6), (1.0, 1e-9)] {
            let mut at = sample(kind, &mut rng);
            // Squeezed to a sheet, then to a line.
            at.rows.iter_mut().for_each(|r| (r[1], r[2]) = (r[1] * y, r[2] * z));
            for alpha in [0.0, 1e-3] {
                at.set_compliance(alpha);
                assert_finite(&at, &format!("squeezed by {y}, {z}"));
            }
        }
    }
}

#[test]
fn s04_a_hinge_with_one_triangle_without_area_stays_finite_and_calm() {
    // The wing lies on the edge: its normal is 0, so its angle means nothing.
    let rows = vec![[0.5, 0.0, 0.0, 1.0], [0.5, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    for rest in [0.0, 0.5, -3.0] {
        let at = Sample { kind: ConstraintKind::Bend, params: vec![rest, 0.0], rows: rows.clone() };
        assert_finite(&at, "one wing on the edge");
        let moved = at.project::<f32>(XPBD, &[0.0]);
        let most = moved.rows.iter().flat_map(|r| &r[..3]).fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(most <= rest.abs() * 2.0, "rest {rest}: moves by {most} m");
    }
}

#[test]
fn s04_without_any_freedom_nothing_moves() {
    let mut rng = Rng(24);
    for kind in ConstraintKind::ALL {
        for alpha in [0.0, 0.1] {
            let mut at = sample(kind, &mut rng);
            at.set_compliance(alpha);
            at.set_weights(|_| 0.0);
            let outcome = at.project::<f32>((1e4, 1.0), &at.no_lambda());
            for k in 0..at.rows.len() {
                let (last, most) = if at.turns().contains(&k) { (4, 1.2e-7) } else { (3, 0.0) };
                // A fixed quaternion is still brought back to length one: half a unit in the last place.
                let moved = outcome.rows[k][..last].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
                assert!(moved <= most, "{kind:?}, row {k} is fixed and moves by {moved}");
            }
            if alpha == 0.0 {
                assert!(outcome.lambda.iter().all(|l| *l == 0.0), "{kind:?}: λ grows though nothing can move");
            }
        }
    }
}

#[test]
fn s04_a_fixed_row_stays_and_the_others_get_the_whole_correction() {
    let mut rng = Rng(25);
    for kind in ConstraintKind::ALL.into_iter().filter(|&k| can_be_rigid(k)) {
        let rows = kind.layout().rows;
        for fixed in 0..rows {
            let mut at = sample(kind, &mut rng);
            let weights: Vec<f64> = (0..rows).map(|k| if k == fixed { 0.0 } else { at.weight(k) }).collect();
            at.set_weights(|k| weights[k]);
            let outcome = at.project::<f32>(XPBD, &at.no_lambda());
            let turns = at.turns().contains(&fixed);
            let moved = &outcome.rows[fixed][..if turns { 4 } else { 3 }];
            assert!(moved.iter().all(|v| v.abs() <= if turns { 1.2e-7 } else { 0.0 }), "{kind:?} row {fixed}");
            let before: f64 = at.evaluate::<f32>().iter().map(|c| c * c).sum();
            at.apply(&outcome);
            let after: f64 = at.evaluate::<f32>().iter().map(|c| c * c).sum();
            assert!(after < before, "{kind:?} with row {fixed} fixed: {before} became {after}");
        }
    }
}

#[test]
fn s04_multipliers_do_not_grow_where_there_is_no_direction() {
    // Coincident ends of a stretch, a straight rope, a flat isometric hinge: C ≠ 0, but ∇C does not exist.
    let still = |kind: ConstraintKind, params: &[f64], points: &[[f64; 3]]| {
        let rows = points.iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
        let at = Sample { kind, params: params.to_vec(), rows };
        let outcome = at.project::<f32>(XPBD, &[0.0]);
        assert_eq!(outcome.lambda, [0.0], "{kind:?}");
        assert!(outcome.rows.iter().all(|r| r[..3] == [0.0; 3]), "{kind:?} moves");
    };
    still(ConstraintKind::Stretch, &[1.0, 0.0], &[[1.0; 3]; 2]);
    still(ConstraintKind::RopeBending, &[0.5, 0.0, 1.0], &[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    let hinge = [[0.5, 1.0, 0.0], [0.5, -1.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]];
    still(ConstraintKind::Isometric, &[-1.0, -1.0, 1.0, 1.0, 0.5, 0.0, 1.0], &hinge);
}
