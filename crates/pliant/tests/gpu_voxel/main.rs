//! Filling meshes with particles on the device against the CPU (S27–S29, T10): bitwise equal, order included.
//!
//! Without an adapter these tests report a skip and pass; with `PLIANT_REQUIRE_GPU` set they fail instead.
#![allow(missing_docs, reason = "a test")]
#![allow(clippy::print_stdout, reason = "a test that is skipped must say so")]

mod equality;
#[path = "../support/models.rs"]
mod model_folder;
#[path = "../voxel/obj.rs"]
mod obj;
mod refusals;
#[allow(dead_code)]
#[path = "../voxel/shapes.rs"]
mod shapes;
#[path = "../support/skip.rs"]
mod skip;
mod support;
