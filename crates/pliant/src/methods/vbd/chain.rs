//! The matrix of a chain: every vertex is its own aggregate, so that blocks of elements are added as they are.

use crate::constraints::ConstraintKind;
use crate::constraints::group::Group;
use crate::constraints::rod::BendTwist;
use crate::constraints::{Constraint, Row};
use crate::math::{RowData, V3, position};
use crate::memory::of;
use crate::methods::vbd::element::{Element, linear, params, stiffness};
use crate::methods::vbd::envelope::Envelope;
use crate::methods::vbd::linear::outer;
use crate::methods::vbd::plan::ElasticBody;
use glam::{Mat3, Vec3};

/// An element of a chain.
struct Link {
    kind: ConstraintKind,
    rows: [u32; 4],
    /// First unknown of each row.
    unknowns: [u32; 4],
    /// Whether each row can move.
    free: [bool; 4],
    params: [f32; 12],
    /// Stiffness: of springs and segments in the first, of joints of rods about each axis.
    stiffness: Vec3,
}

/// Elements of a chain.
#[derive(Default)]
pub(super) struct Chain {
    links: Vec<Link>,
    /// Whether all elements are those of ropes and rods.
    whole: bool,
}

impl Chain {
    pub(super) fn new(body: &ElasticBody, groups: &[Group]) -> Self {
        use ConstraintKind::{Attach, RopeBending, Stretch, StretchShear};
        let space = &body.coarse;
        if !space.exact {
            return Self::default();
        }
        let link = |element: &Element| {
            let params = params(element, groups);
            let stiffness = match element.kind {
                Stretch | RopeBending => Vec3::splat(stiffness(params[1])),
                Attach => Vec3::splat(stiffness(params[0])),
                StretchShear => Vec3::splat(stiffness(params[2])),
                _ => bending_stiffness(&params),
            };
            Link {
                kind: element.kind,
                rows: element.rows,
                unknowns: element.rows.map(|r| space.unknowns[space.aggregate[r as usize] as usize]),
                free: element.rows.map(|r| space.modes[r as usize][0] != 0.0),
                params,
                stiffness,
            }
        };
        Self { links: body.elements.iter().map(link).collect(), whole: Self::is_whole_hessian(body) }
    }

    /// Whether the coarse matrix of a body is the whole Hessian: those of ropes and rods alone.
    pub(super) fn is_whole_hessian(body: &ElasticBody) -> bool {
        use ConstraintKind::{Attach, BendTwist, RopeBending, Stretch, StretchShear};
        let of_ropes = |e: &Element| matches!(e.kind, Stretch | Attach | RopeBending | StretchShear | BendTwist);
        body.coarse.exact && body.elements.iter().all(of_ropes)
    }

    pub(super) fn bytes(&self) -> u64 {
        of(&self.links)
    }

    /// Whether [`Self::add_forces`] knows all elements, and the matrix is their whole Hessian: a step of Newton's method
    /// leaves nothing to a sweep.
    pub(super) fn is_of_ropes(&self) -> bool {
        self.whole
    }

    /// Adds the forces of ropes and rods [N], torques on orientations [N·m]; each element is evaluated once. Returns their
    /// energy [J].
    pub(super) fn add_forces(&self, x: &[RowData], forces: &mut [RowData]) -> f64 {
        let mut energy = 0.0;
        for link in &self.links {
            let [a, b, c, _] = link.rows.map(|r| r as usize);
            let (p, k) = (&link.params, link.stiffness.x);
            match link.kind {
                ConstraintKind::Stretch | ConstraintKind::Attach => {
                    let rest = if link.kind == ConstraintKind::Stretch { p[0] } else { 0.0 };
                    let d = position(x[b]) - position(x[a]);
                    let length = d.length();
                    let pull = d * (k * (1.0 - rest / length.max(1e-12)));
                    energy += f64::from(k * (length - rest) * (length - rest));
                    push(&mut forces[a], pull);
                    push(&mut forces[b], -pull);
                }
                ConstraintKind::RopeBending => {
                    let middle = position(x[b]);
                    let s = (position(x[a]) - middle) + (position(x[c]) - middle);
                    let length = s.length();
                    let pull = s * (k * (1.0 - p[0] / length.max(1e-12)));
                    energy += f64::from(k * (length - p[0]) * (length - p[0]));
                    push(&mut forces[a], -pull);
                    push(&mut forces[b], pull * 2.0);
                    push(&mut forces[c], -pull);
                }
                ConstraintKind::StretchShear => {
                    let (per_length, axis) = (1.0 / p[0], third_axis(x[c]));
                    let strain = (position(x[b]) - position(x[a])) * per_length - axis;
                    let stress = strain * k;
                    let pull = stress * per_length;
                    energy += f64::from(stress.dot(strain));
                    push(&mut forces[a], pull);
                    push(&mut forces[b], -pull);
                    push(&mut forces[c], axis.cross(stress));
                }
                _ => {
                    let (torque, twice) = torque(p, link.stiffness, [x[a], x[b]]);
                    energy += f64::from(twice);
                    push(&mut forces[a], -torque);
                    push(&mut forces[b], torque);
                }
            }
        }
        0.5 * energy
    }

