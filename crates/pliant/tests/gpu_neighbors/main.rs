//! Neighbor search on the device against brute force and against the CPU (S30–S32).
//!
//! Without an adapter these tests report a skip and pass; with `PLIANT_REQUIRE_GPU` set they fail instead.

#![allow(missing_docs, clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../neighbors/support.rs"]
mod clouds;
mod lists;
mod order;
mod overflow;
#[path = "../support/skip.rs"]
mod skip;
mod support;
mod tree;
