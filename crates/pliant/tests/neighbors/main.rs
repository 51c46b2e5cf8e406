//! Neighbor search against brute force (S30–S32).
#![allow(missing_docs, reason = "a test")]

mod grid;
mod lists;
mod nearest;
mod support;
mod tree;
