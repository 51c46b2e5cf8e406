//! Every kernel by itself: gradients, projections, momentum, degenerate input, operators.
//!
//! Kernels are generic over `Lane`, so most tests run them in double precision (`support::Double`):
//! the remaining error is then that of the formula, not of rounding.

#![allow(missing_docs)]

mod bending;
mod continuum;
mod degenerate;
mod gradients;
mod operators;
mod projection;
mod shapes;
mod sheets;
mod support;
