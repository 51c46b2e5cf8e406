//! Displacements and rotation vectors between rows.

use crate::math::{RowData, position};
use glam::{Quat, Vec3};

/// Adds a displacement.
#[inline(always)]
pub(super) fn add(row: &mut RowData, way: &RowData) {
    row.iter_mut().zip(way).for_each(|(x, d)| *x += d);
}

/// Sum of the products of the first three components.
pub(super) fn dot(a: &[RowData], b: &[RowData]) -> f64 {
    let mut sums = [0.0_f64; 2];
    for (number, (a, b)) in a.iter().zip(b).enumerate() {
        sums[number % 2] += f64::from(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    sums[0] + sums[1]
}

/// From a row to another: a displacement, or a rotation vector.
#[inline]
pub(super) fn toward(from: RowData, to: RowData, turns: bool) -> Vec3 {
    if !turns {
        return position(to) - position(from);
    }
    let turn = Quat::from_array(to) * Quat::from_array(from).conjugate();
    Vec3::new(turn.x, turn.y, turn.z) * if turn.w < 0.0 { -2.0 } else { 2.0 }
}

/// A row moved by a displacement, or turned by a rotation vector.
#[inline]
pub(super) fn moved(row: RowData, way: Vec3, turns: bool) -> RowData {
    if !turns {
        return [row[0] + way.x, row[1] + way.y, row[2] + way.z, row[3]];
    }
    let half = way * 0.5;
    (Quat::from_xyzw(half.x, half.y, half.z, 1.0) * Quat::from_array(row)).normalize().to_array()
}
