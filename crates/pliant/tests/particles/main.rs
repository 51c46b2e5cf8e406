//! Particle contacts: grains, shape-matched bodies, and all other objects.

#![allow(missing_docs, clippy::print_stdout)]

mod bodies;
mod body_sources;
mod column_collapse;
mod grains;
#[path = "../support/models.rs"]
mod model_folder;
mod models;
mod published_cases;
mod random;
#[path = "../fluid/rng.rs"]
mod rng;
mod rolling;
mod scene;
mod simd_lanes;
#[path = "../support/skip.rs"]
mod skip;
mod support;
mod towers;
