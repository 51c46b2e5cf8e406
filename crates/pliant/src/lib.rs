//! Pliant: a unified position-based dynamics engine.

pub mod frame;
pub mod mesh;
