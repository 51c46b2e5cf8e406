//! Plastic rest shapes.

use crate::support::{Row, block, determinant, farthest, moved, substep};
use pliant::math::matrix::{IDENTITY, Mat3, matrix_of, multiply, quat_normalize};
use pliant::shape_matching::{BodyDef, Plastic, ShapeMatch, Stiffness};

const AT_ONCE: Plastic = Plastic { threshold: 0.1, creep: f32::INFINITY, most: 10.0 };

fn body(rest: &[Row], plastic: Plastic) -> ShapeMatch {
    let members = (0..rest.len() as u32).collect();
    ShapeMatch::new(&[BodyDef { members, stiffness: Stiffness::Fraction(0.5), plastic: Some(plastic) }], rest).unwrap()
}

/// A block about the origin.
fn centered(n: [u32; 3]) -> Vec<Row> {
    moved(&block(n), &IDENTITY, n.map(|k| -0.05 * (k - 1) as f32))
}

fn squeeze(by: f32) -> Mat3 {
    [[1.0, 0.0, 0.0], [0.0, by, 0.0], [0.0, 0.0, 1.0]]
}

/// Difference of two matrices, entry by entry.
fn max_difference(a: &Mat3, b: &Mat3) -> f32 {
    (0..9).map(|k| (a[k / 3][k % 3] - b[k / 3][k % 3]).abs()).fold(0.0, f32::max)
}

#[test]
fn s20_squeezed_beyond_the_threshold_a_body_keeps_the_deformation_and_its_volume() {
    let rest = centered([4, 4, 4]);
    let turn = matrix_of(quat_normalize([0.18, 0.36, 0.54, 0.74]));
    let mut shapes = body(&rest, AT_ONCE);
    let held = moved(&rest, &multiply(&turn, &squeeze(0.6)), [1.0, 0.0, 0.0]);
    // In a press for three substeps, in which it takes on the shape and resists the loss of volume alone.
    for _ in 0..3 {
        substep(&mut shapes, &mut held.clone(), 0.01, 1);
    }
    let mut rows = held;
    // Let go: it comes to rest in its new shape, at its old volume.
    for _ in 0..60 {
        substep(&mut shapes, &mut rows, 0.01, 1);
    }
    let s = 0.6_f32.cbrt().recip();
    let kept = multiply(&turn, &squeeze(0.6)).map(|c| c.map(|v| v * s));
    let goal = moved(&rest, &kept, [1.0, 0.0, 0.0]);
    assert!(farthest(&rows, &goal) < 1e-5, "{}", farthest(&rows, &goal));
    assert!((determinant(&shapes.poses()[0].shape) - 1.0).abs() < 1e-5);
}

#[test]
fn s20_squeezed_below_the_threshold_a_body_springs_back() {
    let rest = centered([4, 4, 4]);
    let mut shapes = body(&rest, AT_ONCE);
    // 0.09 along one axis, just below the threshold of 0.1; turned, as the threshold is isotropic.
    let turn = matrix_of([0.5, 0.5, -0.5, 0.5]);
    let mut rows = moved(&rest, &multiply(&turn, &squeeze(0.91)), [0.0; 3]);
    for _ in 0..60 {
        substep(&mut shapes, &mut rows, 0.01, 1);
    }
    assert_eq!(shapes.poses()[0].shape, IDENTITY);
    assert!(farthest(&rows, &moved(&rest, &turn, [0.0; 3])) < 1e-6);
    // A hair beyond it is kept.
    let mut rows = moved(&rest, &squeeze(0.89), [0.0; 3]);
    substep(&mut shapes, &mut rows, 0.01, 1);
    assert!(max_difference(&shapes.poses()[0].shape, &IDENTITY) > 0.05);
}

