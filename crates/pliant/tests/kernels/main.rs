//! Every kernel by itself: gradients, projections, momentum, degenerate input, operators.
//!
//! Kernels are generic over `Lane`, so most tests run them in double precision (`support::Double`):
//! the remaining error is then that of the formula, not of rounding.

#![allow(missing_docs, clippy::print_stderr, reason = "tests print what they measured")]

mod bending;
mod continuum;
mod degenerate;
mod gradients;
mod operators;
mod projection;
mod shapes;
mod sheets;
mod support;
