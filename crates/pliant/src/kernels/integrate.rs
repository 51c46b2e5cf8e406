//! Time integration of one particle (S01, S06).
//!
//! The engine runs the first two pairs: predict, solve, take the velocity from the positions. BDF1 is the
//! symplectic Euler step of D4 2.3–2.4 (x̃ = x + h·v + h²·a, E11); BDF2 is D3's second-order pair (E12),
//! which needs two past states and so starts with BDF1 and falls back to it in contact.
//! The other integrators are references for tests and teaching: they show what the choice costs.

use super::{Lane, V3};

/// x̃ = x + h·v + h²·a (D3, E11).
#[inline(always)]
pub fn predict_bdf1<F: Lane>(x: V3<F>, v: V3<F>, a: V3<F>, h: F) -> V3<F> {
    x + (v + a * h) * h
}

/// v = (x' − x)/h.
#[inline(always)]
pub fn velocity_bdf1<F: Lane>(after: V3<F>, x: V3<F>, inv_h: F) -> V3<F> {
    (after - x) * inv_h
}

/// One past state of a particle.
#[derive(Clone, Copy, Debug)]
pub struct Past<F> {
    /// Position.
    pub x: V3<F>,
    /// Velocity.
    pub v: V3<F>,
}

/// x̃ = 4/3·xⁿ − 1/3·xⁿ⁻¹ + 8/9·h·vⁿ − 2/9·h·vⁿ⁻¹ + 4/9·h²·a (D3).
///
/// Written as a step from xⁿ, because 4/3·x − 1/3·x of a particle far from the origin does not round to x.
#[inline(always)]
pub fn predict_bdf2<F: Lane>(now: Past<F>, before: Past<F>, a: V3<F>, h: F) -> V3<F> {
    let third = F::splat(1.0 / 3.0);
    let drift = now.v * (F::splat(8.0 / 9.0) * h) - before.v * (F::splat(2.0 / 9.0) * h);
    now.x + ((now.x - before.x) * third + drift + a * (F::splat(4.0 / 9.0) * h * h))
}

/// v = (3/2·x' − 2·xⁿ + 1/2·xⁿ⁻¹)/h (D3).
#[inline(always)]
pub fn velocity_bdf2<F: Lane>(after: V3<F>, x: V3<F>, before: V3<F>, inv_h: F) -> V3<F> {
    ((after - x) * F::splat(1.5) - (x - before) * F::splat(0.5)) * inv_h
}

/// Explicit Euler (D4 2.1): gains energy on every oscillation; a reference only.
pub fn explicit_euler(x: f64, v: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> (f64, f64) {
    (x + h * v, v + h * acceleration(x))
}

/// Symplectic Euler (D4 2.3): velocity first, then position with the new velocity.
pub fn symplectic_euler(x: f64, v: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> (f64, f64) {
    let v = v + h * acceleration(x);
    (x + h * v, v)
}

/// Implicit Euler (D4 2.2) for the linear force a = −k·x, solved in closed form: loses energy always.
pub fn implicit_euler_spring(x: f64, v: f64, h: f64, k: f64) -> (f64, f64) {
    let v = (v - h * k * x) / (1.0 + h * h * k);
    (x + h * v, v)
}

/// Position Verlet (D0 §2): the next position from the last two. With v = (x − before)/h it takes the
/// same steps as symplectic Euler.
pub fn verlet(x: f64, before: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> f64 {
    2.0 * x - before + h * h * acceleration(x)
}
