//! Readers and writers as other crates use them. One binary, so that one link serves all.

mod colliders;
mod models;
mod mutation;
mod readers;
mod samples;
#[path = "../../../pliant/tests/support/skip.rs"]
mod skip;
mod tet_readers;
mod writers;
