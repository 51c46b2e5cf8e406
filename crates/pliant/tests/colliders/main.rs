//! Colliders of all shapes: hulls, triangle surfaces, distance fields (S17), and contact laws (S18).
#![allow(missing_docs, clippy::print_stdout, reason = "a test")]

mod friction;
mod geometry;
mod restitution;
mod scene;
mod support;
mod sweeps;
mod tunneling;
