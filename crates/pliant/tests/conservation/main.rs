//! What physics keeps at default settings: energy, momentum, the laws of contact, packing. Sizes are random with fixed seeds.

#![allow(missing_docs, clippy::print_stdout)]

mod contact_laws;
mod free_fall;
mod momentum;
#[path = "../support/momentum.rs"]
mod momentum_sums;
mod packing;
#[path = "../fluid/rng.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod rng;
#[path = "../particles/support.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod support;
