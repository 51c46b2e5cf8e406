//! D4 chapter 4, rotations by Gram–Schmidt and polar decomposition (4.10–4.14).

use glam::{DMat3, DVec3};
use pliant::math::matrix::{Mat3, UPRIGHT, matrix_of};
use pliant::shape_matching::rotation::{extract, gram_schmidt, polar};

/// D4 4.10.
fn printed_gram_schmidt(a: &DMat3) -> DMat3 {
    let r1 = a.x_axis;
    let r2 = a.y_axis - r1 * (r1.dot(a.y_axis) / r1.dot(r1));
    let r3 = a.z_axis - r1 * (r1.dot(a.z_axis) / r1.dot(r1)) - r2 * (r2.dot(a.z_axis) / r2.dot(r2));
    DMat3::from_cols(r1.normalize(), r2.normalize(), r3.normalize())
}

/// D4 4.12–4.13 where AᵀA is diagonal, so that its root is that of the entries: R = A·S⁻¹.
fn printed_polar(a: &DMat3) -> DMat3 {
    let b = a.transpose() * *a;
    let off = b - DMat3::from_diagonal(DVec3::new(b.x_axis.x, b.y_axis.y, b.z_axis.z));
    assert!(off.to_cols_array().iter().all(|v| v.abs() < 1e-12), "AᵀA must be diagonal");
    let s = DVec3::new(b.x_axis.x.sqrt(), b.y_axis.y.sqrt(), b.z_axis.z.sqrt());
    *a * DMat3::from_diagonal(1.0 / s)
}

#[test]
fn e23_printed_rotations_mirror_inverted_bodies_and_fail_on_flat_ones_and_the_engines_are_proper() {
    let turn = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let inverted = turn * DMat3::from_diagonal(DVec3::new(1.0, 0.8, -0.5));
    let flat = turn * DMat3::from_diagonal(DVec3::new(1.0, 0.8, 0.0));
    assert!((printed_gram_schmidt(&inverted).determinant() + 1.0).abs() < 1e-12, "a mirror image");
    assert!((printed_polar(&inverted).determinant() + 1.0).abs() < 1e-12, "a mirror image");
    assert!(!printed_polar(&flat).is_finite(), "S has no inverse");
    assert!(!printed_gram_schmidt(&flat).is_finite() || printed_gram_schmidt(&flat).determinant() < 0.9);
    for a in [inverted, flat] {
        let a: Mat3 = a.to_cols_array_2d().map(|c| c.map(|v| v as f32));
        for r in [gram_schmidt(&a), polar(&a), matrix_of(extract(&a, UPRIGHT))] {
            let r = DMat3::from_cols_array_2d(&r.map(|c| c.map(f64::from)));
            assert!((r.determinant() - 1.0).abs() < 1e-5, "{r}");
            let unit = r.transpose() * r - DMat3::IDENTITY;
            assert!(unit.to_cols_array().iter().all(|v| v.abs() < 1e-5), "{r}");
        }
    }
}