#[test]
fn s20_creep_depends_neither_on_iterations_nor_on_the_substep() {
    let rest = centered([4, 4, 4]);
    let held = moved(&rest, &squeeze(0.6), [0.0; 3]);
    let shape = |substeps: u32, iterations: u32| {
        let mut shapes = body(&rest, Plastic { threshold: 0.05, creep: 2.0, most: 10.0 });
        for _ in 0..substeps {
            // Held squeezed: every substep begins there again.
            substep(&mut shapes, &mut held.clone(), 0.1 / substeps as f32, iterations);
        }
        shapes.poses()[0].shape
    };
    let once = shape(1, 1);
    assert!(max_difference(&once, &IDENTITY) > 0.03, "it has crept: {once:?}");
    for iterations in [2, 7] {
        assert!(max_difference(&shape(1, iterations), &once) < 1e-6);
    }
    // The last substep sees a body that has already followed: first order in the rate, 0.2 of the way in all.
    let (ten, hundred) = (shape(10, 1), shape(100, 1));
    assert!(max_difference(&ten, &hundred) < 2e-3, "{ten:?} {hundred:?}");
    assert!(max_difference(&once, &hundred) < 2e-2);
    // Through y: squeezed to y in a shape of volume 1, elastically by 0.6/y there and by √y across.
    assert!(hundred[1][1] < 1.0 && (hundred[0][0] - hundred[1][1].sqrt().recip()).abs() < 1e-5);
}

#[test]
fn s20_the_rest_shape_stays_within_its_bound_and_keeps_its_volume_there() {
    let rest = centered([4, 4, 4]);
    let mut shapes = body(&rest, Plastic { most: 0.3, ..AT_ONCE });
    for by in [0.7, 0.5, 0.3, 0.3] {
        let mut rows = moved(&rest, &squeeze(by), [0.0; 3]);
        substep(&mut shapes, &mut rows, 0.01, 2);
        let shape = shapes.poses()[0].shape;
        let size: f32 = (0..9).map(|k| (shape[k / 3][k % 3] - IDENTITY[k / 3][k % 3]).powi(2)).sum::<f32>().sqrt();
        assert!(size < 0.3 + 1e-5, "{by}: {size}");
        assert!((determinant(&shape) - 1.0).abs() < 1e-5);
        assert!(by > 0.6 || size > 0.29, "at the bound: {size}");
    }
}

#[test]
fn s20_e23_plates_and_rods_flow_within_themselves_and_no_body_is_turned_inside_out() {
    // In-plane squeeze of a plate: singular second moment, well-defined stretch.
    let rest = centered([6, 6, 1]);
    let mut shapes = body(&rest, Plastic { threshold: 1e-3, ..AT_ONCE });
    let held = moved(&rest, &squeeze(0.5), [0.0; 3]);
    for _ in 0..40 {
        substep(&mut shapes, &mut held.clone(), 0.01, 1);
    }
    let mut rows = held.clone();
    for _ in 0..60 {
        substep(&mut shapes, &mut rows, 0.01, 1);
    }
    // Half as wide and, to keep the volume, twice as thick; what is below the threshold springs back.
    assert!(farthest(&rows, &held) < 1e-3 * 0.5, "{}", farthest(&rows, &held));
    assert!((shapes.poses()[0].shape[2][2] - 2.0).abs() < 0.01, "{:?}", shapes.poses()[0].shape);
    // A plate that is only turned is not deformed.
    let mut shapes = body(&rest, Plastic { threshold: 1e-3, ..AT_ONCE });
    let mut rows = moved(&rest, &matrix_of([0.5, 0.5, 0.5, 0.5]), [0.0; 3]);
    substep(&mut shapes, &mut rows, 0.01, 3);
    assert_eq!(shapes.poses()[0].shape, IDENTITY);
    // Mirrored: the stretch has a negative side, which no rest shape may take over.
    let rest = centered([4, 4, 4]);
    let mut shapes = body(&rest, AT_ONCE);
    substep(&mut shapes, &mut moved(&rest, &squeeze(-0.5), [0.0; 3]), 0.01, 1);
    assert!(shapes.poses()[0].strain > 1.0, "it is deformed");
    assert_eq!(shapes.poses()[0].shape, IDENTITY);
}
