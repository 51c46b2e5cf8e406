//! Energies of elastic elements: forces, and the positive part of their Hessians.
//!
//! An element of compliance α has the energy ½ Cᵀα⁻¹C. Its Hessian is that of Gauss and Newton, ∇Cᵀα⁻¹∇C, plus the
//! stiffness by which tension resists turning; what compression would take away is left out, so every block is positive.
//! Tetrahedra are stable neo-Hookean, as in `constraints/neo_hookean_tet.rs`.

use crate::constraints::attach::Attach;
use crate::constraints::bend;
use crate::constraints::group::{BLOCK, Group};
use crate::constraints::{Constraint, ConstraintKind, Row};
use crate::constraints::{fem_triangle, isometric, membrane, neo_hookean_tet, rod, rope_bending, stretch, volume};
use crate::math::{RowData, V3, position};
use crate::methods::vbd::chain;
use crate::methods::vbd::linear::{Linear, outer};
use crate::methods::vbd::sheet::{SheetStiffness, Stretched, positive_part};
use glam::{Mat3, Quat, Vec3};

/// One constraint of a body, with its rows numbered within the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Kind.
    pub kind: ConstraintKind,
    /// Group of the constraint.
    pub group: u16,
    /// Block × 8 + lane within the group.
    pub slot: u32,
    /// Rows, as many as the kind has.
    pub rows: [u32; 4],
}

/// Kinds that have an energy here.
pub(crate) fn is_elastic(kind: ConstraintKind) -> bool {
    use ConstraintKind::*;
    // Those of `linear`; a body with any other is projected. St Venant–Kirchhoff solids are not among them: they have
    // states from which no descent brings them back.
    matches!(
        kind,
        Stretch
            | Attach
            | Bend
            | Isometric
            | Volume
            | Membrane
            | FemTriangle
            | NeoHookeanTet
            | RopeBending
            | StretchShear
            | BendTwist
    )
}

/// Parameters of an element, from its group, where setters change them.
#[inline]
pub(super) fn params(element: &Element, groups: &[Group]) -> [f32; 12] {
    let group = &groups[element.group as usize];
    let count = group.layout().params;
    let (block, lane) = (element.slot as usize / BLOCK, element.slot as usize % BLOCK);
    let mut p = [0.0; 12];
    for (k, p) in p[..count].iter_mut().enumerate() {
        *p = group.params[(block * count + k) * BLOCK + lane];
    }
    p
}

/// 1/α. A constraint that was made rigid after the scene was built is as stiff as single precision allows.
#[inline]
pub(crate) fn stiffness(alpha: f32) -> f32 {
    if alpha > 1e-9 { 1.0 / alpha } else { 1e9 }
}

fn rows_of<const N: usize>(x: &[RowData; 4]) -> [Row<f32>; N] {
    std::array::from_fn(|k| Row { v: V3::new(x[k][0], x[k][1], x[k][2]), w: x[k][3] })
}

fn vec3(v: V3<f32>) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Energy [J].
pub(super) fn energy(kind: ConstraintKind, p: &[f32; 12], x: &[RowData; 4]) -> f32 {
    fn of<K: Constraint<N, P, M>, const N: usize, const P: usize, const M: usize>(
        p: &[f32; 12],
        x: &[RowData; 4],
    ) -> f32 {
        K::energy(&std::array::from_fn(|k| p[k]), &rows_of::<N>(x))
    }
    match kind {
        ConstraintKind::NeoHookeanTet => of::<neo_hookean_tet::NeoHookeanTet, 4, 12, 2>(p, x),
        ConstraintKind::Membrane => of::<membrane::Membrane, 3, 7, 3>(p, x),
        ConstraintKind::Stretch => of::<stretch::Stretch, 2, 2, 1>(p, x),
        ConstraintKind::Attach => of::<Attach, 2, 1, 3>(p, x),
        ConstraintKind::Bend => of::<bend::Bend, 4, 2, 1>(p, x),
        ConstraintKind::Isometric => of::<isometric::Isometric, 4, 7, 1>(p, x),
        ConstraintKind::Volume => of::<volume::Volume, 4, 2, 1>(p, x),
        ConstraintKind::FemTriangle => of::<fem_triangle::FemTriangle, 3, 7, 3>(p, x),
        ConstraintKind::RopeBending => of::<rope_bending::RopeBending, 3, 3, 1>(p, x),
        ConstraintKind::StretchShear => of::<rod::StretchShear, 3, 3, 3>(p, x),
        ConstraintKind::BendTwist => of::<rod::BendTwist, 2, 8, 3>(p, x),
        _ => 0.0,
    }
}

