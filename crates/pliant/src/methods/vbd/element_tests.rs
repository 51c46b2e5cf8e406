//! Forces and Hessians against finite differences of the energies.

use super::*;

/// A bent, sheared and stretched element of every kind, with its parameters.
fn cases() -> Vec<(ConstraintKind, Vec<f32>, [RowData; 4])> {
    let x = [[0.0, 0.0, 0.0, 1.0], [1.1, 0.1, -0.2, 1.0], [0.2, 0.9, 0.3, 1.0], [0.3, -0.2, 1.2, 1.0]];
    let hinge = [[0.1, -0.8, 0.2, 1.0], [0.3, 0.9, 0.4, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.1, 0.1, 1.0]];
    let turn = |axis: [f32; 3], w: f32| Quat::from_xyzw(axis[0], axis[1], axis[2], w).normalize().to_array();
    let (a, b) = (turn([0.1, 0.4, -0.2], 1.0), turn([0.3, 0.2, 0.1], 0.9));
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let fem = |shape: &[f32], soft: [f32; 3]| [shape, &soft].concat();
    vec![
        (ConstraintKind::Stretch, vec![0.9, 0.01], x),
        (ConstraintKind::Attach, vec![0.01], x),
        (ConstraintKind::Bend, vec![0.2, 0.3], hinge),
        (ConstraintKind::Isometric, vec![0.5, 0.7, -0.9, -0.3, 0.1, 0.02, 1.0], hinge),
        (ConstraintKind::Volume, vec![0.15, 0.002], x),
        (ConstraintKind::FemTriangle, fem(&[1.0, 0.2, 0.0, 0.8], [0.01, -0.003, 0.026]), x),
        (ConstraintKind::Membrane, fem(&[1.0, 0.2, 0.0, 0.8], [0.01, -0.003, 0.026]), x),
        (ConstraintKind::NeoHookeanTet, fem(&identity, neo_hookean_tet::parameters(40.0, 60.0, 1.0)), x),
        (ConstraintKind::RopeBending, vec![0.1, 0.02, 1.0], x),
        (ConstraintKind::StretchShear, vec![1.0, 0.5, 0.01], [x[0], x[1], a, x[3]]),
        (ConstraintKind::BendTwist, vec![0.5, 0.5, 0.05, 0.02, 0.1, 0.99, 0.01, 0.02], [a, b, x[2], x[3]]),
    ]
}

fn moved(kind: ConstraintKind, x: &[RowData; 4], row: usize, way: Vec3) -> [RowData; 4] {
    let mut y = *x;
    let turns = match kind {
        ConstraintKind::BendTwist => true,
        ConstraintKind::StretchShear => row == 2,
        _ => false,
    };
    y[row] = if turns {
        let half = way * 0.5;
        (Quat::from_xyzw(half.x, half.y, half.z, 1.0) * Quat::from_array(x[row])).normalize().to_array()
    } else {
        [x[row][0] + way.x, x[row][1] + way.y, x[row][2] + way.z, x[row][3]]
    };
    y
}

fn padded(p: &[f32]) -> [f32; 12] {
    std::array::from_fn(|k| p.get(k).copied().unwrap_or(0.0))
}

#[test]
fn forces_are_minus_the_gradient_of_the_energy() {
    for (kind, p, x) in cases() {
        let p = padded(&p);
        let rows = kind.layout().rows;
        let all = linear(kind, &p, &x, Mat3::IDENTITY);
        let scale = (0..rows).map(|i| all.force[i].length()).fold(0.0, f32::max);
        for row in 0..rows {
            let step = 1e-2;
            let wanted = Vec3::from_array([0, 1, 2].map(|c| {
                let way = Vec3::AXES[c] * step;
                let at = |way: Vec3| f64::from(energy(kind, &p, &moved(kind, &x, row, way)));
                // Fourth order, so that single precision energies suffice.
                let (near, far) = (at(way) - at(-way), at(2.0 * way) - at(-2.0 * way));
                (-(8.0 * near - far) / (12.0 * f64::from(step))) as f32
            }));
            let (force, hessian) = at_row(kind, &p, &x, row);
            assert!((force - wanted).length() < 4e-3 * scale, "{kind:?} row {row}: {force} is not {wanted}");
            assert!((force - all.force[row]).length() < 1e-5 * scale, "{kind:?} row {row}");
            let alone = force_at_row(kind, &p, &x, row);
            assert!((force - alone).length() < 1e-5 * scale, "{kind:?} row {row}");
            let block = all.block(row, row);
            let linear_hessian = kind != ConstraintKind::NeoHookeanTet;
            assert!(!linear_hessian || hessian.abs_diff_eq(block, 1e-4 * block.x_axis.length()), "{kind:?} row {row}");
            assert!((hessian - hessian.transpose()).abs_diff_eq(Mat3::ZERO, 1e-2), "{kind:?}: {hessian}");
            for k in 0..20 {
                let d = Vec3::new((k as f32).sin(), (2.0 * k as f32).cos(), (3.0 * k as f32).sin());
                assert!(d.dot(hessian * d) >= -1e-3 * hessian.x_axis.length(), "{kind:?} has a negative direction");
            }
        }
    }
}

#[test]
fn hessian_blocks_predict_forces_near_rest() {
    // At rest there is no tension or pressure, so that the positive part is all of the Hessian.
    let [mu, lambda, alpha] = neo_hookean_tet::parameters(40.0, 60.0, 1.0 / 6.0);
    let p = padded(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, mu, lambda, alpha]);
    let rest = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
    let all = linear(ConstraintKind::NeoHookeanTet, &p, &rest, Mat3::IDENTITY);
    let ways = [Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 1.0, -1.0), Vec3::new(-1.0, 0.2, 0.7), Vec3::ONE];
    let mut x = rest;
    for i in 0..4 {
        x = moved(ConstraintKind::NeoHookeanTet, &x, i, ways[i] * 1e-4);
    }
    let after = linear(ConstraintKind::NeoHookeanTet, &p, &x, Mat3::IDENTITY);
    for i in 0..4 {
        let predicted = (0..4).fold(Vec3::ZERO, |sum, j| sum - all.block(i, j) * ways[j] * 1e-4);
        let scale = predicted.length();
        assert!((after.force[i] - predicted).length() < 1e-2 * scale, "{} is not {predicted}", after.force[i]);
    }
}
