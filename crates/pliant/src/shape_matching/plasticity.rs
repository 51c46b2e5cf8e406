//! Plasticity: a rest shape that follows the deformation (S20; D3, [MHTG] on plasticity).
//!
//! The rest shape is the initial one times a matrix P, so no per-particle data changes: goals are R·P·q + c. P starts
//! as the identity and always has determinant 1.

use crate::math::matrix::{IDENTITY, Mat3, Vec3, blend, determinant, inverse, multiply, norm, symmetric, transpose};

/// Plasticity parameters of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic {
    /// Elastic limit: ‖S − I‖ (Frobenius) of the stretch S. 0.1 is a tenth along one axis.
    pub threshold: f32,
    /// Rate at which the rest shape follows beyond the limit [1/s]; infinite is immediate.
    pub creep: f32,
    /// Upper bound of ‖P − I‖, the deviation of the rest shape from the initial one.
    pub most: f32,
}

impl Plastic {
    /// Whether the parameters are in range.
    pub fn is_valid(self) -> bool {
        self.threshold >= 0.0 && self.creep >= 0.0 && self.most >= 0.0
    }
}

/// Stretch S of a body against its plastic rest shape: the symmetric part of RᵀF·P⁻¹, F = A·A_qq⁻¹ (D4 4.6).
///
/// `spread` is the pseudoinverse of A_qq = Σ m q qᵀ, `flat` the projector onto the directions in which the body has no
/// extent. There A_qq is singular (E23), and the body counts as undeformed.
pub fn stretch(a: &Mat3, rotation: &Mat3, shape: &Mat3, spread: &Mat3, flat: &Mat3) -> Mat3 {
    let Some(back) = inverse(shape) else { return IDENTITY };
    let local = multiply(&transpose(rotation), &multiply(a, spread));
    // P of a flat body must not rotate its plane; its effect across the plane is removed.
    let whole = blend(&local, 1.0, &multiply(shape, flat));
    symmetric(&multiply(&whole, &back))
}

/// ‖S − I‖, compared with [`Plastic::threshold`].
pub fn strain(stretch: &Mat3) -> f32 {
    norm(&blend(stretch, -1.0, &IDENTITY))
}

/// The rest shape after a substep of h seconds with stretch S ([MHTG]):
///
/// P ← (I + k(S − I)) P,  k = 1 − exp(−h·creep),
///
/// bounded by [`Plastic::most`] and divided by the cube root of its determinant, so that the volume is preserved.
/// [MHTG] has k = h·creep, which depends on the substep. No change below the threshold, or if the body is inverted: a
/// rest shape must not be inverted.
pub fn flow(plastic: &Plastic, h: f32, stretch: &Mat3, shape: &Mat3) -> Mat3 {
    // Also false if S is NaN.
    if !(strain(stretch) > plastic.threshold && plastic.creep > 0.0) {
        return *shape;
    }
    let k = -libm::expm1f(-h * plastic.creep);
    let step = blend(&IDENTITY, k, &blend(stretch, -1.0, &IDENTITY));
    let Some(mut next) = unimodular(&multiply(&step, shape)) else { return *shape };
    // Bounding changes the volume, and restoring the volume violates the bound. Bisection along the path from the
    // identity finds the boundary of the unimodular shapes; twenty steps reach single precision.
    if strain(&next) > plastic.most {
        let (mut low, mut high, goal) = (0.0, 1.0, next);
        next = IDENTITY;
        for _ in 0..20 {
            let middle = 0.5 * (low + high);
            match unimodular(&blend(&IDENTITY, middle, &blend(&goal, -1.0, &IDENTITY))) {
                Some(shape) if strain(&shape) <= plastic.most => (low, next) = (middle, shape),
                _ => high = middle,
            }
        }
    }
    next
}

/// The matrix over the cube root of its determinant, if that is clearly positive.
fn unimodular(m: &Mat3) -> Option<Mat3> {
    let det = determinant(m);
    (det > 1e-6 && det < f32::INFINITY).then(|| {
        let s = 1.0 / libm::cbrtf(det);
        m.map(|column: Vec3| column.map(|v| v * s))
    })
}
