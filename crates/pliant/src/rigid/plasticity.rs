//! Plastic flow: a rest shape that follows the deformation (S20; D3, [MHTG] on plasticity).
//!
//! The rest shape is the built one times a matrix P, so nothing is rewritten per particle: goals are R·P·q + c. P
//! begins as the identity and always has determinant 1.

use crate::math::matrix::{IDENTITY, Mat3, Vec3, blend, determinant, inverse, multiply, norm, symmetric, transpose};

/// When and how fast a body gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic {
    /// Deformation that is still elastic: ‖S − I‖ (Frobenius) of the stretch S. 0.1 is a tenth along one axis.
    pub threshold: f32,
    /// Rate at which the rest shape follows beyond [1/s]; infinite is at once.
    pub creep: f32,
    /// Most that the rest shape may differ from the built one, ‖P − I‖.
    pub most: f32,
}

impl Plastic {
    /// Whether the numbers mean something.
    pub fn is_valid(self) -> bool {
        self.threshold >= 0.0 && self.creep >= 0.0 && self.most >= 0.0
    }
}

/// Stretch S of a body against its plastic rest shape: the symmetric part of RᵀF·P⁻¹, F = A·A_qq⁻¹ (D4 4.6).
///
/// `spread` is the pseudoinverse of A_qq = Σ m q qᵀ, `flat` the projector onto the directions in which the body has no
/// extent. There A_qq is singular (E23), and the body counts as not deformed.
pub fn stretch(a: &Mat3, rotation: &Mat3, shape: &Mat3, spread: &Mat3, flat: &Mat3) -> Mat3 {
    let Some(back) = inverse(shape) else { return IDENTITY };
    let local = multiply(&transpose(rotation), &multiply(a, spread));
    // P of a flat body may not turn its plane out of itself; what it does across the plane is undone with it.
    let whole = blend(&local, 1.0, &multiply(shape, flat));
    symmetric(&multiply(&whole, &back))
}

/// ‖S − I‖, what [`Plastic::threshold`] is compared with.
pub fn strain(stretch: &Mat3) -> f32 {
    norm(&blend(stretch, -1.0, &IDENTITY))
}

/// The rest shape after a substep of h seconds in which the body was stretched by S ([MHTG]):
///
/// P ← (I + k(S − I)) P,  k = 1 − exp(−h·creep),
///
/// bounded by [`Plastic::most`] and divided by the cube root of its determinant, so that the volume stays. [MHTG] has
/// k = h·creep, which depends on the substep. Nothing changes below the threshold, or where the body is inverted: a
/// rest shape must not be turned inside out.
pub fn flow(plastic: &Plastic, h: f32, stretch: &Mat3, shape: &Mat3) -> Mat3 {
    // Also false where S is no number.
    if !(strain(stretch) > plastic.threshold && plastic.creep > 0.0) {
        return *shape;
    }
    let k = -libm::expm1f(-h * plastic.creep);
    let step = blend(&IDENTITY, k, &blend(stretch, -1.0, &IDENTITY));
    let Some(mut next) = unimodular(&multiply(&step, shape)) else { return *shape };
    // Bounding changes the volume and keeping the volume the bound. Shapes of one volume are a curved set, so halving
    // along the way from the identity finds its edge; twenty halvings are all that single precision resolves.
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