/// Constants of a neo-Hookean tetrahedron: ½μI²/(1 + I) + ½λ(J − α)² with I = |F|², times rest volume [J].
#[derive(Clone, Copy, Debug)]
pub(super) struct TetConstants {
    pub(super) mu: f32,
    pub(super) lambda: f32,
    pub(super) alpha: f32,
}

impl TetConstants {
    #[inline]
    pub(super) fn new(p: &[f32; 12]) -> Self {
        Self { mu: 1.0 / p[9], lambda: 1.0 / p[10], alpha: p[11] }
    }

    /// μ times the first and twice the second derivative of I²/(1 + I).
    #[inline(always)]
    pub(super) fn shear(&self, invariant: f32) -> [f32; 2] {
        let inverse = 1.0 / (1.0 + invariant);
        [self.mu * (1.0 - inverse * inverse), 4.0 * self.mu * inverse * inverse * inverse]
    }
}

/// Deformation gradient.
#[inline]
fn tet_gradient(p: &[f32; 12], x: &[RowData; 4]) -> Mat3 {
    let origin = position(x[0]);
    let e = [position(x[1]) - origin, position(x[2]) - origin, position(x[3]) - origin];
    let column = |j: usize| e[0] * p[j] + e[1] * p[3 + j] + e[2] * p[6 + j];
    Mat3::from_cols(column(0), column(1), column(2))
}

/// Gradients of the linear shape functions at rest [1/m].
#[inline]
pub(super) fn tet_shape(p: &[f32; 12]) -> [Vec3; 4] {
    let [a, b, c] = [0, 3, 6].map(|k| Vec3::new(p[k], p[k + 1], p[k + 2]));
    [-(a + b + c), a, b, c]
}

/// Force on one row.
#[inline]
pub(super) fn force_at_row(kind: ConstraintKind, p: &[f32; 12], x: &[RowData; 4], row: usize) -> Vec3 {
    match kind {
        ConstraintKind::StretchShear => {
            let (c, per_length, axis) = stretch_shear_strain(p, x);
            let pull = c * (stiffness(p[2]) * per_length);
            match row {
                0 => pull,
                1 => -pull,
                _ => axis.cross(c) * stiffness(p[2]),
            }
        }
        ConstraintKind::BendTwist => chain::bend_twist_torque(p, x) * if row == 1 { 1.0 } else { -1.0 },
        _ => linear(kind, p, x, Mat3::IDENTITY).force[row],
    }
}

/// Strain of a segment of a rod, 1/l [1/m], and its axis.
#[inline]
fn stretch_shear_strain(p: &[f32; 12], x: &[RowData; 4]) -> (Vec3, f32, Vec3) {
    let per_length = 1.0 / p[0];
    let axis = Quat::from_array(x[2]) * Vec3::Z;
    ((position(x[1]) - position(x[0])) * per_length - axis, per_length, axis)
}

/// Force on one row and its Hessian block: all that a sweep needs.
#[inline]
pub(super) fn at_row(kind: ConstraintKind, p: &[f32; 12], x: &[RowData; 4], row: usize) -> (Vec3, Mat3) {
    match kind {
        ConstraintKind::Stretch => {
            let (k, rest) = (stiffness(p[1]), p[0]);
            let d = position(x[row]) - position(x[1 - row]);
            let length = d.length().max(1e-12);
            let along = d / length;
            let lateral = k * (1.0 - rest / length).max(0.0);
            (
                along * (-k * (length - rest)),
                outer(along * (k - lateral), along) + Mat3::from_diagonal(Vec3::splat(lateral)),
            )
        }
        ConstraintKind::StretchShear => {
            let ((c, per_length, axis), k) = (stretch_shear_strain(p, x), stiffness(p[2]));
            if row == 2 {
                let even = Mat3::from_diagonal(Vec3::splat(k * axis.length_squared()));
                return (axis.cross(c) * k, even - outer(axis * k, axis));
            }
            let sign = if row == 0 { per_length } else { -per_length };
            (c * (k * sign), Mat3::from_diagonal(Vec3::splat(k * per_length * per_length)))
        }
        ConstraintKind::BendTwist => {
            let torque = chain::bend_twist_torque(p, x);
            (if row == 1 { torque } else { -torque }, chain::bend_twist(p, x))
        }
        _ => {
            let all = linear(kind, p, x, Mat3::IDENTITY);
            (all.force[row], all.block(row, row))
        }
    }
}

