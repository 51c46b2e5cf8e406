//! Readers and writers through the public interface. One test binary, so that it links once.

mod colliders;
#[path = "../../../pliant/tests/support/models.rs"]
mod model_folder;
mod models;
mod mutation;
mod readers;
mod samples;
#[path = "../../../pliant/tests/support/skip.rs"]
mod skip;
mod tet_readers;
mod writers;
