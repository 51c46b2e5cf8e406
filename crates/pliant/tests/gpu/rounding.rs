//! Bounds on the effect of rounding on a result, input by input.
//!
//! Two machines round one formula differently: fused multiply-adds, divisions and roots that are off by a few units
//! in the last place, another order of a sum. If a formula is ill-conditioned (a thin triangle, a nearly zero
//! pivot, a fold where the angle jumps) that is visible, and no fixed tolerance is right. Kernels are generic
//! over their number type, so they can run with a number that errs randomly by up to a few units at every operation:
//! the spread of such runs estimates the effect of rounding. Parker, Pierce, Eggert, "Monte Carlo arithmetic: how to
//! gamble with floating point and win", CiSE 2000.

use crate::samples::{Number, Rng};
use pliant::math::Lane;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Least and greatest of every number that `run` answers, in 64 runs.
pub fn scatter(run: impl Fn() -> Vec<f64>) -> Vec<(f64, f64)> {
    // The same errors for an input on whatever thread it is judged.
    ERRORS.set(Rng(7));
    let mut bounds: Vec<(f64, f64)> = run().into_iter().map(|v| (v, v)).collect();
    for _ in 1..64 {
        for ((low, high), v) in bounds.iter_mut().zip(run()) {
            (*low, *high) = (low.min(v), high.max(v));
        }
    }
    bounds
}

/// A number that errs at every operation.
#[derive(Clone, Copy, Debug)]
pub struct Erring(f64);

/// Four and a half units in the last place of an `f32`: what Vulkan allows a square root, an inverse root (2) and a
/// division (2.5). The other operations err by half a unit.
const MOST: f64 = 4.5 / (1_u32 << 23) as f64;

thread_local! {
    static ERRORS: RefCell<Rng> = const { RefCell::new(Rng(7)) };
}

fn err(exact: f64) -> Erring {
    Erring(exact * (1.0 + ERRORS.with_borrow_mut(|rng| rng.range(-MOST, MOST))))
}

impl Add for Erring {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        err(self.0 + o.0)
    }
}
impl Sub for Erring {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        err(self.0 - o.0)
    }
}
impl Mul for Erring {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        err(self.0 * o.0)
    }
}
impl Div for Erring {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        err(self.0 / o.0)
    }
}
impl Neg for Erring {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
impl Lane for Erring {
    fn splat(value: f32) -> Self {
        Self(f64::from(value))
    }
    fn sqrt(self) -> Self {
        err(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn pick_gt(a: Self, b: Self, yes: Self, no: Self) -> Self {
        if a.0 > b.0 { yes } else { no }
    }
}
impl Number for Erring {
    fn of(value: f64) -> Self {
        Self(value)
    }
    fn get(self) -> f64 {
        self.0
    }
}