/// The element near the current positions. `rotation` is that of the material around a tetrahedron.
pub(super) fn linear(kind: ConstraintKind, p: &[f32; 12], x: &[RowData; 4], rotation: Mat3) -> Linear {
    let at = |k: usize| position(x[k]);
    match kind {
        ConstraintKind::Stretch => Linear::length(2, [1.0, -1.0, 0.0, 0.0], at(0) - at(1), p[0], stiffness(p[1])),
        ConstraintKind::Attach => Linear::length(2, [1.0, -1.0, 0.0, 0.0], at(0) - at(1), 0.0, stiffness(p[0])),
        ConstraintKind::RopeBending => {
            let s = (at(0) - at(1)) + (at(2) - at(1));
            Linear::length(3, [1.0, -2.0, 1.0, 0.0], s, p[0], stiffness(p[1]))
        }
        ConstraintKind::Isometric => {
            // Relative to the first row: far from the origin the stencil would lose the small curvature.
            let s = (at(1) - at(0)) * p[1] + (at(2) - at(0)) * p[2] + (at(3) - at(0)) * p[3];
            Linear::length(4, [p[0], p[1], p[2], p[3]], s, p[4], stiffness(p[5]))
        }
        ConstraintKind::Bend => {
            let (angle, g) = bend::angle(&rows_of::<4>(x));
            Linear::scalar(4, bend::difference(angle, p[0]), g.map(vec3), stiffness(p[1]))
        }
        ConstraintKind::Volume => {
            let e = [at(1) - at(0), at(2) - at(0), at(3) - at(0)];
            let g = [e[1].cross(e[2]) / 6.0, e[2].cross(e[0]) / 6.0, e[0].cross(e[1]) / 6.0];
            let c = g[2].dot(e[2]) - p[0];
            Linear::scalar(4, c, [-(g[0] + g[1] + g[2]), g[0], g[1], g[2]], stiffness(p[1]))
        }
        ConstraintKind::FemTriangle => triangle(p, [at(0), at(1), at(2)]),
        ConstraintKind::Membrane => sheet(p, [at(0), at(1), at(2)]),
        ConstraintKind::NeoHookeanTet => tetrahedron(p, x, rotation),
        ConstraintKind::StretchShear => stretch_shear(p, x),
        ConstraintKind::BendTwist => bend_twist(p, x),
        _ => Linear::new(0, 0),
    }
}

fn triangle(p: &[f32; 12], x: [Vec3; 3]) -> Linear {
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let f = [e1 * p[0] + e2 * p[2], e1 * p[1] + e2 * p[3]];
    let c = [0.5 * (f[0].length_squared() - 1.0), 0.5 * (f[1].length_squared() - 1.0), f[0].dot(f[1])];
    // Inverse of the compliance [[a, b], [b, a]], and of that of shear.
    let scale = 1.0 / (p[4] * p[4] - p[5] * p[5]);
    let (normal, cross, shear) = (p[4] * scale, -p[5] * scale, 1.0 / p[6]);
    let mut it = Linear::new(3, 3);
    it.k = [[normal, cross, 0.0], [cross, normal, 0.0], [0.0, 0.0, shear]];
    let stress = [normal * c[0] + cross * c[1], cross * c[0] + normal * c[1], shear * c[2]];
    let shape = triangle_shape(p);
    let [s00, s11, s01] = positive_part(stress);
    for (i, n) in shape.iter().enumerate() {
        it.g[0][i] = f[0] * n[0];
        it.g[1][i] = f[1] * n[1];
        it.g[2][i] = f[0] * n[1] + f[1] * n[0];
        it.force[i] = -(it.g[0][i] * stress[0] + it.g[1][i] * stress[1] + it.g[2][i] * stress[2]);
        for (j, q) in shape.iter().enumerate() {
            it.s[i][j] = n[0] * q[0] * s00 + n[1] * q[1] * s11 + (n[0] * q[1] + n[1] * q[0]) * s01;
        }
    }
    it
}

/// Shape gradients of a triangle in its own frame [1/m].
#[inline]
pub(super) fn triangle_shape(p: &[f32; 12]) -> [[f32; 2]; 3] {
    [[-(p[0] + p[2]), -(p[1] + p[3])], [p[0], p[1]], [p[2], p[3]]]
}

