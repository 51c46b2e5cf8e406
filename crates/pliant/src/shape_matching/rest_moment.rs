//! Pseudoinverse of a body's second moment at rest (E23). Runs once per body, in double precision.

use crate::math::matrix::Mat3;

/// Pseudoinverse of a symmetric positive semidefinite matrix, and the projector onto its null space: directions with
/// less than 1e-6 of the largest eigenvalue, a thousandth of the largest extent.
pub fn pseudoinverse(m: [[f64; 3]; 3]) -> (Mat3, Mat3) {
    let (inverse, left) = pseudoinverse_f64(m);
    (inverse.map(|c| c.map(|x| x as f32)), left.map(|c| c.map(|x| x as f32)))
}

/// The same in double precision.
pub fn pseudoinverse_f64(mut m: [[f64; 3]; 3]) -> ([[f64; 3]; 3], [[f64; 3]; 3]) {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Jacobi rotations; convergence is quadratic, so ten sweeps suffice.
    for _ in 0..10 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for k in 0..3 {
                (m[k][p], m[k][q]) = (c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
                (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
            }
        }
    }
    let values = [m[0][0], m[1][1], m[2][2]];
    let most = values.into_iter().fold(0.0, f64::max);
    let (mut inverse, mut left) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
    for i in 0..3 {
        let (target, factor) = if values[i] > 1e-6 * most { (&mut inverse, 1.0 / values[i]) } else { (&mut left, 1.0) };
        (0..9).for_each(|k| target[k / 3][k % 3] += factor * v[i][k / 3] * v[i][k % 3]);
    }
    (inverse, left)
}
