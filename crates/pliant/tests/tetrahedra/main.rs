//! Tetrahedra that fill surfaces: angles, volume, distance, topology, determinism.
#![allow(missing_docs, reason = "a test")]

mod measure;
#[path = "../support/models.rs"]
mod model_folder;
mod random;
mod refused;
mod shapes;
#[path = "../support/skip.rs"]
mod skip;
mod soft;
mod surfaces;
