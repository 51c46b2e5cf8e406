//! The command line: exit codes, streams and files.

mod bench;
mod checkpoint;
mod errors;
mod faults;
mod foam;
mod gallery;
mod gpu;
mod help;
mod limits;
mod meshes;
mod partition;
mod run;
#[path = "../../../pliant/tests/support/skip.rs"]
mod skip;
mod study;
mod support;
mod surface;
mod voxelize;
