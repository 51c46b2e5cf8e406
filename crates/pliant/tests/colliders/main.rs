//! Colliders of all shapes: hulls, triangle surfaces, distance fields (S17), and contact laws (S18).
#![allow(missing_docs, clippy::print_stdout, reason = "a test")]

mod geometry;
mod rebounds;
mod scene;
mod slopes;
mod support;
mod sweeps;
mod tunnels;
