//! Elastic rods with torsion: particles joined by segments that carry an orientation (S26).
//!
//! Kugelstadt, Schömer, "Position and orientation based Cosserat rods", SCA 2016, with compliance added.
//! The third axis d₃(q) of a segment's orientation follows its direction; two adjacent orientations
//! keep their rest rotation. A quaternion has inverse "mass" wq = 1/(4I) [1/(kg·m²)], I the segment's
//! moment of inertia, because q̇ = ½ωq.
//!
//! Stretch–shear: C = (x₁ − x₀)/l − d₃(q) ∈ R³. Bend–twist: C = Im(q̄₀q₁) − Im(rest) ∈ R³. In both the
//! rows of the Jacobian are orthogonal (|∂d₃/∂q|² = 4, |∂Im/∂q|² = 1), so components do not couple, except
//! that stretch is solved along d₃ and shear across it.

use crate::constraints::{Constraint, Row, Scales, Update};
use crate::math::{Lane, V3};

/// Stretch and shear. Rows: particles x₀, x₁, orientation q.
/// Parameters: segment length l [m], wq, softness (compliance of a dimensionless strain, 1/J).
pub struct StretchShear;

/// Bending and torsion. Rows: orientations q₀, q₁.
/// Parameters: wq₀, wq₁, rest rotation q̄₀q₁ (x, y, z, w), softness of bending, softness of torsion (1/J).
pub struct BendTwist;

/// d₃(q): the third column of the rotation matrix.
#[inline(always)]
fn third_axis<F: Lane>(q: &Row<F>) -> V3<F> {
    let two = F::splat(2.0);
    let (v, w) = (q.v, q.w);
    V3::new(two * (v.x * v.z + w * v.y), two * (v.y * v.z - w * v.x), w * w - v.x * v.x - v.y * v.y + v.z * v.z)
}

/// a·(d, 0): a quaternion times a pure one.
#[inline(always)]
fn times_pure<F: Lane>(a: &Row<F>, d: V3<F>) -> Row<F> {
    Row { v: d * a.w + a.v.cross(d), w: -a.v.dot(d) }
}

/// Change from q to the unit quaternion along q + dq.
#[inline(always)]
fn turn<F: Lane>(q: &Row<F>, dq: Row<F>) -> Row<F> {
    let (v, w) = (q.v + dq.v, q.w + dq.w);
    let inverse = (v.length_squared() + w * w).sqrt().safe_recip();
    Row { v: v * inverse - q.v, w: w * inverse - q.w }
}

impl Constraint<3, 3, 3> for StretchShear {
    const TURNS: bool = true;
    const SOFTNESS: Option<usize> = Some(2);

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 3], [a, b, q]: &[Row<F>; 3]) -> [F; 3] {
        let c = (b.v - a.v) * p[0].safe_recip() - third_axis(q);
        [c.x, c.y, c.z]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 3], rows: &[Row<F>; 3], lambda: &[F; 3]) -> Update<F, 3, 3> {
        let [a, b, q] = rows;
        let per_length = p[0].safe_recip();
        let c = Self::evaluate(p, rows);
        // Along the segment only the particles can move: an orientation rotates but does not stretch. Adding
        // its weight there would leave 4wq/(4wq + Σw/l²) of a stretch after every projection.
        let axial = (a.w + b.w) * per_length * per_length;
        let lateral = axial + F::splat(4.0) * p[1];
        let (k, alpha_tilde) = scales.soften(p[2]);
        let mut numerator = c;
        for m in 0..3 {
            numerator[m] = scales.numerator(k, alpha_tilde, c[m], lambda[m]);
        }
        let numerator = V3::new(numerator[0], numerator[1], numerator[2]);
        let axis = third_axis(q);
        let along = axis * numerator.dot(axis);
        let across = (numerator - along) * (lateral + alpha_tilde).safe_recip();
        let d = along * (axial + alpha_tilde).safe_recip() + across;
        let (v, w) = (q.v, q.w);
        // −(∂d₃/∂q)ᵀ·Δλ, scaled by wq; only the component perpendicular to the axis, since the other does not rotate.
        let s = F::splat(-2.0) * p[1];
        let dq = Row {
            v: V3::new(
                (v.z * across.x - w * across.y - v.x * across.z) * s,
                (w * across.x + v.z * across.y - v.y * across.z) * s,
                (v.x * across.x + v.y * across.y + v.z * across.z) * s,
            ),
            w: (v.y * across.x - v.x * across.y + w * across.z) * s,
        };
        let zero = F::splat(0.0);
        Update {
            rows: [
                Row { v: d * (-(a.w * per_length)), w: zero },
                Row { v: d * (b.w * per_length), w: zero },
                turn(q, dq),
            ],
            lambda: [lambda[0] + d.x, lambda[1] + d.y, lambda[2] + d.z],
        }
    }

    /// Norm of the strain.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 3], rows: &[Row<F>; 3]) -> F {
        let c = Self::evaluate(p, rows);
        (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt()
    }
}

impl Constraint<2, 8, 3> for BendTwist {
    const TURNS: bool = true;
    const SOFTNESS: Option<usize> = Some(6);

    #[inline(always)]
    fn evaluate<F: Lane>(p: &[F; 8], [a, b]: &[Row<F>; 2]) -> [F; 3] {
        let u = b.v * a.w - a.v * b.w - a.v.cross(b.v);
        let scalar = a.w * b.w + a.v.dot(b.v);
        let rest = V3::new(p[2], p[3], p[4]);
        // q and −q are the same rotation: compare with the nearer of the two rest quaternions.
        let (near, far) = (u - rest, u + rest);
        let (near_w, far_w) = (scalar - p[5], scalar + p[5]);
        let to_near = near.length_squared() + near_w * near_w;
        let to_far = far.length_squared() + far_w * far_w;
        [
            F::pick_gt(to_near, to_far, far.x, near.x),
            F::pick_gt(to_near, to_far, far.y, near.y),
            F::pick_gt(to_near, to_far, far.z, near.z),
        ]
    }

    #[inline(always)]
    fn project<F: Lane>(scales: &Scales<F>, p: &[F; 8], rows: &[Row<F>; 2], lambda: &[F; 3]) -> Update<F, 2, 3> {
        let c = Self::evaluate(p, rows);
        let inv_inertia = p[0] + p[1];
        // The third axis is along the rod: its component is torsion.
        let softness = [p[6], p[6], p[7]];
        let mut dl = c;
        for m in 0..3 {
            dl[m] = scales.delta_lambda(softness[m], c[m], lambda[m], inv_inertia);
        }
        let d = V3::new(dl[0], dl[1], dl[2]);
        let [a, b] = rows;
        Update {
            rows: [turn(a, times_pure(b, d * (-p[0]))), turn(b, times_pure(a, d * p[1]))],
            lambda: [lambda[0] + dl[0], lambda[1] + dl[1], lambda[2] + dl[2]],
        }
    }

    /// Sine of half the angle between the rotation and its rest.
    #[inline(always)]
    fn residual<F: Lane>(p: &[F; 8], rows: &[Row<F>; 2]) -> F {
        let c = Self::evaluate(p, rows);
        (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt()
    }

    #[inline(always)]
    fn energy<F: Lane>(p: &[F; 8], rows: &[Row<F>; 2]) -> F {
        let c = Self::evaluate(p, rows);
        let bend = (c[0] * c[0] + c[1] * c[1]) * p[6].safe_recip();
        (bend + c[2] * c[2] * p[7].safe_recip()) * F::splat(0.5)
    }
}