fn sheet(p: &[f32; 12], x: [Vec3; 3]) -> Linear {
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let k = SheetStiffness::new(p);
    let it = Stretched::new([e1 * p[0] + e2 * p[2], e1 * p[1] + e2 * p[3]], &k);
    let [s00, s11, s01] = it.tension();
    let mut all = Linear::new(3, 3);
    all.k = [[k.normal, k.cross, 0.0], [k.cross, k.normal, 0.0], [0.0, 0.0, k.shear]];
    let shape = triangle_shape(p);
    for (i, n) in shape.iter().enumerate() {
        all.g[0][i] = it.r[0] * n[0];
        all.g[1][i] = it.r[1] * n[1];
        all.g[2][i] = it.r[0] * n[1] + it.r[1] * n[0];
        all.force[i] = -it.gradient(*n);
        for (j, q) in shape.iter().enumerate() {
            all.s[i][j] = n[0] * q[0] * s00 + n[1] * q[1] * s11 + (n[0] * q[1] + n[1] * q[0]) * s01;
        }
    }
    all
}

/// Neo-Hookean forces with the Hessian of linear elasticity, turned with the material: positive at any strain.
fn tetrahedron(p: &[f32; 12], x: &[RowData; 4], rotation: Mat3) -> Linear {
    let (tet, f, shape) = (TetConstants::new(p), tet_gradient(p, x), tet_shape(p));
    let cofactors = Mat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis));
    let pressure = tet.lambda * (f.x_axis.dot(cofactors.x_axis) - tet.alpha);
    let squares = f.x_axis.length_squared() + f.y_axis.length_squared() + f.z_axis.length_squared();
    let [stress, _] = tet.shear(squares);
    // Lamé's parameters at small strain.
    let (shear, lambda) = (tet.mu * 15.0 / 16.0, tet.lambda - tet.mu * 7.0 / 8.0);
    let mut it = Linear::new(4, 1);
    (it.k[0][0], it.swap) = (lambda, shear);
    for i in 0..4 {
        it.g[0][i] = rotation * shape[i];
        it.force[i] = -(f * shape[i] * stress + cofactors * shape[i] * pressure);
        for k in 0..4 {
            it.s[i][k] = shear * shape[i].dot(shape[k]);
        }
    }
    it
}

/// C = (x₁ − x₀)/l − d₃(q); a rotation φ of the segment changes d₃ by φ × d₃.
fn stretch_shear(p: &[f32; 12], x: &[RowData; 4]) -> Linear {
    let (per_length, k) = (1.0 / p[0], stiffness(p[2]));
    let axis = Quat::from_array(x[2]) * Vec3::Z;
    let c = (position(x[1]) - position(x[0])) * per_length - axis;
    let mut it = Linear::new(3, 3);
    for m in 0..3 {
        it.k[m][m] = k;
        it.g[m][0] = -Vec3::AXES[m] * per_length;
        it.g[m][1] = Vec3::AXES[m] * per_length;
        // Row m of the matrix of axis × φ.
        it.g[m][2] = Vec3::AXES[m].cross(axis);
    }
    it.force = [c * (k * per_length), c * (-k * per_length), axis.cross(c) * k, Vec3::ZERO];
    it
}

/// C = Im(q̄₀q₁) − Im(rest); a rotation φ of q₁ changes it by ½ Im(q̄₀φq₁), and one of q₀ by the opposite.
fn bend_twist(p: &[f32; 12], x: &[RowData; 4]) -> Linear {
    let c = rod::BendTwist::evaluate(&std::array::from_fn(|k| p[k]), &rows_of::<2>(x));
    let (a, b) = (Quat::from_array(x[0]), Quat::from_array(x[1]));
    let k = [stiffness(p[6]), stiffness(p[6]), stiffness(p[7])];
    let mut it = Linear::new(2, 3);
    for axis in Vec3::AXES {
        let change = a.conjugate() * Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0) * b;
        for (m, part) in [change.x, change.y, change.z].into_iter().enumerate() {
            it.g[m][0] -= axis * (0.5 * part);
            it.g[m][1] += axis * (0.5 * part);
        }
    }
    for m in 0..3 {
        it.k[m][m] = k[m];
        for i in 0..2 {
            it.force[i] -= it.g[m][i] * (k[m] * c[m]);
        }
    }
    it
}

#[cfg(test)]
#[path = "element_tests.rs"]
mod tests;
