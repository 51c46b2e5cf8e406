//! The maths of every kernel by itself: gradients, projections, momentum, degenerate input, operators.
//!
//! Kernels are generic over `Lane`, so most of this runs them in double precision (`support::Double`):
//! what remains of an error is then the formula's, not the rounding's.

#![allow(missing_docs)]

mod degenerate;
mod gradients;
mod operators;
mod satisfy;
mod shapes;
mod support;
