//! Errata of D0–D4 (E01–E33), one module per document, D4 by chapter.
//!
//! Each test states the formula as printed in a function `printed_…`, shows a case in which it violates a property
//! (momentum, a gradient by finite differences, convergence, a valid coloring, …), and asserts that the engine's own
//! function has that property. Errata in numbers or wording assert the fact that decides them.

#![allow(missing_docs, reason = "a test")]

mod d0;
mod d1;
mod d2;
mod d3;
mod d4_bodies;
mod d4_contact;
mod d4_fluid;
mod d4_search;
mod d4_solver;
mod d4_tree;
mod d4_voxels;
#[allow(dead_code, reason = "shared with the tests of the kernels")]
#[path = "../kernels/support.rs"]
mod samples;
#[allow(dead_code, reason = "shared with the analytic tests")]
#[path = "../analytic/support.rs"]
mod support;
