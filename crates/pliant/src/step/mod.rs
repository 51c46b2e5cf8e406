//! A step as data: the list of passes, and what was measured while walking it.

pub mod schedule;
pub mod stats;