    /// Adds the Hessians at the positions `x` to the matrix.
    pub(super) fn add(&self, x: &[RowData], matrix: &mut Envelope) {
        for link in &self.links {
            let rows = link.rows.map(|r| x[r as usize]);
            let p = &link.params;
            match link.kind {
                ConstraintKind::Stretch | ConstraintKind::Attach => {
                    let k = link.stiffness.x;
                    let rest = if link.kind == ConstraintKind::Stretch { p[0] } else { 0.0 };
                    let block = line_hessian(position(rows[0]) - position(rows[1]), rest, k);
                    link.put(matrix, 0, 0, block);
                    link.put(matrix, 1, 1, block);
                    link.put(matrix, 1, 0, -block);
                }
                ConstraintKind::RopeBending => {
                    let [a, b, c, _] = rows.map(position);
                    let block = line_hessian((a - b) + (c - b), p[0], link.stiffness.x);
                    let twice = block * -2.0;
                    link.put(matrix, 0, 0, block);
                    link.put(matrix, 1, 0, twice);
                    link.put(matrix, 1, 1, block * 4.0);
                    link.put(matrix, 2, 0, block);
                    link.put(matrix, 2, 1, twice);
                    link.put(matrix, 2, 2, block);
                }
                ConstraintKind::StretchShear => {
                    let (along, coupling, turning) = stretch_shear(p, link.stiffness.x, rows[2]);
                    link.put_even(matrix, 0, 0, along);
                    link.put_even(matrix, 1, 1, along);
                    link.put_even(matrix, 1, 0, -along);
                    link.put(matrix, 2, 1, coupling);
                    link.put(matrix, 2, 0, -coupling);
                    link.put(matrix, 2, 2, turning);
                }
                ConstraintKind::BendTwist => {
                    let block = joint_hessian(link.stiffness, &rows);
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
    /// Adds a block that is the same in all directions.
    #[inline]
    fn put_even(&self, matrix: &mut Envelope, i: usize, j: usize, k: f32) {
        if self.free[i] && self.free[j] {
            let (row, column) = (self.unknowns[i].max(self.unknowns[j]), self.unknowns[i].min(self.unknowns[j]));
            (0..3).for_each(|c| matrix.add(row as usize + c, column as usize + c, f64::from(k)));
        }
    }

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

#[inline]
fn push(force: &mut RowData, by: Vec3) {
    (force[0], force[1], force[2]) = (force[0] + by.x, force[1] + by.y, force[2] + by.z);
}

/// Hessian of ½k(|s| − rest)² by s, what compression takes away left out.
#[inline]
fn line_hessian(s: Vec3, rest: f32, k: f32) -> Mat3 {
    let length = s.length().max(1e-12);
    let lateral = k * (1.0 - rest / length).max(0.0);
    let along = s / length;
    outer(along * (k - lateral), along) + Mat3::from_diagonal(Vec3::splat(lateral))
}

/// The third axis of an orientation.
#[inline]
fn third_axis([x, y, z, w]: RowData) -> Vec3 {
    Vec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z)
}

/// Hessian blocks of stretching and shearing: of the ends, the same in all directions; of orientation and second end; of the
/// orientation.
#[inline]
fn stretch_shear(p: &[f32; 12], k: f32, orientation: RowData) -> (f32, Mat3, Mat3) {
    let per_length = 1.0 / p[0];
    let axis = third_axis(orientation);
    let ends = k * per_length * per_length;
    // Row m of the derivative by a rotation φ is eₘ × axis.
    let turn = |m: usize| Vec3::AXES[m].cross(axis);
    let coupling = Mat3::from_cols(turn(0), turn(1), turn(2)) * (k * per_length);
    let even = Mat3::from_diagonal(Vec3::splat(k * axis.length_squared()));
    (ends, coupling, even - outer(axis * k, axis))
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
    torque(p, bending_stiffness(p), [x[0], x[1]]).0
}

/// The same, and twice the energy.
#[inline]
fn torque(p: &[f32; 12], stiffness: Vec3, x: [RowData; 2]) -> (Vec3, f32) {
    let row = |k: usize| Row { v: V3::new(x[k][0], x[k][1], x[k][2]), w: x[k][3] };
    let c = BendTwist::evaluate(&std::array::from_fn(|k| p[k]), &[row(0), row(1)]);
    let c = Vec3::from_array(c);
    let u = stiffness * c;
    let (a, b) = (position(x[0]), position(x[1]));
    let (aw, bw) = (x[0][3], x[1][3]);
    let (w, v) = (-a.dot(u), u * aw + a.cross(u));
    ((v * bw - b * w - v.cross(b)) * -0.5, u.dot(c))
}

/// Hessian of either orientation of a bent or twisted rod; the block of both is its negative.
#[inline]
pub(super) fn bend_twist(p: &[f32; 12], x: &[RowData; 4]) -> Mat3 {
    joint_hessian(bending_stiffness(p), x)
}

#[inline]
fn joint_hessian(stiffness: Vec3, x: &[RowData; 4]) -> Mat3 {
    let (a, b) = (position(x[0]), position(x[1]));
    let (aw, bw) = (x[0][3], x[1][3]);
    // ½ Im(q̄₀φq₁) for a rotation φ about each axis: first q̄₀φ, then times q₁.
    let column = |axis: Vec3| {
        let (w, v) = (a.dot(axis), axis * aw - a.cross(axis));
        (b * w + v * bw + v.cross(b)) * 0.5
    };
    let g = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
    g.transpose() * Mat3::from_cols(g.x_axis * stiffness, g.y_axis * stiffness, g.z_axis * stiffness)
}
