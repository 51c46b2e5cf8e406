//! Time integration of one particle (S01, S06).
//!
//! The engine uses the first two triples: unconstrained velocity, predicted position, and velocity after the solve.
//! BDF1 is the symplectic Euler step of D4 2.3–2.4 (x̃ = x + h·v + h²·a, E11); BDF2 is D3's second-order pair (E12),
//! which needs two past states and so starts with BDF1 and falls back to it in contact.
//! The velocity after the solve is the unconstrained one plus the solver's displacement over h: written as (x' − x)/h,
//! the rounding of x would enter the velocity at every step (free fall at 240 Hz drifts by 4e-5 that way, by 2e-7 this
//! way).
//! The other integrators are references for tests and teaching.

use crate::math::{Lane, V3};

/// Unconstrained velocity: v + h·a.
#[inline(always)]
pub fn free_velocity_bdf1<F: Lane>(v: V3<F>, a: V3<F>, h: F) -> V3<F> {
    v + a * h
}

/// x̃ = x + h·ṽ = x + h·v + h²·a (D3, E11), with ṽ the unconstrained velocity.
#[inline(always)]
pub fn predict_bdf1<F: Lane>(x: V3<F>, free: V3<F>, h: F) -> V3<F> {
    x + free * h
}

/// v = (x' − x)/h = ṽ + (x' − x̃)/h.
#[inline(always)]
pub fn velocity_bdf1<F: Lane>(after: V3<F>, x: V3<F>, free: V3<F>, h: F, inv_h: F) -> V3<F> {
    free + (after - predict_bdf1(x, free, h)) * inv_h
}

/// Unconstrained velocity: 4/3·vⁿ − 1/3·vⁿ⁻¹ + 2/3·h·a (D3).
#[inline(always)]
pub fn free_velocity_bdf2<F: Lane>(v: V3<F>, before: V3<F>, a: V3<F>, h: F) -> V3<F> {
    let third = F::splat(1.0 / 3.0);
    v + (v - before) * third + a * (F::splat(2.0 / 3.0) * h)
}

/// x̃ = 4/3·xⁿ − 1/3·xⁿ⁻¹ + 2/3·h·ṽ, D3's prediction with ṽ the unconstrained velocity.
///
/// Written as a step from xⁿ, because 4/3·x − 1/3·x of a particle far from the origin does not round to x.
#[inline(always)]
pub fn predict_bdf2<F: Lane>(x: V3<F>, before: V3<F>, free: V3<F>, h: F) -> V3<F> {
    x + ((x - before) * F::splat(1.0 / 3.0) + free * (F::splat(2.0 / 3.0) * h))
}

/// v = (3/2·x' − 2·xⁿ + 1/2·xⁿ⁻¹)/h = ṽ + 3/2·(x' − x̃)/h (D3).
#[inline(always)]
pub fn velocity_bdf2<F: Lane>(after: V3<F>, x: V3<F>, before: V3<F>, free: V3<F>, h: F, inv_h: F) -> V3<F> {
    free + (after - predict_bdf2(x, before, free, h)) * (F::splat(1.5) * inv_h)
}

/// Explicit Euler (D4 2.1): gains energy on every oscillation; for reference only.
pub fn explicit_euler(x: f64, v: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> (f64, f64) {
    (x + h * v, v + h * acceleration(x))
}

/// Symplectic Euler (D4 2.3): velocity first, then position with the new velocity.
pub fn symplectic_euler(x: f64, v: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> (f64, f64) {
    let v = v + h * acceleration(x);
    (x + h * v, v)
}

/// Implicit Euler (D4 2.2) for the linear force a = −k·x, in closed form: always loses energy.
pub fn implicit_euler_spring(x: f64, v: f64, h: f64, k: f64) -> (f64, f64) {
    let v = (v - h * k * x) / (1.0 + h * h * k);
    (x + h * v, v)
}

/// Position Verlet (D0 §2): the next position from the last two. With v = (x − before)/h it takes the
/// same steps as symplectic Euler.
pub fn verlet(x: f64, before: f64, h: f64, acceleration: impl Fn(f64) -> f64) -> f64 {
    2.0 * x - before + h * h * acceleration(x)
}
