//! The matrix of a chain: every vertex is its own aggregate, so that blocks of elements are added as they are.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::constraints::rod::BendTwist;
use crate::constraints::{Constraint, Row};
use crate::math::{RowData, V3, position};
use crate::memory::of;
use crate::methods::vbd::element::{Element, linear, outer, params, stiffness};
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::plan::Body;
use glam::{Mat3, Quat, Vec3};

/// An element of a chain.
struct Link {
    kind: ConstraintKind,
    rows: [u32; 4],
    /// First unknown of each row.
    unknowns: [u32; 4],
    /// Whether each row can move.
    free: [bool; 4],
    params: [f32; 12],
}

/// Elements of a chain.
#[derive(Default)]
pub(super) struct Chain {
    links: Vec<Link>,
}

impl Chain {
    pub(super) fn new(body: &Body, groups: &[Group]) -> Self {
        let space = &body.coarse;
        if !space.exact {
            return Self::default();
        }
        let link = |element: &Element| Link {
            kind: element.kind,
            rows: element.rows,
            unknowns: element.rows.map(|r| space.unknowns[space.aggregate[r as usize] as usize]),
            free: element.rows.map(|r| space.modes[r as usize][0] != 0.0),
            params: params(element, groups),
        };
        Self { links: body.elements.iter().map(link).collect() }
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.links)
    }

    /// Adds the Hessians at the positions `x` to the matrix.
    pub(super) fn add(&self, x: &[RowData], matrix: &mut Envelope) {
        for link in &self.links {
            let rows = link.rows.map(|r| x[r as usize]);
            let p = &link.params;
            match link.kind {
                ConstraintKind::StretchShear => {
                    let [along, coupling, turning] = stretch_shear(p, &rows);
                    link.put(matrix, 0, 0, along);
                    link.put(matrix, 1, 1, along);
                    link.put(matrix, 1, 0, -along);
                    link.put(matrix, 2, 1, coupling);
                    link.put(matrix, 2, 0, -coupling);
                    link.put(matrix, 2, 2, turning);
                }
                ConstraintKind::BendTwist => {
                    let block = bend_twist(p, &rows);
                    link.put(matrix, 0, 0, block);
                    link.put(matrix, 1, 1, block);
                    link.put(matrix, 1, 0, -block);
                }
                kind => {
                    let all = linear(kind, p, &rows, Mat3::IDENTITY);
                    for i in 0..all.rows {
                        for j in 0..=i {
                            link.put(matrix, i, j, all.block(i, j));
                        }
                    }
                }
            }
        }
    }
}

impl Link {
    /// Adds the block of two rows, to the lower triangle.
    #[inline]
    fn put(&self, matrix: &mut Envelope, i: usize, j: usize, block: Mat3) {
        if self.free[i] && self.free[j] {
            let (row, column) = (self.unknowns[i] as usize, self.unknowns[j] as usize);
            if row >= column {
                matrix.add_block(row, column, &block);
            } else {
                matrix.add_block(column, row, &block.transpose());
            }
        }
    }
}

/// Hessian blocks of stretching and shearing: of the ends, of orientation and second end, of the orientation.
#[inline]
pub(super) fn stretch_shear(p: &[f32; 12], x: &[RowData; 4]) -> [Mat3; 3] {
    let (per_length, k) = (1.0 / p[0], stiffness(p[2]));
    let axis = Quat::from_array(x[2]) * Vec3::Z;
    let ends = Mat3::from_diagonal(Vec3::splat(k * per_length * per_length));
    // Row m of the derivative by a rotation φ is eₘ × axis.
    let turn = |m: usize| Vec3::AXES[m].cross(axis);
    let coupling = Mat3::from_cols(turn(0), turn(1), turn(2)) * (k * per_length);
    let even = Mat3::from_diagonal(Vec3::splat(k * axis.length_squared()));
    [ends, coupling, even - outer(axis * k, axis)]
}

/// Stiffness of a bent or twisted rod [J].
#[inline]
fn bending_stiffness(p: &[f32; 12]) -> Vec3 {
    Vec3::new(stiffness(p[6]), stiffness(p[6]), stiffness(p[7]))
}

/// Torque on the second orientation of a bent or twisted rod; the first has the opposite one.
///
/// A rotation φ changes C by ½ Im(q̄₀φq₁), and its product with u is that of φ with ½ Im(q₀uq̄₁).
#[inline]
pub(super) fn bend_twist_torque(p: &[f32; 12], x: &[RowData; 4]) -> Vec3 {
    let row = |k: usize| Row { v: V3::new(x[k][0], x[k][1], x[k][2]), w: x[k][3] };
    let c = BendTwist::evaluate(&std::array::from_fn(|k| p[k]), &[row(0), row(1)]);
    let u = bending_stiffness(p) * Vec3::from_array(c);
    let (a, b) = (position(x[0]), position(x[1]));
    let (aw, bw) = (x[0][3], x[1][3]);
    let (w, v) = (-a.dot(u), u * aw + a.cross(u));
    (v * bw - b * w - v.cross(b)) * -0.5
}

/// Hessian of either orientation of a bent or twisted rod; the block of both is its negative.
#[inline]
pub(super) fn bend_twist(p: &[f32; 12], x: &[RowData; 4]) -> Mat3 {
    let (a, b) = (position(x[0]), position(x[1]));
    let (aw, bw) = (x[0][3], x[1][3]);
    // ½ Im(q̄₀φq₁) for a rotation φ about each axis: first q̄₀φ, then times q₁.
    let column = |axis: Vec3| {
        let (w, v) = (a.dot(axis), axis * aw - a.cross(axis));
        (b * w + v * bw + v.cross(b)) * 0.5
    };
    let g = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
    g.transpose() * Mat3::from_diagonal(bending_stiffness(p)) * g
}
