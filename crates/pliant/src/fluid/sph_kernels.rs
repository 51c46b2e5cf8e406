//! Smoothing kernels (S23; D4 2.7–2.12).
//!
//! W has units 1/m³ and the integral 1; it vanishes from the reach H on. A kernel gives W and its slope over the
//! distance, (1/r)·dW/dr [1/m⁵], so that ∇W = slope·(x_i − x_j) needs no unit vector.
//!
//! - [`Cubic`]: the cubic B-spline, both for density and for its gradient. On a lattice of spacing H/2, where a liquid at
//!   rest lies, its sum is 1 to four digits, and its slope is steepest at two thirds of that spacing, so that
//!   particles do not pair up.
//! - [`Poly6`]: density by (H² − r²)³, gradient by that of (H − r)³ ("spiky"), as in D4: the two do not belong together,
//!   but the gradient does not vanish where particles are close.

use crate::math::Lane;
pub use crate::scene::Smoothing;
use std::f32::consts::PI;

impl Smoothing {
    /// As [`Smooth::at`], for a reach [m].
    #[inline]
    pub fn at(self, reach: f32, square: f32) -> (f32, f32) {
        match self {
            Self::Cubic => Cubic::<f32>::new(reach).at(square),
            Self::Poly6 => Poly6::<f32>::new(reach).at(square),
        }
    }
}

/// A kernel with its numbers worked out for one reach.
pub trait Smooth<F: Lane>: Copy {
    /// For a reach [m].
    fn new(reach: f32) -> Self;
    /// W [1/m³] and (1/r)·dW/dr [1/m⁵] at a squared distance [m²].
    fn at(&self, square: F) -> (F, F);
}

/// Cubic spline, W = (¼(2 − q)³₊ − (1 − q)³₊)/(π·h³) with q = r/h and h = H/2.
#[derive(Clone, Copy, Debug)]
pub struct Cubic<F> {
    inverse: F,
    value: F,
    slope: F,
}

impl<F: Lane> Smooth<F> for Cubic<F> {
    #[inline(always)]
    fn new(reach: f32) -> Self {
        let h = 0.5 * reach;
        let value = 1.0 / (PI * h * h * h);
        Self { inverse: F::splat(1.0 / h), value: F::splat(value), slope: F::splat(value / (h * h)) }
    }

    #[inline(always)]
    fn at(&self, square: F) -> (F, F) {
        let zero = F::splat(0.0);
        let q = square.sqrt() * self.inverse;
        let outer = (F::splat(2.0) - q).max(zero);
        let inner = (F::splat(1.0) - q).max(zero);
        let (a2, b2) = (outer * outer, inner * inner);
        let value = (F::splat(0.25) * a2 * outer - b2 * inner) * self.value;
        // At the center slope·distance is 0, whatever the slope.
        let slope = (F::splat(3.0) * b2 - F::splat(0.75) * a2) / q.max(F::splat(1e-6)) * self.slope;
        (value, slope)
    }
}

/// Poly6 and spiky.
#[derive(Clone, Copy, Debug)]
pub struct Poly6<F> {
    reach: F,
    square: F,
    value: F,
    slope: F,
    least: F,
}

impl<F: Lane> Smooth<F> for Poly6<F> {
    #[inline(always)]
    fn new(reach: f32) -> Self {
        let h3 = reach * reach * reach;
        Self {
            reach: F::splat(reach),
            square: F::splat(reach * reach),
            // Multiplied by (1 − q²)³, and by (1 − q)²/q: powers of a small reach would be lost in single precision.
            value: F::splat(315.0 / (64.0 * PI * h3)),
            slope: F::splat(-45.0 / (PI * h3 * reach * reach)),
            least: F::splat(1e-6 * reach),
        }
    }

    #[inline(always)]
    fn at(&self, square: F) -> (F, F) {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        let inside = (one - square / self.square).max(zero);
        let r = square.sqrt();
        let near = (one - r / self.reach).max(zero);
        let value = inside * inside * inside * self.value;
        (value, near * near * self.slope * self.reach / r.max(self.least))
    }
}

/// Σ W·(2r)³ over a cubic lattice of spacing 2r, as a liquid lies at rest: 1 but for a few parts in a hundred.
pub fn lattice(smoothing: Smoothing, reach: f32, radius: f32) -> f32 {
    layers(smoothing, reach, radius, |_| true)
}

/// The same over some layers of the lattice, by their number from the particle's own.
pub(crate) fn layers(smoothing: Smoothing, reach: f32, radius: f32, counts: impl Fn(i32) -> bool) -> f32 {
    let value = |square: f32| smoothing.at(reach, square).0;
    let (spacing, far) = (2.0 * radius, (0.5 * reach / radius) as i32);
    let mut sum = 0.0;
    for z in (-far..=far).filter(|&z| counts(z)) {
        for (x, y) in (-far..=far).flat_map(|x| (-far..=far).map(move |y| (x, y))) {
            sum += value((x * x + y * y + z * z) as f32 * spacing * spacing);
        }
    }
    sum * spacing * spacing * spacing
}
