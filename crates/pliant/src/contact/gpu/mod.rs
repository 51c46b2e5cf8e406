//! Collider tables for the GPU; the WGSL of contact passes.

pub mod collider_tables;
