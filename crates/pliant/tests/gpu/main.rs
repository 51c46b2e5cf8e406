//! The GPU backend against the CPU: every WGSL function against its Rust kernel on random and degenerate input.
//!
//! Without an adapter these tests report a skip and pass; with `PLIANT_REQUIRE_GPU` set they fail instead.

#![allow(missing_docs, clippy::print_stdout)]

mod batches;
mod bodies;
mod bodies_in_liquids;
mod colliders;
mod device_edits;
mod edits;
mod elastic;
mod elastic_large;
mod emitters;
mod events;
mod exact_rounding;
mod faults;
mod fused_passes;
mod groups;
mod kernels;
mod layout;
mod liquids;
mod momentum;
#[path = "../support/momentum.rs"]
mod momentum_sums;
mod objects;
mod operators;
mod particles;
mod partitions;
mod projection;
mod repeat;
mod restitution;
mod rigid_bodies;
mod rounding;
#[allow(dead_code)]
#[path = "../kernels/support.rs"]
mod samples;
mod scenes;
#[path = "../support/shared_device.rs"]
mod shared_device;
mod simulations;
#[path = "../support/skip.rs"]
mod skip;
mod sleeping;
#[path = "../support/small_scenes.rs"]
mod small_scenes;
mod snapshots;
mod steering;
mod support;
mod transitions;
mod triangles;
mod tunneling;
mod worlds;
