//! Number type of the kernels: one `f32`, or a SIMD pack of several.
//!
//! A kernel is written once over [`Lane`] and runs scalar or as wide as the processor allows. Only
//! IEEE-exact operations are available (add, subtract, multiply, divide, square root, compare): no fused
//! multiply-add and no reciprocal estimates, so every width gives the same bits on every machine.
//!
//! Arithmetic only. The backend loads and stores lanes (`runtime::cpu::simd`).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A pack of `f32` values that a kernel processes together.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The same value in every lane.
    fn splat(value: f32) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Lane by lane: `if a > b { yes } else { no }`. False where either is NaN.
    fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self;

    /// The smaller value; `other` where either is NaN.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::pick_gt(other, self, self, other)
    }

    /// The larger value; `other` where either is NaN.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::pick_gt(self, other, self, other)
    }

    /// 1/v, or 0 where v is too small to divide by: nothing moves along an undefined direction.
    ///
    /// The bound is far below any sum of inverse mass times squared gradient in a valid scene
    /// (a tetrahedron of 0.5 mm edges and 1 kg particles gives 1e-15) and far above where 1/v overflows.
    #[inline(always)]
    fn safe_recip(self) -> Self {
        let zero = Self::splat(0.0);
        let one = Self::splat(1.0);
        let small = Self::splat(1e-30);
        Self::pick_gt(self, small, one / self.max(small), zero)
    }
}

impl Lane for f32 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self {
        if a > b { yes } else { no }
    }
}

/// Three lanes: a vector per constraint.
#[derive(Clone, Copy, Debug)]
pub struct V3<F> {
    /// First coordinate.
    pub x: F,
    /// Second coordinate.
    pub y: F,
    /// Third coordinate.
    pub z: F,
}

impl<F: Lane> V3<F> {
    /// From three coordinates.
    #[inline(always)]
    pub fn new(x: F, y: F, z: F) -> Self {
        Self { x, y, z }
    }
    /// The zero vector.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = F::splat(0.0);
        Self::new(zero, zero, zero)
    }
    /// Dot product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> F {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    /// Cross product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }
    /// |v|².
    #[inline(always)]
    pub fn length_squared(self) -> F {
        self.dot(self)
    }
    /// |v|.
    #[inline(always)]
    pub fn length(self) -> F {
        self.length_squared().sqrt()
    }
}

impl<F: Lane> Add for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<F: Lane> Sub for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<F: Lane> Neg for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<F: Lane> Mul<F> for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: F) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

/// Four-quadrant arctangent of y/x [rad], 0 at the origin.
///
/// Custom polynomial (odd, degree 15, fitted on [0, 1]; error below 5e-7 rad) instead of the system's, so
/// that all lane widths and machines agree bitwise.
#[inline(always)]
pub fn atan2<F: Lane>(y: F, x: F) -> F {
    let zero = F::splat(0.0);
    let (ax, ay) = (x.abs(), y.abs());
    let t = ax.min(ay) * ax.max(ay).safe_recip();
    let t2 = t * t;
    let mut p = F::splat(ATAN[ATAN.len() - 1]);
    for k in (0..ATAN.len() - 1).rev() {
        p = p * t2 + F::splat(ATAN[k]);
    }
    let mut angle = p * t;
    angle = F::pick_gt(ay, ax, F::splat(std::f32::consts::FRAC_PI_2) - angle, angle);
    angle = F::pick_gt(zero, x, F::splat(std::f32::consts::PI) - angle, angle);
    F::pick_gt(zero, y, -angle, angle)
}

/// Coefficients of atan(t)/t in powers of t², least-squares fit at Chebyshev nodes.
const ATAN: [f32; 8] =
    [0.99999934, -0.3332986, 0.19946566, -0.13908629, 0.09642197, -0.055912323, 0.021862952, -0.004054565];
