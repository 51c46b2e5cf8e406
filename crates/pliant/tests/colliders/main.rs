//! Colliders of any shape: hulls, surfaces of triangles, distance fields (S17), and what contacts can do (S18).
#![allow(missing_docs, clippy::print_stdout, reason = "a test")]

mod geometry;
mod rebounds;
mod scene;
mod slopes;
mod support;
mod sweeps;
mod tunnels;
