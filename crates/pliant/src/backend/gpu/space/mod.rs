//! Neighbor search on the device (S30–S32): the same lists as [`crate::space`], from the same test of pairs.
mod scan;
mod sort;
mod workshop;

pub use scan::Scan;
pub use sort::Sort;
