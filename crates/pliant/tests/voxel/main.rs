//! Meshes to voxels, voxels to distances, distances to particles (S27–S29), each against a simpler method.
#![allow(missing_docs, reason = "a test")]

mod distance;
mod merge;
#[path = "../support/models.rs"]
mod model_folder;
mod models;
mod obj;
mod shapes;
#[path = "../support/skip.rs"]
mod skip;
mod solid;
